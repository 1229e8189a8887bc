extension WireVocabulary {
    /// BBPOS's EMVSwiper and its like: names of the SDK, without numbers.
    static let bbpos = WireVocabulary(
        family: "bbpos", title: "BBPOS's EMVSwiper and its like",
        events: [
            ("NONE", nil, .gaveUp),
            ("ICC", nil, .card(.inserted)),
            ("NOT_ICC", nil, .card(.unreadable)),
            ("BAD_SWIPE", nil, .badSwipe),
            ("MCR", nil, .status),
            ("NO_RESPONSE", nil, .card(.unreadable)),
            ("TRACK2_ONLY", nil, .status),
            ("NFC_TRACK2", nil, .card(.tapped)),
            ("USE_ICC_CARD", nil, .badSwipe),
            ("TAP_CARD_DETECTED", nil, .card(.tapped)),
        ], eventMessage: nil)
}

/// What an EMVSwiper asks the program for in the course of a payment with a chip, and waits for.
///
/// Callbacks of the vendor's SDK, as public samples have them; what goes over the wire is not published.
package enum BBPOSRequest: Sendable, Hashable {
    /// Which application of the card is used (`onRequestSelectApplication`), by its place in the list.
    case application([String])
    /// How much is paid (`onRequestSetAmount`).
    case amount
    /// The PIN (`onRequestPinEntry`), which the cardholder enters at the reader.
    case pin
    /// Whether the cardholder is who the document says (`onRequestVerifyID`).
    case identity
    /// Whether the payment goes on (`onRequestFinalConfirm`).
    case confirmation
    /// Whether the issuer can be asked at all (`onRequestCheckServerConnectivity`).
    case connectivity
    /// What the issuer says (`onRequestOnlineProcess`), who is sent the reader's data objects.
    case issuer
    /// The time (`onRequestTerminalTime`).
    case time
    /// What the issuer said on the telephone (`onRequestReferProcess`).
    case referral

    /// How it is told in logs.
    var name: String {
        switch self {
        case .application: "an application"
        case .amount: "the amount"
        case .pin: "the PIN"
        case .identity: "the cardholder's identity"
        case .confirmation: "the confirmation"
        case .connectivity: "whether the issuer can be asked"
        case .issuer: "the issuer's answer"
        case .time: "the time"
        case .referral: "the referral"
        }
    }
}

/// How an EMVSwiper looks for a card.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
package enum BBPOSCheckCardMode: String, Sendable, Hashable, CaseIterable {
    /// Swiped.
    case swipe = "SWIPE"
    /// Inserted.
    case insert = "INSERT"
    /// Tapped.
    case tap = "TAP"
    /// Swiped or inserted.
    case swipeOrInsert = "SWIPE_OR_INSERT"
}

