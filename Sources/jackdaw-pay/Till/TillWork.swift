#if Payments
import Dispatch
import JackdawConsole
import JackdawTransport

/// Runs the asynchronous work of a verb, whose caller waits on the main thread.
enum TillWork {
    /// Runs work to its end. If the user interrupts the command, the task of the work is cancelled, and has its own time to
    /// end: a payment may be past the point at which it can be cancelled. A second Ctrl-C ends the process at once; the
    /// journal has everything then.
    /// - Returns: the result of the work.
    /// - Throws: the error of the work.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(CommandError) -> Value
    ) throws(CommandError) -> Value {
        let ended = DispatchSemaphore(value: 0)
        let outcome = Lock<Result<Value, CommandError>?>(nil)
        let task = Task {
            let result: Result<Value, CommandError>
            do throws(CommandError) { result = .success(try await work()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
            ended.signal()
        }
        var isCancelled = false
        while ended.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            guard Interruption.isRequested, !isCancelled else { continue }
            isCancelled = true
            Interruption.giveTime()
            task.cancel()
        }
        guard let result = outcome.withLock({ $0 }) else { preconditionFailure("the work has ended") }
        return try result.get()
    }
}
#endif
