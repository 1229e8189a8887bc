/// A clock without short waits: a task that sleeps no longer than a moment moves it to its wake-up time;
/// a task that sleeps longer waits until a test moves it.
public final class LeapingClock: Clock {
    private let clock = ManualClock()
    private let most: Duration

    /// A clock at its beginning.
    /// - Parameter most: how long a moment is.
    public init(most: Duration = .milliseconds(500)) { self.most = most }

    public var now: ManualClock.Instant { clock.now }
    /// A nanosecond.
    public var minimumResolution: Duration { clock.minimumResolution }

    /// Moves the clock on, or waits.
    public func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let rest = now.duration(to: deadline)
        guard rest <= most else { return try await clock.sleep(until: deadline, tolerance: tolerance) }
        clock.advance(by: max(.zero, rest))
    }

    /// Moves the clock on, waking who sleeps.
    public func advance(by duration: Duration) { clock.advance(by: duration) }
}
