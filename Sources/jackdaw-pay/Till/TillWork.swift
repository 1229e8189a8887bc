#if Payments
import Dispatch
import JackdawConsole
import JackdawTransport

/// Runs the asynchronous work of a verb, whose caller waits on the main thread.
enum TillWork {
    /// Runs work to its end, also if its results cannot be written: it may be a payment. If the user interrupts the command,
    /// the task of the work is cancelled, and has its own time to end: a payment may be past the point at which it can be
    /// cancelled. A second Ctrl-C ends the process at once; the journal has everything then.
    /// - Parameters:
    ///   - printer: prints the results of the work.
    ///   - work: the work.
    /// - Returns: the status of the work, or `inputOutput` if a result could not be written.
    /// - Throws: the error of the work, if all results were written.
    static func run(
        _ printer: TillPrinter, _ work: @escaping @Sendable () async throws(CommandError) -> ExitStatus
    ) throws(CommandError) -> ExitStatus {
        Interruption.ignoreClosedPipes()
        return try printer.status { () throws(CommandError) in try wait(for: work) }
    }

    private static func wait(
        for work: @escaping @Sendable () async throws(CommandError) -> ExitStatus
    ) throws(CommandError) -> ExitStatus {
        let ended = DispatchSemaphore(value: 0)
        let outcome = Lock<Result<ExitStatus, CommandError>?>(nil)
        let task = Task {
            let result: Result<ExitStatus, CommandError>
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
