import JackdawPayments
import JackdawTransport

/// A payment that was started: its identifier, its steps, its result, and its cancellation.
public final class AcceptPaymentRun: Sendable {
    private struct State {
        var result: Result<AcceptTransaction, AcceptError>?
        var waiting: [CheckedContinuation<Result<AcceptTransaction, AcceptError>, Never>] = []
        var cancellations: [CheckedContinuation<Bool, Never>] = []
        var updates: [AcceptStateUpdate] = []
        var phase = Phase.opening
    }

    private enum Phase {
        /// The terminal is opened, which may take any time. A cancellation ends the payment at once.
        case opening
        /// The payment flow decides about a cancellation.
        case flow
        /// The payment is decided, and only its description is missing.
        case decided
    }

    /// The identifier of the payment, which is in the journal before anything is sent.
    public let uniqueId: String
    let attempt: AttemptIdentifier
    let events: AsyncStream<AcceptPayEvent>
    private let input: AsyncStream<AcceptPayEvent>.Continuation
    private let state = Lock(State())
    private let steps = Broadcast<AcceptStateUpdate>()

    init(_ attempt: AttemptIdentifier) {
        self.attempt = attempt
        uniqueId = attempt.rawValue
        (events, input) = AsyncStream<AcceptPayEvent>.makeStream()
    }

    /// The steps of the payment from its beginning, until its end.
    public var updates: AsyncStream<AcceptStateUpdate> {
        let (stream, listener) = AsyncStream<AcceptStateUpdate>.makeStream()
        state.withLock { state in
            guard state.result != nil else { return steps.add(listener, beginning: state.updates) }
            for step in state.updates { listener.yield(step) }
            listener.finish()
        }
        return stream
    }

    /// Waits for the end of the payment. Cancelling the task that waits changes nothing.
    /// - Returns: the approved payment.
    /// - Throws: ``AcceptError``, with ``AcceptError/decline`` if the payment began.
    public func result() async throws(AcceptError) -> AcceptTransaction {
        let result = await withCheckedContinuation { continuation in
            let known = state.withLock { state in
                if state.result == nil { state.waiting.append(continuation) }
                return state.result
            }
            if let known { continuation.resume(returning: known) }
        }
        return try result.get()
    }

    /// Cancels the payment, if its state allows it: not while the host is asked, and not after that, except while a
    /// signature is awaited. Returns at once.
    public func cancelPay() {
        let isEarly = state.withLock { state in
            guard state.phase == .opening, state.result == nil else { return false }
            state.phase = .decided
            return true
        }
        guard isEarly else {
            input.yield(.cancel)
            return
        }
        cancelled(true)
        end(.failure(Self.cancelledBefore))
    }

    /// Cancels the payment, if its state allows it.
    /// - Returns: whether the payment ends by it. It returns when that is known: when the payment service refuses the
    ///   cancellation, or the payment has ended.
    public func cancel() async -> Bool {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                let isOver = state.result != nil || state.phase == .decided
                if !isOver { state.cancellations.append(continuation) }
                return isOver
            }
            if isOver { continuation.resume(returning: false) } else { cancelPay() }
        }
    }

    // MARK: for the shell of the payment

    /// The error of a payment that was cancelled before it was in the journal.
    static let cancelledBefore = AcceptError(
        .pay(.transactionTerminated), "The payment was cancelled before it began.")

    /// Begins the payment flow.
    /// - Returns: false if the payment was cancelled.
    func begin() -> Bool {
        state.withLock { state in
            guard state.phase == .opening else { return false }
            state.phase = .flow
            return true
        }
    }

    /// Ends all waits for a cancellation: the payment is decided.
    func endCancellations() {
        state.withLock { $0.phase = .decided }
        cancelled(false)
    }

    func send(_ event: AcceptPayEvent) { input.yield(event) }

    func finishEvents() { input.finish() }

    func show(_ step: AcceptStateUpdate) {
        state.withLock { state in
            state.updates.append(step)
            steps.send(step)
        }
    }

    func cancelled(_ isDone: Bool) {
        let waiting = state.withLock { state in
            defer { state.cancellations = [] }
            return state.cancellations
        }
        for continuation in waiting { continuation.resume(returning: isDone) }
    }

    /// Ends the payment. Later calls change nothing.
    func end(_ result: Result<AcceptTransaction, AcceptError>) {
        let waiting: [CheckedContinuation<Result<AcceptTransaction, AcceptError>, Never>]? = state.withLock { state in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let waiting else { return }
        input.finish()
        steps.finish()
        cancelled(false)
        for continuation in waiting { continuation.resume(returning: result) }
    }
}
