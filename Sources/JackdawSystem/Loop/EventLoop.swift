/// One thread that waits for descriptors (`epoll`) and calls whoever watches them; actors that own descriptors run on it, so
/// that what watches calls needs no lock.
package final class EventLoop: SerialExecutor {
    private let core: LoopCore

    /// - Parameter name: of the thread, 15 bytes at most.
    /// - Throws: ``SystemFailure`` where the system has no descriptor or thread to spare.
    package init(name: String = "jackdaw-radio") throws(SystemFailure) {
        let core = try LoopCore()
        try WorkerThread(name: name) { core.run() }.detach()
        self.core = core
    }

    deinit { core.stop() }

    /// Watches a descriptor, which stays its owner's and must be given up here before it is closed.
    /// - Parameters:
    ///   - descriptor: what to watch.
    ///   - interest: what to watch it for; its end, too, whatever the interest.
    ///   - ready: called on the loop's thread as long as what was asked for is so; still once where it is given up elsewhere
    ///     meanwhile. It must not keep the loop.
    /// - Returns: what the descriptor is changed and given up by.
    /// - Throws: ``SystemFailure``.
    package func watch(
        _ descriptor: Int32, for interest: Readiness, _ ready: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemFailure) -> Watch {
        try core.watch(descriptor, for: interest, ready)
    }

    /// Watches for something else.
    package func change(_ watch: Watch, to interest: Readiness) { core.change(watch, to: interest) }

    /// Watches no longer.
    package func unwatch(_ watch: Watch) { core.unwatch(watch) }

    package func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job), as: nil) }

    /// Runs a job later.
    /// - Parameters:
    ///   - job: what to run.
    ///   - executor: what it was given to; nil where that is the loop itself.
    fileprivate func enqueue(_ job: UnownedJob, as executor: LoopTaskExecutor?) {
        core.enqueue(LoopCore.Job(job: job, executor: executor), of: self)
    }

    /// Waits in the middle of a job for what is watched, and calls who watches it: where one task receives, that costs no
    /// change of tasks. The job must not hold what others wait for.
    /// - Returns: false, at once, where this is not the loop's thread or other jobs are to be run: the task has to suspend.
    package func turn() -> Bool { core.turn() }

    /// Ends a ``turn()``, from any thread.
    package func wake() { core.wake() }

    /// Whether this is the loop's thread.
    package var isHere: Bool { core.isHere }

    package func checkIsolated() { precondition(core.isHere, "called from another thread than the loop's") }
}

/// Lets tasks that are no actor's run on a loop's thread. It is not the loop itself: a task that is told to run there as an
/// actor would is sent on to where it belongs, at each step.
package final class LoopTaskExecutor: TaskExecutor {
    private let loop: EventLoop

    package init(_ loop: EventLoop) { self.loop = loop }

    package func enqueue(_ job: consuming ExecutorJob) { loop.enqueue(UnownedJob(job), as: self) }
}

/// What a descriptor is ready for.
package struct Readiness: OptionSet, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is something to be read, or the other side has ended.
    package static let reading = Readiness(rawValue: 1)
    /// Something can be written, or the other side has ended.
    package static let writing = Readiness(rawValue: 2)
}

/// A descriptor that is watched.
package struct Watch: Hashable {
    package let descriptor: Int32
    /// Tells it from an older one with the same descriptor.
    package let number: UInt64
}
