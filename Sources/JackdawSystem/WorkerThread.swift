internal import CLinux
import Glibc
package import JackdawTransport

/// A thread of its own for what waits for devices.
@safe package final class WorkerThread: @unchecked Sendable {
    private var thread = pthread_t()

    /// What the thread is called and does, on its way there.
    private final class Task {
        let name: String
        let isHurried: Bool
        let body: () -> Void

        init(name: String, isHurried: Bool, body: @escaping () -> Void) {
            self.name = name
            self.isHurried = isHurried
            self.body = body
        }
    }

    /// Starts a thread.
    /// - Parameters:
    ///   - name: 15 bytes at most.
    ///   - isHurried: whether it goes ahead of others where the system allows that.
    ///   - body: what it does.
    /// - Throws: ``SystemFailure`` where the system has no thread to spare.
    package init(
        name: String, isHurried: Bool = false, _ body: @escaping @Sendable () -> Void
    ) throws(SystemFailure) {
        let task = unsafe Unmanaged.passRetained(Task(name: name, isHurried: isHurried, body: body))
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                let task = unsafe Unmanaged<Task>.fromOpaque(argument!).takeRetainedValue()
                unsafe jackdaw_name_thread(task.name)
                WorkerThread.blockSignals()
                if task.isHurried { WorkerThread.hurry(true) }
                task.body()
                return nil
            }, task.toOpaque())
        guard result == 0 else {
            unsafe task.release()
            throw SystemFailure(code: result)
        }
    }

    /// Does something that waits for devices on a thread of its own, while the task that asks for it holds none.
    /// - Parameters:
    ///   - name: of the thread, 15 bytes at most.
    ///   - body: what is done, to its end also where the task is cancelled.
    /// - Returns: what comes of it.
    /// - Throws: ``SystemFailure`` where the system has no thread to spare.
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

    /// The same for a link.
    /// - Throws: `LinkError`: what the body throws, or `system` where the system has no thread to spare.
    package static func run<Value: Sendable>(
        name: String, for link: LinkName, _ body: @escaping @Sendable () throws(LinkError) -> Value
    ) async throws(LinkError) -> Value {
        let result: Result<Value, LinkError>
        do throws(SystemFailure) {
            result = try await run(name: name) { Result { () throws(LinkError) in try body() } }
        } catch {
            throw LinkError.system(error, link: link.description, "no thread to spare")
        }
        return try result.get()
    }

    /// Does something that has to be done and may wait for devices: on a thread of its own, or right here where the system has
    /// none to spare.
    package static func finish(name: String, _ body: @escaping @Sendable () -> Void) async {
        do throws(SystemFailure) {
            try await run(name: name, body)
        } catch {
            body()
        }
    }

    /// Lets the thread end by itself. Once, and instead of ``join()``.
    package func detach() { pthread_detach(thread) }

    /// Waits for the thread's end. Once.
    package func join() { pthread_join(thread, nil) }

    /// Puts this thread ahead of others, at the lowest of the real-time priorities, since sound cannot wait for what can; or back
    /// among them. Where the user has none of these (`rtprio` in limits.conf), it goes without.
    package static func hurry(_ isAhead: Bool) {
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

/// Wakes a thread that waits (`eventfd`).
package final class WakeUp: Sendable {
    /// What to wait for: readable once it was rung.
    package let descriptor: Int32

    /// - Throws: ``SystemFailure`` where the process has no descriptor to spare.
    package init() throws(SystemFailure) {
        descriptor = jackdaw_eventfd()
        guard descriptor >= 0 else { throw .last }
    }

    deinit { Glibc.close(descriptor) }

    /// Wakes whoever waits, or will; never waits itself.
    package func ring() {
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Forgets that it was rung.
    package func clear() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Waits until it is rung, and clears it.
    /// - Parameter milliseconds: how long at most; negative for ever.
    /// - Returns: whether it was rung.
    package func wait(milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, milliseconds) > 0 else { return false }
        clear()
        return true
    }
}
