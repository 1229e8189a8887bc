internal import JackdawTransport

/// One thread that waits for descriptors (`epoll`) and calls the handlers that watch them. Actors that own descriptors
/// run on the same thread, so that handlers need no lock.
package final class EventLoop: SerialExecutor {
    private let core: LoopCore

    /// - Parameter name: the thread's name, 15 bytes at most.
    /// - Throws: ``SystemFailure`` if the system has no descriptor or thread to spare.
    package init(name: String = "jackdaw-radio") throws(SystemFailure) {
        let core = try LoopCore()
        try WorkerThread(name: name) { core.run() }.detach()
        self.core = core
    }

    deinit { core.stop() }

    /// Watches a descriptor. The caller keeps the descriptor, and must call ``unwatch(_:)`` before it closes it.
    /// - Parameters:
    ///   - descriptor: the descriptor to watch.
    ///   - interest: the readiness to report. The end of the other side is reported with any interest.
    ///   - ready: called on the loop's thread as long as the descriptor is ready; at most once more if another thread
    ///     unwatches the descriptor at the same time. It must not retain the loop.
    /// - Returns: the watch, for ``change(_:to:)`` and ``unwatch(_:)``.
    /// - Throws: ``SystemFailure`` if the descriptor cannot be watched.
    package func watch(
        _ descriptor: Int32, for interest: Readiness, _ ready: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemFailure) -> Watch {
        try core.watch(descriptor, for: interest, ready)
    }

    /// Replaces the readiness that a watch reports.
    package func change(_ watch: Watch, to interest: Readiness) { core.change(watch, to: interest) }

    /// Ends a watch; the caller may then close the descriptor.
    package func unwatch(_ watch: Watch) { core.unwatch(watch) }

    package func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job), as: nil) }

    /// Enqueues a job.
    /// - Parameters:
    ///   - job: the job to run.
    ///   - executor: the task executor that received the job; nil for the loop itself.
    fileprivate func enqueue(_ job: UnownedJob, as executor: LoopTaskExecutor?) {
        core.enqueue(LoopCore.Job(job: job, executor: executor), of: self)
    }

    /// Waits for watched descriptors in the middle of a job, and calls their handlers: with a single receiving task,
    /// that saves a switch of tasks. The job must not hold anything that others wait for.
    /// - Returns: false, at once, if this is not the loop's thread or other jobs are waiting: the task has to suspend.
    package func turn() -> Bool { core.turn() }

    /// Ends a ``turn()``, from any thread.
    package func wake() { core.wake() }

    /// Whether this is the loop's thread.
    package var isHere: Bool { core.isHere }

    package func checkIsolated() { precondition(core.isHere, "not called on the loop's thread") }
}

/// Runs the code of tasks that is not isolated to an actor on a loop's thread, for tasks that prefer this executor.
///
/// It is separate from ``EventLoop``, the serial executor of actors, so that the loop knows for which of the two a job
/// was enqueued. If it ran such a task as a job of the serial executor, the runtime would treat the task as isolated to
/// that executor, and enqueue it again at the next step.
package final class LoopTaskExecutor: TaskExecutor {
    private let loop: EventLoop

    package init(_ loop: EventLoop) { self.loop = loop }

    package func enqueue(_ job: consuming ExecutorJob) { loop.enqueue(UnownedJob(job), as: self) }
}

/// The readiness of a descriptor.
package struct Readiness: OptionSet, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bytes can be read, or the other side has ended.
    package static let reading = Readiness(rawValue: 1)
    /// Bytes can be written, or the other side has ended.
    package static let writing = Readiness(rawValue: 2)
}

/// A descriptor that an ``EventLoop`` watches.
package struct Watch: Hashable {
    package let descriptor: Int32
    /// Distinguishes this watch from an earlier one of the same descriptor.
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

    /// Waits until a descriptor is ready, or the task is cancelled. The caller must not close the descriptor during the
    /// wait.
    /// - Parameters:
    ///   - descriptor: the descriptor to wait for.
    ///   - interest: the readiness to wait for.
    /// - Returns: the readiness, which is all of it after the end of the other side; empty if the task was cancelled.
    /// - Throws: ``SystemFailure`` if the descriptor cannot be watched.
    package func wait(_ descriptor: Int32, for interest: Readiness) async throws(SystemFailure) -> Readiness {
        let state = Lock(Waiting())
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
                    // The task was cancelled before the wait began.
                    guard !waiting.isOver else { return false }
                    do throws(SystemFailure) {
                        // If the descriptor is ready at once, `end` waits for this lock.
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

/// Runs an operation with a time limit, and cancels it after that.
/// - Parameters:
///   - limit: the longest time that the operation may take; nil for no limit.
///   - clock: measures the limit.
///   - late: the error to throw after the limit.
///   - operation: must respond to cancellation.
/// - Returns: the result of `operation`.
/// - Throws: the error of `operation`, or `late`.
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
            // If the caller cancelled the whole group, the operation reports that.
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
