import Glibc
import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// Sockets of classic Bluetooth that bluetoothd makes.
@Suite(.needsBus, .timeLimit(.minutes(5)))
struct SerialProfileTests {
    @Test func aSocketCarriesBytesBothWays() async throws {
        let radio = try await Radio()
        try await serialEcho(by: radio.bluetooth)
        let calls = await radio.mock.calls
        #expect(calls.contains { $0.hasPrefix("RegisterProfile /org/jackdaw/profile/client_") })
        #expect(calls.last?.hasPrefix("UnregisterProfile") == true)
    }

    @Test func aServiceThatTheDeviceDoesNotHaveIsRefused() async throws {
        let radio = try await Radio()
        await radio.mock.fail(
            "ConnectProfile",
            BusError(name: "org.bluez.Error.NotAvailable", message: "br-connection-profile-unavailable"))
        let error = await #expect(throws: LinkError.self) {
            _ = try await radio.bluetooth.serialPort(Radio.reader)
        }
        #expect(error?.code == .refused)
        #expect(await radio.mock.calls.last?.hasPrefix("UnregisterProfile") == true)
    }

    @Test func aServerGetsWhoCallsUntilItIsGivenUp() async throws {
        let radio = try await Radio()
        try await radio.mock.appear()
        let client = try await radio.bluetooth.client()
        let profile = try await SerialProfile.register(
            MockBlueZ.serialPort, role: .server, name: "Jackdaw", channel: 3, by: client)
        // The mock calls whoever has registered the service.
        try await client.call(MockBlueZ.device, BlueZName.device, "ConnectProfile", [.string(MockBlueZ.serialPort)])
        var connections = profile.connections.makeAsyncIterator()
        let connection = await connections.next()
        #expect(connection?.device == MockBlueZ.device)
        #expect(connection?.socket.withDescriptor { fcntl($0, F_GETFD) } == FD_CLOEXEC)
        await profile.unregister()
        #expect(await connections.next() == nil)
    }
}
