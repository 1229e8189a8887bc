public import JackdawReaders

/// Flomio's FloJack: it tells of a tag with a number that is made up, where it looks for one.
package struct FloJackModel: ReaderModel {
    /// The family.
    package let family = "flojack"
    /// It does.
    package let livesOnJack = true

    /// A reader.
    package init() {}

    /// Messages.
    package var commandFormat: any FrameFormat { FloJackFormat() }

    /// Its versions, and nothing to what only sets something.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        switch FloJackOpcode(rawValue: command[0]) {
        case .status: return [Self.message(.status, command[2], [0x01, 0x00])]
        case .polling: device.isArmed = command[2] != 0
        default: device.settings[Int(command[0])] = [command[2]]
        }
        return []
    }

    /// An acknowledgement that it did not understand.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { Self.message(.acknowledgement, 0x80) }

    /// A number of four bytes, of a tag of type 2.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        presentation.manner == .swiped ? [Self.message(.tag, 0x20, [0x04, 0xA1, 0xB2, 0xC3])] : []
    }

    private static func message(_ opcode: FloJackOpcode, _ subopcode: UInt8, _ data: [UInt8] = []) -> [UInt8] {
        (try? FloJackFormat.message(opcode, subopcode, data)) ?? []
    }
}
