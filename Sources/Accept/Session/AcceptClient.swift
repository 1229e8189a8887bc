import JackdawCards
public import JackdawPayments
import JackdawTransport

/// A client of an Accept host that logs in: it puts a token into each request, over another client.
///
/// A token is asked for before the first request, when it has not been used for its lifetime, and when the host does not take
/// it; the request is sent once more then. A login that the host refuses is not repeated for 15 s to 600 s, and requests in
/// that time fail at once. Any number of requests may be under way.
public actor AcceptClient: HTTPClient {
    private let client: any HTTPClient
    private let clock: ElapsedClock
    private var session: AcceptSession
    private var lastCall = 0
    private var calls: [Int: CheckedContinuation<Result<HTTPAnswer, HTTPFailure>, Never>] = [:]
    private var exchanges: [Int: Task<Void, Never>] = [:]
    /// The exchanges whose result is not needed, until they have ended.
    private var ending: [Int: Task<Void, Never>] = [:]
    private var timer: DeadlineTimer

    /// A client without a token.
    /// - Parameters:
    ///   - credentials: name and password.
    ///   - client: the connection to the host.
    ///   - basePath: the path before that of a route, as in ``AcceptWire/basePath``. Default: `/v3`.
    ///   - clock: the clock of time limits. Default: `SuspendingClock`.
    public init(
        _ credentials: AcceptCredentials, over client: any HTTPClient, basePath: String = "/v3",
        clock: some Clock<Duration> = SuspendingClock()
    ) {
        self.client = client
        self.clock = ElapsedClock(clock)
        session = AcceptSession(credentials, basePath: basePath)
        timer = DeadlineTimer(self.clock)
    }

    /// A client with the token of a login that the program has made; nil credentials if it has the token alone.
    init(
        _ credentials: AcceptCredentials?, over client: any HTTPClient, basePath: String, clock: ElapsedClock,
        token: AcceptToken
    ) {
        self.client = client
        self.clock = clock
        session = AcceptSession(credentials, basePath: basePath, token: token, at: clock.now())
        timer = DeadlineTimer(clock)
    }

    /// A client without a token, on the clock of other clients.
    init(_ credentials: AcceptCredentials, over client: any HTTPClient, basePath: String, clock: ElapsedClock) {
        self.client = client
        self.clock = clock
        session = AcceptSession(credentials, basePath: basePath)
        timer = DeadlineTimer(clock)
    }

    /// Whether requests have this token.
    func uses(_ token: SecretText) -> Bool { session.uses(token) }

    /// Sends a request with a token, after a login if there is none. When a call has failed, nothing about it is under way
    /// in the other client; a login, too, has ended if no other call waits for it.
    /// - Throws: `HTTPFailure`, `notLoggedIn` if the host gives no token.
    public func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
        lastCall += 1
        let call = lastCall
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                calls[call] = continuation
                process(.send(request, call: call, limit: limit))
                if Task.isCancelled { process(.cancel(call: call)) }
            }
        } onCancel: {
            Task { await self.process(.cancel(call: call)) }
        }
        if case .failure = result { for exchange in Array(ending.values) { await exchange.value } }
        return try result.get()
    }

    private func process(_ event: AcceptSessionEvent) {
        for effect in session.receive(event, at: clock.now()) {
            switch effect {
            case .exchange(let number, let request, let limit):
                exchanges[number] = Task { await exchange(number, request, limit) }
            case .abandon(let number):
                guard let exchange = exchanges.removeValue(forKey: number) else { continue }
                exchange.cancel()
                ending[number] = exchange
            case .answer(let answer, let call): calls.removeValue(forKey: call)?.resume(returning: .success(answer))
            case .failure(let failure, let call):
                calls.removeValue(forKey: call)?.resume(returning: .failure(failure))
            }
        }
        timer.arm(for: session.nextDeadline) { [weak self] deadline in await self?.reach(deadline) }
    }

    private func reach(_ deadline: Duration) {
        if timer.reach(deadline) { process(.timer) }
    }

    private func exchange(_ number: Int, _ request: HTTPRequest, _ limit: Duration) async {
        let event: AcceptSessionEvent
        do throws(HTTPFailure) {
            event = .answered(try await client.send(request, limit: limit), exchange: number)
        } catch { event = .failed(error, exchange: number) }
        exchanges[number] = nil
        ending[number] = nil
        process(event)
    }
}
