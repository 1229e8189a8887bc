import JackdawTestSupport
import JackdawTransport

@testable import JackdawBluetooth

/// A private bus, a mock of bluetoothd on it, and the client side with a clock that stands still.
struct Radio {
    static let reader = BluetoothAddress(bytes: [0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5])
    static let profile = GATTProfile(
        name: "mock", service: MockBlueZ.uuid(1), write: MockBlueZ.uuid(2), notify: MockBlueZ.uuid(3))

    let daemon: PrivateBus
    let mock: MockBlueZ
    let clock = ManualClock()
    let bluetooth: Bluetooth

    init() async throws {
        daemon = try PrivateBus()
        mock = try await MockBlueZ.start(on: daemon)
        bluetooth = Bluetooth(bus: .at(daemon.address), clock: clock)
    }
}

/// What a link hands over next.
func next(_ link: some Transport) async throws(LinkError) -> [UInt8]? {
    var bytes: [UInt8] = []
    let isMore = try await link.receive { span in
        bytes = span.indices.map { span[$0] }
    }
    return isMore ? bytes : nil
}
