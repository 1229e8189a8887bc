import Foundation

/// Runs tasks one after another on a thread of its own. When none of them can go on, it moves a clock to the next deadline:
/// each wait ends, however long it is and however busy the machine is.
///
/// Tasks that are made without a task group, such as timers, do not run on it. After a deadline it waits for what the
/// woken timer makes go on.
public final class VirtualTime: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
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
            // Timers that were made just now begin to sleep on other threads.
            for _ in 0..<50 { sched_yield() }
            guard !runJobs() else { continue }
            if let next = clock.nextDeadline { clock.advance(by: clock.now.duration(to: next)) }
            waitForJob()
        }
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

    /// Waits for a job, for a moment at most: a timer may have been cancelled.
    private func waitForJob() {
        change.lock()
        defer { change.unlock() }
        let end = Date(timeIntervalSinceNow: 0.1)
        while state.with({ $0.jobs.isEmpty && !$0.isOver }), change.wait(until: end) {}
    }

    private func signal(_ body: (inout State) -> Void) {
        change.lock()
        state.with { body(&$0) }
        change.broadcast()
        change.unlock()
    }
}
