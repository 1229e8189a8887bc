import JackdawCards
import JackdawReaders

extension PGSwipedCard {
    /// What a reader has sent, as the card class that its kind of reader gives.
    ///
    /// Tracks that a reader has encrypted as one are track 1: they cannot be parted without the key.
    /// - Parameters:
    ///   - swipe: as its driver has reported it.
    ///   - isFromIDynamo: whether an iDynamo has read it.
    /// - Returns: a card of the class that the reader and the swipe's parts are for.
    static func make(_ swipe: ReaderSwipe, isFromIDynamo: Bool = false) -> PGSwipedCard {
        let shown = ShownCard(swipe)
        guard swipe.isEncrypted else {
            var tracks = (1...3).map { swipe.text(of: .track($0)) }
            tracks[0] = tracks[0] ?? swipe.digits(of: .packedTracks)
            return PGSwipedCard(tracks: tracks, shown: shown)
        }
        var tracks = (1...3).map { swipe.digits(of: .encryptedTrack($0)) }
        tracks[0] = tracks[0] ?? swipe.digits(of: .encryptedTracks)
        let ksn = swipe.digits(of: .keySerialNumber)?.revealedText() ?? ""
        let print = swipe.digits(of: .magnePrint)
        // An iDynamo sends no fingerprint if that is switched off.
        guard print != nil || isFromIDynamo else {
            return PGEncryptedSwipedCard(tracks: tracks, ksn: ksn, shown: shown)
        }
        return PGMagnesafeSwipedCard(
            tracks: tracks, ksn: ksn, print: print ?? SecretText(copying: Span()),
            printStatus: swipe.digits(of: .magnePrintStatus)?.revealedText() ?? "", shown: shown)
    }
}

extension ReaderSwipe {
    /// A part's characters.
    fileprivate func text(of part: Part) -> SecretText? { withPart(part) { SecretText(copying: $0) } }

    /// A part's bytes as hexadecimal digits, upper case.
    fileprivate func digits(of part: Part) -> SecretText? {
        withPart(part) { bytes in
            let digits = SecretBytes(count: 2 * bytes.count) { target in
                for index in bytes.indices {
                    (target[2 * index], target[2 * index + 1]) = bytes[index].hexadecimalDigits
                }
            }
            return digits.withBytes { SecretText(copying: $0) }
        }
    }
}

extension ShownCard {
    /// What a reader has left to be seen: of IPS's in fields of their own, of others in their masked tracks.
    init(_ swipe: ReaderSwipe) {
        number = swipe.maskedNumber
        expiry =
            swipe.withPart(.expiry) { digits in
                Self.expiry(yearMonth: digits.indices.flatMap { [digits[$0] >> 4 | 0x30, digits[$0] & 15 | 0x30] })
            } ?? nil
        name = swipe.withPart(.cardholderName) { SecretText(copying: $0).trimmedAtEnd }
        for part in [ReaderSwipe.Part.track(1), .maskedTrack(1)] where name == nil {
            swipe.withPart(part) { track in
                let separators = track.indices.filter { track[$0] == UInt8(ascii: "^") }
                guard separators.count > 1 else { return }
                name = SecretText(copying: track.extracting(separators[0] + 1..<separators[1])).trimmedAtEnd
                expiry = expiry ?? Self.expiry(in: track, behind: separators[1])
            }
        }
        for part in [ReaderSwipe.Part.track(2), .maskedTrack(2)] where expiry == nil {
            swipe.withPart(part) { track in
                guard let separator = track.indices.first(where: { track[$0] == UInt8(ascii: "=") }) else { return }
                expiry = Self.expiry(in: track, behind: separator)
            }
        }
    }

    private static func expiry(in track: Span<UInt8>, behind separator: Int) -> String? {
        guard separator + 4 < track.count else { return nil }
        return expiry(yearMonth: (1...4).map { track[separator + $0] })
    }

    /// MMYY of YYMM; nil of a masked one.
    private static func expiry(yearMonth: [UInt8]) -> String? {
        guard yearMonth.count == 4, yearMonth.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return String(decoding: yearMonth[2...] + yearMonth[..<2], as: UTF8.self)
    }
}

extension SecretText {
    /// Without the blanks behind it.
    fileprivate var trimmedAtEnd: SecretText {
        withRevealedText { text in
            let count = text.indices.last { text[$0] != UInt8(ascii: " ") }.map { $0 + 1 } ?? 0
            return SecretText(copying: text.extracting(first: count))
        }
    }
}
