package import JackdawReaders

/// A reader of a family whose wire is not published. It uses an invented wire of the simulator; no real reader does.
package struct WireModel: ReaderModel {
    package let family: String
    private let wire: Wire
    private let events: WireEvents?

    /// - Parameter family: the name of a family whose wire is not published.
    init(_ family: String) {
        self.family = family
        guard let known = ReaderFamily.named(family), let wire = try? Wire(known.simulatedProfile) else {
            preconditionFailure("the family \(family) has no synthetic wire format")
        }
        self.wire = wire
        events = WireEvents(known.simulatedProfile, of: family)
    }

    /// - Parameters:
    ///   - family: the name of a family whose wire is not published.
    ///   - profile: supplies all values of the wire.
    /// - Throws: `ReaderError` (`missingValue`, `badProfile`) if a value is missing or invalid.
    init(_ family: String, _ profile: ReaderProfile) throws(ReaderError) {
        self.family = family
        wire = try Wire(profile)
        events = WireEvents(profile, of: family)
    }

    /// The format of the profile's frames.
    package var commandFormat: any FrameFormat { wire.format }

    /// Answers a known command with done; refuses any other with error 0.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        switch wire.read(command).message {
        case .arm: device.isArmed = true
        case .cancel: device.isArmed = false
        case .identify: break
        default: return [wire.frame(.refuse, [0])]
        }
        return [wire.frame(.done)]
    }

    /// Refuses with error 1.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { wire.frame(.refuse, [1]) }

    /// Sends the tracks, or an event that has one of the published names.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        guard presentation.manner == .swiped else {
            return (events?.content(of: presentation.manner)).map { [wire.frame(.event, $0)] } ?? []
        }
        return [wire.frame(.swipe, presentation.card.countedTracks)]
    }
}

/// The card events of readers whose wire is not published, by their published names.
struct WireEvents: Sendable {
    private let numbers: [Presentation.Manner: UInt8]
    private let place: Int

    /// - Parameters:
    ///   - profile: supplies the numbers of the events.
    ///   - family: the family whose event names are used.
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

    /// The content of the event that reports a card; nil if there is no such event.
    func content(of manner: Presentation.Manner) -> [UInt8]? {
        numbers[manner].map { [UInt8](repeating: 0, count: place) + [$0] }
    }

    fileprivate static let names: [String: [Presentation.Manner: String]] = [
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

extension SimulatedFamily {
    static let bbpos = wire("bbpos")
    static let cloverGo = wire("clovergo")
    static let epos = wire("epos")

    private static func wire(_ name: String) -> SimulatedFamily {
        SimulatedFamily(
            name: name, notices: Set(WireEvents.names[name, default: [:]].keys).subtracting([.swipedInVain]),
            profiled: { profile throws(ReaderError) in try WireModel(name, profile) },
            { WireModel(name) })
    }
}
