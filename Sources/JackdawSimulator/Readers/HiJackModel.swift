public import JackdawReaders

/// Something on the line of HiJack that sends back what it receives, and the bytes of track 2 of a card.
public struct HiJackModel: ReaderModel {
    /// The family.
    public let family = "hijack"
    /// It reads cards while it has power.
    public let isAlwaysArmed = true
    /// It does.
    public let livesOnJack = true

    /// A reader.
    public init() {}

    /// Bytes.
    public var commandFormat: any FrameFormat { PacketFormat() }

    /// The same.
    public func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        [command.indices.map { command[$0] }]
    }

    /// It has no way to.
    public func refuse(_ command: Span<UInt8>) -> [UInt8]? { nil }

    /// Track 2.
    public func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let track = Array(presentation.card.tracks[1].utf8)
        return presentation.manner == .swiped && !track.isEmpty ? [track] : []
    }
}
