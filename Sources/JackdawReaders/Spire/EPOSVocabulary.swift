extension WireVocabulary {
    /// Spire's PosMate and SPm2: status numbers and the number of their report are published.
    static let epos = WireVocabulary(
        family: "epos", title: "Spire's PosMate and SPm2",
        events: EPOSStatus.names.keys.sorted().map { number in
            (EPOSStatus.names[number] ?? "", number, meaning(of: EPOSStatus(rawValue: number)))
        }, eventMessage: EPOSMessage.statusReport.identifier)

    private static func meaning(of status: EPOSStatus) -> Meaning {
        switch status {
        case .smartcardInserted: .card(.inserted)
        case .cardRemoved: .card(.removed)
        case .cardTapped: .card(.tapped)
        case .swipeError: .badSwipe
        case EPOSStatus(rawValue: 0xA5), EPOSStatus(rawValue: 0xA6): .gaveUp
        default: .status
        }
    }
}
