public import JackdawReaders

/// MagTek's uDynamo without a key. What its messages hold is not published, and made up: the lines of iDynamo.
package struct UDynamoModel: ReaderModel {
    /// The family.
    package let family = "udynamo"
    /// It reads cards while it has power.
    package let isAlwaysArmed = true
    /// It does.
    package let livesOnJack = true

    private let model = MagTekModel()
    private var number = 0

    /// A reader.
    package init() {}

    /// Packets.
    package var commandFormat: any FrameFormat { DynamoPacketFormat() }

    /// As iDynamo, in packets; a command has room in one.
    package mutating func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let line = command.extracting(3..<command.count - 1)
        guard (try? MagTekFormat(.command).check(line)) != nil else { return [] }
        return model.answer(line, &device).flatMap { packets(of: $0) }
    }

    /// As iDynamo, in a packet.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? {
        model.refuse(command).flatMap { DynamoPacketFormat.packets(of: $0, from: number).first }
    }

    /// As iDynamo, in packets.
    package mutating func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        // Blocks of 500 bytes are how iDynamo sends lines; packets need no padding.
        model.line(of: presentation, device).map { packets(of: $0) } ?? []
    }

    private mutating func packets(of message: [UInt8]) -> [[UInt8]] {
        let packets = DynamoPacketFormat.packets(of: message, from: number)
        number = (number + packets.count) % 16
        return packets
    }
}
