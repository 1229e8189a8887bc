/// Where the parts of a MagneSafe reader's swipe lie between separators, in no more memory than that takes.
struct MagTekSwipeLayout {
    /// Parts of a whole swipe, without and with a counter of encryptions.
    static let counts = 13...14
    private static let separator = UInt8(ascii: "|")
    /// The device's serial number, which is the owner's to choose.
    private static let serialNumber = 7
    /// Tracks, encrypted or in clear.
    static let tracks = 2...4
    /// The serial number of the key, which is empty when nothing is encrypted.
    static let keySerialNumber = 9

    /// Parts that there are.
    private(set) var count = 0
    /// The two bytes, of which the first has the lower bits: the manual's example says 0600 for a key that is there and encrypts.
    private(set) var encryptionStatus: UInt16 = 0
    /// Whether the tracks are encrypted: the reader encrypts, and names the key.
    private(set) var isEncrypted = false
    /// Where each part ends; the next one begins after the separator.
    private var ends = InlineArray<14, Int>(repeating: 0)

    /// - Parameter line: with the carriage return at its end.
    /// - Throws: ``FrameFault`` where it has other parts, or its CRC is wrong.
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
            throw FrameFault(.field, at: start, "\(count) fields, where a swipe has 13 or 14")
        }
        let status = try bytes(1, of: line, "the status")
        encryptionStatus = UInt16(status.1) << 8 | UInt16(status.0)
        isEncrypted =
            MagTekSwipe.EncryptionStatus(rawValue: encryptionStatus).encryptsTracks
            && !self[Self.keySerialNumber].isEmpty
        // The stripe and the format's code are no digits, either.
        for number in 1..<count - 1 where number != Self.serialNumber {
            let part = line.extracting(self[number])
            // A reader sends `E` in place of a track that it could not read, and if it does not encrypt it may send
            // tracks as they are, each from its start sentinel.
            if Self.tracks.contains(number), MagTekSwipe.isUnread(part) || !isEncrypted && part.startsTrack {
                continue
            }
            guard let index = part.firstNoDigit else { continue }
            let place = self[number].lowerBound + index
            throw FrameFault(.field, at: place, "\(line[place].hexadecimal) is no hexadecimal digit")
        }
        try checkCRC(line)
    }

    /// Where a part lies, counted from 0.
    subscript(number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1] + 1)..<ends[number] }

    /// The CRC is over all before it, and its lower byte comes first.
    private func checkCRC(_ line: Span<UInt8>) throws(FrameFault) {
        let place = self[count - 3].lowerBound
        let (low, high) = try bytes(count - 3, of: line, "the CRC")
        let crc = RedundancyCheck.crc16(line.extracting(first: place))
        guard low == UInt8(crc & 255), high == UInt8(crc >> 8) else {
            throw FrameFault(
                .check, at: place,
                "the CRC is \(low.hexadecimal) \(high.hexadecimal), "
                    + "of the characters \(UInt8(crc & 255).hexadecimal) \(UInt8(crc >> 8).hexadecimal)")
        }
    }

    /// The two bytes that a part of four digits says.
    private func bytes(_ number: Int, of line: Span<UInt8>, _ name: String) throws(FrameFault) -> (UInt8, UInt8) {
        let part = self[number]
        guard part.count == 4, let first = line.byte(at: part.lowerBound),
            let second = line.byte(at: part.lowerBound + 2)
        else { throw FrameFault(.field, at: part.lowerBound, "\(name) has four hexadecimal digits") }
        return (first, second)
    }
}

extension Span<UInt8> {
    /// Whether it begins as a track in plain text does: with a sentinel, which its owner can choose and which is no
    /// letter and no digit.
    fileprivate var startsTrack: Bool {
        !isEmpty && !CardHiding.isLetter(self[0]) && !CardHiding.isDigit(self[0])
    }
}
