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
                StreamThread.hurry()
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

    /// The lowest of the real-time priorities: sound cannot wait for what can. Where the user has none (`rtprio` in
    /// limits.conf), it goes without.
    private static func hurry() {
        var parameters = sched_param()
        parameters.sched_priority = sched_get_priority_min(SCHED_RR)
        unsafe pthread_setschedparam(pthread_self(), SCHED_RR, &parameters)
    }
}
