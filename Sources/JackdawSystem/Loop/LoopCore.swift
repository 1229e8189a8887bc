internal import CLinux
import Glibc
internal import JackdawTransport

/// The jobs, handlers and descriptors of an ``EventLoop``. The loop's thread retains it, and may outlive the loop by a
/// moment.
final class LoopCore: Sendable {
    struct Job {
        let job: UnownedJob
        /// The task executor that received the job; nil for the loop itself.
        let executor: LoopTaskExecutor?
    }

    private struct State {
        /// The jobs to run, from `nextJob` on.
        var jobs: [Job] = []
        var nextJob = 0
        /// The loop; it is retained while it has jobs.
        var owner: EventLoop?
        var handlers: [UInt64: @Sendable (Readiness) -> Void] = [:]
        var nextNumber: UInt64 = 1
        var isStopped = false
        var thread: pthread_t?

        /// Whether the caller runs on the loop's thread.
        var isHere: Bool { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Events that one `epoll_wait` returns at most.
    private static let batch = 32
    /// Jobs that run between two polls of the descriptors, at most.
    private static let jobs = 32

    private let poll: Int32
    private let wakeUp: WakeUp
    private let state: Lock<State>

    init() throws(SystemFailure) {
        wakeUp = try WakeUp()
        state = Lock(State())
        poll = jackdaw_epoll_create()
        guard poll >= 0, jackdaw_epoll_control(poll, EPOLL_CTL_ADD, wakeUp.descriptor, 1, 0, 0) == 0 else {
            throw .last
        }
    }

    deinit { if poll >= 0 { close(poll) } }

    /// Whether the caller runs on the loop's thread.
    var isHere: Bool {
        state.withLock { state in state.isHere }
    }

    func watch(
        _ descriptor: Int32, for interest: Readiness, _ ready: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemFailure) -> Watch {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            state.handlers[state.nextNumber] = ready
            return state.nextNumber
        }
        let watch = Watch(descriptor: descriptor, number: number)
        guard control(EPOLL_CTL_ADD, watch, interest) == 0 else {
            let failure = SystemFailure.last
            state.withLock { state in _ = state.handlers.removeValue(forKey: number) }
            throw failure
        }
        return watch
    }

    func change(_ watch: Watch, to interest: Readiness) { _ = control(EPOLL_CTL_MOD, watch, interest) }

    func unwatch(_ watch: Watch) {
        let handler = state.withLock { state in state.handlers.removeValue(forKey: watch.number) }
        guard handler != nil else { return }
        _ = control(EPOLL_CTL_DEL, watch, [])
    }

    func enqueue(_ job: Job, of owner: EventLoop) {
        let mustWake = state.withLock { state in
            state.jobs.append(job)
            state.owner = owner
            return state.jobs.count == 1 && !state.isHere
        }
        if mustWake { wakeUp.ring() }
    }

    /// Polls the descriptors in the middle of a job, and waits until a descriptor is ready, a job arrives, or
    /// ``wake()``.
    /// - Returns: false, at once, if this is not the loop's thread or other jobs are waiting.
    func turn() -> Bool {
        guard state.withLock({ state in state.isHere && state.jobs.isEmpty }) else { return false }
        wait(milliseconds: -1)
        return true
    }

    /// Ends a wait in ``turn()``.
    func wake() { wakeUp.ring() }

    func stop() {
        state.withLock { state in state.isStopped = true }
        wakeUp.ring()
    }

    /// Runs until the loop was released and has no jobs.
    func run() {
        state.withLock { state in state.thread = pthread_self() }
        while true {
            switch runJobs() {
            case .none: wait(milliseconds: -1)
            case .more: wait(milliseconds: 0)
            case .stopped: return
            }
        }
    }

    /// The work that is left after ``runJobs()``.
    private enum Left {
        case none
        case more
        case stopped
    }

    /// Runs jobs, and the jobs that they enqueue, up to a limit, after which descriptors must be polled.
    /// - Returns: the work that is left.
    private func runJobs() -> Left {
        for _ in 0..<Self.jobs {
            let (next, isStopped) = state.withLock { state in (Self.takeJob(&state), state.isStopped) }
            // The loop is not retained from one job to the next.
            guard let (job, owner) = next else { return isStopped ? .stopped : .none }
            if let executor = job.executor {
                unsafe job.job.runSynchronously(on: executor.asUnownedTaskExecutor())
            } else {
                unsafe job.job.runSynchronously(on: owner.asUnownedSerialExecutor())
            }
        }
        return .more
    }

    /// Takes the next job and its loop. One at a time: ``turn()`` in a job must see the jobs after it.
    private static func takeJob(_ state: inout State) -> (Job, EventLoop)? {
        guard let owner = state.owner else { return nil }
        let job = state.jobs[state.nextJob]
        state.nextJob += 1
        // If each job enqueues another, the queue never becomes empty: the jobs that ran are removed in bulk.
        if state.nextJob * 2 >= state.jobs.count {
            state.jobs.removeFirst(state.nextJob)
            state.nextJob = 0
        }
        if state.jobs.isEmpty { state.owner = nil }
        return (job, owner)
    }

    private func control(_ operation: Int32, _ watch: Watch, _ interest: Readiness) -> Int32 {
        jackdaw_epoll_control(
            poll, operation, watch.descriptor, interest.contains(.reading) ? 1 : 0, interest.contains(.writing) ? 1 : 0,
            watch.number)
    }

    private func wait(milliseconds: Int32) {
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.batch) { events in
            let count = unsafe epoll_wait(poll, events.baseAddress, Int32(Self.batch), milliseconds)
            for index in 0..<max(0, Int(count)) {
                let event = unsafe events.baseAddress! + index
                let number = unsafe jackdaw_epoll_number(event)
                guard number > 0 else {
                    wakeUp.clear()
                    continue
                }
                // An earlier handler of the same batch, or another thread, may have removed this one.
                guard let handler = state.withLock({ state in state.handlers[number] }) else { continue }
                var readiness: Readiness = []
                if unsafe jackdaw_epoll_reads(event) != 0 { readiness.insert(.reading) }
                if unsafe jackdaw_epoll_writes(event) != 0 { readiness.insert(.writing) }
                handler(readiness)
            }
        }
    }
}
