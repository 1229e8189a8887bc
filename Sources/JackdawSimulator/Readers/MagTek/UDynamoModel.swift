package import JackdawReaders

/// MagTek's uDynamo without a key. The content of its messages is not published; the simulator sends the lines of
/// iDynamo.
package struct UDynamoModel: ReaderModel {
    package let family = "udynamo"
    /// Always armed: it reads cards while it has power.
    package let isAlwaysArmed = true
    package let livesOnJack = true

    private let model = MagTekModel()
    private var number = 0

    package init() {}

    package var commandFormat: any FrameFormat { DynamoPacketFormat() }

    /// Answers as iDynamo does, in packets; a command fits in one packet.
    package mutating func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let line = command.extracting(3..<command.count - 1)
        guard (try? MagTekFormat(.command).check(line)) != nil else { return [] }
        return model.answer(line, &device).flatMap { packets(of: $0) }
    }

    /// Refuses as iDynamo does, in a packet.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? {
        model.refuse(command).flatMap { DynamoPacketFormat.packets(of: $0, from: number).first }
    }

    /// Sends the line of iDynamo, in packets.
    package mutating func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        // The blocks of 500 bytes belong to iDynamo's link; packets need no padding.
        model.line(of: presentation, device).map { packets(of: $0) } ?? []
    }

    private mutating func packets(of message: [UInt8]) -> [[UInt8]] {
        let packets = DynamoPacketFormat.packets(of: message, from: number)
        number = (number + packets.count) % 16
        return packets
    }
}

extension SimulatedFamily {
    static let udynamo = SimulatedFamily(name: "udynamo", identityFaults: [.refusal]) { UDynamoModel() }
}
