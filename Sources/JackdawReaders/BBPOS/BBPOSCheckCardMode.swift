/// How an EMVSwiper looks for a card.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
public enum BBPOSCheckCardMode: String, Sendable, Hashable, CaseIterable {
    /// Swiped.
    case swipe = "SWIPE"
    /// Inserted.
    case insert = "INSERT"
    /// Tapped.
    case tap = "TAP"
    /// Swiped or inserted.
    case swipeOrInsert = "SWIPE_OR_INSERT"
}
