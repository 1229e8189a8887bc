/// What the first byte of a message from eDynamo or tDynamo says.
///
/// Source: MagTek's eDynamo programmer's manual D998200115, 3.2.
public enum MagTekPayloadKind: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// A swipe (``MagTekCardRecord``).
    case cardData = 0
    /// A swipe, shortened (``MagTekRunLength``).
    case shortenedCardData = 1
    /// A notification.
    case notification = 2
    /// A notification, shortened (``MagTekRunLength``).
    case shortenedNotification = 3

    /// Whether it is about a swipe.
    public var isCardData: Bool { rawValue & 2 == 0 }
    /// Whether rows of the same byte are shortened.
    public var isShortened: Bool { rawValue & 1 == 1 }

    /// Number and meaning.
    public var description: String {
        "\(rawValue.hexadecimal) \(isCardData ? "card data" : "notification")\(isShortened ? ", shortened" : "")"
    }
}
