import Synchronization
import JackdawSystem

/// What the thread of a stream and its owner tell each other.
final class StreamState: Sendable {
    /// Ends the thread's wait.
    let wakeUp: WakeUp
    /// Ends its owner's wait.
    let news: WakeUp
    /// Rung when the thread ends.
    let ended: WakeUp

    private let stopped = Atomic(false)
    private let finished = Atomic(false)
    private let over = Atomic(false)
    private let failureCode = Atomic<Int32>(0)

    /// - Throws: ``SystemFailure`` where the process has no descriptor to spare.
    init() throws(SystemFailure) {
        wakeUp = try WakeUp()
        news = try WakeUp()
        ended = try WakeUp()
    }

    /// Whether the owner wants the thread to end.
    var isStopped: Bool { stopped.load(ordering: .acquiring) }

    /// Why the thread has ended by itself; nil where it has not.
    var failure: SystemFailure? {
        let code = failureCode.load(ordering: .acquiring)
        return code == 0 ? nil : SystemFailure(code: code)
    }

    /// Whether the thread has ended because there was nothing more to do.
    var hasFinished: Bool { finished.load(ordering: .acquiring) }

    /// Whether the thread has ended, or will without doing more.
    var isOver: Bool { over.load(ordering: .acquiring) }

    /// Asks the thread to end.
    /// - Returns: false where that was asked before.
    func stop() -> Bool {
        guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        wakeUp.ring()
        return true
    }

    /// The thread fails, and will end.
    func fail(_ failure: SystemFailure) { failureCode.store(failure.code, ordering: .releasing) }

    /// The thread has nothing more to do.
    func finish() { finished.store(true, ordering: .releasing) }

    /// The thread ends: it was asked to, has failed, or has nothing more to do.
    func end() {
        over.store(true, ordering: .releasing)
        ended.ring()
        news.ring()
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, for `poll`; what is longer than it can wait is cut, and nothing waits less than none.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(clamping: max(0, seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}
