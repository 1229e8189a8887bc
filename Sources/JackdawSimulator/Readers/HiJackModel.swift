public import JackdawReaders

/// Something on the line of HiJack that sends back what it receives, and the bytes of track 2 of a card.
package struct HiJackModel: ReaderModel {
    /// The family.
    package let family = "hijack"
    /// It reads cards while it has power.
    package let isAlwaysArmed = true
    /// It does.
    package let livesOnJack = true

    /// A reader.
    package init() {}

    /// Bytes.
    package var commandFormat: any FrameFormat { PacketFormat() }

    /// The same.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        [command.indices.map { command[$0] }]
    }

    /// It has no way to.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { nil }

    /// Track 2.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let track = Array(presentation.card.tracks[1].utf8)
        return presentation.manner == .swiped && !track.isEmpty ? [track] : []
    }
}
