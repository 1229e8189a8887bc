import Synchronization

/// What the thread of a stream and its owner tell each other.
final class StreamState: Sendable {
    /// Ends the thread's wait.
    let wakeUp: WakeUp
    /// Ends its owner's wait.
    let news: WakeUp

    private let stopped = Atomic(false)
    private let over = Atomic(false)
    private let failureCode = Atomic<Int32>(0)

    /// - Throws: ``SystemFailure`` where the process has no descriptor to spare.
    init() throws(SystemFailure) {
        wakeUp = try WakeUp()
        news = try WakeUp()
    }

    /// Whether the owner wants the thread to end.
    var isStopped: Bool { stopped.load(ordering: .acquiring) }

    /// Why the thread has ended by itself; nil where it has not.
    var failure: SystemFailure? {
        let code = failureCode.load(ordering: .acquiring)
        return code == 0 ? nil : SystemFailure(code: code)
    }

    /// Whether the thread has ended, or will without doing more.
    var isOver: Bool { over.load(ordering: .acquiring) }

    /// Asks the thread to end.
    /// - Returns: false where that was asked before.
    func stop() -> Bool {
        guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        wakeUp.ring()
        return true
    }

    /// The thread ends: it has been asked to, or by itself for a reason.
    func end(_ failure: SystemFailure? = nil) {
        if let failure { failureCode.store(failure.code, ordering: .releasing) }
        over.store(true, ordering: .releasing)
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
