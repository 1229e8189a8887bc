import JackdawBytes

/// The positions of the fields of a MagneSafe reader's swipe in its line.
///
/// Holds no card data itself: each field is a range of the line.
package struct MagTekSwipe: Sendable, Hashable {
    /// The reader's encryption status, and whether it can still encrypt.
    package struct EncryptionStatus: OptionSet, Sendable, Hashable {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// No key is left, so tracks are empty.
        package static let isExhausted = EncryptionStatus(rawValue: 1 << 0)
        /// The reader has its initial key.
        package static let hasKey = EncryptionStatus(rawValue: 1 << 1)
        /// Encryption is switched on; without a key nothing is encrypted.
        package static let isEncrypting = EncryptionStatus(rawValue: 1 << 2)
        /// The program must authenticate itself first.
        package static let needsAuthentication = EncryptionStatus(rawValue: 1 << 3)
        /// The wait ended without a card.
        package static let hasTimedOut = EncryptionStatus(rawValue: 1 << 4)
        /// The transaction counter has reached its end.
        package static let isExpired = EncryptionStatus(rawValue: 1 << 8)
        /// Tracks are encrypted by a key of the secondary initial key.
        package static let usesSecondaryKey = EncryptionStatus(rawValue: 1 << 10)
        /// Tracks are encrypted by the data variant of the key; else by the PIN variant.
        package static let usesDataVariant = EncryptionStatus(rawValue: 1 << 11)
        /// The MagnePrint is encrypted by a key of the secondary initial key.
        package static let usesSecondaryKeyForMagnePrint = EncryptionStatus(rawValue: 1 << 12)
        /// The MagnePrint is encrypted by the data variant of the key; else by the PIN variant.
        package static let usesDataVariantForMagnePrint = EncryptionStatus(rawValue: 1 << 13)

        /// Creates a status from a record. The manuals contradict themselves about the order of the two bytes: "big
        /// endian", and byte 1 the least significant. Both records that MagTek has printed have the high byte first:
        /// `00 06` from a reader that encrypts, `00 02` from one without a key. Bits 1 and 2 are always set in a reader
        /// that encrypts; if only the first byte has both, it is the low one.
        ///
        /// Source: MagTek's manuals 99875475-10, appendix D, page 110, and D998200115-17, 6.6 and appendix B.1.1, page
        /// 189.
        /// - Parameters:
        ///   - first: the byte that comes first.
        ///   - second: the other byte.
        init(ofRecord first: UInt8, _ second: UInt8) {
            let bytes = [first, second].map { EncryptionStatus(rawValue: UInt16($0)) }
            let isLowFirst = bytes[0].encryptsTracks && !bytes[1].encryptsTracks
            let (low, high) = isLowFirst ? (first, second) : (second, first)
            self.init(rawValue: UInt16(high) << 8 | UInt16(low))
        }

        /// The two bytes of a record, the high byte first.
        package var recordBytes: [UInt8] { [UInt8(rawValue >> 8), UInt8(rawValue & 0xFF)] }

        /// Whether tracks are encrypted: not without a key, even if encryption is switched on.
        package var encryptsTracks: Bool { isSuperset(of: [.hasKey, .isEncrypting]) }

        /// The event of a status without tracks; nil if there may be tracks.
        var meaning: ReaderMeaning? {
            if contains(.hasTimedOut) { return .gaveUp }
            if contains(.isExhausted) { return .badSwipe("no key is left") }
            guard contains(.isExpired) else { return nil }
            return .badSwipe("the reader encrypts no more swipes: its counter is exhausted", reason: .expired)
        }
    }

    /// The tracks with masked digits, one after the other, with their sentinels.
    package let masked: Range<Int>
    /// The reader's encryption status.
    package let encryption: EncryptionStatus
    /// Whether the reader encrypted the tracks; otherwise they are in clear, as hexadecimal digits or as plain text.
    package let isEncrypted: Bool
    /// The fields between separators, in order; the first is ``masked``.
    let parts: [Range<Int>]

    /// Tracks 1 to 3, each encrypted, as hexadecimal digits; empty for a missing track. In clear if nothing is
    /// encrypted, as hexadecimal digits or as plain text.
    ///
    /// Source: MagTek's manuals 99875483, encryption status (hexadecimal digits), and 99875475-10, appendix D, example
    /// 5, page 101 (plain text).
    package var encryptedTracks: [Range<Int>] { Array(parts[MagTekSwipeLayout.tracks]) }
    /// The reader's status of the stripe's fingerprint, as hexadecimal digits.
    package var magnePrintStatus: Range<Int> { parts[5] }
    /// The reader's serial number, which its owner may choose.
    package var serialNumber: Range<Int> { parts[7] }
    /// The stripe's fingerprint, encrypted, as hexadecimal digits.
    package var magnePrint: Range<Int> { parts[6] }
    /// The session identifier that the program sent, encrypted, as hexadecimal digits.
    package var session: Range<Int> { parts[8] }
    /// The key's serial number (KSN) as hexadecimal digits; empty if nothing is encrypted.
    package var keySerialNumber: Range<Int> { parts[MagTekSwipeLayout.keySerialNumber] }

    /// Parses a line.
    /// - Parameter line: the line with the carriage return at its end.
    /// - Throws: ``FrameFault`` if it has other fields, or its CRC is wrong.
    package init(_ line: Span<UInt8>) throws(FrameFault) {
        let layout = try MagTekSwipeLayout(line)
        parts = (0..<layout.count).map { layout[$0] }
        masked = parts[0]
        encryption = EncryptionStatus(rawValue: layout.encryptionStatus)
        isEncrypted = layout.isEncrypted
    }

    /// The start sentinels of each track: a reader marks by them how a track is coded.
    ///
    /// Source: MagTek's manuals 99875475-10, properties 24 to 29, and D998200115 (`!`).
    package static let startSentinels: [Int: [UInt8]] = [
        1: Array("%".utf8), 2: Array(";@".utf8), 3: Array("+#&!".utf8),
    ]

    /// The track that a start sentinel begins; nil for other characters.
    static func number(ofTrackFrom sentinel: UInt8) -> Int? {
        startSentinels.first { $0.value.contains(sentinel) }?.key
    }

    /// Whether a field that may be hexadecimal digits is plain text.
    static func isPlain(_ field: Span<UInt8>) -> Bool { field.firstNoDigit != nil }

    /// Whether a reader sends this text instead of a track that it could not read: `E` between sentinels, or alone.
    ///
    /// Source: MagTek's manual 99875483, section 2, card data.
    package static func isUnread(_ track: Span<UInt8>) -> Bool {
        guard !track.isEmpty else { return false }
        let first = number(ofTrackFrom: track[0]) == nil ? 0 : 1
        let end = track.count - (track.count > 1 && track[track.count - 1] == UInt8(ascii: "?") ? 1 : 0)
        return first < end && (first..<end).allSatisfy { track[$0] == UInt8(ascii: "E") }
    }

    /// Whether one of the fields of tracks, as characters or as hexadecimal digits, stands for a track that was not
    /// read.
    package static func isUnread(field: Span<UInt8>) -> Bool {
        guard !isUnread(field) else { return true }
        // A longer field has more than `E` between sentinels.
        guard field.count <= 6 else { return false }
        let characters = stride(from: 0, to: field.count, by: 2).compactMap { field.byte(at: $0) }
        return 2 * characters.count == field.count && isUnread(characters.span)
    }

    /// Finds the masked tracks.
    /// - Parameter line: the line from which the layout was parsed.
    /// - Returns: the number and place of each track, from its start sentinel to the next question mark.
    func maskedTracks(_ line: Span<UInt8>) -> [(number: Int, place: Range<Int>)] {
        var tracks: [(number: Int, place: Range<Int>)] = []
        var next = masked.lowerBound
        while next < masked.upperBound {
            guard let number = Self.number(ofTrackFrom: line[next]) else {
                next += 1
                continue
            }
            let end = line.firstIndex(of: UInt8(ascii: "?"), from: next).map { $0 + 1 } ?? masked.upperBound
            tracks.append((number, next..<min(end, masked.upperBound)))
            next = tracks[tracks.count - 1].place.upperBound
        }
        return tracks
    }

    /// Whether at least one track was read. The reader sends a message for each swipe, with `E` for each track that it
    /// could not read, and nothing for a track that is not on the card.
    /// - Parameter line: the line from which the layout was parsed.
    /// - Returns: false if no masked track was read, or, without masked tracks, no field of a track.
    func hasReadTrack(_ line: Span<UInt8>) -> Bool {
        let hasField = encryptedTracks.contains { !$0.isEmpty && !Self.isUnread(field: line.extracting($0)) }
        guard hasField, !masked.isEmpty else { return hasField }
        let tracks = maskedTracks(line)
        guard !tracks.isEmpty else { return !Self.isUnread(line.extracting(masked)) }
        return tracks.contains { !Self.isUnread(line.extracting($0.place)) }
    }

    /// Explains the line without its end, field by field; each separator belongs to the field before it.
    func fields(of line: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        zip(names, parts).map { name, part in
            let text = line.extracting(part)
            // The owner can choose the values of these fields; all others are hexadecimal digits.
            let isReaderText = Self.readerTexts.contains(name)
            let isShown = isRevealing || !(Self.cardFields.contains(name) || isReaderText && text.mayBeOfACard)
            // A KSN is longer than an account number; other fields may contain an account number by mistake.
            let isPlain = isRevealing || (name == "KSN" && part.count == 20)
            let shown = isPlain ? text.printable : CardHiding.shown(text.printable)
            let value = isShown ? shown : "\(part.count) characters"
            return FrameField(name, part.lowerBound..<min(part.upperBound + 1, line.count - 1), value)
        }
    }

    /// Fields that a reader without a key sends in clear.
    private static let cardFields: Set = [
        "tracks", "encrypted track 1", "encrypted track 2", "encrypted track 3", "MagnePrint",
    ]

    private static let readerTexts: Set = ["device serial number", "format"]

    private var names: [String] {
        var names = [
            "tracks", "encryption status", "encrypted track 1", "encrypted track 2", "encrypted track 3",
            "MagnePrint status", "MagnePrint", "device serial number", "session", "KSN",
        ]
        if parts.count == MagTekSwipeLayout.counts.upperBound { names.append("encryption counter") }
        return names + ["CRC", "encrypted CRC", "format"]
    }
}

