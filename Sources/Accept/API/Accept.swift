public import JackdawCards
public import JackdawPayments
import JackdawTransport

/// The calls of the Accept SDK, over connections that the program hands in (`Accept`).
///
/// Each call has two shapes: one that is awaited, and one with a completion, which is called exactly once. Any number of
/// calls may be under way.
public final class Accept: Sendable {
    private struct State {
        var watch = AcceptTokenWatch()
        var timer: DeadlineTimer
        var service: PaymentService?
        var terminals: (any AcceptTerminals)?
        var methods: AcceptPaymentMethods?
        var protection: (@Sendable () async -> Bool)?
        var run: AcceptPaymentRun?
    }

    /// The longest time for a request. It is our choice.
    public static let requestLimit = Duration.seconds(30)
    /// The time for the journal to keep the image of a signature. It is our choice.
    static let signingLimit = Duration.seconds(5)
    /// The most hosts whose clients are kept.
    private static let maxClients = 4

    /// The version of the SDK whose guide the calls follow: `1.6.182`.
    public var version: String { "1.6.182" }

    let requests: AccountRequests
    let operations: OperationRequests
    /// The date, for the limit of reversals.
    let date: @Sendable () -> RecordedTime?
    private let payments = AcceptPaymentClient()
    let clock: ElapsedClock
    /// The log of the developer mode; nil without it.
    let developer: DeveloperLog?
    private let connect: @Sendable (AcceptDataServiceConfig) throws(AcceptError) -> any HTTPClient
    let callbacks: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state: Lock<State>
    /// The clients of the hosts. It is locked while one is opened, so that calls at the same time open one.
    private let clients = Lock<[(config: AcceptDataServiceConfig, client: any HTTPClient)]>([])
    private let expirations = Broadcast<SecretText>()

