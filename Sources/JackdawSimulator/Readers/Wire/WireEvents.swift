import JackdawReaders

/// What readers whose wire is not published tell of cards, by the names that are.
struct WireEvents: Sendable {
    private let numbers: [Presentation.Manner: UInt8]
    private let place: Int

    /// - Parameters:
    ///   - profile: has the events' numbers.
    ///   - family: whose names they have.
    init?(_ profile: ReaderProfile, of family: String) {
        guard let names = Self.names[family],
            let place = try? profile.integer("event.place", in: 0...16)
        else { return nil }
        self.place = place
        numbers = names.compactMapValues { name in
            let key = ProfileKey(rawValue: "event.\(name)")
            return (try? profile.integer(key, in: 0...255)).map { UInt8($0) }
        }
    }

    /// The content of the event that tells of a card; nil where none does.
    func content(of manner: Presentation.Manner) -> [UInt8]? {
        numbers[manner].map { [UInt8](repeating: 0, count: place) + [$0] }
    }

    private static let names: [String: [Presentation.Manner: String]] = [
        "bbpos": [
            .inserted: BBPOSCheckCardResult.chip.rawValue, .unreadable: BBPOSCheckCardResult.noResponse.rawValue,
            .tapped: BBPOSCheckCardResult.tapCardDetected.rawValue,
            .swipedInVain: BBPOSCheckCardResult.badSwipe.rawValue,
            .swipedWithChip: BBPOSCheckCardResult.useChip.rawValue,
        ],
        "clovergo": [
            .inserted: CloverGoTransactionEvent.cardInserted.rawValue,
            .removed: CloverGoTransactionEvent.cardRemoved.rawValue,
            .unreadable: CloverGoTransactionEvent.chipFailed.rawValue,
            .tapped: CloverGoTransactionEvent.cardTapped.rawValue,
            .swipedInVain: CloverGoTransactionEvent.swipeFailed.rawValue,
            .swipedWithChip: CloverGoTransactionEvent.chipCardSwiped.rawValue,
        ],
        "epos": [
            .inserted: EPOSStatus.smartcardInserted, .removed: .cardRemoved, .tapped: .cardTapped,
            .swipedInVain: .swipeError,
        ].compactMapValues { EPOSStatus.names[$0.rawValue] },
    ]
}
