/// A check over the bytes of a frame, which distinguishes whole frames from broken ones and allows the repair of weak
/// bits.
///
/// Every check includes the frame's format. An 8-bit check value alone would pass one of 256 wrong frames that are
/// tried.
public struct FrameCheck: Sendable, Hashable {
    /// The result of a check over a frame.
    public enum Outcome: Sendable, Hashable {
        /// The frame has another format.
        case unknown
        /// The frame has this format, and its check fails.
        case broken
        /// The frame has this format, and its check passes, or the format has no check.
        case whole
    }

    private enum Kind: Sendable, Hashable {
        case uniMagEncrypted, uniMagClearText, uniMagCommand
        case packet([UInt8])
        case trailing(Trailer, of: ClosedRange<Int>)
    }

    /// A check value after all other bytes of a frame, computed from them.
    public enum Trailer: Sendable, Hashable {
        /// One byte: the exclusive or of the others.
        case exclusiveOr
        /// One byte: the sum of the others.
        case sum
        /// One byte: the value that makes the sum of all bytes 0.
        case twosComplement
        /// Two bytes, the high one first: CRC-16/CCITT-FALSE (polynomial 0x1021, initial value 0xFFFF).
        case crc16
    }

    private let kind: Kind

    /// An encrypted card from a UniMag reader: 02, length low, length high, data, exclusive or and sum of the data, 03
    /// (ID TECH UniMag II and Shuttle manual; not checked on hardware).
    public static let uniMagEncrypted = FrameCheck(kind: .uniMagEncrypted)
    /// A card in the clear from a UniMag reader: printable text up to a carriage return. The format has no check, so no
    /// bits are turned over.
    public static let uniMagClearText = FrameCheck(kind: .uniMagClearText)
    /// A command to a UniMag reader: 02, `S` or `R`, its item and data, 03 and the exclusive or of all (not checked on
    /// hardware).
    public static let uniMagCommand = FrameCheck(kind: .uniMagCommand)

    /// A packet: an identifier, a number, a length, data, and the byte that makes the sum of all 0.
    public static func packet(identifiers: [UInt8]) -> FrameCheck { FrameCheck(kind: .packet(identifiers)) }

    /// A known number of bytes, followed by a check value.
    public static func trailing(_ trailer: Trailer, frameLength: ClosedRange<Int>) -> FrameCheck {
        FrameCheck(kind: .trailing(trailer, of: frameLength))
    }

    /// Bits of the check value that detect a few wrong bits: 0 if there is no check value.
    var bits: Int {
        switch kind {
        case .uniMagClearText: 0
        // Exclusive or and sum both miss two errors at the same bit position, a 0 and a 1: together they detect hardly
        // more than one.
        case .uniMagCommand, .packet, .uniMagEncrypted: 8
        case .trailing(let trailer, _): trailer == .crc16 ? 16 : 8
        }
    }

    /// Checks a frame, from its first byte to its last.
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
    /// The exclusive or of all bytes.
    var exclusiveOr: UInt8 {
        var result: UInt8 = 0
        for index in indices { result ^= self[index] }
        return result
    }

    /// The sum of all bytes, modulo 256.
    var sum: UInt8 {
        var result: UInt8 = 0
        for index in indices { result &+= self[index] }
        return result
    }

    /// CRC-16/CCITT-FALSE; 0 over bytes followed by their own CRC.
    var cyclicRedundancy: UInt16 {
        var register: UInt16 = 0xFFFF
        for index in indices {
            register ^= UInt16(self[index]) << 8
            for _ in 0..<8 { register = register << 1 ^ (register & 0x8000 == 0 ? 0 : 0x1021) }
        }
        return register
    }
}

/// Turns over at most two of a frame's least certain bits if that makes its check pass.
///
/// Of sixteen bits, all 136 ways are tried. The likeliest one that passes is weighed against all other possible frames:
/// the other ways that pass, the share of all further ways that a check of its width passes by chance, and a frame that
/// was broken before the noise. An eight-bit check thus repairs only frames that have hardly another explanation.
struct SoftRepair {
    /// Number of the weakest bits, which may be turned over.
    private static let weakBits = 16
    /// The least probability that a repair is right.
    private static let leastProbability = 0.99
    /// Odds of a frame that was sent broken, or spoilt by something other than noise. If all bits are certain, no bit
    /// is turned over.
    private static let spoilt = 1e-6
    /// Log-likelihood ratio from which on a bit counts as certain in the sum over all ways.
    private static let certain: Float = 40

    /// A bit of a frame with its reliability.
    private struct WeakBit {
        var byte: Int
        var place: UInt8
        var reliability: Float
    }

    /// One or two of the weak bits to turn over.
    private struct Way {
        var first: Int
        var second: Int?
        /// Its probability, relative to the received bits being right.
        var odds: Double
    }

    /// Repairs a frame in place.
    /// - Parameters:
    ///   - bytes: the frame.
    ///   - reliabilities: log-likelihood ratio of each bit, eight for a byte, bit 0 first.
    ///   - checks: the checks; the first one that knows the frame decides.
    ///   - repaired: called with the index of the byte for each bit that was turned over.
    /// - Returns: the outcome for the frame, repaired or not.
    static func correct(
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

    /// The probability that a bit is wrong, relative to its being right.
    private static func odds(of reliability: Float) -> Double { Numerics.exponential(-Double(max(0, reliability))) }

    /// The sum over all ways of turning bits over, except turning over no bit.
    private static func odds(of reliabilities: ArraySlice<Float>) -> Double {
        reliabilities.reduce(1) { $1 < certain ? $0 * (1 + odds(of: $1)) : $0 } - 1
    }

    /// The likeliest way that makes a check pass, if it is likely enough.
    private static func best(
        _ ways: [Way], _ weak: [WeakBit], beyond: Double, _ bytes: inout [UInt8], _ check: FrameCheck
    ) -> Way? {
        var best: Way?
        // Each frame that cannot be tried passes with a probability of 2 to the minus `bits`.
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

/// Converts log-likelihood ratios and powers.
enum LogLikelihood {
    /// The probability that a bit is right, 0.5 (a coin toss) to 1.
    static func confidence(_ ratio: Float) -> Float {
        // Beyond 20 nats it is 1 within the precision of `Float`.
        ratio > 20 ? 1 : Float(1 / (1 + Numerics.exponential(-Double(max(0, ratio)))))
    }

    /// A ratio of powers in dB; -300 for 0.
    static func decibels(_ ratio: Double) -> Double {
        ratio > 1e-30 ? 10 * Numerics.logarithm(ratio) / 2.302_585_092_994_046 : -300
    }
}
