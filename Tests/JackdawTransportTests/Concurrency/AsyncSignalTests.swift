import JackdawTestSupport
import JackdawTransport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct AsyncSignalTests {
    private func waiters(_ count: Int, of signal: AsyncSignal) async {
        while signal.waitingCount != count { await Task.yield() }
    }

    @Test func aSignalWakesAllWaitingTasks() async {
        let signal = AsyncSignal()
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<5 { tasks.addTask { await signal.wait(after: 0) } }
            await waiters(5, of: signal)
            signal.send()
        }
        #expect(signal.count == 1)
        #expect(signal.waitingCount == 0)
    }

    @Test func aSignalBetweenCheckAndWaitEndsTheWait() async {
        let signal = AsyncSignal()
        let seen = signal.count
        signal.send()
        await signal.wait(after: seen)
        #expect(signal.waitingCount == 0)
    }

    @Test func anEarlierSignalDoesNotEndAWait() async {
        let signal = AsyncSignal()
        signal.send()
        let waiting = Task { await signal.wait(after: 1) }
        await waiters(1, of: signal)
        signal.send()
        await waiting.value
        #expect(signal.count == 2)
    }

    @Test func cancellationEndsAWaitAndLeavesNothing() async {
        let signal = AsyncSignal()
        let other = Task { await signal.wait(after: 0) }
        await waiters(1, of: signal)
        let cancelled = Task { await signal.wait(after: 0) }
        await waiters(2, of: signal)
        cancelled.cancel()
        await cancelled.value
        #expect(signal.waitingCount == 1)
        signal.send()
        await other.value
    }

    @Test func aTaskThatIsAlreadyCancelledDoesNotWait() async {
        let signal = AsyncSignal()
        let waiting = Task {
            while !Task.isCancelled { await Task.yield() }
            await signal.wait(after: 0)
        }
        waiting.cancel()
        await waiting.value
        #expect(signal.waitingCount == 0)
    }

    @Test func aDeadlineEndsAWait() async {
        let (signal, clock) = (AsyncSignal(), ManualClock())
        let elapsed = ElapsedClock(clock)
        let waiting = Task { await signal.wait(after: 0, until: .seconds(3), on: elapsed) }
        await clock.sleepers(1)
        #expect(clock.nextDeadline?.offset == .seconds(3))
        clock.advance(by: .seconds(3))
        await waiting.value
        #expect(signal.count == 0)
        #expect(signal.waitingCount == 0)
    }

    @Test func aSignalBeforeTheDeadlineEndsTheSleepToo() async {
        let (signal, clock) = (AsyncSignal(), ManualClock())
        let elapsed = ElapsedClock(clock)
        let waiting = Task { await signal.wait(after: 0, until: .seconds(3), on: elapsed) }
        await clock.sleepers(1)
        signal.send()
        await waiting.value
        while clock.nextDeadline != nil { await Task.yield() }
    }

    @Test func withoutADeadlineNoTaskSleeps() async {
        let (signal, clock) = (AsyncSignal(), ManualClock())
        let elapsed = ElapsedClock(clock)
        let waiting = Task { await signal.wait(after: 0, until: nil, on: elapsed) }
        await waiters(1, of: signal)
        #expect(clock.nextDeadline == nil)
        signal.send()
        await waiting.value
    }
}

@Suite(.timeLimit(.minutes(30)))
struct DeadlineTimerTests {
    /// Deadlines that a timer has reached.
    private let reached = Shared<[Duration]>([])
    private let clock = ManualClock()

    private func arm(_ timer: inout DeadlineTimer, for deadline: Duration?) {
        timer.arm(for: deadline) { [reached] deadline in reached.with { $0.append(deadline) } }
    }

    @Test func theTimerReportsItsDeadline() async throws {
        var timer = DeadlineTimer(ElapsedClock(clock))
        arm(&timer, for: .seconds(2))
        await clock.sleepers(1)
        clock.advance(by: .seconds(2))
        try await reached.until { $0 == [.seconds(2)] }
        let isReached = timer.reach(.seconds(2))
        #expect(isReached)
        #expect(timer.deadline == nil)
    }

