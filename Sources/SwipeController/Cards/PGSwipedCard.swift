public import JackdawCards
import JackdawReaders

/// A card that was swiped: its tracks, in clear or as the reader has encrypted them, and what may be shown of it.
public class PGSwipedCard: PGCard, @unchecked Sendable {
    /// Track 1; nil where the reader sent none. Encrypted tracks are hexadecimal digits.
    public let track1: SecretText?
    /// Track 2, alike.
    public let track2: SecretText?
    /// Track 3, alike.
    public let track3: SecretText?
    /// The account number, its first six digits and the last four, with stars in place of the others; nil if the reader sent none.
    let starredNumber: String?
    /// When it expires, MMYY; nil where the reader told nothing.
    public let expirationDate: String?
    /// Who holds it; nil where the reader told nothing.
    public let cardholderName: SecretText?

    /// A card in clear, or of tracks that were encrypted by other means.
    /// - Parameters:
    ///   - track1: track 1.
    ///   - track2: track 2.
    ///   - track3: track 3.
    ///   - cvv: the verification code.
    public convenience init(track1: SecretText?, track2: SecretText?, track3: SecretText?, cvv: SecretText? = nil) {
        self.init(tracks: [track1, track2, track3], shown: ShownCard(), cvv: cvv)
    }

    init(tracks: [SecretText?], shown: ShownCard, cvv: SecretText? = nil) {
        track1 = tracks[0]
        track2 = tracks[1]
        track3 = tracks[2]
        starredNumber = shown.number
        expirationDate = shown.expiry
        cardholderName = shown.name
        super.init(cvv: cvv)
    }

    /// The account number as the SDK masks it, with `0` in place of what may not be shown; nil if the reader sent none. It is for
    /// programs that expect this form: a masked digit looks like a zero of the number. Descriptions, and so everything that is
    /// printed, mask with stars (`411111******1111`).
    public final var maskedCardNumber: String? { starredNumber.map { String($0.map { $0 == "*" ? "0" : $0 }) } }

    /// Tracks 1 to 3 that are there, with their numbers.
    final var tracks: [(number: Int, text: SecretText)] {
        [track1, track2, track3].enumerated().compactMap { index, text in text.map { (index + 1, $0) } }
    }

    override func addFields(to post: inout DirectPost) {
        for track in tracks { post.add("track_\(track.number)", track.text) }
    }

    /// The number's first six digits and the last four, with stars in place of the others.
    public override var description: String {
        "a swiped card\(starredNumber.map { " \($0)" } ?? "")"
    }
}

/// What may be shown of a swiped card. None of it is sent to a gateway.
struct ShownCard {
    /// Masked with stars.
    var number: String?
    var expiry: String?
    var name: SecretText?
}

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

/// A card that a reader for the audio jack has encrypted.
public final class PGEncryptedSwipedCard: PGSwipedCard, @unchecked Sendable {
    /// The serial number of the key (KSN), hexadecimal digits.
    public let ksn: String

    init(tracks: [SecretText?], ksn: String, shown: ShownCard) {
        self.ksn = ksn
        super.init(tracks: tracks, shown: shown)
    }

    override func addFields(to post: inout DirectPost) {
        for track in tracks { post.add("encrypted_track_\(track.number)", track.text) }
        post.add("encrypted_ksn", ksn)
    }
}

/// A card that MagTek's iDynamo has encrypted.
public final class PGMagnesafeSwipedCard: PGSwipedCard, @unchecked Sendable {
    /// The serial number of the key (KSN), hexadecimal digits.
    public let magnesafeKsn: String
    /// The stripe's fingerprint, encrypted, hexadecimal digits; empty if the reader sent none.
    public let magnesafePrint: SecretText
    /// What the reader says of the fingerprint, hexadecimal digits; empty if the reader sent nothing of it.
    public let magnesafePrintStatus: String

    init(tracks: [SecretText?], ksn: String, print: SecretText, printStatus: String, shown: ShownCard) {
        magnesafeKsn = ksn
        magnesafePrint = print
        magnesafePrintStatus = printStatus
        super.init(tracks: tracks, shown: shown)
    }

    override func addFields(to post: inout DirectPost) {
        for track in tracks where track.number < 3 { post.add("magnesafe_track_\(track.number)", track.text) }
        if !magnesafePrint.isEmpty { post.add("magnesafe_magneprint", magnesafePrint) }
        post.add("magnesafe_ksn", magnesafeKsn)
        if !magnesafePrintStatus.isEmpty { post.add("magnesafe_magneprint_status", magnesafePrintStatus) }
    }
}
