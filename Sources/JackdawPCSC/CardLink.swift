import JackdawBytes
internal import JackdawSystem
public import JackdawTransport

/// A link to the card in a reader: each packet sent is one command (APDU), each packet received is the answer to one
/// command, in the same order: its data, then SW1 and SW2.
///
/// Over T=0 the card offers data with the status 61xx and corrects lengths with 6Cxx; the link passes these answers on,
/// and the program sends GET RESPONSE. A command that fails loses the link: the card was removed, another program has
/// reset it, or it does not answer.
public final class CardLink: Transport, CardResetting {
    private struct State {
        /// Answers that no task has received yet.
        var answers: [[UInt8]] = []
        /// Whether a call to the card runs.
        var isBusy = false
        /// The error that ended the link.
        var failure: LinkError?
        var isClosed = false

        mutating func dropAnswers() {
            for index in answers.indices { answers[index].wipe() }
            answers = []
        }
    }

    /// The name that opened the link.
    public let link: LinkName
    private let connection: CardConnection
    private let state = Lock(State())
    /// Sent when an answer was added, a call has ended, or the link has.
    private let change = AsyncSignal()

    init(_ link: LinkName, _ connection: CardConnection) {
        self.link = link
        self.connection = connection
    }

    deinit {
        if !state.withLock({ $0.isClosed }) { connection.end() }
    }

    /// The name of the reader.
    public var reader: String { connection.reader }

    /// The answer of the card to its last reset, 2 to 33 octets.
    public func answerToReset() async -> [UInt8] { connection.answerToReset }

    /// Waits for the answer to the next command and passes it to `take`. Only one task at a time may receive.
    /// - Parameter take: receives the answer, 2 octets at least.
    /// - Returns: true; a card never ends the link in good order.
    /// - Throws: `LinkError` if the link was lost, again at each call, or if the task was cancelled, which loses no
    ///   answer.
    public func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        while true {
            let seen = change.count
            guard !Task.isCancelled else { throw .cancelled(link.description) }
            let (answer, failure): ([UInt8]?, LinkError?) = state.withLock { state in
                state.answers.isEmpty ? (nil, state.failure) : (state.answers.removeFirst(), nil)
            }
            if var answer {
                take(answer.span)
                answer.wipe()
                return true
            }
            if let failure { throw failure }
            await change.wait(after: seen)
        }
    }

    /// Sends one command, after the answer to the command before. Does not wait for its own answer. Only one task at a
    /// time may send.
    /// - Parameter bytes: the command, 4 octets at least.
    /// - Throws: `LinkError` if the link was lost, or if the task was cancelled while it waited; nothing was sent.
    public func send(_ bytes: [UInt8]) async throws(LinkError) {
        guard !bytes.isEmpty else { return }
        guard bytes.count >= 4 else {
            throw LinkError(
                .unsupported, link: link.description, "a command has 4 octets at least", undelivered: bytes.count)
        }
        try await begin(undelivered: bytes.count)
        let command = SecretCommand(copying: bytes)
        do throws(SystemFailure) {
            // The thread keeps the link until the card has answered.
            try WorkerThread(name: "jackdaw-card") { [self] in
                finish(Result { () throws(PCSCFailure) in try connection.transmit(command) })
            }.detach()
        } catch {
            state.withLock { $0.isBusy = false }
            change.send()
            throw LinkError(
                .system, link: link.description, "no thread can be created", underlying: error.message,
                undelivered: bytes.count)
        }
    }

    /// Resets the card (a warm reset), after the answer to the command before. Its state, such as a verified PIN, is
    /// lost.
    /// - Returns: the answer to reset.
    /// - Throws: `LinkError` if the link was lost before or by the reset, or if the task was cancelled before it.
    public func resetCard() async throws(LinkError) -> [UInt8] {
        try await begin(undelivered: 0)
        let result: Result<[UInt8], PCSCFailure>
        do throws(SystemFailure) {
            result = try await WorkerThread.run(name: "jackdaw-card") { [connection] in
                Result { () throws(PCSCFailure) in try connection.reset() }
            }
        } catch {
            finish(nil)
            throw .system(error, link: link.description, "no thread can be created")
        }
        finish(result.map { _ in [] })
        do throws(PCSCFailure) { return try result.get() } catch { throw .cardLost(error, link: link.description) }
    }

    /// Has no effect: a card has no end of data.
    public func endSending() async throws(LinkError) {}

    /// Closes the link, and resets the card, so that the next program does not find a verified PIN. If the card has not
    /// answered a command yet, that happens after its answer.
    public func close() async {
        let isIdle = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            state.failure = state.failure ?? .closed(link.description)
            state.dropAnswers()
            return !state.isBusy
        }
        change.send()
        if isIdle { await WorkerThread.finish(name: "jackdaw-card") { [connection] in connection.end() } }
    }

    /// Waits until no call to the card runs, and marks that one does.
    private func begin(undelivered: Int) async throws(LinkError) {
        while true {
            let seen = change.count
            guard !Task.isCancelled else { throw .cancelled(link.description, undelivered: undelivered) }
            let (hasBegun, failure): (Bool, LinkError?) = state.withLock { state in
                if let failure = state.failure { return (false, failure) }
                defer { state.isBusy = true }
                return (!state.isBusy, nil)
            }
            if let failure {
                throw LinkError(
                    failure.code, link: failure.link, failure.message, remedy: failure.remedy,
                    underlying: failure.underlying, undelivered: undelivered)
            }
            if hasBegun { return }
            await change.wait(after: seen)
        }
    }

    /// Ends a call to the card.
    /// - Parameter result: the answer to a command, empty if there is none to receive; nil if the card was not called.
    private func finish(_ result: Result<[UInt8], PCSCFailure>?) {
        let mustEnd = state.withLock { state in
            state.isBusy = false
            switch result {
            case .success(var answer) where state.isClosed: answer.wipe()
            case .success(let answer): if !answer.isEmpty { state.answers.append(answer) }
            case .failure(let failure):
                state.failure = state.failure ?? .cardLost(failure, link: link.description)
            case nil: break
            }
            return state.isClosed
        }
        if mustEnd { connection.end() }
        change.send()
    }
}
