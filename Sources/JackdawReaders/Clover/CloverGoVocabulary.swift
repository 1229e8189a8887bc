extension WireVocabulary {
    /// Clover Go's RP350 and RP450: names of the SDK, without numbers.
    static let cloverGo = WireVocabulary(
        family: "clovergo", title: "Clover Go's RP350 and RP450",
        events: [
            ("CARD_SWIPED", nil, .status),
            ("CARD_TAPPED", nil, .card(.tapped)),
            ("SWIPE_FAILED", nil, .badSwipe),
            ("EMV_CARD_SWIPED_ERROR", nil, .badSwipe),
            ("EMV_DIP_FAILED_PROCEED_WITH_SWIPE", nil, .card(.unreadable)),
            ("EMV_CARD_DIP_FAILED", nil, .card(.unreadable)),
            ("EMV_CARD_INSERTED", nil, .card(.inserted)),
            ("EMV_CARD_REMOVED", nil, .card(.removed)),
            ("CONTACTLESS_FAILED_TRY_AGAIN", nil, .status),
            ("SWIPE_DIP_OR_TAP_CARD", nil, .status),
            ("REMOVE_CARD", nil, .status),
            ("PROCESSING_TRANSACTION", nil, .status),
            ("MULTIPLE_CONTACTLESS_CARDS_DETECTED", nil, .status),
            ("CONTACTLESS_FAILED_TRY_CONTACT", nil, .status),
            ("PLEASE_SEE_PHONE", nil, .status),
        ], eventMessage: nil)
}

/// An event of a Clover Go reader during a transaction.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); the wire format is not published.
package enum CloverGoTransactionEvent: String, Sendable, Hashable, CaseIterable {
    /// A card was swiped.
    case cardSwiped = "CARD_SWIPED"
    /// A card was tapped.
    case cardTapped = "CARD_TAPPED"
    /// The reader did not decode a stripe.
    case swipeFailed = "SWIPE_FAILED"
    /// A card with a chip was swiped.
    case chipCardSwiped = "EMV_CARD_SWIPED_ERROR"
    /// The reader failed three times to read the chip: the card must be swiped.
    case chipFailedSwipe = "EMV_DIP_FAILED_PROCEED_WITH_SWIPE"
    /// The reader failed to read the chip.
    case chipFailed = "EMV_CARD_DIP_FAILED"
    /// A card was inserted.
    case cardInserted = "EMV_CARD_INSERTED"
    /// The card was removed.
    case cardRemoved = "EMV_CARD_REMOVED"
    /// The card must be tapped again.
    case contactlessFailedTryAgain = "CONTACTLESS_FAILED_TRY_AGAIN"
    /// The reader waits for a card.
    case cardAwaited = "SWIPE_DIP_OR_TAP_CARD"
    /// The card must be removed.
    case removeCard = "REMOVE_CARD"
    /// The transaction is in progress.
    case processingTransaction = "PROCESSING_TRANSACTION"
    /// Several cards were tapped.
    case severalCardsTapped = "MULTIPLE_CONTACTLESS_CARDS_DETECTED"
    /// The card must be inserted.
    case contactlessFailedInsert = "CONTACTLESS_FAILED_TRY_CONTACT"
    /// The cardholder's phone requests an action.
    case seePhone = "PLEASE_SEE_PHONE"
}

/// An event of a Clover Go reader's initialization.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); the wire format is not published.
package enum CloverGoInitializationEvent: String, Sendable, Hashable, CaseIterable {
    /// Settings are being loaded.
    case loadingSettings = "LOADING_TERMINAL_PARAMS"
    /// The reader is ready.
    case initializationComplete = "INITIALIZATION_COMPLETE"
    /// Firmware is being downloaded.
    case downloadingFirmware = "DOWNLOADING_FIRMWARE"
    /// Firmware was downloaded.
    case firmwareDownloadComplete = "FIRMWARE_DOWNLOAD_COMPLETE"
    /// Firmware is being installed.
    case updatingFirmware = "UPDATING_FIRMWARE"
    /// Firmware was installed.
    case firmwareUpdateComplete = "FIRMWARE_UPDATE_COMPLETE"
}

/// The reason why a Clover Go reader did not become ready.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); the wire format is not published.
package enum CloverGoDeviceError: String, Error, Sendable, Hashable, CaseIterable {
    /// The initialization did not complete.
    case initializationFailed = "INITIALIZATION_FAILED"
    /// No settings are available.
    case settingsNotAvailable = "TERMINAL_PARAMS_NOT_AVAILABLE"
    /// The download of firmware failed.
    case firmwareDownloadFailed = "FIRMWARE_DOWNLOAD_FAILED"
    /// The installation of firmware failed.
    case firmwareUpdateFailed = "FIRMWARE_UPDATE_FAILED"
    /// This reader's firmware cannot be changed.
    case firmwareUpdateNotSupported = "FIRMWARE_UPDATE_NOT_SUPPORTED"

    /// The code with which the SDK reports all these errors.
    package static let code = 500
}

/// The way in which Clover Go gets the card's data.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); the wire format is not published.
package enum CloverGoPaymentMode: String, Sendable, Hashable, CaseIterable {
    /// The card's number is entered by hand.
    case keyed = "KEYED"
    /// A reader reads the card.
    case reader = "READER"
}

/// The state of a payment that was accepted offline.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); the wire format is not published.
package enum CloverGoPendingPaymentState: String, Sendable, Hashable, CaseIterable {
    case unknown = "UNKNOWN"
    /// The payment waits to be sent.
    case pending = "PENDING"
    case failed = "FAILED"
    /// The payment is being sent.
    case processing = "PROCESSING"
}

extension ReaderFamily {
    static let cloverGo = ReaderFamily(unpublished: .cloverGo, "Clover Go RP350 and RP450")
}
