import JackdawBytes

/// The tag of a data object, 1 to 4 octets (EMV Book 3, annex B1).
///
/// A literal writes the octets as one number: `0x9F02`.
public struct Tag: Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The tag's octets as one number, the first octet most significant.
    public let rawValue: UInt32

    /// A tag whose form has been checked.
    init(checked rawValue: UInt32) { self.rawValue = rawValue }

    /// A tag from its octets as one number.
    /// - Returns: nil if the octets are not one complete tag.
    public init?(rawValue: UInt32) {
        self.init(checked: rawValue)
        let octets = octets
        guard rawValue != 0, (octets[0] & 0x1F == 0x1F) == (octets.count > 1) else { return nil }
        for index in octets.indices.dropFirst() {
            guard (octets[index] & 0x80 != 0) == (index < octets.count - 1) else { return nil }
        }
    }

    /// Reads a tag, and moves to the octet after it.
    /// - Throws: ``DataObjectError`` if the tag is not complete or has more than 4 octets.
    init(_ octets: Span<UInt8>, _ next: inout Int) throws(DataObjectError) {
        let start = next
        var tag: UInt32 = 0
        repeat {
            guard next - start < 4 else {
                throw DataObjectError(.tagTooLong, at: start, "the tag has more than 4 octets")
            }
            guard next < octets.count else {
                throw DataObjectError(.truncatedTag, at: start, "the octets end inside a tag")
            }
            tag = tag << 8 | UInt32(octets[next])
            next += 1
        } while next - start == 1 ? tag & 0x1F == 0x1F : tag & 0x80 != 0
        self.init(checked: tag)
    }

    /// A tag that the program states. A number that is not a complete tag is an error of the program.
    public init(integerLiteral value: UInt32) {
        guard let tag = Tag(rawValue: value) else { preconditionFailure("not a tag") }
        self = tag
    }

    /// Number of octets, 1 to 4.
    public var count: Int { Swift.max(1, (39 - rawValue.leadingZeroBitCount) / 8) }

    /// The octets, as they are on the wire.
    public var octets: [UInt8] { UInt64(rawValue).bigEndianOctets(count) }

    /// Whether the value consists of data objects (bit 6 of the first octet): the object is a template.
    public var isConstructed: Bool { rawValue >> UInt32(8 * (count - 1)) & 0x20 != 0 }

    /// The octets in hexadecimal digits: `9F02`.
    public var description: String { octets.hexadecimal }

    public static func < (left: Tag, right: Tag) -> Bool { left.rawValue < right.rawValue }
}
