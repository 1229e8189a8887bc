/// Finds out that the system was asleep: a clock that goes on meanwhile runs ahead of one that stands still.
struct SleepWatch: Sendable {
    /// The clocks are read one after the other, with a pause in between where the machine is busy: less is no sleep.
    static let least = Duration.seconds(1)

    private var known = Duration.zero

    /// Compares the clocks.
    /// - Parameters:
    ///   - awake: time on the clock that stands still while the system sleeps.
    ///   - elapsed: time on the one that goes on, since the same moment.
    /// - Returns: how long the system slept since the last call; nil where it did not.
    mutating func slept(awake: Duration, elapsed: Duration) -> Duration? {
        let asleep = elapsed - awake - known
        guard asleep >= Self.least || asleep <= .zero - Self.least else { return nil }
        known += asleep
        // Less than before: the last time was such a pause.
        return asleep > .zero ? asleep : nil
    }
}
