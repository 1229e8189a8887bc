/// A timer for the next deadline of a machine. Its owner protects it, as an actor or with a lock.
package struct DeadlineTimer: Sendable {
    private let clock: ElapsedClock
    private var armed: (deadline: Duration, task: Task<Void, Never>)?

    package init(_ clock: ElapsedClock) { self.clock = clock }

    /// The time for which the timer is armed; nil if it is not.
    package var deadline: Duration? { armed?.deadline }

    /// Arms the timer for a deadline in place of the one before. Does nothing if it is armed for this deadline.
    /// - Parameters:
    ///   - deadline: the time on the timer's clock; nil disarms the timer.
    ///   - reached: called at the deadline unless the timer was armed for another one before. Both may happen at the
    ///     same time: ``reach(_:)`` decides.
    package mutating func arm(for deadline: Duration?, _ reached: @escaping @Sendable (Duration) async -> Void) {
        guard deadline != armed?.deadline else { return }
        armed?.task.cancel()
        armed = deadline.map { deadline in
            let task = Task { [sleep = clock.sleep] in
                guard (try? await sleep(deadline)) != nil else { return }
                await reached(deadline)
            }
            return (deadline, task)
        }
    }

    /// Notes that a deadline was reached.
    /// - Returns: whether the timer was still armed for it; it is disarmed now.
    package mutating func reach(_ deadline: Duration) -> Bool {
        guard deadline == armed?.deadline else { return false }
        armed = nil
        return true
    }

    /// Disarms the timer.
    package mutating func cancel() {
        armed?.task.cancel()
        armed = nil
    }
}

/// A clock that counts from its creation, for any underlying clock.
package struct ElapsedClock: Sendable {
    /// Time since the clock was created.
    package let now: @Sendable () -> Duration
    /// Sleeps until this time since the clock was created.
    package let sleep: @Sendable (_ deadline: Duration) async throws -> Void

    /// Creates a clock that starts now.
    package init(_ clock: some Clock<Duration>) {
        let beginning = clock.now
        now = { beginning.duration(to: clock.now) }
        sleep = { deadline in try await clock.sleep(until: beginning.advanced(by: deadline), tolerance: nil) }
    }
}
