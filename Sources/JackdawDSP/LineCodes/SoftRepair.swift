/// Turns over at most two of a frame's least certain bits where that makes its check pass.
///
/// Of sixteen bits, 136 ways at most are tried, the likeliest first. A check of sixteen bits lets about one of 480 frames
/// that are broken elsewhere pass for whole; one of eight bits lets half of them, so that there only a few are tried.
struct SoftRepair {
    /// Bits that may be turned over.
    private static let weakBits = 16

    /// A bit of a frame and how sure it is.
    private struct WeakBit {
        var byte: Int
        var place: UInt8
        var reliability: Float
    }

    /// Mends a frame in place.
    /// - Parameters:
    ///   - bytes: the frame.
    ///   - reliabilities: log-likelihood ratio of each bit, eight for a byte, bit 0 first.
    ///   - checks: of which the first that knows the frame is asked.
    ///   - mostTests: ways that are tried at most.
    ///   - repaired: is told the index of each byte that a bit of was turned over.
    /// - Returns: how the frame comes out, mended or not.
    static func mend(
        _ bytes: inout [UInt8], reliabilities: [Float], checks: [FrameCheck], mostTests: Int = 136,
        repaired: (Int) -> Void
    ) -> FrameCheck.Outcome {
        var outcome = FrameCheck.Outcome.unknown
        for check in checks {
            let result = check.outcome(bytes.span)
            if result == .whole { return .whole }
            if outcome == .unknown { outcome = result }
        }
        let weak = weakest(bytes.count, reliabilities)
        for check in checks where check.allowsRepair {
            if flip(&bytes, weak, check, mostTests: mostTests, repaired: repaired) { return .whole }
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

    /// Tries one bit and two, the least certain first.
    private static func flip(
        _ bytes: inout [UInt8], _ weak: [WeakBit], _ check: FrameCheck, mostTests: Int, repaired: (Int) -> Void
    ) -> Bool {
        var ways: [(first: Int, second: Int?, cost: Float)] = []
        for first in weak.indices {
            ways.append((first, nil, weak[first].reliability))
            for second in weak.indices.dropFirst(first + 1) {
                ways.append((first, second, weak[first].reliability + weak[second].reliability))
            }
        }
        ways.sort { $0.cost < $1.cost }
        for way in ways.prefix(mostTests) {
            let turned = [weak[way.first]] + (way.second.map { [weak[$0]] } ?? [])
            for bit in turned { bytes[bit.byte] ^= 1 << bit.place }
            if check.outcome(bytes.span) == .whole {
                for bit in turned { repaired(bit.byte) }
                return true
            }
            for bit in turned { bytes[bit.byte] ^= 1 << bit.place }
        }
        return false
    }
}
