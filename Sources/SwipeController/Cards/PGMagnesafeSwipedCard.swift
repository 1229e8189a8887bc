public import JackdawCards

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
