/// The code of characters on a stripe: data bits, least significant first, then one odd parity bit (ISO/IEC 7811-2).
public enum CharacterCode: Sendable, Hashable, CaseIterable {
    /// Seven bits per character: six data bits over ASCII 0x20 to 0x5F, and parity.
    case alphanumeric
    /// Five bits per character: four data bits over ASCII 0x30 to 0x3F, and parity.
    case numeric

    /// Bits per character, parity included.
    @inlinable public var bitsPerCharacter: Int { self == .alphanumeric ? 7 : 5 }

    /// Data bits per character, without parity.
    @inlinable public var dataBits: Int { bitsPerCharacter - 1 }

    /// ASCII of the character whose data bits are all zero.
    @inlinable public var base: UInt8 { self == .alphanumeric ? 0x20 : 0x30 }

    /// Data value of the start sentinel: `%` or `;`.
    @inlinable public var startSentinel: UInt8 { self == .alphanumeric ? 0x05 : 0x0B }

    /// Data value of the end sentinel: `?`.
    @inlinable public var endSentinel: UInt8 { self == .alphanumeric ? 0x1F : 0x0F }

    /// The largest number of characters that the standard allows, sentinels and LRC included (track 3 for the numeric
    /// code).
    @inlinable public var maximumCharacters: Int { self == .alphanumeric ? 82 : 107 }

    /// The ASCII character of a data value.
    @inlinable public func ascii(_ value: UInt8) -> UInt8 { value + base }

    /// Data value of an ASCII character; nil if it is not in this code.
    @inlinable public func value(ofASCII character: UInt8) -> UInt8? {
        guard character >= base, character < base + (1 << UInt8(dataBits)) else { return nil }
        return character - base
    }

    /// The bits of one character in stripe order: data least significant first, then odd parity.
    /// - Parameter value: data bits, 0 to 15 or 63; higher bits are ignored.
    /// - Returns: a word whose bit 0 comes first on the stripe.
    @inlinable public func pattern(of value: UInt8) -> UInt8 {
        let data = value & ((1 << UInt8(dataBits)) - 1)
        let parity = UInt8(truncatingIfNeeded: (data.nonzeroBitCount & 1) ^ 1)
        return data | (parity << UInt8(dataBits))
    }

    /// The bits of characters in stripe order, one per byte, in a single array that the caller must overwrite.
    func bits(of values: [UInt8]) -> [UInt8] {
        var bits: [UInt8] = []
        bits.reserveCapacity(values.count * bitsPerCharacter)  // growing would leave unwiped copies
        for value in values {
            let pattern = pattern(of: value)
            for bit in 0..<bitsPerCharacter { bits.append(pattern >> UInt8(bit) & 1) }
        }
        return bits
    }
}

/// The check character at the end of a message: even parity over each column of data bits, both sentinels included.
///
/// Its own parity bit is not part of a column: it makes the parity of the check character odd, as of any other (ISO/IEC
/// 7811-2).
public struct LongitudinalRedundancyCheck: Sendable, Hashable {
    /// Data value of the check character over all characters added so far.
    public private(set) var value: UInt8 = 0

    /// Creates the check of an empty message.
    public init() {}

    /// Creates the check of a whole message.
    /// - Parameter values: data values from start sentinel to end sentinel.
    public init(of values: some Sequence<UInt8>) {
        for value in values { add(value) }
    }

    /// Adds the next character's data value.
    public mutating func add(_ value: UInt8) { self.value ^= value }
}

/// One of the three stripes of a magnetic card (ISO/IEC 7811-2 and -6).
public enum TrackNumber: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// 210 bits per inch, 7-bit alphanumeric characters (IATA).
    case one = 1
    /// 75 bits per inch, 5-bit numeric characters (ABA).
    case two = 2
    /// 210 bits per inch, 5-bit numeric characters (thrift; AAMVA writes 7-bit characters here).
    case three = 3

    /// Recording density in bits per inch (ISO/IEC 7811-2).
    public var bitsPerInch: Double { self == .two ? 75 : 210 }

    /// The character code that the standard prescribes for this track.
    public var characterCode: CharacterCode { self == .one ? .alphanumeric : .numeric }

    /// Tracks in the order of their numbers.
    public static func < (left: TrackNumber, right: TrackNumber) -> Bool { left.rawValue < right.rawValue }
}
