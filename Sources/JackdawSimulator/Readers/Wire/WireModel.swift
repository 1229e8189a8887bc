public import JackdawReaders

/// A reader of a family whose wire is not published. It speaks one that is made up for the simulator; no real reader does.
public struct WireModel: ReaderModel {
    /// The family.
    public let family: String
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
    public var commandFormat: any FrameFormat { wire.format }

    /// Done, whatever it is told.
    public func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        switch wire.read(command).message {
        case .arm: device.isArmed = true
        case .cancel: device.isArmed = false
        case .identify: break
        default: return [wire.frame(.refuse, [0])]
        }
        return [wire.frame(.done)]
    }

    /// A refusal of error 1.
    public func refuse(_ command: Span<UInt8>) -> [UInt8]? { wire.frame(.refuse, [1]) }

    /// The tracks, or an event by one of the published names.
    public func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        guard presentation.manner == .swiped else {
            return (events?.content(of: presentation.manner)).map { [wire.frame(.event, $0)] } ?? []
        }
        return [wire.frame(.swipe, presentation.card.tracks.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) })]
    }
}
