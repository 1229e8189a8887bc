/// Turns over at most two of a frame's least certain bits where that makes its check pass.
///
/// Of sixteen bits, all 136 ways are tried, and the likeliest that passes is weighed against all else that the frame may have
/// been: the other ways that pass, the share of everything beyond those ways that a check of its width lets pass by
/// chance, and a frame that was broken before the noise. So a check of eight bits repairs but what has hardly another explanation.
struct SoftRepair {
    /// Bits that may be turned over.
    private static let weakBits = 16
    /// Probability of being right that a repair needs.
    private static let leastProbability = 0.99
    /// Odds of a frame that was sent broken, or spoilt by what is no noise: where all bits are sure, none is turned over.
    private static let spoilt = 1e-6
    /// Log-likelihood ratio beyond which a bit is certain, as far as the sum of all ways goes.
    private static let certain: Float = 40

    /// A bit of a frame and how sure it is.
    private struct WeakBit {
        var byte: Int
        var place: UInt8
        var reliability: Float
    }

    /// One bit or two of the weak ones.
    private struct Way {
        var first: Int
        var second: Int?
        /// How likely it is, against what was heard being right.
        var odds: Double
    }

    /// Mends a frame in place.
    /// - Parameters:
    ///   - bytes: the frame.
    ///   - reliabilities: log-likelihood ratio of each bit, eight for a byte, bit 0 first.
    ///   - checks: of which the first that knows the frame is asked.
    ///   - repaired: is told the index of each byte that a bit of was turned over.
    /// - Returns: how the frame comes out, mended or not.
    static func mend(
        _ bytes: inout [UInt8], reliabilities: [Float], checks: [FrameCheck], repaired: (Int) -> Void
    ) -> FrameCheck.Outcome {
        var outcome = FrameCheck.Outcome.unknown
        for check in checks {
            let result = check.outcome(bytes.span)
            if result == .whole { return .whole }
            if outcome == .unknown { outcome = result }
        }
        let weak = weakest(bytes.count, reliabilities)
        let ways = Self.ways(of: weak)
        let beyond = odds(of: reliabilities.prefix(8 * bytes.count)) - ways.reduce(0) { $0 + $1.odds }
        for check in checks where check.bits > 0 {
            guard let way = best(ways, weak, beyond: max(0, beyond), &bytes, check) else { continue }
            flip(&bytes, way, weak)
            repaired(weak[way.first].byte)
            if let second = way.second { repaired(weak[second].byte) }
            return .whole
        }
        return outcome
    }

    private static func weakest(_ count: Int, _ reliabilities: [Float]) -> [WeakBit] {
        var weak: [WeakBit] = []
        weak.reserveCapacity(weakBits + 1)
        for index in 0..<8 * count {
            let reliability = reliabilities[index]
            if weak.count == weakBits, reliability >= weak[weakBits - 1].reliability { continue }
            let place = weak.firstIndex { $0.reliability > reliability } ?? weak.count
            weak.insert(WeakBit(byte: index / 8, place: UInt8(index % 8), reliability: reliability), at: place)
            if weak.count > weakBits { weak.removeLast() }
        }
        return weak
    }

    private static func ways(of weak: [WeakBit]) -> [Way] {
        let single = weak.map { odds(of: $0.reliability) }
        var ways: [Way] = []
        for first in weak.indices {
            ways.append(Way(first: first, odds: single[first]))
            for second in weak.indices.dropFirst(first + 1) {
                ways.append(Way(first: first, second: second, odds: single[first] * single[second]))
            }
        }
        return ways
    }

    /// How likely it is that a bit is wrong, against its being right.
    private static func odds(of reliability: Float) -> Double { Numerics.exponential(-Double(max(0, reliability))) }

    /// The sum over all ways of turning bits over, but for turning none.
    private static func odds(of reliabilities: ArraySlice<Float>) -> Double {
        reliabilities.reduce(1) { $1 < certain ? $0 * (1 + odds(of: $1)) : $0 } - 1
    }

    /// The likeliest way that makes a check pass, where it is likely enough.
    private static func best(
        _ ways: [Way], _ weak: [WeakBit], beyond: Double, _ bytes: inout [UInt8], _ check: FrameCheck
    ) -> Way? {
        var best: Way?
        // Of what cannot be tried, each passes with a probability.
        var all = spoilt + beyond / Double(1 << check.bits)
        for way in ways {
            flip(&bytes, way, weak)
            let passes = check.outcome(bytes.span) == .whole
            flip(&bytes, way, weak)
            guard passes else { continue }
            all += way.odds
            if way.odds > best?.odds ?? 0 { best = way }
        }
        guard let best, best.odds >= leastProbability * all else { return nil }
        return best
    }

    private static func flip(_ bytes: inout [UInt8], _ way: Way, _ weak: [WeakBit]) {
        bytes[weak[way.first].byte] ^= 1 << weak[way.first].place
        if let second = way.second { bytes[weak[second].byte] ^= 1 << weak[second].place }
    }
}
