/// How long to wait before a link is tried again: longer each time, up to a limit, and a little random so that readers of
/// one shop that were lost together do not come back together.
public struct BackOff: Sendable, Hashable {
    /// The wait after the first failure; more than nothing.
    public let first: Duration
    /// How many times longer the next wait is; 1 or more.
    public let factor: Double
    /// The longest wait; no less than ``first``.
    public let greatest: Duration
    /// The part of a wait by which it may be shortened at random; from 0 up to 1, without 1.
    public let jitter: Double
    /// A link that held for so long begins again with the first wait when it is lost.
    public let steadyAfter: Duration

    /// A back-off.
    /// - Parameters:
    ///   - first: the wait after the first failure; more than nothing.
    ///   - factor: how many times longer the next one is; 1 or more.
    ///   - greatest: the longest wait; no less than the first.
    ///   - jitter: the part by which a wait may be shortened at random; from 0 up to 1, without 1.
    ///   - steadyAfter: how long a link holds before its loss counts as the first failure.
    public init(
        first: Duration = .seconds(1), factor: Double = 2, greatest: Duration = .seconds(30), jitter: Double = 0.25,
        steadyAfter: Duration = .seconds(60)
    ) {
        precondition(
            first > .zero && greatest >= first, "waits are longer than nothing, and the greatest is the longest")
        precondition(factor >= 1 && factor.isFinite, "waits do not grow shorter")
        precondition(jitter >= 0 && jitter < 1, "some of a wait remains")
        self.first = first
        self.factor = factor
        self.greatest = greatest
        self.jitter = jitter
        self.steadyAfter = steadyAfter
    }

    /// The wait after another one.
    /// - Parameter wait: the one before; nil where there was none.
    /// - Returns: the wait before it is shortened at random.
    public func wait(after wait: Duration?) -> Duration {
        guard let wait else { return first }
        // The greatest is compared first: a wait that was multiplied for a day would be too long to count.
        return wait >= greatest / factor ? greatest : wait * factor
    }

    /// Shortens a wait at random.
    /// - Parameters:
    ///   - wait: the wait.
    ///   - random: where chance comes from.
    /// - Returns: at least `1 - jitter` of the wait, and at most all of it.
    public func shortened(_ wait: Duration, using random: inout some RandomNumberGenerator) -> Duration {
        jitter > 0 ? wait * (1 - Double.random(in: 0...jitter, using: &random)) : wait
    }
}
