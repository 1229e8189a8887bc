/// A data object whose bits have meanings of their own, such as the TVR.
///
/// As in the books, octet 1 is the first, and bit 8 of an octet the most significant.
public protocol BitField: OptionSet, Sendable, Hashable where RawValue == UInt64, Element == Self {
    /// The tag of the data object.
    static var tag: Tag { get }
    /// Number of octets in the value.
    static var octetCount: Int { get }
    /// The bits with a meaning, from octet 1, bit 8 on. All other bits are reserved and ignored.
    static var bits: [NamedBit<Self>] { get }
    /// The bits as a number, the first octet most significant.
    init(rawValue: UInt64)
}

/// A bit of a data object, with its names.
public struct NamedBit<Field: BitField>: Sendable {
    /// The field with this bit alone.
    public let bit: Field
    /// A stable identifier, for programs: `floor_limit_exceeded`.
    public let name: String
    /// The meaning, for people: `Transaction exceeds floor limit`.
    public let text: String

    init(_ bit: Field, _ name: String, _ text: String) {
        self.bit = bit
        self.name = name
        self.text = text
    }

    /// The number of the octet, from 1.
    public var octet: Int { Field.octetCount - (63 - bit.rawValue.leadingZeroBitCount) / 8 }

    /// The number of the bit in its octet, 1 to 8.
    public var number: Int { (63 - bit.rawValue.leadingZeroBitCount) % 8 + 1 }
}

extension BitField {
    /// A value with one bit set.
    /// - Parameters:
    ///   - octet: the number of its octet, from 1.
    ///   - bit: its number in the octet, 1 to 8.
    public init(octet: Int, bit: Int) {
        self.init(rawValue: 1 << UInt64(8 * (Self.octetCount - octet) + bit - 1))
    }

    /// The bits of a value.
    /// - Returns: nil if the value does not have ``octetCount`` octets.
    public init?(_ octets: Span<UInt8>) {
        guard octets.count == Self.octetCount else { return nil }
        self.init(rawValue: octets.bigEndian)
    }

    /// The bits of a value.
    /// - Returns: nil if the value does not have ``octetCount`` octets.
    public init?(_ octets: [UInt8]) { self.init(octets.span) }

    /// The value, ``octetCount`` octets.
    public var octets: [UInt8] { rawValue.bigEndianOctets(Self.octetCount) }

    /// The bits that are set and have a meaning, in their order.
    public var namedBits: [NamedBit<Self>] { Self.bits.filter { contains($0.bit) } }

    /// The stable names of the bits that are set and have a meaning, in their order.
    public var names: [String] { namedBits.map { $0.name } }
}