/// The positions of the parts between the separators of a MagneSafe reader's swipe, in an array without heap memory.
struct MagTekSwipeLayout {
    /// The number of parts of a whole swipe, without and with an encryption counter.
    static let counts = 13...14
    private static let separator = UInt8(ascii: "|")
    /// The device's serial number, which its owner can choose.
    private static let serialNumber = 7
    /// Tracks, encrypted or in clear.
    static let tracks = 2...4
    /// The serial number of the key, which is empty if nothing is encrypted.
    static let keySerialNumber = 9

    /// The number of parts in the line, separators excluded; 13 or 14 in a valid one.
    private(set) var count = 0
    /// The status of encryption. The line has its low byte first: the manual's example is 0600 for a reader that has a
    /// key and encrypts.
    private(set) var encryptionStatus: UInt16 = 0
    /// Whether the tracks are encrypted: the status has encryption, and the line has the key's serial number.
    private(set) var isEncrypted = false
    /// The end of each part; the next part begins after the separator.
    private var ends = InlineArray<14, Int>(repeating: 0)

    /// - Parameter line: the line with the carriage return at its end.
    /// - Throws: ``FrameFault`` if it has other parts, or its CRC is wrong.
    init(_ line: Span<UInt8>) throws(FrameFault) {
        let end = max(0, line.count - 1)
        let text = line.extracting(first: end)
        var start = 0
        while let separator = text.firstIndex(of: Self.separator, from: start) {
            if count < Self.counts.upperBound { ends[count] = separator }
            count += 1
            start = separator + 1
        }
        if count < Self.counts.upperBound { ends[count] = end }
        count += 1
        guard Self.counts.contains(count) else {
            throw FrameFault(.field, at: start, "\(count) fields; a swipe has 13 or 14")
        }
        let status = try bytes(1, of: line, "the status")
        encryptionStatus = UInt16(status.1) << 8 | UInt16(status.0)
        isEncrypted =
            MagTekSwipe.EncryptionStatus(rawValue: encryptionStatus).encryptsTracks
            && !self[Self.keySerialNumber].isEmpty
        // The masked tracks and the format's code are not digits either.
        for number in 1..<count - 1 where number != Self.serialNumber {
            let part = line.extracting(self[number])
            // A reader sends `E` for a track that it could not read. A reader that does not encrypt may send tracks as
            // plain text, each from its start sentinel.
            if Self.tracks.contains(number), MagTekSwipe.isUnread(part) || !isEncrypted && part.startsTrack {
                continue
            }
            guard let index = part.firstNoDigit else { continue }
            let place = self[number].lowerBound + index
            throw FrameFault(.field, at: place, "\(line[place].hexadecimal) is not a hexadecimal digit")
        }
        try checkCRC(line)
    }

