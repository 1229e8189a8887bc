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

extension EventLoop {
    @safe private struct Waiting {
        var watch: Watch?
        var continuation: UnsafeContinuation<Void, Never>?
        var readiness: Readiness = []
        var failure: SystemFailure?
        var isOver = false
    }

    /// Waits until a descriptor is ready, or the task is cancelled. It must not be closed meanwhile.
    /// - Parameters:
    ///   - descriptor: what to wait for.
    ///   - interest: what it is to be ready for.
    /// - Returns: what it is ready for, which is everything at its end; nothing where the task was cancelled.
    /// - Throws: ``SystemFailure`` where it cannot be watched.
    package func wait(_ descriptor: Int32, for interest: Readiness) async throws(SystemFailure) -> Readiness {
        let state = SystemLock(Waiting())
        let end = { @Sendable [self] (readiness: Readiness) in
            let (watch, continuation) = unsafe state.withLock { waiting in
                defer {
                    waiting.watch = nil
                    unsafe waiting.continuation = nil
                }
                if !waiting.isOver { waiting.readiness = readiness }
                waiting.isOver = true
                return unsafe (waiting.watch, waiting.continuation)
            }
            if let watch { unwatch(watch) }
            unsafe continuation?.resume()
        }
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                let waits = state.withLock { waiting in
                    // Cancelled before it began.
                    guard !waiting.isOver else { return false }
                    do throws(SystemFailure) {
                        // What is ready at once finds the lock taken, and waits for it.
                        waiting.watch = try watch(descriptor, for: interest, end)
                    } catch {
                        waiting.failure = error
                        return false
                    }
                    unsafe waiting.continuation = continuation
                    return true
                }
                if !waits { unsafe continuation.resume() }
            }
        } onCancel: {
            end([])
        }
        let (readiness, failure) = state.withLock { ($0.readiness, $0.failure) }
        if let failure { throw failure }
        return readiness
    }
}

/// Does something that takes no longer than a time, and gives it up when that is over.
/// - Parameters:
///   - limit: the longest that it may take; nil for no limit.
///   - clock: measures it.
///   - late: what is thrown where the time is over.
///   - operation: heeds being cancelled.
/// - Returns: what `operation` does.
/// - Throws: what `operation` does, and `late`.
package func withDeadline<Value: Sendable, Failure: Error>(
    _ limit: Duration?, of clock: any Clock<Duration>, late: Failure,
    _ operation: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    guard let limit else { return try await operation() }
    let result = await withTaskGroup(of: Result<Value, Failure>?.self) { group in
        group.addTask {
            do throws(Failure) { return .success(try await operation()) } catch { return .failure(error) }
        }
        group.addTask {
            // Where it is cancelled with the rest, the operation says so.
            do { try await clock.sleep(for: limit) } catch { return nil }
            return .failure(late)
        }
        defer { group.cancelAll() }
        while let result = await group.next() {
            if let result { return result }
        }
        return .failure(late)
    }
    return try result.get()
}
