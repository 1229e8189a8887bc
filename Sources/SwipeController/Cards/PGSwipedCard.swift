public import JackdawCards

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
