extension WireVocabulary {
    /// BBPOS's EMVSwiper and similar readers: names of the SDK, without numbers.
    static let bbpos = WireVocabulary(
        family: "bbpos", title: "BBPOS's EMVSwiper and similar readers",
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
        ], eventMessage: nil, payments: BBPOSMessage.names,
        paymentValues: ReaderProfile.bbposPayment)
}

/// A request of an EMVSwiper to the program during a payment with a chip, for which the reader waits.
///
/// Callbacks of the vendor's SDK, as in public samples; the wire format is not published.
package enum BBPOSRequest: Sendable, Hashable {
    /// The choice of an application on the card (`onRequestSelectApplication`), by its index in the list.
    case application([String])
    /// The amount of the payment (`onRequestSetAmount`).
    case amount
    /// The PIN (`onRequestPinEntry`), which the cardholder enters at the reader.
    case pin
    /// Whether the cardholder is the person in the document (`onRequestVerifyID`).
    case identity
    /// Whether the payment continues (`onRequestFinalConfirm`).
    case confirmation
    /// Whether the issuer can be reached (`onRequestCheckServerConnectivity`).
    case connectivity
    /// The issuer's answer to the reader's data objects (`onRequestOnlineProcess`).
    case issuer
    /// The current time (`onRequestTerminalTime`).
    case time
    /// The issuer's decision by telephone (`onRequestReferProcess`).
    case referral

    /// The text of the request in logs.
    var name: String {
        switch self {
        case .application: "an application"
        case .amount: "the amount"
        case .pin: "the PIN"
        case .identity: "the cardholder's identity"
        case .confirmation: "the confirmation"
        case .connectivity: "the availability of the issuer"
        case .issuer: "the issuer's answer"
        case .time: "the time"
        case .referral: "the referral"
        }
    }
}

/// The way in which an EMVSwiper accepts a card.
///
/// Names of the vendor's SDK, as in public samples; their numbers and the wire format are not published.
package enum BBPOSCheckCardMode: String, Sendable, Hashable, CaseIterable {
    case swipe = "SWIPE"
    case insert = "INSERT"
    case tap = "TAP"
    case swipeOrInsert = "SWIPE_OR_INSERT"
}

/// The result of an EMVSwiper's wait for a card.
///
/// Names of the vendor's SDK, as in public samples; their numbers and the wire format are not published.
package enum BBPOSCheckCardResult: String, Sendable, Hashable, CaseIterable {
    /// The reader found no card.
    case noCard = "NONE"
    /// The reader found a chip card.
    case chip = "ICC"
    /// A card without a working chip.
    case notChip = "NOT_ICC"
    /// A stripe that the reader did not decode.
    case badSwipe = "BAD_SWIPE"
    /// A stripe that the reader decoded.
    case stripe = "MCR"
    /// A chip that does not answer.
    case noResponse = "NO_RESPONSE"
    /// A stripe with track 2 only.
    case track2Only = "TRACK2_ONLY"
    /// Track 2 of a card that was tapped.
    case contactlessTrack2 = "NFC_TRACK2"
    /// The stripe of a card with a chip, which must be used instead.
    case useChip = "USE_ICC_CARD"
    case tapCardDetected = "TAP_CARD_DETECTED"
}

/// The kind of a payment.
///
/// Names of the vendor's SDK, as in public samples; their numbers and the wire format are not published.
package enum BBPOSTransactionKind: String, Sendable, Hashable, CaseIterable {
    case goods = "GOODS"
    case services = "SERVICES"
    /// Goods, with cash back for the cardholder.
    case cashback = "CASHBACK"
    /// A query for the balance, without a payment.
    case inquiry = "INQUIRY"
    case transfer = "TRANSFER"
    case payment = "PAYMENT"
    /// The return of an earlier payment.
    case refund = "REFUND"
}

