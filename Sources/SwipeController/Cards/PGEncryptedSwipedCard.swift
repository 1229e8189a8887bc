import JackdawCards

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
