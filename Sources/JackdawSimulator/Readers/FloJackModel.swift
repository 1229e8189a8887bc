package import JackdawReaders

/// Flomio's FloJack. It reports a tag with a synthetic number while it polls for tags.
package struct FloJackModel: ReaderModel {
    package let family = "flojack"
    package let livesOnJack = true

    package init() {}

    package var commandFormat: any FrameFormat { FloJackFormat() }

    /// Answers with the versions; a command that only sets something has no answer.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        switch FloJackOpcode(rawValue: command[0]) {
        case .status: return [Self.message(.status, command[2], [0x01, 0x00])]
        case .polling: device.isArmed = command[2] != 0
        default: device.settings[Int(command[0])] = [command[2]]
        }
        return []
    }

    /// Refuses with an acknowledgement that the command was not understood.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { Self.message(.acknowledgement, 0x80) }

    /// Reports a tag of type 2, with a number of four bytes.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        presentation.manner == .swiped ? [Self.message(.tag, 0x20, [0x04, 0xA1, 0xB2, 0xC3])] : []
    }

    private static func message(_ opcode: FloJackOpcode, _ subopcode: UInt8, _ data: [UInt8] = []) -> [UInt8] {
        (try? FloJackFormat.message(opcode, subopcode, data)) ?? []
    }
}

extension SimulatedFamily {
    static let flojack = SimulatedFamily(name: "flojack", reportsSwipes: false) { FloJackModel() }
}