/// What an EMVSwiper found.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
package enum BBPOSCheckCardResult: String, Sendable, Hashable, CaseIterable {
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

/// What is paid.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
package enum BBPOSTransactionKind: String, Sendable, Hashable, CaseIterable {
    /// Goods.
    case goods = "GOODS"
    /// Services.
    case services = "SERVICES"
    /// Goods, with cash handed out.
    case cashback = "CASHBACK"
    /// Nothing: the balance is asked for.
    case inquiry = "INQUIRY"
    /// A transfer.
    case transfer = "TRANSFER"
    /// A payment.
    case payment = "PAYMENT"
    /// What was paid is given back.
    case refund = "REFUND"
}

/// How a transaction with a chip ended.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
package enum BBPOSTransactionResult: String, Sendable, Hashable, CaseIterable {
    /// Approved.
    case approved = "APPROVED"
    /// Broken off.
    case terminated = "TERMINATED"
    /// Declined.
    case declined = "DECLINED"
    /// Cancelled.
    case cancelled = "CANCEL"
    /// A public key of the scheme is missing or wrong.
    case publicKeyFailed = "CAPK_FAIL"
    /// There was no chip.
    case notChip = "NOT_ICC"
    /// The card is blocked.
    case cardBlocked = "CARD_BLOCKED"
    /// The reader failed.
    case deviceError = "DEVICE_ERROR"
    /// Nothing on the card is taken.
    case cardNotSupported = "CARD_NOT_SUPPORTED"
    /// The card lacks data that it has to have.
    case missingMandatoryData = "MISSING_MANDATORY_DATA"
    /// The card has no application.
    case noApplications = "NO_EMV_APPS"
    /// The chip's data are wrong.
    case invalidChipData = "INVALID_ICC_DATA"
    /// The card refuses its use.
    case conditionNotSatisfied = "CONDITION_NOT_SATISFIED"
    /// The application is blocked.
    case applicationBlocked = "APPLICATION_BLOCKED"
    /// The card was removed.
    case cardRemoved = "ICC_CARD_REMOVED"
}

/// What a payment with a chip may be begun with beside its times: values of `startEmv`. What is left out is the
/// reader's matter.
package struct BBPOSTransactionSettings: Sendable, Hashable {
    /// `terminalTime`: `yyMMddHHmmss`. Where it is not given, the reader may ask for it.
    package var time: String?
    /// `checkCardMode`: how the payment looks for a card itself.
    package var cardMode: BBPOSCheckCardMode?
    /// `encOnlineMessageTags`: data objects that go encrypted to the issuer.
    package var issuerTags: [UInt32] = []
    /// `encBatchDataTags`: data objects that are told encrypted of a payment that is done.
    package var batchTags: [UInt32] = []
    /// `encReversalDataTags`: data objects that are told encrypted of a payment that has to be taken back.
    package var reversalTags: [UInt32] = []
    /// `randomNumber`.
    package var randomNumber: [UInt8]?
    /// `orderID`.
    package var orderID: String?
    /// `encPinKey`: the working key for PINs, encrypted.
    package var pinKey: ReaderBytes?
    /// `encDataKey`: the working key for data, encrypted.
    package var dataKey: ReaderBytes?
    /// `encMacKey`: the working key for MACs, encrypted.
    package var macKey: ReaderBytes?

    /// Nothing of it.
    package init() {}
}

/// What the cardholder is to be shown.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
package enum BBPOSDisplayText: String, Sendable, Hashable, CaseIterable {
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

/// How a reader is to encrypt data of the program, by the names of the vendor's SDK: one of each is in public samples.
package struct BBPOSEncryption: Sendable, Hashable {
    /// The method, such as `MAC_METHOD_1`.
    package var method: String
    /// Where the key is from, such as `BY_SERVER_16_BYTES_WORKING_KEY`.
    package var keySource: String
    /// What makes the data long enough, such as `ZERO_PADDING`.
    package var padding: String
    /// What the key is for, such as `TAK`.
    package var usage: String
    /// The working key, encrypted, where it is the program's to give.
    package var workingKey: ReaderBytes?

    /// As the samples have it, unless other names are given.
    /// - Parameters:
    ///   - method: the method.
    ///   - keySource: where the key is from.
    ///   - padding: what makes the data long enough.
    ///   - usage: what the key is for.
    ///   - workingKey: the working key, encrypted.
    package init(
        method: String = "MAC_METHOD_1", keySource: String = "BY_SERVER_16_BYTES_WORKING_KEY",
        padding: String = "ZERO_PADDING", usage: String = "TAK", workingKey: ReaderBytes? = nil
    ) {
        self.method = method
        self.keySource = keySource
        self.padding = padding
        self.usage = usage
        self.workingKey = workingKey
    }
}

/// Why an EMVSwiper could not do something.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
package enum BBPOSError: String, Error, Sendable, Hashable, CaseIterable {
    /// The reader does not know the command.
    case commandNotAvailable = "CMD_NOT_AVAILABLE"
    /// Nothing came in time.
    case timedOut = "TIMEOUT"
    /// The reader began anew.
    case deviceReset = "DEVICE_RESET"
    /// Of no other kind.
    case unknown = "UNKNOWN"
    /// The reader is doing something else.
    case deviceBusy = "DEVICE_BUSY"
    /// A value is too small or too large.
    case inputOutOfRange = "INPUT_OUT_OF_RANGE"
    /// A value is written wrongly.
    case inputInvalidFormat = "INPUT_INVALID_FORMAT"
    /// A value is zero.
    case inputZeroValues = "INPUT_ZERO_VALUES"
    /// A value is wrong.
    case inputInvalid = "INPUT_INVALID"
    /// No cash can be handed out.
    case cashbackNotSupported = "CASHBACK_NOT_SUPPORTED"
    /// A CRC is wrong.
    case wrongCRC = "CRC_ERROR"
    /// The link failed.
    case communicationError = "COMM_ERROR"
    /// The volume may not be raised.
    case volumeWarningNotAccepted = "VOLUME_WARNING_NOT_ACCEPTED"
    /// Sound did not start.
    case audioNotStarted = "FAIL_TO_START_AUDIO"
    /// There is no link yet.
    case linkNotReady = "COMM_LINK_UNINITIALIZED"
    /// This is not done over this link.
    case invalidFunctionInCurrentMode = "INVALID_FUNCTION_IN_CURRENT_MODE"
    /// There is no reader on USB.
    case usbDeviceNotFound = "USB_DEVICE_NOT_FOUND"
    /// The reader on USB may not be used.
    case usbDevicePermissionDenied = "USB_DEVICE_PERMISSION_DENIED"
}

/// How an EMVSwiper is connected.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
package enum BBPOSConnection: String, Sendable, Hashable, CaseIterable {
    /// Not at all.
    case disconnected = "NONE"
    /// By the audio jack.
    case audio = "AUDIO"
    /// By USB.
    case usb = "USB"
    /// By Bluetooth.
    case bluetooth = "BLUETOOTH"
}

/// How an EMVSwiper's battery is.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
package enum BBPOSBattery: String, Sendable, Hashable, CaseIterable {
    /// Low.
    case low = "LOW"
    /// Nearly empty.
    case criticallyLow = "CRITICALLY_LOW"
}

/// Why no settings were found for a sound device.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
package enum BBPOSAutoConfigurationError: String, Error, Sendable, Hashable, CaseIterable {
    /// None work with this one.
    case deviceNotSupported = "PHONE_NOT_SUPPORTED"
    /// The search was broken off.
    case interrupted = "INTERRUPTED"
}
