import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// How connections to GATT devices come about, are given up, and end, through a mock of bluetoothd.
@Suite(.needsBus, .timeLimit(.minutes(30)))
struct GATTConnectionTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func bluetoothdThatIsRestartedEndsTheLink() async throws {
        let radio = try await Radio()
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        let task = Task { try await next(link) }
        await radio.mock.stop()
        let again = try await MockBlueZ.start(on: radio.daemon)
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .serviceMissing)
        let anew = try await radio.bluetooth.client()
        _ = try await anew.wait { $0.adapters.isEmpty ? nil : true }
        let second = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        try await second.send(bytes("Eback"))
        #expect(try await next(second) == bytes("back"))
        await again.stop()
    }

    @Test func anAdapterThatIsRemovedEndsTheLink() async throws {
        let radio = try await Radio()
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        let task = Task { try await next(link) }
        try await radio.mock.remove(MockBlueZ.device)
        try await radio.mock.remove(MockBlueZ.adapter)
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .disconnected)
        // The device goes first, and ends the link.
        _ = try await radio.bluetooth.client().wait { $0.adapters.isEmpty ? true : nil }
        let off = await #expect(throws: LinkError.self) {
            try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        }
        #expect(off?.code == .adapterOff)
    }

    @Test func aConnectionThatBluetoothdBreaksOffIsTriedOnceMore() async throws {
        let radio = try await Radio()
        let broken = BusError(name: "org.bluez.Error.Failed", message: "le-connection-abort-by-local")
        await radio.mock.fail("Connect", broken)
        _ = try await radio.bluetooth.connect(Radio.reader)
        #expect(await radio.mock.calls.filter { $0 == "Connect" }.count == 2)
        await radio.mock.fail("Connect", broken, broken, broken)
        let error = await #expect(throws: LinkError.self) { try await radio.bluetooth.connect(Radio.reader) }
        #expect(error?.code == .disconnected)
        #expect(await radio.mock.calls.filter { $0 == "Connect" }.count == 4)
    }

    @Test func aCancelledConnectionIsUndone() async throws {
        let radio = try await Radio()
        await radio.mock.silence("Connect")
        let task = Task { try await radio.bluetooth.connect(Radio.reader) }
        await radio.mock.called("Connect")
        task.cancel()
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(await radio.mock.calls.last == "Disconnect")
    }

    @Test func undoingWaitsNotLongForABluetoothdThatHangs() async throws {
        let radio = try await Radio()
        for member in ["Connect", "Disconnect"] { await radio.mock.silence(member) }
        let task = Task { try await radio.bluetooth.connect(Radio.reader) }
        await radio.mock.called("Connect")
        task.cancel()
        await radio.mock.called("Disconnect")
        await radio.clock.sleepers(1)
        radio.clock.advance(by: .seconds(5))
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test func aConnectionThatTakesTooLongIsUndone() async throws {
        let radio = try await Radio()
        try await radio.mock.appear()
        await radio.mock.silence("Connect")
        let task = Task { try await radio.bluetooth.connect(Radio.reader) }
        await radio.mock.called("Connect")
        await radio.clock.sleepers(1)
        radio.clock.advance(by: GATTDevice.connectionLimit)
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .timedOut)
        #expect(await radio.mock.calls.last == "Disconnect")
    }

    @Test func aDeviceOfAnotherFamilyIsNotTriedAgain() async throws {
        let radio = try await Radio()
        var profile = Radio.profile
        profile.notify = MockBlueZ.uuid(9)
        let error = await #expect(throws: LinkError.self) {
            try await radio.bluetooth.connect(Radio.reader, profile: profile)
        }
        #expect(error?.code == .unsupported)
        #expect(error?.code.mayPass == false)
        #expect(await radio.mock.calls.last == "Disconnect")
    }

    @Test func aLinkThatCannotBeOpenedDisconnectsOnce() async throws {
        let radio = try await Radio()
        for member in ["AcquireNotify", "StartNotify"] {
            await radio.mock.fail(member, BusError(name: "org.bluez.Error.NotSupported"))
        }
        let error = await #expect(throws: LinkError.self) {
            try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        }
        #expect(error?.code == .unsupported)
        #expect(await radio.mock.calls.filter { $0 == "Disconnect" }.count == 1)
        #expect(await (try radio.bluetooth.client()).observers.isEmpty)
    }
}
