public import JackdawReaders

/// A reader of a family whose wire is not published. It speaks one that is made up for the simulator; no real reader does.
package struct WireModel: ReaderModel {
    /// The family.
    package let family: String
    private let wire: Wire
    private let events: WireEvents?

    /// - Parameter family: the name of a family whose wire is not published.
    init(_ family: String) {
        self.family = family
        guard let known = ReaderFamily.named(family), let wire = try? Wire(known.simulatedProfile) else {
            preconditionFailure("the family \(family) has no wire that is made up")
        }
        self.wire = wire
        events = WireEvents(known.simulatedProfile, of: family)
    }

    /// - Parameters:
    ///   - family: the name of a family whose wire is not published.
    ///   - profile: has the whole wire.
    /// - Throws: `ReaderError` (`missingValue`, `badProfile`) where it does not.
    init(_ family: String, _ profile: ReaderProfile) throws(ReaderError) {
        self.family = family
        wire = try Wire(profile)
        events = WireEvents(profile, of: family)
    }

    /// Frames as the profile has them.
    package var commandFormat: any FrameFormat { wire.format }

    /// Done, whatever it is told.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        switch wire.read(command).message {
        case .arm: device.isArmed = true
        case .cancel: device.isArmed = false
        case .identify: break
        default: return [wire.frame(.refuse, [0])]
        }
        return [wire.frame(.done)]
    }

    /// A refusal of error 1.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { wire.frame(.refuse, [1]) }

    /// The tracks, or an event by one of the published names.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        guard presentation.manner == .swiped else {
            return (events?.content(of: presentation.manner)).map { [wire.frame(.event, $0)] } ?? []
        }
        return [wire.frame(.swipe, presentation.card.tracks.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) })]
    }
}

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
