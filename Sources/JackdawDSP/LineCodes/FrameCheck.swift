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