    /// Calls over connections that a program opens.
    /// - Parameters:
    ///   - basePath: the path before that of a route, as in ``AcceptWire/basePath``. Default: `/v3`.
    ///   - clock: the clock of lifetimes. Default: `SuspendingClock`.
    ///   - date: the date and the zone, for the limit of reversals alone. Default: nil, so that the host decides.
    ///   - developerMode: receives requests, answers and logs of payments, masked. Default: nil, none are made.
    ///   - callbacks: runs each closure that the program hands in to a call, for example on its main actor: completions, and
    ///     those of ``AcceptPaymentHandlers``. It is called in the order of the closures, and must keep it. Default: at once, on any thread.
    ///   - connect: opens a client of the host with the configuration's address. It is called once for each
    ///     configuration in use, also if calls come at the same time, and makes no calls itself.
    public init(
        basePath: String = "/v3", clock: some Clock<Duration> = SuspendingClock(),
        date: @escaping @Sendable () -> RecordedTime? = { nil }, developerMode: AcceptDeveloperMode? = nil,
        callbacks: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() },
        connect: @escaping @Sendable (AcceptDataServiceConfig) throws(AcceptError) -> any HTTPClient
    ) {
        requests = AccountRequests(basePath: basePath)
        operations = OperationRequests(basePath: basePath)
        self.date = date
        self.connect = connect
        self.callbacks = callbacks
        let clock = ElapsedClock(clock)
        self.clock = clock
        developer = developerMode.map { DeveloperLog($0, clock) }
        state = Lock(State(timer: DeadlineTimer(clock)))
        payments.report { [weak self] token in self?.note(.used(token)) }
    }

    /// The tokens that expire from now on: the user must log in again. Each stream has all of them. A token that the host
    /// refuses is one of them at once.
    public var tokenExpirations: AsyncStream<SecretText> {
        let (stream, listener) = AsyncStream<SecretText>.makeStream()
        expirations.add(listener)
        return stream
    }

    /// Whether a token was issued by this object, and has not expired.
    public func isValid(_ accessToken: SecretText) -> Bool {
        let now = clock.now()
        return state.withLock { $0.watch.isValid(accessToken, at: now) }
    }

    // MARK: the payment service and its client

    /// The client of the payment service. It uses the newest login of ``requestAccessToken(_:password:config:)`` at the host
    /// of the first one, and logs in again for the queue of the journal, so that name and password stay in wiped memory.
    /// Before the first login each request fails with `notLoggedIn`, and is kept in the queue.
    ///
    /// A journal is for one merchant of one host: use another `Accept`, service and journal for another merchant.
    public var paymentClient: any HTTPClient { payments }

    /// Hands in the payment service, which has ``paymentClient`` as its client, an `AcceptWire`, and is started by the
    /// program.
    public func use(_ service: PaymentService) { state.withLock { $0.service = service } }

    /// Hands in the terminals.
    /// - Parameters:
    ///   - terminals: the terminals of the program.
    ///   - methods: the file `paymentmethods.xml`: terminals that it does not support are not found, and cards that it
    ///     excludes are refused. Default: nil, all terminals and cards.
    public func use(_ terminals: any AcceptTerminals, methods: AcceptPaymentMethods? = nil) {
        state.withLock { state in
            state.terminals = terminals
            state.methods = methods
        }
    }

    /// Hands in a check of the computer, which each payment with a card begins with (1.6.175). The program decides what it
    /// checks, such as whether another program traces it.
    /// - Parameter protection: returns false if the protection of the computer or the program was removed; payments end
    ///   with `pay(.deviceRooted)` then. Without it, and with nil, nothing is checked.
    public func use(protection: (@Sendable () async -> Bool)?) {
        state.withLock { $0.protection = protection }
    }

    var protection: (@Sendable () async -> Bool)? { state.withLock { $0.protection } }
    var terminals: (any AcceptTerminals)? { state.withLock { $0.terminals } }
    var methods: AcceptPaymentMethods? { state.withLock { $0.methods } }

    /// The payment that is under way; nil without one.
    var run: AcceptPaymentRun? { state.withLock { $0.run } }

    /// Makes a payment the one that is under way.
    /// - Returns: false if there is another one.
    func begin(_ run: AcceptPaymentRun) -> Bool {
        state.withLock { state in
            guard state.run == nil else { return false }
            state.run = run
            return true
        }
    }

    func end(_ run: AcceptPaymentRun) {
        state.withLock { state in
            if state.run === run { state.run = nil }
        }
    }

    func paymentService() throws(AcceptError) -> PaymentService {
        guard let service = state.withLock({ $0.service }) else {
            throw AcceptError(.notRunning, "No payment service was handed in.")
        }
        return service
    }

    /// The payment service for payments at a host.
    /// - Throws: `notRunning`; `configurationInvalid` if the journal is for another host.
    func paymentService(at config: AcceptDataServiceConfig) throws(AcceptError) -> PaymentService {
        guard payments.serves(config.url) else {
            throw AcceptError(.configurationInvalid, "The payment service has payments of another host.")
        }
        return try paymentService()
    }

    /// Notes a login: its token is that of the user's calls and of the payment service. Without credentials the payment
    /// service cannot log in again.
    func loggedIn(
        _ token: AcceptToken, _ credentials: AcceptCredentials?, _ config: AcceptDataServiceConfig
    ) throws(AcceptError) {
        payments.use(
            AcceptClient(
                credentials, over: try client(for: config), basePath: requests.basePath, clock: clock, token: token),
            token.token, credentials, at: config.url)
    }

    /// Notes that the host has taken a new password, and withdrawn the tokens of its user.
    func passwordChanged(
        to password: SecretText, by token: SecretText, _ config: AcceptDataServiceConfig
    ) throws(AcceptError) {
        note(.refused(token))
        guard let old = payments.credentials(of: token) else { return }
        let credentials = AcceptCredentials(
            name: old.name, password: password, client: old.client, clientSecret: old.clientSecret)
        payments.use(
            AcceptClient(credentials, over: try client(for: config), basePath: requests.basePath, clock: clock),
            token, credentials, at: config.url)
    }

    // MARK: exchanges with the host

    /// Sends a request, with a token if the call needs one.
    /// - Returns: an answer with a status of 2xx.
    /// - Throws: the error of the call for a request without an answer, and for any other status.
    func exchange(
        _ request: HTTPRequest, _ token: SecretText?, _ config: AcceptDataServiceConfig, _ call: AcceptCall
    ) async throws(AcceptError) -> HTTPAnswer {
        let answer = try await send(request, token, config, call)
        guard (200...299).contains(answer.status) else { throw call.error(answer) }
        return answer
    }

    /// Sends a request, and notes that the host took or refused its token.
    /// - Returns: an answer with any status but that of a refused token.
    func send(
        _ request: HTTPRequest, _ token: SecretText?, _ config: AcceptDataServiceConfig, _ call: AcceptCall
    ) async throws(AcceptError) -> HTTPAnswer {
        let client = try client(for: config)
        var request = request
        if let token {
            guard AcceptToken.isToken(token) else { throw AcceptError(call.tokenExpired, "This is no token.") }
            request.headers.append(HTTPField("Authorization", secret: AcceptToken.authorization(token)))
        }
        let answer: HTTPAnswer
        do throws(HTTPFailure) { answer = try await client.send(request, limit: Self.requestLimit) } catch {
            throw call.error(error)
        }
        guard let token else { return answer }
        guard !HostError.wantsLogin(answer) else {
            note(.refused(token))
            throw call.error(answer)
        }
        note(.used(token))
        return answer
    }

    private func client(for config: AcceptDataServiceConfig) throws(AcceptError) -> any HTTPClient {
        try config.validate()
        let basePath = requests.basePath
        guard basePath.isEmpty || !["", "/"].contains(where: { config.url.hasSuffix(basePath + $0) }) else {
            throw AcceptError(
                .common(.applicationConfigurationInvalid),
                "The host's address goes without \(basePath), which is added to it.")
        }
        return try clients.withLock { clients throws(AcceptError) in
            if let known = clients.first(where: { $0.config == config }) { return known.client }
            var client = try connect(config)
            if let developer { client = ShownClient(client: client, log: developer) }
            clients.append((config, client))
            if clients.count > Self.maxClients { clients.removeFirst() }
            return client
        }
    }

    /// Notes an event of a token, and reports the tokens that are not valid any more.
    func note(_ event: AcceptTokenEvent) {
        let now = clock.now()
        let expired = state.withLock { state in
            let expired = state.watch.receive(event, at: now)
            state.timer.arm(for: state.watch.nextDeadline) { [weak self] deadline in self?.reach(deadline) }
            return expired
        }
        for token in expired { expirations.send(token) }
    }

    private func reach(_ deadline: Duration) {
        if state.withLock({ $0.timer.reach(deadline) }) { note(.timer) }
    }

    // MARK: the calls with completions

    /// Runs a call, and hands its result to a completion: the value or the error.
    func complete<Value: Sendable>(
        _ completion: @escaping @Sendable (Value?, AcceptError?) -> Void,
        _ call: @escaping @Sendable () async throws(AcceptError) -> Value
    ) {
        let callbacks = callbacks
        Task {
            let result: Result<Value, AcceptError>
            do throws(AcceptError) { result = .success(try await call()) } catch { result = .failure(error) }
            callbacks {
                switch result {
                case .success(let value): completion(value, nil)
                case .failure(let error): completion(nil, error)
                }
            }
        }
    }

    /// Runs a call without a value, and hands its success to a completion.
    func complete(
        _ completion: @escaping @Sendable (Bool, AcceptError?) -> Void,
        _ call: @escaping @Sendable () async throws(AcceptError) -> Void
    ) {
        complete({ (_: Bool?, error: AcceptError?) in completion(error == nil, error) }) {
            () async throws(AcceptError) in
            try await call()
            return true
        }
    }
}