/// The result of a transaction with a chip.
///
/// Names of the vendor's SDK, as in public samples; their numbers and the wire format are not published.
package enum BBPOSTransactionResult: String, Sendable, Hashable, CaseIterable {
    case approved = "APPROVED"
    /// The transaction was aborted.
    case terminated = "TERMINATED"
    case declined = "DECLINED"
    case cancelled = "CANCEL"
    /// A public key of the scheme is missing or wrong.
    case publicKeyFailed = "CAPK_FAIL"
    /// The reader found no chip.
    case notChip = "NOT_ICC"
    /// The card is blocked.
    case cardBlocked = "CARD_BLOCKED"
    case deviceError = "DEVICE_ERROR"
    /// The reader accepts no application of the card.
    case cardNotSupported = "CARD_NOT_SUPPORTED"
    /// The card lacks mandatory data.
    case missingMandatoryData = "MISSING_MANDATORY_DATA"
    /// The card has no application.
    case noApplications = "NO_EMV_APPS"
    /// The chip's data is invalid.
    case invalidChipData = "INVALID_ICC_DATA"
    /// The card's conditions of use are not satisfied.
    case conditionNotSatisfied = "CONDITION_NOT_SATISFIED"
    /// The application is blocked.
    case applicationBlocked = "APPLICATION_BLOCKED"
    /// The card was removed.
    case cardRemoved = "ICC_CARD_REMOVED"
}

/// Optional values of `startEmv` for a payment with a chip, beside its time limits. The reader decides about omitted
/// values.
package struct BBPOSTransactionSettings: Sendable, Hashable {
    /// `terminalTime`: `yyMMddHHmmss`. If it is nil, the reader may request it.
    package var time: String?
    /// `checkCardMode`: the way in which the payment itself accepts a card.
    package var cardMode: BBPOSCheckCardMode?
    /// `encOnlineMessageTags`: data objects that the reader encrypts for the issuer.
    package var issuerTags: [UInt32] = []
    /// `encBatchDataTags`: data objects of a completed payment that the reader encrypts.
    package var batchTags: [UInt32] = []
    /// `encReversalDataTags`: data objects of a payment to reverse that the reader encrypts.
    package var reversalTags: [UInt32] = []
    package var randomNumber: [UInt8]?
    package var orderID: String?
    /// `encPinKey`: the working key for PINs, encrypted.
    package var pinKey: ReaderBytes?
    /// `encDataKey`: the working key for data, encrypted.
    package var dataKey: ReaderBytes?
    /// `encMacKey`: the working key for MACs, encrypted.
    package var macKey: ReaderBytes?

    /// Creates settings without values.
    package init() {}
}

/// A text that the program must show to the cardholder.
///
/// Names of the vendor's SDK, as in public samples; their numbers and the wire format are not published.
package enum BBPOSDisplayText: String, Sendable, Hashable, CaseIterable {
    case amount = "AMOUNT"
    case amountRightOrNot = "AMOUNT_OK_OR_NOT"
    case approved = "APPROVED"
    case callYourBank = "CALL_YOUR_BANK"
    case cancelOrEnter = "CANCEL_OR_ENTER"
    case cardError = "CARD_ERROR"
    case declined = "DECLINED"
    case enterAmount = "ENTER_AMOUNT"
    case enterPIN = "ENTER_PIN"
    case incorrectPIN = "INCORRECT_PIN"
    case insertCard = "INSERT_CARD"
    case notAccepted = "NOT_ACCEPTED"
    case pinIsRight = "PIN_OK"
    case pleaseWait = "PLEASE_WAIT"
    case processingError = "PROCESSING_ERROR"
    case removeCard = "REMOVE_CARD"
    case useChipReader = "USE_CHIP_READER"
    case useStripe = "USE_MAG_STRIPE"
    case tryAgain = "TRY_AGAIN"
    case referToYourPaymentDevice = "REFER_TO_YOUR_PAYMENT_DEVICE"
    case transactionTerminated = "TRANSACTION_TERMINATED"
    case tryAnotherInterface = "TRY_ANOTHER_INTERFACE"
    case onlineRequired = "ONLINE_REQUIRED"
    case processing = "PROCESSING"
    case welcome = "WELCOME"
    case presentOnlyOneCard = "PRESENT_ONLY_ONE_CARD"
    case publicKeyLoadingFailed = "CAPK_LOADING_FAILED"
    case lastPINTry = "LAST_PIN_TRY"
    case insertOrTapCard = "INSERT_OR_TAP_CARD"
    case selectAccount = "SELECT_ACCOUNT"
    case approvedPleaseSign = "APPROVED_PLEASE_SIGN"
    case tapCardAgain = "TAP_CARD_AGAIN"
    case authorising = "AUTHORISING"
    case insertOrSwipeCardOrTapAnotherCard = "INSERT_OR_SWIPE_CARD_OR_TAP_ANOTHER_CARD"
    case insertOrSwipeCard = "INSERT_OR_SWIPE_CARD"
    case multipleCardsDetected = "MULTIPLE_CARDS_DETECTED"
}

