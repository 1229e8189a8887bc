/// A check over the bytes of a frame: what tells a whole one from a broken one, and lets weak bits be turned over.
///
/// Every check looks at the frame's format too. A check value alone lets one of 256 wrong frames pass for each that is tried.
public struct FrameCheck: Sendable, Hashable {
    /// How a check came out.
    public enum Outcome: Sendable, Hashable {
        /// The frame is of another format.
        case unknown
        /// The frame has this format and its check fails.
        case broken
        /// The frame has this format and its check passes, or the format has none.
        case whole
    }

    private enum Kind: Sendable, Hashable {
        case uniMagEncrypted, uniMagClearText, uniMagCommand
        case packet([UInt8])
        case trailing(Trailer, of: ClosedRange<Int>)
    }

    /// A value behind all other bytes of a frame that is made of them.
    public enum Trailer: Sendable, Hashable {
        /// One byte: the exclusive or of the others.
        case exclusiveOr
        /// One byte: the sum of the others.
        case sum
        /// One byte: what makes the sum of all 0.
        case twosComplement
        /// Two bytes, the high one first: CRC-16/CCITT-FALSE (polynomial 0x1021, from 0xFFFF on).
        case crc16
    }

    private let kind: Kind

    /// What UniMag readers send of a card, encrypted: 02, length low, length high, data, exclusive or and sum of the data, 03
    /// (ID TECH UniMag II and Shuttle manual; not checked on hardware).
    public static let uniMagEncrypted = FrameCheck(kind: .uniMagEncrypted)
    /// What UniMag readers send of a card in the clear: printable text up to a carriage return. It has no check: nothing is
    /// turned over.
    public static let uniMagClearText = FrameCheck(kind: .uniMagClearText)
    /// A command to a UniMag reader: 02, `S` or `R`, what follows, 03 and the exclusive or of all (not checked on hardware).
    public static let uniMagCommand = FrameCheck(kind: .uniMagCommand)

    /// A packet: an identifier, a number, a length, data, and what makes the sum of all 0.
    public static func packet(identifiers: [UInt8]) -> FrameCheck { FrameCheck(kind: .packet(identifiers)) }

    /// Bytes of a known number with a check value behind them.
    public static func trailing(_ trailer: Trailer, frameLength: ClosedRange<Int>) -> FrameCheck {
        FrameCheck(kind: .trailing(trailer, of: frameLength))
    }

    /// Bits of the check value, as many as tell few wrong bits: 0 where there is none.
    var bits: Int {
        switch kind {
        case .uniMagClearText: 0
        // Exclusive or and sum agree on two bits of the same place, a 0 and a 1: together they are hardly worth more.
        case .uniMagCommand, .packet, .uniMagEncrypted: 8
        case .trailing(let trailer, _): trailer == .crc16 ? 16 : 8
        }
    }

    /// Looks at a frame, from its first byte to its last.
    public func outcome(_ bytes: Span<UInt8>) -> Outcome {
        switch kind {
        case .uniMagEncrypted: Self.encrypted(bytes)
        case .uniMagClearText: Self.clearText(bytes)
        case .uniMagCommand: Self.command(bytes)
        case .packet(let identifiers): Self.packet(bytes, identifiers)
        case .trailing(let trailer, let lengths): Self.trailing(bytes, trailer, lengths)
        }
    }
}

extension FrameCheck {
    private static func encrypted(_ bytes: Span<UInt8>) -> Outcome {
        let count = bytes.count
        guard count >= 7, bytes[0] == 0x02 else { return .unknown }
        guard Int(bytes[1]) + Int(bytes[2]) << 8 == count - 6, bytes[count - 1] == 0x03 else { return .unknown }
        var exclusiveOr: UInt8 = 0
        var sum: UInt8 = 0
        for index in 3..<(count - 3) {
            exclusiveOr ^= bytes[index]
            sum &+= bytes[index]
        }
        return exclusiveOr == bytes[count - 3] && sum == bytes[count - 2] ? .whole : .broken
    }

    private static func clearText(_ bytes: Span<UInt8>) -> Outcome {
        guard bytes.count >= 2, bytes[bytes.count - 1] == 0x0D else { return .unknown }
        for index in 0..<(bytes.count - 1) where !(0x20...0x7E ~= bytes[index] || bytes[index] == 0x0D) {
            return .unknown
        }
        return .whole
    }

    private static func command(_ bytes: Span<UInt8>) -> Outcome {
        let count = bytes.count
        guard count >= 5, bytes[0] == 0x02, bytes[1] == 0x53 || bytes[1] == 0x52, bytes[count - 2] == 0x03 else {
            return .unknown
        }
        return bytes.exclusiveOr == 0 ? .whole : .broken
    }

    private static func packet(_ bytes: Span<UInt8>, _ identifiers: [UInt8]) -> Outcome {
        guard bytes.count >= 4, identifiers.contains(bytes[0]), bytes[1] < 16, Int(bytes[2]) == bytes.count - 4 else {
            return .unknown
        }
        return bytes.sum == 0 ? .whole : .broken
    }

    private static func trailing(_ bytes: Span<UInt8>, _ trailer: Trailer, _ lengths: ClosedRange<Int>) -> Outcome {
        guard lengths.contains(bytes.count), bytes.count >= 3 else { return .unknown }
        let passes =
            switch trailer {
            case .exclusiveOr: bytes.exclusiveOr == 0
            case .sum: bytes.extracting(droppingLast: 1).sum == bytes[bytes.count - 1]
            case .twosComplement: bytes.sum == 0
            case .crc16: bytes.cyclicRedundancy == 0
            }
        return passes ? .whole : .broken
    }
}

extension Span where Element == UInt8 {
    /// The exclusive or of all.
    var exclusiveOr: UInt8 {
        var result: UInt8 = 0
        for index in indices { result ^= self[index] }
        return result
    }

    /// The sum of all, less what does not fit a byte.
    var sum: UInt8 {
        var result: UInt8 = 0
        for index in indices { result &+= self[index] }
        return result
    }

    /// CRC-16/CCITT-FALSE; 0 over bytes with their own behind them.
    var cyclicRedundancy: UInt16 {
        var register: UInt16 = 0xFFFF
        for index in indices {
            register ^= UInt16(self[index]) << 8
            for _ in 0..<8 { register = register << 1 ^ (register & 0x8000 == 0 ? 0 : 0x1021) }
        }
        return register
    }
}

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

/// What log-likelihood ratios and powers come to.
enum LogLikelihood {
    /// The probability that a bit is right, 0.5 for a coin toss to 1.
    static func confidence(_ ratio: Float) -> Float {
        // Beyond 20 nats it is 1 to the last place.
        ratio > 20 ? 1 : Float(1 / (1 + Numerics.exponential(-Double(max(0, ratio)))))
    }

    /// A ratio of powers in dB; -300 for none.
    static func decibels(_ ratio: Double) -> Double {
        ratio > 1e-30 ? 10 * Numerics.logarithm(ratio) / 2.302_585_092_994_046 : -300
    }
}
