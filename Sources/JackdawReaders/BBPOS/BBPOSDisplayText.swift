/// What the cardholder is to be shown.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
public enum BBPOSDisplayText: String, Sendable, Hashable, CaseIterable {
    /// “Amount”
    case amount = "AMOUNT"
    /// “Amount ok or not”
    case amountRightOrNot = "AMOUNT_OK_OR_NOT"
    /// “Approved”
    case approved = "APPROVED"
    /// “Call your bank”
    case callYourBank = "CALL_YOUR_BANK"
    /// “Cancel or enter”
    case cancelOrEnter = "CANCEL_OR_ENTER"
    /// “Card error”
    case cardError = "CARD_ERROR"
    /// “Declined”
    case declined = "DECLINED"
    /// “Enter amount”
    case enterAmount = "ENTER_AMOUNT"
    /// “Enter PIN”
    case enterPIN = "ENTER_PIN"
    /// “Incorrect PIN”
    case incorrectPIN = "INCORRECT_PIN"
    /// “Insert card”
    case insertCard = "INSERT_CARD"
    /// “Not accepted”
    case notAccepted = "NOT_ACCEPTED"
    /// “PIN ok”
    case pinIsRight = "PIN_OK"
    /// “Please wait”
    case pleaseWait = "PLEASE_WAIT"
    /// “Processing error”
    case processingError = "PROCESSING_ERROR"
    /// “Remove card”
    case removeCard = "REMOVE_CARD"
    /// “Use chip reader”
    case useChipReader = "USE_CHIP_READER"
    /// “Use mag stripe”
    case useStripe = "USE_MAG_STRIPE"
    /// “Try again”
    case tryAgain = "TRY_AGAIN"
    /// “Refer to your payment device”
    case referToYourPaymentDevice = "REFER_TO_YOUR_PAYMENT_DEVICE"
    /// “Transaction terminated”
    case transactionTerminated = "TRANSACTION_TERMINATED"
    /// “Try another interface”
    case tryAnotherInterface = "TRY_ANOTHER_INTERFACE"
    /// “Online required”
    case onlineRequired = "ONLINE_REQUIRED"
    /// “Processing”
    case processing = "PROCESSING"
    /// “Welcome”
    case welcome = "WELCOME"
    /// “Present only one card”
    case presentOnlyOneCard = "PRESENT_ONLY_ONE_CARD"
    /// “CAPK loading failed”
    case publicKeyLoadingFailed = "CAPK_LOADING_FAILED"
    /// “Last PIN try”
    case lastPINTry = "LAST_PIN_TRY"
    /// “Insert or tap card”
    case insertOrTapCard = "INSERT_OR_TAP_CARD"
    /// “Select account”
    case selectAccount = "SELECT_ACCOUNT"
    /// “Approved please sign”
    case approvedPleaseSign = "APPROVED_PLEASE_SIGN"
    /// “Tap card again”
    case tapCardAgain = "TAP_CARD_AGAIN"
    /// “Authorising”
    case authorising = "AUTHORISING"
    /// “Insert or swipe card or tap another card”
    case insertOrSwipeCardOrTapAnotherCard = "INSERT_OR_SWIPE_CARD_OR_TAP_ANOTHER_CARD"
    /// “Insert or swipe card”
    case insertOrSwipeCard = "INSERT_OR_SWIPE_CARD"
    /// “Multiple cards detected”
    case multipleCardsDetected = "MULTIPLE_CARDS_DETECTED"
}