    /// The range of a part, counted from 0.
    subscript(number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1] + 1)..<ends[number] }

    /// Checks the CRC, which covers all bytes before it; its lower byte comes first.
    private func checkCRC(_ line: Span<UInt8>) throws(FrameFault) {
        let place = self[count - 3].lowerBound
        let (low, high) = try bytes(count - 3, of: line, "the CRC")
        let crc = RedundancyCheck.crc16(line.extracting(first: place))
        guard low == UInt8(crc & 255), high == UInt8(crc >> 8) else {
            throw FrameFault(
                .check, at: place,
                "the CRC is \(low.hexadecimal) \(high.hexadecimal); "
                    + "the characters give \(UInt8(crc & 255).hexadecimal) \(UInt8(crc >> 8).hexadecimal)")
        }
    }

    /// Returns the two bytes of a part with four digits.
    private func bytes(_ number: Int, of line: Span<UInt8>, _ name: String) throws(FrameFault) -> (UInt8, UInt8) {
        let part = self[number]
        guard part.count == 4, let first = line.byte(at: part.lowerBound),
            let second = line.byte(at: part.lowerBound + 2)
        else { throw FrameFault(.field, at: part.lowerBound, "\(name) has four hexadecimal digits") }
        return (first, second)
    }
}

extension Span<UInt8> {
    /// Whether a part begins like a track in plain text: with a sentinel, which the owner can choose and which is
    /// neither a letter nor a digit.
    fileprivate var startsTrack: Bool {
        !isEmpty && !CardHiding.isLetter(self[0]) && !CardHiding.isDigit(self[0])
    }
}

/// The reader's status of a stripe's fingerprint (MagnePrint) and of the card's movement.
///
/// Source: MagTek's eDynamo programmer's manual D998200115, 6.8.
package struct MagnePrintStatus: OptionSet, Sendable, Hashable {
    /// The four bytes, of which the first is the lowest.
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The reader can take fingerprints.
    package static let isCapable = MagnePrintStatus(rawValue: 1 << 0)
    /// The signal has too much noise.
    package static let isNoisy = MagnePrintStatus(rawValue: 1 << 17)
    /// The card was moved too slowly.
    package static let isTooSlow = MagnePrintStatus(rawValue: 1 << 18)
    /// The card was moved too fast.
    package static let isTooFast = MagnePrintStatus(rawValue: 1 << 19)
    /// The card was moved backwards.
    package static let isReversed = MagnePrintStatus(rawValue: 1 << 21)
}
