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
