/// A signal that tasks wait for: a condition variable that suspends tasks and blocks no thread.
///
/// A waiter reads ``count``, checks its condition, and waits for a later signal; a signal in that
/// time ends the wait at once:
///
/// ```swift
/// while true {
///     let seen = signal.count
///     if let message = takeMessage() { return message }
///     await signal.wait(after: seen)
/// }
/// ```
package final class AsyncSignal: Sendable {
    private struct State {
        var count = 0
        var nextNumber = 0
        /// A signal finishes these streams, and a cancelled task leaves its stream.
        var waiting: [Int: AsyncStream<Never>.Continuation] = [:]
    }

    private let state = Lock(State())

    package init() {}

    /// Number of signals so far.
    package var count: Int { state.withLock { $0.count } }

    /// Number of tasks that wait.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Wakes all tasks that wait.
    package func send() {
        let waiting = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        for waiter in waiting.values { waiter.finish() }
    }

    /// Waits until there are more signals than `count`, or the task is cancelled.
    /// - Parameter count: the number of signals before the caller checked its condition. A caller on an actor that
    ///   sends all signals can read it in the call: no signal comes between.
    package nonisolated(nonsending) func wait(after count: Int) async { await wait(after: count) { _ in } }

    /// The same, until a time at the latest.
    /// - Parameters:
    ///   - count: the number of signals before the caller checked its condition.
    ///   - deadline: the end of the wait; nil for none.
    ///   - clock: the clock of the deadline.
    package nonisolated(nonsending) func wait(after count: Int, until deadline: Duration?, on clock: ElapsedClock) async
    {
        var timer = DeadlineTimer(clock)
        await wait(after: count) { waiter in timer.arm(for: deadline) { _ in waiter.finish() } }
        timer.cancel()
    }

    private nonisolated(nonsending) func wait(
        after count: Int, _ prepare: (AsyncStream<Never>.Continuation) -> Void
    ) async {
        let (silence, waiter) = AsyncStream<Never>.makeStream()
        let number: Int? = state.withLock { state in
            guard state.count == count else { return nil }
            state.nextNumber += 1
            state.waiting[state.nextNumber] = waiter
            return state.nextNumber
        }
        guard let number else { return }
        prepare(waiter)
        for await _ in silence {}
        state.withLock { _ = $0.waiting.removeValue(forKey: number) }
    }
}

/// Elements for any number of listeners, each of which has a stream.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct Listener {
        let continuation: AsyncStream<Element>.Continuation
        /// Number of elements that it does not receive.
        var skipped: Int
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var nextNumber = 0
        var isFinished = false
    }

    private let state = Lock(State())

    package init() {}

    /// Whether no one listens.
    package var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Adds a listener, until its stream ends. After ``finish()`` its stream ends at once.
    /// - Parameters:
    ///   - listener: the listener; the broadcast sets its `onTermination`.
    ///   - beginning: elements that it receives first.
    ///   - skipped: number of later elements that it does not receive.
    package func add(
        _ listener: AsyncStream<Element>.Continuation, beginning: [Element] = [], skipping skipped: Int = 0
    ) {
        let number: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            for element in beginning { listener.yield(element) }
            state.nextNumber += 1
            state.listeners[state.nextNumber] = Listener(continuation: listener, skipped: skipped)
            return state.nextNumber
        }
        guard let number else { return listener.finish() }
        listener.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
    }

    /// Sends an element to all listeners.
    package func send(_ element: Element) {
        for receiver in takeReceivers() { receiver.yield(element) }
    }

    /// The receivers of the next element, for a caller that sends the element itself: listeners that are added after
    /// this call do not receive it.
    package func takeReceivers() -> [AsyncStream<Element>.Continuation] {
        state.withLock { state in
            var receivers: [AsyncStream<Element>.Continuation] = []
            for (number, listener) in state.listeners {
                if listener.skipped == 0 {
                    receivers.append(listener.continuation)
                } else {
                    state.listeners[number]?.skipped -= 1
                }
            }
            return receivers
        }
    }

    /// Ends the streams of all listeners, now and later.
    package func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return state.listeners
        }
        for listener in listeners.values { listener.continuation.finish() }
    }
}
