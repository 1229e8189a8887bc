import Dispatch
import Glibc
import JackdawSystem

/// Opens the timers of the Swift runtime in advance. The runtime opens their descriptors at the first sleep by each
/// clock, and traps if the process has none left.
enum Timers {
    /// Descriptors that the runtime opens: one for epoll, one to interrupt that, and a timer for each of two clocks.
    private static let descriptors = 4

    /// Descriptors for the work itself: two event loops with two each, a link, a connection to D-Bus, a recording, and
    /// those of libdispatch.
    private static let others = 7 + DispatchDescriptors.count

    /// The result of the first start.
    private static let outcome = Result<Void, SystemFailure> { () throws(SystemFailure) in
        try checkDescriptors()
        let isReady = DispatchSemaphore(value: 0)
        Task.detached {
            try? await ContinuousClock().sleep(for: .nanoseconds(1))
            try? await SuspendingClock().sleep(for: .nanoseconds(1))
            isReady.signal()
        }
        isReady.wait()
    }

    /// Opens the timers, which stay open. Blocks until a task has slept once by each clock.
    /// - Throws: `CommandError` with status `inputOutput` if this process may not open so many descriptors.
    static func start() throws(CommandError) {
        do throws(SystemFailure) {
            try outcome.get()
        } catch {
            throw failure(error)
        }
    }

    /// The error of a process that cannot open another descriptor.
    static func failure(_ cause: SystemFailure) -> CommandError {
        CommandError(.inputOutput, "raise the limit with ulimit -n: no free file descriptor (\(cause.message))")
    }

    /// Checks that all these descriptors can be opened.
    private static func checkDescriptors() throws(SystemFailure) {
        var spare: [CInt] = []
        defer { for descriptor in spare { close(descriptor) } }
        for _ in 0..<descriptors + others {
            let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { throw .last }
            spare.append(descriptor)
        }
    }
}
