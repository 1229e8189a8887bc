import JackdawSystem
import JackdawTransport

/// The thread of a link to a card, on which all calls about the card run, and what it shares with the tasks that use
/// the link. It connects, carries requests out one after another, and at last resets the card.
final class CardSession: Sendable {
    private enum Request {
        /// A command, whose answer a task receives.
        case transmit(SecretPacket)
        case reset(CheckedContinuation<Result<[UInt8], LinkError>, Never>)
    }

    private struct State {
        /// The name of the reader, or the error that the connection has failed with; nil before.
        var opening: Result<String, LinkError>?
        var answerToReset: [UInt8] = []
        /// A request that the thread has not taken yet.
        var request: Request?
        /// Whether a task has begun a request that the thread has not finished yet.
        var isBusy = false
        /// Answers that no task has received yet.
        var answers: [SecretPacket] = []
        /// The error that ended the link.
        var failure: LinkError?
        var isClosed = false
        /// Whether the thread calls the card no more.
        var hasEnded = false
    }

    private let link: LinkName
    private let limits: CallLimits
    private let clock: any Clock<Duration>
    private let state = Lock(State())
    /// Rung for the thread: there is a request, or the link was closed.
    private let wake: WakeUp
    /// Sent for tasks: the card was connected, an answer was added, a request or the link has ended.
    private let change = AsyncSignal()

    /// Starts the thread, which connects to the card.
    /// - Throws: `LinkError` if the system has no thread or descriptor to spare.
    init(
        _ link: LinkName, _ calls: any PCSCCalls, _ threads: CallThreads, _ limits: CallLimits,
        _ clock: any Clock<Duration>
    ) throws(LinkError) {
        self.link = link
        self.limits = limits
        self.clock = clock
        do throws(SystemFailure) {
            wake = try WakeUp()
            try threads.start("jackdaw-card") { [self] in run(calls) }
        } catch {
            throw .system(error, link: link.description, "no thread can be created")
        }
    }

    // MARK: on the thread

    private func run(_ calls: any PCSCCalls) {
        do throws(LinkError) {
            var connection = try CardConnection(link, calls)
            state.withLock { [reader = connection.reader, answer = connection.answerToReset] state in
                state.answerToReset = answer
                state.opening = .success(reader)
            }
            change.send()
            while let request = nextRequest() { carryOut(request, &connection) }
        } catch {
            state.withLock { $0.opening = .failure(error) }
        }
        state.withLock { $0.hasEnded = true }
        change.send()
    }

    /// Waits for a request.
    /// - Returns: nil if the link was closed or lost, so that other programs can use the card.
    private func nextRequest() -> Request? {
        while true {
            let (request, isOver): (Request?, Bool) = state.withLock { state in
                defer { state.request = nil }
                return (state.request, !state.isBusy && (state.isClosed || state.failure != nil))
            }
            if request != nil || isOver { return request }
            _ = wake.wait(milliseconds: -1)
        }
    }

    private func carryOut(_ request: Request, _ connection: inout CardConnection) {
        switch request {
        case .transmit(let command):
            do throws(PCSCFailure) {
                let answer = try connection.transmit(command)
                finish { if !$0.isClosed { $0.answers.append(answer) } }
            } catch {
                _ = fail(error)
            }
        case .reset(let continuation):
            do throws(PCSCFailure) {
                try connection.reset()
                let answer = connection.answerToReset
                finish { $0.answerToReset = answer }
                continuation.resume(returning: .success(answer))
            } catch {
                continuation.resume(returning: .failure(fail(error)))
            }
        }
    }

    private func fail(_ failure: PCSCFailure) -> LinkError {
        let error = LinkError.cardLost(failure, link: link.description)
        finish { $0.failure = $0.failure ?? error }
        return error
    }

    private func finish(_ note: (inout State) -> Void) {
        state.withLock { state in
            note(&state)
            state.isBusy = false
        }
        change.send()
    }

    // MARK: for tasks

    /// Waits until the card is connected. Call once, first.
    /// - Returns: the name of the reader.
    /// - Throws: `LinkError`; then the thread ends as soon as its call has returned.
    func opened() async throws(LinkError) -> String {
        let clock = ElapsedClock(clock)
        while true {
            let seen = change.count
            if let opening = state.withLock({ $0.opening }) { return try opening.get() }
            if Task.isCancelled || clock.now() >= limits.connection {
                endSoon()
                guard !Task.isCancelled else { throw .cancelled(link.description) }
                throw LinkError(
                    .busy, link: link.description, "another program does not give the card up",
                    remedy: "end that program, such as scdaemon of GnuPG")
            }
            await change.wait(after: seen, until: limits.connection, on: clock)
        }
    }

    /// The card's answer to its last reset.
    var answerToReset: [UInt8] { state.withLock { $0.answerToReset } }

    /// Waits for the next answer and passes it to `take`.
    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) {
        while true {
            let seen = change.count
            guard !Task.isCancelled else { throw .cancelled(link.description) }
            let (answer, failure): (SecretPacket?, LinkError?) = state.withLock { state in
                state.answers.isEmpty ? (nil, state.failure) : (state.answers.removeFirst(), nil)
            }
            if let answer { return answer.withOctets { take($0) } }
            if let failure { throw failure }
            await change.wait(after: seen)
        }
    }

    /// Sends a command, after the answer to the command before.
    func transmit(_ bytes: [UInt8]) async throws(LinkError) {
        try await begin(undelivered: bytes.count)
        start(.transmit(SecretPacket(copying: bytes)))
    }

    /// Resets the card, after the answer to the command before.
    func reset() async throws(LinkError) -> [UInt8] {
        try await begin(undelivered: 0)
        return try await withCheckedContinuation { start(.reset($0)) }.get()
    }

    /// Closes the link, and waits until the card is reset: not for a command without an answer, and no longer than the
    /// limit.
    func close() async {
        guard endSoon() else { return }
        // Also in a task that was cancelled.
        await Task { await ended() }.value
    }

    /// Has the thread reset the card and end, after a command without an answer. Does not wait.
    /// - Returns: whether the thread can end at once; false at a second call.
    @discardableResult
    func endSoon() -> Bool {
        let isIdle = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            state.failure = state.failure ?? .closed(link.description)
            state.answers = []
            return !state.isBusy
        }
        wake.ring()
        change.send()
        return isIdle
    }

    private func ended() async {
        let clock = ElapsedClock(clock)
        while !state.withLock({ $0.hasEnded }), clock.now() < limits.closing {
            let seen = change.count
            guard !state.withLock({ $0.hasEnded }) else { return }
            await change.wait(after: seen, until: limits.closing, on: clock)
        }
    }

    /// Waits until no request is under way, and marks that one is.
    private func begin(undelivered: Int) async throws(LinkError) {
        while true {
            let seen = change.count
            guard !Task.isCancelled else { throw .cancelled(link.description, undelivered: undelivered) }
            let (hasBegun, failure): (Bool, LinkError?) = state.withLock { state in
                if let failure = state.failure { return (false, failure) }
                defer { state.isBusy = true }
                return (!state.isBusy, nil)
            }
            if let failure { throw failure.leaving(undelivered: undelivered) }
            if hasBegun { return }
            await change.wait(after: seen)
        }
    }

    private func start(_ request: Request) {
        state.withLock { $0.request = request }
        wake.ring()
    }
}
