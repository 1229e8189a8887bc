import JackdawBytes
public import JackdawCards
import JackdawReaders

/// A swiped card: its tracks, in clear or as the reader has encrypted them, and the fields that may be shown.
public class PGSwipedCard: PGCard, @unchecked Sendable {
    /// Track 1; nil if the reader sent no track 1. An encrypted track is in hexadecimal digits.
    public let track1: SecretText?
    /// Track 2, in the same form as track 1.
    public let track2: SecretText?
    /// Track 3, in the same form as track 1.
    public let track3: SecretText?
    /// The account number's first six and last four digits, with asterisks for the others; nil if the reader sent no
    /// number.
    let starredNumber: String?
    /// The expiry date as MMYY; nil if the reader sent no date.
    public let expirationDate: String?
    /// The cardholder's name; nil if the reader sent no name.
    public let cardholderName: SecretText?

    /// Creates a card from tracks in clear, or from tracks that were encrypted by other means.
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

    /// The account number as the SDK masks it, with `0` for each masked digit; nil if the reader sent no number. It is
    /// for programs that require this format, in which a masked digit looks like a zero of the number. Descriptions,
    /// and all printed text, mask with asterisks (`411111******1111`).
    public final var maskedCardNumber: String? { starredNumber.map { String($0.map { $0 == "*" ? "0" : $0 }) } }

    /// The tracks that are present, 1 to 3, with their numbers.
    final var tracks: [(number: Int, text: SecretText)] {
        [track1, track2, track3].enumerated().compactMap { index, text in text.map { (index + 1, $0) } }
    }

    override func addFields(to post: inout DirectPost) {
        for track in tracks { post.add("track_\(track.number)", track.text) }
    }

    /// The kind of card, with the first six and last four digits of the account number.
    public override var description: String {
        "a swiped card\(starredNumber.map { " \($0)" } ?? "")"
    }
}

/// The fields of a swiped card that may be shown. A gateway does not receive them.
struct ShownCard {
    /// The account number, masked with asterisks.
    var number: String?
    var expiry: String?
    var name: SecretText?
}

extension PGSwipedCard {
    /// Creates a card from a reader's swipe, of the card class for that kind of reader.
    ///
    /// If the reader has encrypted all tracks as one block, the block becomes track 1: it cannot be split without the
    /// key.
    /// - Parameters:
    ///   - swipe: the swipe that the driver has reported.
    ///   - isFromIDynamo: whether an iDynamo has read it.
    /// - Returns: a card of the class for the reader and the parts of the swipe.
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
    /// The characters of a part.
    fileprivate func text(of part: Part) -> SecretText? { withPart(part) { SecretText(copying: $0) } }

    /// The bytes of a part as hexadecimal digits, upper case.
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
    /// Reads the fields that the reader sent unencrypted: IPS's readers send them as separate fields, others in the
    /// masked tracks.
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

    /// Converts YYMM to MMYY; nil if the date is masked.
    private static func expiry(yearMonth: [UInt8]) -> String? {
        guard yearMonth.count == 4, yearMonth.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return String(decoding: yearMonth[2...] + yearMonth[..<2], as: UTF8.self)
    }
}

extension SecretText {
    /// The text without trailing blanks.
    fileprivate var trimmedAtEnd: SecretText {
        withRevealedText { text in
            let count = text.indices.last { text[$0] != UInt8(ascii: " ") }.map { $0 + 1 } ?? 0
            return SecretText(copying: text.extracting(first: count))
        }
    }
}

/// A card that a reader on the audio jack has encrypted.
public final class PGEncryptedSwipedCard: PGSwipedCard, @unchecked Sendable {
    /// The key serial number (KSN), hexadecimal digits.
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
    /// The key serial number (KSN), hexadecimal digits.
    public let magnesafeKsn: String
    /// The stripe's fingerprint, encrypted, hexadecimal digits; empty if the reader sent none.
    public let magnesafePrint: SecretText
    /// The reader's status of the fingerprint, hexadecimal digits; empty if the reader sent none.
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
