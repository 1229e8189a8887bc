/// Where the fields of a MagneSafe reader's swipe lie in its line.
///
/// It holds no card data itself: the line has it, and each field is a range of that.
public struct MagTekSwipe: Sendable, Hashable {
    /// How the reader encrypts, and whether it still can.
    public struct EncryptionStatus: OptionSet, Sendable, Hashable {
        /// As the reader sends it.
        public let rawValue: UInt16

        /// Of the two bytes.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// No key is left: nothing but this status is sent.
        public static let isExhausted = EncryptionStatus(rawValue: 1 << 0)
        /// The initial key is there.
        public static let hasKey = EncryptionStatus(rawValue: 1 << 1)
        /// Tracks are encrypted.
        public static let isEncrypting = EncryptionStatus(rawValue: 1 << 2)
        /// The program has to authenticate itself first.
        public static let needsAuthentication = EncryptionStatus(rawValue: 1 << 3)
        /// No card came in time.
        public static let hasTimedOut = EncryptionStatus(rawValue: 1 << 4)
        /// The counter of transactions has run out.
        public static let isExpired = EncryptionStatus(rawValue: 1 << 8)
        /// Tracks are encrypted by the data variant of the key; else by the PIN variant.
        public static let usesDataVariant = EncryptionStatus(rawValue: 1 << 11)
    }

    /// Tracks with digits in place of others, one behind the other, with their sentinels.
    public let masked: Range<Int>
    /// How the reader encrypts.
    public let encryption: EncryptionStatus
    /// Every field between separators, in its order; the first is ``masked``.
    let parts: [Range<Int>]

    /// Tracks 1 to 3, each encrypted, as hexadecimal digits; empty where there was none, none at all where only a status came.
    public var encryptedTracks: [Range<Int>] { parts.count > 4 ? Array(parts[2...4]) : [] }
    /// The stripe's fingerprint, encrypted, as hexadecimal digits; nil where only a status came.
    public var magnePrint: Range<Int>? { parts.count > 6 ? parts[6] : nil }
    /// The session that the program gave, encrypted, as hexadecimal digits; nil where only a status came.
    public var session: Range<Int>? { parts.count > 8 ? parts[8] : nil }
    /// The key's serial number (KSN) as hexadecimal digits; nil where only a status came.
    public var keySerialNumber: Range<Int>? { parts.count > 9 ? parts[9] : nil }

    /// Fields of a whole swipe, without and with a counter of encryptions.
    private static let partCounts = 13...14
    private static let separator = UInt8(ascii: "|")

    /// Reads the layout of a line.
    /// - Parameter line: with the carriage return at its end.
    /// - Throws: ``FrameFault`` where it has other fields, or its CRC is wrong.
    public init(_ line: Span<UInt8>) throws(FrameFault) {
        var parts: [Range<Int>] = []
        var start = 0
        for index in 0..<max(0, line.count - 1) where line[index] == Self.separator {
            parts.append(start..<index)
            start = index + 1
        }
        parts.append(start..<max(start, line.count - 1))
        guard parts.count == 2 || Self.partCounts.contains(parts.count) else {
            throw FrameFault(
                .field, at: start, "\(parts.count) fields, where a swipe has 13 or 14, or a status alone 2")
        }
        guard parts[1].count == 4, let low = line.byte(at: parts[1].lowerBound),
            let high = line.byte(at: parts[1].lowerBound + 2)
        else { throw FrameFault(.field, at: parts[1].lowerBound, "the status has four hexadecimal digits") }
        self.parts = parts
        masked = parts[0]
        // The first byte has the lower bits: the manual's example says 0600 for a key that is there and encrypts.
        encryption = EncryptionStatus(rawValue: UInt16(high) << 8 | UInt16(low))
        guard parts.count > 2 else { return }
        for part in parts[2...] {
            for index in part where line[index].digitValue == nil {
                throw FrameFault(.field, at: index, "\(line[index].hexadecimal) is no hexadecimal digit")
            }
        }
        try checkCRC(line)
    }

    /// The CRC is over all before it, and its lower byte comes first.
    private func checkCRC(_ line: Span<UInt8>) throws(FrameFault) {
        let place = parts[parts.count - 3]
        let crc = RedundancyCheck.crc16(line.extracting(first: place.lowerBound))
        let expected = UInt8(crc & 255).hexadecimal + UInt8(crc >> 8).hexadecimal
        guard place.count == 4, line.byte(at: place.lowerBound) == UInt8(crc & 255),
            line.byte(at: place.lowerBound + 2) == UInt8(crc >> 8)
        else {
            let found = line.extracting(place).printable
            throw FrameFault(.check, at: place.lowerBound, "the CRC is \(found), of the characters \(expected)")
        }
    }

    /// Explains the line but for its end, field by field; the separators belong to what is before them.
    func fields(of line: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let isEncrypting = encryption.contains(.isEncrypting)
        return zip(names, parts).map { name, part in
            let text = line.extracting(part)
            let isSecret = name == "tracks" || !isEncrypting && Self.cardFields.contains(name)
            let value = isSecret ? isRevealing ? text.printable : "\(part.count) characters" : text.printable
            return FrameField(name, part.lowerBound..<min(part.upperBound + 1, line.count - 1), value)
        }
    }

    private static let cardFields: Set = ["encrypted track 1", "encrypted track 2", "encrypted track 3", "MagnePrint"]

    private var names: [String] {
        var names = [
            "tracks", "encryption status", "encrypted track 1", "encrypted track 2", "encrypted track 3",
            "MagnePrint status", "MagnePrint", "device serial number", "session", "KSN",
        ]
        if parts.count == Self.partCounts.upperBound { names.append("encryption counter") }
        return names + ["CRC", "encrypted CRC", "format"]
    }
}
