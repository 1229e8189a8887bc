internal import CLinux
import Glibc
package import JackdawTransport

/// A dedicated thread for calls that block on devices.
@safe package final class WorkerThread: @unchecked Sendable {
    private var thread = pthread_t()

    /// The thread's name and body, as `pthread_create` passes them to the new thread.
    private final class Task {
        let name: String
        let isRealtime: Bool
        let body: () -> Void

        init(name: String, isRealtime: Bool, body: @escaping () -> Void) {
            self.name = name
            self.isRealtime = isRealtime
            self.body = body
        }
    }

    /// Starts a thread.
    /// - Parameters:
    ///   - name: the thread's name, 15 bytes at most.
    ///   - isRealtime: whether the thread gets a real-time priority, if the system allows that.
    ///   - body: the code that the thread runs.
    /// - Throws: ``SystemFailure`` if the system has no thread to spare.
    package init(
        name: String, isRealtime: Bool = false, _ body: @escaping @Sendable () -> Void
    ) throws(SystemFailure) {
        let task = unsafe Unmanaged.passRetained(Task(name: name, isRealtime: isRealtime, body: body))
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                let task = unsafe Unmanaged<Task>.fromOpaque(argument!).takeRetainedValue()
                unsafe jackdaw_name_thread(task.name)
                WorkerThread.blockSignals()
                if task.isRealtime { WorkerThread.setRealtime(true) }
                task.body()
                return nil
            }, task.toOpaque())
        guard result == 0 else {
            unsafe task.release()
            throw SystemFailure(code: result)
        }
    }

    /// Runs a body that blocks on devices on a thread of its own, so that the calling task blocks no thread of the
    /// pool.
    /// - Parameters:
    ///   - name: the thread's name, 15 bytes at most.
    ///   - body: the code to run; it runs to its end even if the task is cancelled.
    /// - Returns: the result of `body`.
    /// - Throws: ``SystemFailure`` if the system has no thread to spare.
    package static func run<Value: Sendable>(
        name: String, _ body: @escaping @Sendable () -> Value
    ) async throws(SystemFailure) -> Value {
        let result: Result<Value, SystemFailure> = await withCheckedContinuation { continuation in
            do throws(SystemFailure) {
                try WorkerThread(name: name) { continuation.resume(returning: .success(body())) }.detach()
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }

    /// Runs a body for a link on a thread of its own, as the other overload does.
    /// - Throws: `LinkError`: the error of `body`, or `system` if the system has no thread to spare.
    package static func run<Value: Sendable>(
        name: String, for link: LinkName, _ body: @escaping @Sendable () throws(LinkError) -> Value
    ) async throws(LinkError) -> Value {
        let result: Result<Value, LinkError>
        do throws(SystemFailure) {
            result = try await run(name: name) { Result { () throws(LinkError) in try body() } }
        } catch {
            throw LinkError.system(error, link: link.description, "no thread can be created")
        }
        return try result.get()
    }

    /// Runs a body that must run and may block on devices: on a thread of its own, or on the caller's thread if the
    /// system has none to spare.
    package static func finish(name: String, _ body: @escaping @Sendable () -> Void) async {
        do throws(SystemFailure) {
            try await run(name: name, body)
        } catch {
            body()
        }
    }

    /// Lets the thread end by itself. Call once, and instead of ``join()``.
    package func detach() { pthread_detach(thread) }

    /// Waits for the end of the thread. Call once.
    package func join() { pthread_join(thread, nil) }

    /// Gives this thread the lowest real-time priority (`SCHED_RR`), since sound cannot wait; or returns it to the
    /// normal priority. If the user has no right to real-time priorities (`rtprio` in limits.conf), the priority does
    /// not change.
    package static func setRealtime(_ isAhead: Bool) {
        var parameters = sched_param()
        let policy = isAhead ? SCHED_RR : SCHED_OTHER
        parameters.sched_priority = sched_get_priority_min(policy)
        unsafe pthread_setschedparam(pthread_self(), policy, &parameters)
    }

    /// Blocks all signals, so that the program's own threads handle them.
    private static func blockSignals() {
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        unsafe pthread_sigmask(SIG_SETMASK, &signals, nil)
    }
}

/// Wakes a thread that waits (`eventfd`).
package final class WakeUp: Sendable {
    /// The descriptor to wait for: readable after ``ring()`` until ``clear()``.
    package let descriptor: Int32

    /// - Throws: ``SystemFailure`` if the process has no descriptor to spare.
    package init() throws(SystemFailure) {
        descriptor = jackdaw_eventfd()
        guard descriptor >= 0 else { throw .last }
    }

    deinit { Glibc.close(descriptor) }

    /// Wakes the thread that waits now, or the next one to wait. Never blocks.
    package func ring() {
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Clears the signal of ``ring()``.
    package func clear() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Waits for ``ring()``, and clears its signal.
    /// - Parameter milliseconds: the longest wait; negative for no limit.
    /// - Returns: whether it was rung.
    package func wait(milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, milliseconds) > 0 else { return false }
        clear()
        return true
    }
}
