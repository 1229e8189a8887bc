/// A data object list (DOL): the tags and lengths of the values that a card asks for (EMV Book 3 section 5.4).
public struct DataObjectList: Sendable, Hashable {
    /// A value that is asked for.
    public struct Entry: Sendable, Hashable {
        /// The tag of the value.
        public let tag: Tag
        /// The number of octets that the card expects, 0 to 255.
        public let count: Int
    }

    /// The values in their order. Cards repeat tags.
    public let entries: [Entry]

    /// Parses a PDOL, CDOL, DDOL or TDOL: tags, each with a length of one octet.
    /// - Throws: ``DataObjectError`` with code `length` if there are no octets, else with the code of the tag or
    ///   length that is not complete.
    public init(_ octets: Span<UInt8>) throws(DataObjectError) {
        guard !octets.isEmpty else { throw DataObjectError(.length, at: 0, "a data object list has at least 2 octets") }
        var entries: [Entry] = []
        var next = 0
        while next < octets.count {
            let start = next
            let tag = try Tag(octets, &next)
            guard tag.rawValue != 0 else { throw DataObjectError(.value, at: start, "00 is not a tag") }
            guard next < octets.count else {
                throw DataObjectError(.truncatedLength, at: next, "the octets end before a length")
            }
            entries.append(Entry(tag: tag, count: Int(octets[next])))
            next += 1
        }
        self.entries = entries
    }

    /// The number of octets of all values.
    public var valueCount: Int { entries.reduce(0) { $0 + $1.count } }

    /// Whether the card asks for a tag.
    public func contains(_ tag: Tag) -> Bool { entries.contains { $0.tag == tag } }

    /// Builds the octets that the card asks for.
    ///
    /// A numeric value (n) is cut and filled with 00 on the left, a compressed one (cn) is filled with FF on the right,
    /// any other one is cut and filled with 00 on the right. A missing object and a template give octets 00.
    /// - Parameter value: the value of a tag, or nil.
    /// - Returns: ``valueCount`` octets, which may be card data.
    public func build(_ value: (Tag) -> SecretOctets?) -> SecretOctets {
        SecretOctets(count: valueCount) { built in
            var start = 0
            for entry in entries {
                if !entry.tag.isConstructed, let value = value(entry.tag) {
                    value.withOctets { Self.write($0, entry, to: &built, at: start) }
                }
                start += entry.count
            }
        }
    }

    /// Builds the octets that the card asks for from the objects of a transaction, as ``build(_:)`` does.
    public func build(from store: DataObjectStore) -> SecretOctets { build { store.secret($0) } }

    /// Writes a value into octets that are 0.
    private static func write(
        _ value: Span<UInt8>, _ entry: Entry, to built: inout MutableSpan<UInt8>, at start: Int
    ) {
        let missing = max(0, entry.count - value.count)
        let kept = entry.count - missing
        let format = DataElement.find(entry.tag)?.format
        guard format != .numeric else {
            for index in 0..<kept { built[start + missing + index] = value[value.count - kept + index] }
            return
        }
        for index in 0..<kept { built[start + index] = value[index] }
        guard format == .compressedNumeric else { return }
        for index in kept..<entry.count { built[start + index] = 0xFF }
    }
}
