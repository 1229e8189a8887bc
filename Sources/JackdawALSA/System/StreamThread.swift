internal import CLinux
import Glibc

/// A thread of its own for a stream, ahead of others where the system allows that.
@safe final class StreamThread: @unchecked Sendable {
    private var thread = pthread_t()

    /// What the thread is called and does, on its way there.
    private final class Task {
        let name: String
        let body: () -> Void

        init(name: String, body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a thread.
    /// - Parameters:
    ///   - name: 15 bytes at most.
    ///   - body: what it does.
    /// - Throws: ``SystemFailure`` where the system has no thread to spare.
    init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemFailure) {
        let task = unsafe Unmanaged.passRetained(Task(name: name, body: body))
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                let task = unsafe Unmanaged<Task>.fromOpaque(argument!).takeRetainedValue()
                unsafe jackdaw_name_thread(task.name)
                StreamThread.blockSignals()
                StreamThread.hurry(true)
                task.body()
                return nil
            }, task.toOpaque())
        guard result == 0 else {
            unsafe task.release()
            throw SystemFailure(code: result)
        }
    }

    /// Waits for the thread's end. Once.
    func join() { pthread_join(thread, nil) }

    /// Puts this thread ahead of others, at the lowest of the real-time priorities, since sound cannot wait for what can; or back
    /// among them. Where the user has none of these (`rtprio` in limits.conf), it goes without.
    static func hurry(_ isAhead: Bool) {
        var parameters = sched_param()
        let policy = isAhead ? SCHED_RR : SCHED_OTHER
        parameters.sched_priority = sched_get_priority_min(policy)
        unsafe pthread_setschedparam(pthread_self(), policy, &parameters)
    }

    /// Leaves the signals to the program's own threads.
    private static func blockSignals() {
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        unsafe pthread_sigmask(SIG_SETMASK, &signals, nil)
    }
}
