/// The waits between attempts to open a link: exponential up to a limit, with a random reduction, so that readers that
/// were lost together do not reconnect together.
public struct BackOff: Sendable, Hashable {
    /// The wait after the first failure; greater than zero.
    public let first: Duration
    /// The ratio of each wait to the one before it; 1 or more.
    public let factor: Double
    /// The longest wait; not less than ``first``.
    public let greatest: Duration
    /// The largest part of a wait that is removed at random; 0 or more, less than 1.
    public let jitter: Double
    /// A link that was open for this time begins with the first wait again when it is lost.
    public let steadyAfter: Duration

    /// Creates a back-off.
    /// - Parameters:
    ///   - first: the wait after the first failure; greater than zero.
    ///   - factor: the ratio of each wait to the one before it; 1 or more.
    ///   - greatest: the longest wait; not less than the first.
    ///   - jitter: the largest part of a wait that is removed at random; 0 or more, less than 1.
    ///   - steadyAfter: how long a link must be open before its loss counts as the first failure.
    public init(
        first: Duration = .seconds(1), factor: Double = 2, greatest: Duration = .seconds(30), jitter: Double = 0.25,
        steadyAfter: Duration = .seconds(60)
    ) {
        precondition(
            first > .zero && greatest >= first, "the first wait must be above zero and at most the greatest")
        precondition(factor >= 1 && factor.isFinite, "the factor must be finite and 1 or more")
        precondition(jitter >= 0 && jitter < 1, "the jitter must be 0 or more and below 1")
        self.first = first
        self.factor = factor
        self.greatest = greatest
        self.jitter = jitter
        self.steadyAfter = steadyAfter
    }

    /// The wait that follows another one.
    /// - Parameter wait: the wait before; nil if there was none.
    /// - Returns: the wait before its random reduction.
    public func wait(after wait: Duration?) -> Duration {
        guard let wait else { return first }
        // Compared with the greatest wait before the multiplication, which would overflow after a day of retries.
        return wait >= greatest / factor ? greatest : wait * factor
    }

    /// Shortens a wait at random.
    /// - Parameters:
    ///   - wait: the full wait.
    ///   - random: the source of randomness.
    /// - Returns: at least `1 - jitter` of the wait, and at most all of it.
    public func shortened(_ wait: Duration, using random: inout some RandomNumberGenerator) -> Duration {
        jitter > 0 ? wait * (1 - Double.random(in: 0...jitter, using: &random)) : wait
    }
}
