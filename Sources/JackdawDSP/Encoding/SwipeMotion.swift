/// How the card's speed changes along the stripe, relative to its nominal speed.
public enum SwipeMotion: Sendable, Hashable {
    /// A point of a speed curve.
    public struct Point: Sendable, Hashable {
        /// Share of the stripe travelled, 0 to 1.
        public var position: Double
        /// Speed relative to the nominal speed, 0.01 to 100.
        public var speed: Double

        /// Creates a point of a speed curve.
        public init(position: Double, speed: Double) {
            self.position = position
            self.speed = speed
        }
    }

    /// The nominal speed throughout.
    case constant
    /// From 1 - `change` to 1 + `change` times the nominal speed; `change` between -1 and 1.
    case linear(change: Double)
    /// Speed at the end over speed at the start, growing by equal ratios; nominal half way. Real swipes reach 6.
    case exponential(ratio: Double)
    /// Between 1 - `depth` and 1 + `depth` times the nominal speed, over this many `cycles`; `depth` from 0 to below 1.
    case sinusoidal(depth: Double, cycles: Double)
    /// Straight lines between points in ascending order of position, level before the first and after the last.
    case points([Point])

    /// The speed at a position along the stripe.
    /// - Parameter position: share of the stripe travelled; below 0 and above 1, the values at the ends hold.
    /// - Returns: the speed relative to the nominal speed.
    public func speed(at position: Double) -> Double {
        let position = min(max(position, 0), 1)
        switch self {
        case .constant: return 1
        case .linear(let change): return 1 + change * (2 * position - 1)
        case .exponential(let ratio): return Numerics.exponential(Numerics.logarithm(ratio) * (position - 0.5))
        case .sinusoidal(let depth, let cycles):
            return 1 + depth * Numerics.sineAndCosine(turns: cycles * position).sine
        case .points(let points):
            guard let next = points.firstIndex(where: { $0.position > position }) else {
                return points.last?.speed ?? 1
            }
            guard next > 0 else { return points[0].speed }
            let (before, after) = (points[next - 1], points[next])
            let share = (position - before.position) / (after.position - before.position)
            return before.speed + share * (after.speed - before.speed)
        }
    }

    /// The highest relative speed anywhere along the stripe.
    var fastest: Double {
        switch self {
        case .constant: 1
        case .linear(let change): 1 + abs(change)
        case .exponential: max(speed(at: 0), speed(at: 1))
        case .sinusoidal(let depth, _): 1 + depth
        case .points(let points): points.map { $0.speed }.max() ?? 1
        }
    }

    /// The reason why this is not a valid motion; nil if it is.
    var defect: String? {
        switch self {
        case .constant: nil
        case .linear(let change): abs(change) < 1 ? nil : "a linear change must lie between -1 and 1"
        case .exponential(let ratio):
            (0.01...100).contains(ratio) ? nil : "an acceleration ratio must lie between 0.01 and 100"
        case .sinusoidal(let depth, let cycles):
            (0..<1).contains(depth) && (0...100).contains(cycles)
                ? nil : "a sinusoidal motion needs a depth from 0 to below 1 and 0 to 100 cycles"
        case .points(let points): Self.defect(of: points)
        }
    }

    private static func defect(of points: [Point]) -> String? {
        guard !points.isEmpty else { return "a motion by points needs at least one point" }
        guard points.allSatisfy({ (0...1).contains($0.position) && (0.01...100).contains($0.speed) }) else {
            return "points lie from 0 to 1 and have speeds from 0.01 to 100 times the nominal speed"
        }
        guard zip(points, points.dropFirst()).allSatisfy({ $0.position < $1.position }) else {
            return "points must ascend in position"
        }
        return nil
    }
}
