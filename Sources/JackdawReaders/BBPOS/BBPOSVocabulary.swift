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
