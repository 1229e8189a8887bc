import Foundation

/// Runs tasks one after another on a thread of its own. When none of them can go on, it moves a clock to the next deadline:
/// each wait ends, however long it is and however busy the machine is.
///
/// Tasks that are made without a task group, such as timers, run on the threads of all tasks. So it looks for the next
/// deadline when those threads have begun all earlier tasks, and goes on when a woken timer has given it a job.
public final class VirtualTime: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Tasks that show that all earlier ones have begun: the number of those that were made, and of the last one that ran.
        var probes = (made: 0, last: 0)
        var isOver = false
    }

    /// The clock of the tasks.
    public let clock = ManualClock()
    private let state = Shared(State())
    private let change = NSCondition()

    /// The time is the clock's beginning.
    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        signal { $0.jobs.append(job) }
    }

    /// Runs an operation to its end. Tasks that it makes on this executor must have ended before it.
    public func run<Value: Sendable>(_ operation: @Sendable @escaping () async -> Value) async -> Value {
        Thread.detachNewThread { self.work() }
        let value = await Task(executorPreference: self, operation: operation).value
        signal { $0.isOver = true }
        return value
    }

    private func work() {
        while !state.with(\.isOver) {
            if runJobs() { continue }
            awaitTimers()
            guard !runJobs(), let next = clock.nextDeadline else { continue }
            clock.advance(by: clock.now.duration(to: next))
            wait { !$0.jobs.isEmpty || $0.isOver }
        }
    }

    /// Waits until timers that were made before sleep.
    private func awaitTimers() {
        let probe = state.with { state in
            state.probes.made += 1
            return state.probes.made
        }
        Task.detached { self.signal { $0.probes.last = max($0.probes.last, probe) } }
        wait { $0.probes.last >= probe || !$0.jobs.isEmpty }
    }

    /// - Returns: whether there was a job.
    private func runJobs() -> Bool {
        let jobs = state.with { state in
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
        return !jobs.isEmpty
    }

    /// Waits for a change, a minute at most.
    private func wait(until isTrue: (inout State) -> Bool) {
        change.lock()
        defer { change.unlock() }
        let end = Date(timeIntervalSinceNow: 60)
        while !state.with(isTrue), change.wait(until: end) {}
    }

    private func signal(_ body: (inout State) -> Void) {
        change.lock()
        state.with { body(&$0) }
        change.broadcast()
        change.unlock()
    }
}
