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

/// What a Clover Go reader tells during a transaction.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); what goes over the wire is not published.
package enum CloverGoTransactionEvent: String, Sendable, Hashable, CaseIterable {
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

/// How far a Clover Go reader is before it is ready.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); what goes over the wire is not published.
package enum CloverGoInitializationEvent: String, Sendable, Hashable, CaseIterable {
    /// Settings are loaded.
    case loadingSettings = "LOADING_TERMINAL_PARAMS"
    /// It is ready.
    case initializationComplete = "INITIALIZATION_COMPLETE"
    /// Firmware is downloaded.
    case downloadingFirmware = "DOWNLOADING_FIRMWARE"
    /// Firmware was downloaded.
    case firmwareDownloadComplete = "FIRMWARE_DOWNLOAD_COMPLETE"
    /// Firmware is written.
    case updatingFirmware = "UPDATING_FIRMWARE"
    /// Firmware was written.
    case firmwareUpdateComplete = "FIRMWARE_UPDATE_COMPLETE"
}

/// Why a Clover Go reader did not become ready.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); what goes over the wire is not published.
package enum CloverGoDeviceError: String, Error, Sendable, Hashable, CaseIterable {
    /// It did not come to its end.
    case initializationFailed = "INITIALIZATION_FAILED"
    /// There are no settings.
    case settingsNotAvailable = "TERMINAL_PARAMS_NOT_AVAILABLE"
    /// Firmware was not downloaded.
    case firmwareDownloadFailed = "FIRMWARE_DOWNLOAD_FAILED"
    /// Firmware was not written.
    case firmwareUpdateFailed = "FIRMWARE_UPDATE_FAILED"
    /// This reader's firmware cannot be changed.
    case firmwareUpdateNotSupported = "FIRMWARE_UPDATE_NOT_SUPPORTED"

    /// The code that the SDK reports all of them with.
    package static let code = 500
}

/// How a card comes to Clover Go.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); what goes over the wire is not published.
package enum CloverGoPaymentMode: String, Sendable, Hashable, CaseIterable {
    /// Its number is keyed in.
    case keyed = "KEYED"
    /// By a reader.
    case reader = "READER"
}

/// What became of a payment that was taken offline.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); what goes over the wire is not published.
package enum CloverGoPendingPaymentState: String, Sendable, Hashable, CaseIterable {
    /// It is not known.
    case unknown = "UNKNOWN"
    /// It waits.
    case pending = "PENDING"
    /// It failed.
    case failed = "FAILED"
    /// It is being sent.
    case processing = "PROCESSING"
}