    @Test func anotherDeadlineReplacesTheOneBefore() async throws {
        var timer = DeadlineTimer(ElapsedClock(clock))
        arm(&timer, for: .seconds(2))
        await clock.sleepers(1)
        arm(&timer, for: .seconds(5))
        while clock.nextDeadline?.offset != .seconds(5) { await Task.yield() }
        clock.advance(by: .seconds(5))
        try await reached.until { $0 == [.seconds(5)] }
        // As if both had been reached at the same time.
        let isStaleReached = timer.reach(.seconds(2))
        #expect(!isStaleReached)
        let isReached = timer.reach(.seconds(5))
        #expect(isReached)
    }

    @Test func theSameDeadlineKeepsItsTask() async {
        var timer = DeadlineTimer(ElapsedClock(clock))
        arm(&timer, for: .seconds(2))
        arm(&timer, for: .seconds(2))
        await clock.sleepers(1)
        clock.advance(by: .seconds(2))
        while reached.with({ $0.isEmpty }) { await Task.yield() }
        #expect(reached.with { $0 } == [.seconds(2)])
    }

    @Test(arguments: [true, false]) func aDisarmedTimerReportsNothing(byCancelling: Bool) async {
        var timer = DeadlineTimer(ElapsedClock(clock))
        arm(&timer, for: .seconds(2))
        await clock.sleepers(1)
        if byCancelling { timer.cancel() } else { arm(&timer, for: nil) }
        #expect(timer.deadline == nil)
        while clock.nextDeadline != nil { await Task.yield() }
        clock.advance(by: .seconds(2))
        let isReached = timer.reach(.seconds(2))
        #expect(!isReached)
        #expect(reached.with { $0.isEmpty })
    }

    @Test func aTimerCanBeArmedAgainForADeadlineThatItHasReached() async throws {
        var timer = DeadlineTimer(ElapsedClock(clock))
        arm(&timer, for: .zero)
        try await reached.until { $0.count == 1 }
        let isReached = timer.reach(.zero)
        #expect(isReached)
        arm(&timer, for: .zero)
        try await reached.until { $0.count == 2 }
    }
}

@Suite struct BroadcastTests {
    private let broadcast = Broadcast<Int>()

    private func stream(beginning: [Int] = [], skipping: Int = 0) -> AsyncStream<Int> {
        let (stream, listener) = AsyncStream<Int>.makeStream()
        broadcast.add(listener, beginning: beginning, skipping: skipping)
        return stream
    }

    private func all(_ stream: AsyncStream<Int>) async -> [Int] {
        await stream.reduce(into: []) { $0.append($1) }
    }

    @Test func eachListenerReceivesTheValuesSinceItsStart() async {
        let first = stream()
        broadcast.send(1)
        let second = stream(beginning: [7, 8])
        broadcast.send(2)
        broadcast.finish()
        #expect(await all(first) == [1, 2])
        #expect(await all(second) == [7, 8, 2])
    }

    @Test func aListenerSkipsAsManyElementsAsItAsksFor() async {
        let listener = stream(skipping: 2)
        for element in 1...4 { broadcast.send(element) }
        broadcast.finish()
        #expect(await all(listener) == [3, 4])
    }

    @Test func aListenerThatIsAddedAfterTheReceiversWereTakenDoesNotReceive() async {
        let first = stream()
        let receivers = broadcast.takeReceivers()
        let second = stream()
        for receiver in receivers { receiver.yield(1) }
        broadcast.finish()
        #expect(await all(first) == [1])
        #expect(await all(second) == [])
    }

    @Test func aListenerIsRemovedWithItsStream() async {
        var listener: AsyncStream<Int>? = stream()
        #expect(!broadcast.isEmpty)
        listener = nil
        _ = listener
        #expect(broadcast.isEmpty)
        let task = Task { [stream = stream()] in for await _ in stream {} }
        task.cancel()
        await task.value
        #expect(broadcast.isEmpty)
    }

    @Test func afterItsEndABroadcastEndsEachStreamAtOnce() async {
        broadcast.finish()
        #expect(await all(stream(beginning: [1])) == [])
        #expect(broadcast.isEmpty)
    }
}
