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
