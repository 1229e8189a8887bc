/// Encodes data objects in BER-TLV with lengths of as few octets as possible (EMV Book 3, annex B2).
///
/// ```swift
/// var builder = TagLengthValueBuilder()
/// builder.append(0x70) { record in record.append(0x5A, number) }
/// ```
public struct TagLengthValueBuilder: Sendable {
    /// The objects that were appended, encoded.
    public private(set) var octets: [UInt8] = []

    /// A builder without objects.
    public init() {}

    /// Appends a data object.
    /// - Parameters:
    ///   - tag: its tag.
    ///   - value: its value, less than 4 GB.
    public mutating func append(_ tag: Tag, _ value: [UInt8]) { append(tag, value.span) }

    /// Appends a data object.
    /// - Parameters:
    ///   - tag: its tag.
    ///   - value: its value, less than 4 GB.
    public mutating func append(_ tag: Tag, _ value: Span<UInt8>) {
        appendHeader(tag, value.count)
        octets.reserveCapacity(octets.count + value.count)
        for index in value.indices { octets.append(value[index]) }
    }

    /// Appends a template with its contents.
    /// - Parameters:
    ///   - tag: its tag.
    ///   - contents: appends the objects in it.
    /// - Throws: the error of `contents`; then nothing is appended.
    public mutating func append<Failure: Error>(
        _ tag: Tag, contents: (inout TagLengthValueBuilder) throws(Failure) -> Void
    ) throws(Failure) {
        var inner = TagLengthValueBuilder()
        try contents(&inner)
        append(tag, inner.octets)
    }

    /// Encodes one data object.
    /// - Returns: tag, length, value.
    public static func encode(_ tag: Tag, _ value: [UInt8]) -> [UInt8] {
        var builder = TagLengthValueBuilder()
        builder.append(tag, value)
        return builder.octets
    }

    private mutating func appendHeader(_ tag: Tag, _ count: Int) {
        octets += tag.octets
        guard count >= 0x80 else {
            octets.append(UInt8(count))
            return
        }
        precondition(count <= UInt32.max, "a value of 4 GB or more")
        let further = (71 - UInt64(count).leadingZeroBitCount) / 8
        octets.append(0x80 | UInt8(further))
        octets += UInt64(count).bigEndianOctets(further)
    }
}
