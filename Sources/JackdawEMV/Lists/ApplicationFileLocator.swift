/// The application file locator (AFL, tag 94): the records of a transaction (EMV Book 3 section 10.2).
public struct ApplicationFileLocator: Sendable, Hashable {
    /// Records of one file that follow each other.
    public struct Entry: Sendable, Hashable {
        /// The short file identifier (SFI), 1 to 30. Files 1 to 10 are governed by EMV.
        public let file: Int
        /// The numbers of the records, from 1.
        public let records: ClosedRange<Int>
        /// Number of records, from the first on, that offline data authentication covers.
        public let authenticatedCount: Int
    }

    /// A record to read.
    public struct Record: Sendable, Hashable {
        /// The short file identifier (SFI).
        public let file: Int
        /// The number of the record.
        public let number: Int
        /// Whether offline data authentication covers the record.
        public let isAuthenticated: Bool
    }

    /// The greatest number of octets: an answer of 255 octets holds no more with AIP and tags.
    public static let maxCount = 252

    /// The entries in their order.
    public let entries: [Entry]

    /// Parses an AFL.
    /// - Throws: ``DataObjectError`` with code `length` if the number of octets is not a multiple of 4 from 4 to 252,
    ///   or with code `value` if an entry has an invalid file, records or number of authenticated records.
    public init(_ octets: Span<UInt8>) throws(DataObjectError) {
        guard !octets.isEmpty, octets.count % 4 == 0, octets.count <= Self.maxCount else {
            throw DataObjectError(.length, at: 0, "an AFL has 4 to 252 octets, a multiple of 4")
        }
        var entries: [Entry] = []
        for start in stride(from: 0, to: octets.count, by: 4) {
            let file = Int(octets[start] >> 3)
            guard octets[start] & 7 == 0, (1...30).contains(file) else {
                throw DataObjectError(.value, at: start, "files are 1 to 30, in bits 8 to 4")
            }
            let first = Int(octets[start + 1])
            let last = Int(octets[start + 2])
            guard first > 0, first <= last else {
                throw DataObjectError(.value, at: start + 1, "the first record is from 1 to the last one")
            }
            let authenticated = Int(octets[start + 3])
            guard authenticated <= last - first + 1 else {
                throw DataObjectError(.value, at: start + 3, "more records are authenticated than there are")
            }
            entries.append(Entry(file: file, records: first...last, authenticatedCount: authenticated))
        }
        self.entries = entries
    }

    /// The records in the order in which they are read.
    public var records: [Record] {
        entries.flatMap { entry in
            entry.records.map { number in
                Record(
                    file: entry.file, number: number,
                    isAuthenticated: number - entry.records.lowerBound < entry.authenticatedCount)
            }
        }
    }
}
