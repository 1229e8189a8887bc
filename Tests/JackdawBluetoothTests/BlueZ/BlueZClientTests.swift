import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// The connection to a bluetoothd that does not answer, ends and comes back; and its adapters.
@Suite(.needsBus, .timeLimit(.minutes(30)))
struct BlueZClientTests {
    private static let busy = BusError(name: "org.freedesktop.DBus.Error.NoMemory")

    /// bluetoothd has its name and answers nothing.
    private func hung() async throws -> (radio: Radio, task: Task<[BluetoothAdapter], any Error>) {
        let radio = try await Radio()
        await radio.mock.silence("GetManagedObjects")
        let task = Task { try await radio.bluetooth.adapters() }
        await radio.mock.called("GetManagedObjects")
        return (radio, task)
    }

    @Test func aHungBluetoothdTimesOut() async throws {
        let (radio, task) = try await hung()
        await radio.clock.sleepers(1)
        radio.clock.advance(by: BlueZClient.usualLimit)
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .timedOut)
        // The next request starts again.
        await radio.mock.unsilence("GetManagedObjects")
        #expect(try await radio.bluetooth.adapters().map(\.name) == ["hci0"])
    }

    @Test func aCancelledCallEndsAloneAndAtOnce() async throws {
        let (radio, task) = try await hung()
        let other = Task { try await radio.bluetooth.adapters() }
        task.cancel()
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        await radio.clock.sleepers(1)
        radio.clock.advance(by: BlueZClient.usualLimit)
        let late = await #expect(throws: LinkError.self) { try await other.value }
        #expect(late?.code == .timedOut)
    }

    @Test func closingDoesNotWaitForOpenCalls() async throws {
        let (radio, task) = try await hung()
        await radio.bluetooth.close()
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .disconnected)
        await radio.mock.unsilence("GetManagedObjects")
        #expect(try await radio.bluetooth.adapters().map(\.name) == ["hci0"])
    }

    @Test func objectsAreAskedForUntilTheyAreHere() async throws {
        let radio = try await Radio()
        let client = try await radio.bluetooth.client()
        await radio.mock.stop()
        let again = try await MockBlueZ.start(on: radio.daemon) { mock in
            await mock.fail("GetManagedObjects", Self.busy, Self.busy)
        }
        for pause in [Duration.seconds(1), .seconds(2)] {
            let start = radio.clock.now
            while radio.clock.nextDeadline.map({ start.duration(to: $0) }) != pause { await Task.yield() }
            radio.clock.advance(by: pause)
        }
        #expect(try await client.wait { $0.adapters.first?.name } == "hci0")
        await again.stop()
    }

    @Test func anAdapterIsSwitchedOffAndOn() async throws {
        let radio = try await Radio()
        try await radio.bluetooth.setPower(false)
        #expect(try await radio.bluetooth.adapters().map(\.isPowered) == [false])
        try await radio.bluetooth.setPower(true, adapter: "hci0")
        #expect(try await radio.bluetooth.adapters().map(\.isPowered) == [true])
    }

    @Test func blockedAndMissingAdaptersSuggestAnAction() async throws {
        let radio = try await Radio()
        await radio.mock.fail("Set", BusError(name: "org.bluez.Error.Blocked", message: "Blocked through rfkill"))
        let blocked = await #expect(throws: LinkError.self) { try await radio.bluetooth.setPower(true) }
        #expect(blocked?.code == .adapterOff)
        #expect(blocked?.link == "hci0")
        #expect(blocked?.remedy?.contains("rfkill unblock bluetooth") == true)
        let missing = await #expect(throws: LinkError.self) {
            try await radio.bluetooth.setPower(true, adapter: "hci7")
        }
        #expect(missing?.code == .adapterOff)
        #expect(missing?.link == "hci7")
    }
}
