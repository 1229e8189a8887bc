import Glibc
import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// Sockets of classic Bluetooth that bluetoothd makes.
@Suite(.needsBus, .timeLimit(.minutes(30)))
struct SerialProfileTests {
    @Test func aSocketCarriesBytesBothWays() async throws {
        let radio = try await Radio()
        try await serialEcho(by: radio.bluetooth)
        let calls = await radio.mock.calls
        #expect(calls.contains { $0.hasPrefix("RegisterProfile /org/jackdaw/profile/client_") })
        #expect(calls.last?.hasPrefix("UnregisterProfile") == true)
    }

    @Test func aServiceThatTheDeviceDoesNotHaveIsMissing() async throws {
        let radio = try await Radio()
        await radio.mock.fail(
            "ConnectProfile",
            BusError(name: "org.bluez.Error.NotAvailable", message: "br-connection-profile-unavailable"))
        let error = await #expect(throws: LinkError.self) {
            _ = try await radio.bluetooth.serialPort(Radio.reader)
        }
        #expect(error?.code == .serviceMissing)
        #expect(await radio.mock.calls.last?.hasPrefix("UnregisterProfile") == true)
    }

    @Test func aServerReceivesConnectionsUntilItEnds() async throws {
        let radio = try await Radio()
        try await radio.mock.appear()
        let client = try await radio.bluetooth.client()
        let profile = try await SerialProfile.register(
            MockBlueZ.serialPort, role: .server, name: "Jackdaw", channel: 3, by: client)
        // The mock calls the program that has registered the service.
        try await client.call(MockBlueZ.device, BlueZName.device, "ConnectProfile", [.string(MockBlueZ.serialPort)])
        let connection = try await profile.next()
        #expect(connection?.device == MockBlueZ.device)
        #expect(connection?.socket.withDescriptor { fcntl($0, F_GETFD) } == FD_CLOEXEC)
        await profile.unregister()
        #expect(try await profile.next() == nil)
    }

    @Test func acceptWorksAgainAfterACancellation() async throws {
        let radio = try await Radio()
        try await radio.mock.appear()
        let service = try await radio.bluetooth.offerSerial(name: "Jackdaw")
        let task = Task { try await service.accept() }
        task.cancel()
        let error = await #expect(throws: LinkError.self) { _ = try await task.value }
        #expect(error?.code == .cancelled)
        let client = try await radio.bluetooth.client()
        try await client.call(MockBlueZ.device, BlueZName.device, "ConnectProfile", [.string(MockBlueZ.serialPort)])
        let link = try await service.accept()
        #expect(link.link.description == "rfcomm:F0:F1:F2:F3:F4:F5")
        await link.close()
        await service.close()
        let closed = await #expect(throws: LinkError.self) { _ = try await service.accept() }
        #expect(closed?.code == .serviceMissing)
    }

    @Test func closedConnectionsAreSkipped() async throws {
        let radio = try await Radio()
        try await radio.mock.appear()
        let service = try await radio.bluetooth.offerSerial(name: "Jackdaw")
        try await radio.mock.giveDeadConnection()
        try await radio.mock.connectProfile(MockBlueZ.serialPort)
        let link = try await service.accept()
        try await link.send([1, 2])
        #expect(try await next(link) == [1, 2])
        await link.close()
        await service.close()
    }

    @Test func moreThanWaitAreRefused() async throws {
        let radio = try await Radio()
        let service = try await radio.bluetooth.offerSerial(name: "Jackdaw")
        for _ in 0..<16 { try await radio.mock.giveDeadConnection() }
        let error = await #expect(throws: BusError.self) { try await radio.mock.giveDeadConnection() }
        #expect(error?.name == "org.bluez.Error.Rejected")
        await service.close()
    }

    @Test func aServiceEndsWithBluetoothd() async throws {
        let radio = try await Radio()
        let service = try await radio.bluetooth.offerSerial(name: "Jackdaw")
        let task = Task { try await service.accept() }
        await radio.mock.stop()
        let error = await #expect(throws: LinkError.self) { _ = try await task.value }
        #expect(error?.code == .serviceMissing)
    }

    @Test func aCancelledRegistrationIsUndone() async throws {
        let radio = try await Radio()
        await radio.mock.silence("RegisterProfile")
        let task = Task { try await radio.bluetooth.offerSerial(name: "Jackdaw") }
        await radio.mock.called("RegisterProfile")
        task.cancel()
        let error = await #expect(throws: LinkError.self) { _ = try await task.value }
        #expect(error?.code == .cancelled)
        #expect(await radio.mock.calls.last?.hasPrefix("UnregisterProfile") == true)
    }
}