/// The way in which a reader encrypts data of the program, by the names of the vendor's SDK; public samples have one of
/// each.
package struct BBPOSEncryption: Sendable, Hashable {
    /// The method, such as `MAC_METHOD_1`.
    package var method: String
    /// The source of the key, such as `BY_SERVER_16_BYTES_WORKING_KEY`.
    package var keySource: String
    /// The padding of the data, such as `ZERO_PADDING`.
    package var padding: String
    /// The purpose of the key, such as `TAK`.
    package var usage: String
    /// The working key, encrypted, if the program must supply it.
    package var workingKey: ReaderBytes?

    /// The defaults are the values of the samples.
    /// - Parameters:
    ///   - method: the method.
    ///   - keySource: the source of the key.
    ///   - padding: the padding of the data.
    ///   - usage: the purpose of the key.
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

/// The error of a call to an EMVSwiper.
///
/// Names of the vendor's SDK, as in public samples; their numbers and the wire format are not published.
package enum BBPOSError: String, Error, Sendable, Hashable, CaseIterable {
    /// The reader does not know the command.
    case commandNotAvailable = "CMD_NOT_AVAILABLE"
    /// The time was over without an answer.
    case timedOut = "TIMEOUT"
    /// The reader has restarted.
    case deviceReset = "DEVICE_RESET"
    /// An error of another kind.
    case unknown = "UNKNOWN"
    /// The reader is executing another call.
    case deviceBusy = "DEVICE_BUSY"
    /// A value is too small or too large.
    case inputOutOfRange = "INPUT_OUT_OF_RANGE"
    /// A value has the wrong format.
    case inputInvalidFormat = "INPUT_INVALID_FORMAT"
    /// A value must not be zero.
    case inputZeroValues = "INPUT_ZERO_VALUES"
    /// A value is not allowed.
    case inputInvalid = "INPUT_INVALID"
    /// The reader does not support cash back.
    case cashbackNotSupported = "CASHBACK_NOT_SUPPORTED"
    /// A CRC does not match its data.
    case wrongCRC = "CRC_ERROR"
    /// The communication over the link failed.
    case communicationError = "COMM_ERROR"
    /// The user did not allow a higher volume.
    case volumeWarningNotAccepted = "VOLUME_WARNING_NOT_ACCEPTED"
    /// The audio link did not start.
    case audioNotStarted = "FAIL_TO_START_AUDIO"
    /// The link is not ready yet.
    case linkNotReady = "COMM_LINK_UNINITIALIZED"
    /// The call is not allowed in this state or on this link.
    case invalidFunctionInCurrentMode = "INVALID_FUNCTION_IN_CURRENT_MODE"
    /// No reader is connected by USB.
    case usbDeviceNotFound = "USB_DEVICE_NOT_FOUND"
    /// The program has no permission for the USB device.
    case usbDevicePermissionDenied = "USB_DEVICE_PERMISSION_DENIED"
}

/// The kind of an EMVSwiper's connection.
///
/// Names of the vendor's SDK, as in public samples; their numbers and the wire format are not published.
package enum BBPOSConnection: String, Sendable, Hashable, CaseIterable {
    case disconnected = "NONE"
    case audio = "AUDIO"
    case usb = "USB"
    case bluetooth = "BLUETOOTH"
}

/// The state of an EMVSwiper's battery.
///
/// Names of the vendor's SDK, as in public samples; their numbers and the wire format are not published.
package enum BBPOSBattery: String, Sendable, Hashable, CaseIterable {
    case low = "LOW"
    case criticallyLow = "CRITICALLY_LOW"
}

/// The reason why no settings were found for a sound device.
///
/// Names of the vendor's SDK, as in public samples; their numbers and the wire format are not published.
package enum BBPOSAutoConfigurationError: String, Error, Sendable, Hashable, CaseIterable {
    /// No settings work with this device.
    case deviceNotSupported = "PHONE_NOT_SUPPORTED"
    /// The search was stopped before its end.
    case interrupted = "INTERRUPTED"
}

extension ReaderFamily {
    static let bbpos = ReaderFamily(unpublished: .bbpos, "BBPOS EMVSwiper and similar readers")
}

extension ReaderTrouble {
    /// The cause that an error of an EMVSwiper names; nil if it names none of these.
    init?(_ error: BBPOSError) {
        switch error {
        case .deviceBusy: self = .busy
        case .inputOutOfRange, .inputInvalidFormat, .inputZeroValues, .inputInvalid, .cashbackNotSupported:
            self = .dataRefused
        case .volumeWarningNotAccepted: self = .soundTooWeak
        default: return nil
        }
    }
}
