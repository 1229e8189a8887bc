internal import JackdawSystem

extension EventLoop {
    @safe private struct Waiting {
        var watch: Watch?
        var continuation: UnsafeContinuation<Readiness, Never>?
        var isOver = false

        /// Ends the waiting, once.
        mutating func end() -> (Watch?, UnsafeContinuation<Readiness, Never>?) {
            isOver = true
            defer {
                watch = nil
                unsafe continuation = nil
            }
            return unsafe (watch, continuation)
        }
    }

    /// Waits until a descriptor is ready, or the task is cancelled. It must not be closed meanwhile.
    /// - Parameters:
    ///   - descriptor: what to wait for.
    ///   - interest: what it is to be ready for.
    /// - Returns: what it is ready for, which is everything at its end; nothing where the task was cancelled.
    /// - Throws: ``SystemFailure`` where it cannot be watched.
    func wait(_ descriptor: Int32, for interest: Readiness) async throws(SystemFailure) -> Readiness {
        let waiting = SystemLock(Waiting())
        let end = { @Sendable [self] (readiness: Readiness) in
            let (watch, continuation) = unsafe waiting.withLock { waiting in unsafe waiting.end() }
            if let watch { unwatch(watch) }
            unsafe continuation?.resume(returning: readiness)
        }
        let failure = SystemLock<SystemFailure?>(nil)
        let readiness = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                let isOver = waiting.withLock { waiting in
                    guard !waiting.isOver else { return true }
                    do throws(SystemFailure) {
                        // What is ready at once finds the lock taken, and waits for it.
                        waiting.watch = try watch(descriptor, for: interest, end)
                        unsafe waiting.continuation = continuation
                        return false
                    } catch {
                        failure.withLock { $0 = error }
                        return true
                    }
                }
                if isOver { unsafe continuation.resume(returning: []) }
            }
        } onCancel: {
            end([])
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        return readiness
    }
}
