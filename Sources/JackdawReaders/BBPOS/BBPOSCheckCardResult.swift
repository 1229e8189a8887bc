/// What an EMVSwiper found.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
public enum BBPOSCheckCardResult: String, Sendable, Hashable, CaseIterable {
    /// No card.
    case noCard = "NONE"
    /// A chip card.
    case chip = "ICC"
    /// A card without a chip that works.
    case notChip = "NOT_ICC"
    /// A stripe that was not read.
    case badSwipe = "BAD_SWIPE"
    /// A stripe.
    case stripe = "MCR"
    /// A chip that does not answer.
    case noResponse = "NO_RESPONSE"
    /// A stripe with track 2 alone.
    case track2Only = "TRACK2_ONLY"
    /// Track 2 of a card that was tapped.
    case contactlessTrack2 = "NFC_TRACK2"
    /// A stripe whose card has a chip, which is to be used.
    case useChip = "USE_ICC_CARD"
    /// A card that was tapped.
    case tapCardDetected = "TAP_CARD_DETECTED"
}
