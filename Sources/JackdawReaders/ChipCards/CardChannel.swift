import JackdawBytes
public import JackdawEMV
public import JackdawTransport

/// Sends commands to a chip card over a link whose packets are commands and answers (APDUs), and receives its answers.
///
/// Over T=0 it asks for data with GET RESPONSE and corrects lengths; over T=1 a card never answers so.
public actor CardChannel {
    /// The name of the link.
    public nonisolated let link: LinkName
    private let transport: any Transport
    private let limit: Duration
    private let clock: any Clock<Duration>
    private var isBusy = false
    /// The error after which the next answer could be that of an earlier command.
    private var failure: LinkError?

    /// Creates a channel on an open link, which the caller closes.
    /// - Parameters:
    ///   - transport: the link, with one packet for each command and answer.
    ///   - limit: the longest wait for the answer to one command. Default: 30 s; cards ask for more time by themselves,
    ///     which their reader grants.
    ///   - clock: measures the wait.
    public init(
        _ transport: any Transport, limit: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()
    ) {
        link = transport.link
        self.transport = transport
        self.limit = limit
        self.clock = clock
    }

    /// Sends a command and receives the whole answer. Only one task at a time may call it.
    /// - Throws: `LinkError`: that of the link, `timedOut` after ``init(_:limit:clock:)``'s limit, `cancelled` if the
    ///   task was cancelled, `badAnswer` for an answer without a status word, `busy` while another command has no
    ///   answer. After any of them but `busy`, no other command is sent.
    public func transmit(_ command: CardCommand) async throws(LinkError) -> CardResponse {
        if let failure { throw failure }
        guard !isBusy else { throw error(.busy, "the card has not answered the command before") }
        isBusy = true
        defer { isBusy = false }
        var exchange = CardExchange(command)
        var next: CardCommand? = command
        while let sent = next {
            do throws(LinkError) {
                next = exchange.receive(try await answer(to: sent))
            } catch {
                failure = error
                throw error
            }
        }
        return exchange.response
    }

    private func answer(to command: CardCommand) async throws(LinkError) -> CardResponse {
        let result = await limited(to: limit, on: clock) { [transport] in
            await Self.exchange(command, over: transport)
        }
        if let result { return try result.get() }
        throw Task.isCancelled ? error(.cancelled, "cancelled") : error(.timedOut, "the card did not answer in time")
    }

    private static func exchange(
        _ command: CardCommand, over transport: any Transport
    ) async -> Result<CardResponse, LinkError> {
        do throws(LinkError) {
            var octets = command.octets
            defer { octets.wipe() }
            try await transport.send(octets)
            var answer: CardResponse?
            let isMore = try await transport.receive { answer = try? CardResponse($0) }
            if let answer { return .success(answer) }
            throw LinkError(
                isMore ? .badAnswer : .disconnected, link: transport.link.description,
                isMore ? "an answer without a status word" : "the card's link has ended")
        } catch {
            return .failure(error)
        }
    }

    private func error(_ code: LinkError.Code, _ message: String) -> LinkError {
        LinkError(code, link: link.description, message)
    }
}

/// Runs an operation, and cancels it when its time is over or the task is cancelled. Ends when the operation has ended.
/// - Returns: nil if the time was over, or the task was cancelled, before the operation ended.
func limited<Value: Sendable>(
    to limit: Duration, on clock: any Clock<Duration>, _ operation: @escaping @Sendable () async -> Value
) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
        let clock = ElapsedClock(clock)
        group.addTask { await operation() }
        group.addTask {
            try? await clock.sleep(limit)
            return nil
        }
        let first = await group.next()
        group.cancelAll()
        return first ?? nil
    }
}
