/// What a Clover Go reader tells during a transaction.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); what goes over the wire is not published.
public enum CloverGoTransactionEvent: String, Sendable, Hashable, CaseIterable {
    /// A card was swiped.
    case cardSwiped = "CARD_SWIPED"
    /// A card was tapped.
    case cardTapped = "CARD_TAPPED"
    /// A stripe was not read.
    case swipeFailed = "SWIPE_FAILED"
    /// A card with a chip was swiped.
    case chipCardSwiped = "EMV_CARD_SWIPED_ERROR"
    /// The chip was not read three times: the card is to be swiped.
    case chipFailedSwipe = "EMV_DIP_FAILED_PROCEED_WITH_SWIPE"
    /// The chip was not read.
    case chipFailed = "EMV_CARD_DIP_FAILED"
    /// A card was inserted.
    case cardInserted = "EMV_CARD_INSERTED"
    /// The card was removed.
    case cardRemoved = "EMV_CARD_REMOVED"
    /// The card is to be tapped again.
    case contactlessFailedTryAgain = "CONTACTLESS_FAILED_TRY_AGAIN"
    /// A card is awaited.
    case cardAwaited = "SWIPE_DIP_OR_TAP_CARD"
    /// The card is to be removed.
    case removeCard = "REMOVE_CARD"
    /// The transaction goes on.
    case processingTransaction = "PROCESSING_TRANSACTION"
    /// Several cards were tapped.
    case severalCardsTapped = "MULTIPLE_CONTACTLESS_CARDS_DETECTED"
    /// The card is to be inserted.
    case contactlessFailedInsert = "CONTACTLESS_FAILED_TRY_CONTACT"
    /// The phone asks for something.
    case seePhone = "PLEASE_SEE_PHONE"
}
