import JackdawSystem
import JackdawTestSupport

@testable import JackdawBluetooth

extension ScriptedSocketCalls {
    /// A system with a reader at the other side of each socket, and channel 7 on this side.
    static func bluetooth() -> ScriptedSocketCalls {
        ScriptedSocketCalls(own: .rfcomm(reader, channel: 7), other: .rfcomm(reader, channel: 7))
    }

    private static let reader = BluetoothAddress(bytes: [0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5])

    var device: BluetoothAddress { Self.reader }
}
