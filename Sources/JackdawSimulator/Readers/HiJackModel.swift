package import JackdawReaders

/// A simulated device on the line of HiJack. It sends received bytes back, and track 2 of a swiped card.
package struct HiJackModel: ReaderModel {
    package let family = "hijack"
    /// Always armed: it reads cards while it has power.
    package let isAlwaysArmed = true
    package let livesOnJack = true

    package init() {}

    /// Each received packet is one command.
    package var commandFormat: any FrameFormat { PacketFormat() }

    /// Sends the received bytes back.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        [command.indices.map { command[$0] }]
    }

    /// Nil: the line has no refusal.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { nil }

    /// Sends track 2.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let track = Array(presentation.card.tracks[1].utf8)
        return presentation.manner == .swiped && !track.isEmpty ? [track] : []
    }
}

extension SimulatedFamily {
    static let hijack = SimulatedFamily(name: "hijack", reportsSwipes: false) { HiJackModel() }
}
