internal import JackdawSystem

/// A clock on which nobody waits: who sleeps moves it to where they want to wake.
public final class LeapingClock: Clock {
    private let time = SystemLock(ManualClock.Instant(offset: .zero))

    /// A clock at its beginning.
    public init() {}

    /// The latest time that anybody slept to.
    public var now: ManualClock.Instant { time.withLock { $0 } }
    /// A nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Moves the clock on.
    public func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline) }
    }
}
