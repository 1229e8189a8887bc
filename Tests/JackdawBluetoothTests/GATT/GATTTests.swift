import Glibc
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// What goes over GATT through a mock of bluetoothd.
@Suite(.needsBus, .timeLimit(.minutes(30)))
struct GATTTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Whether bluetoothd gives sockets away for notifications.
    @Test(arguments: [true, false]) func longDataIsSentInPiecesAndEchoed(_ hasSockets: Bool) async throws {
        let radio = try await Radio()
        if !hasSockets { await radio.mock.fail("AcquireNotify", BusError(name: "org.bluez.Error.NotSupported")) }
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        #expect(link.link.description == "ble:F0:F1:F2:F3:F4:F5")
        try await link.send(bytes("Ehello"))
        #expect(try await next(link) == bytes("hello"))
        // A packet of 23 bytes holds 20.
        try await link.send(bytes("E") + Array(repeating: UInt8(ascii: "E"), count: 49))
        #expect(try await next(link)?.count == 19)
        #expect(try await next(link)?.count == 19)
        #expect(try await next(link)?.count == 9)
        try await link.send(bytes("N500"))
        for number in 0..<500 { #expect(try await next(link) == MockBlueZ.notification(number)) }
        #expect(await radio.mock.calls.contains("StartNotify") == !hasSockets)
        await link.close()
        await radio.mock.called("Disconnect")
        let error = await #expect(throws: LinkError.self) { try await next(link) }
        #expect(error?.code == .disconnected)
    }

    @Test func unacknowledgedWritesUseASocket() async throws {
        let radio = try await Radio()
        var profile = Radio.profile
        profile.isAcknowledged = false
        let link = try await radio.bluetooth.connect(Radio.reader, profile: profile)
        // A packet of 247 bytes holds 244.
        try await link.send(bytes("E") + Array(repeating: UInt8(ascii: "E"), count: 299))
        #expect(try await next(link)?.count == 243)
        #expect(try await next(link)?.count == 55)
        #expect(await !radio.mock.calls.contains { $0.hasPrefix("WriteValue") })
        try await link.send(bytes("D"))
        for number in 0..<5 { #expect(try await next(link) == MockBlueZ.notification(number)) }
        _ = await #expect(throws: LinkError.self) { try await next(link) }
        let error = await #expect(throws: LinkError.self) { try await link.send(bytes("Elate")) }
        #expect(error?.code == .disconnected)
        #expect(error?.undelivered == 5)
    }

    @Test func withoutASocketItIsWrittenOnTheBus() async throws {
        let radio = try await Radio()
        await radio.mock.fail("AcquireWrite", BusError(name: "org.bluez.Error.NotSupported"))
        var profile = Radio.profile
        profile.isAcknowledged = false
        let link = try await radio.bluetooth.connect(Radio.reader, profile: profile)
        try await link.send(bytes("Ebus"))
        #expect(try await next(link) == bytes("bus"))
        #expect(await radio.mock.calls.contains("WriteValue"))
    }

    @Test func aProfileSetsTheSizeOfWrites() {
        var profile = Radio.profile
        #expect(profile.chunkSize(payload: GATTProfile.payloadSize(packet: 247)) == 244)
        #expect(profile.chunkSize(payload: GATTProfile.payloadSize(packet: nil)) == 20)
        // A value has 512 bytes at most, and the largest packet would hold 514.
        #expect(profile.chunkSize(payload: GATTProfile.payloadSize(packet: 517)) == 512)
        profile.chunk = .bytes(64)
        #expect(profile.chunkSize(payload: GATTProfile.payloadSize(packet: 247)) == 64)
        #expect(profile.chunkSize(payload: GATTProfile.payloadSize(packet: 23)) == 20)
    }

    @Test func theSizeOfAValueIsReported() async throws {
        let radio = try await Radio()
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        #expect(await link.payloadSize == 20)
        await link.close()
        var profile = Radio.profile
        profile.isAcknowledged = false
        // bluetoothd reports it again with the socket.
        let second = try await radio.bluetooth.connect(Radio.reader, profile: profile)
        #expect(await second.payloadSize == 244)
        await second.close()
        // Older versions say it with a socket alone, and else not at all.
        for hasSockets in [true, false] {
            let device = try await radio.bluetooth.connect(Radio.reader)
            let path = "\(MockBlueZ.service)/char2"
            try await radio.mock.withdraw("MTU", of: BlueZName.characteristic, from: path)
            _ = try await device.client.wait {
                $0.properties(path, BlueZName.characteristic)?["MTU"] == nil ? true : nil
            }
            if !hasSockets { await radio.mock.fail("AcquireNotify", BusError(name: "org.bluez.Error.NotSupported")) }
            let link = try await GATTLink.open(device, Radio.profile)
            #expect(await link.payloadSize == (hasSockets ? 244 : 20))
            await link.close()
        }
    }

    /// A value of no bytes is nothing to hand over, and no end.
    @Test(arguments: [true, false]) func anEmptyNotificationEndsNothing(_ hasSockets: Bool) async throws {
        let radio = try await Radio()
        if !hasSockets { await radio.mock.fail("AcquireNotify", BusError(name: "org.bluez.Error.NotSupported")) }
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        try await link.send(bytes("E"))
        try await link.send(bytes("Evia"))
        #expect(try await next(link) == bytes("via"))
        await link.close()
    }

    /// Who finds a device connected leaves it so, and a client that finds it being connected does not disturb that.
    @Test func aLinkThatCannotBeOpenedEndsNoOther() async throws {
        let radio = try await Radio()
        let first = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        var other = Radio.profile
        other.notify = "ffffffff-0000-0000-0000-000000000000"
        await #expect(throws: LinkError.self) { _ = try await radio.bluetooth.connect(Radio.reader, profile: other) }
        await radio.mock.fail("Connect", BusError(name: "org.bluez.Error.InProgress"))
        let busy = await #expect(throws: LinkError.self) { _ = try await radio.bluetooth.connect(Radio.reader) }
        #expect(busy?.code == .busy)
        try await first.send(bytes("Evia"))
        #expect(try await next(first) == bytes("via"))
        await first.close()
    }

    @Test(arguments: [true, false]) func anOverflowOfUnreceivedValuesIsALoss(_ hasSockets: Bool) async throws {
        let radio = try await Radio()
        if !hasSockets { await radio.mock.fail("AcquireNotify", BusError(name: "org.bluez.Error.NotSupported")) }
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        try await link.send(bytes("N\(GATTStream.capacity)"))
        // Each is taken in before bluetoothd's answer to the write, or soon after it by the socket.
        for number in 0..<GATTStream.capacity { #expect(try await next(link) == MockBlueZ.notification(number)) }
        try await link.send(bytes("N\(GATTStream.capacity + 1)"))
        if hasSockets { try await taken(by: link) }
        for number in 0..<GATTStream.capacity { #expect(try await next(link) == MockBlueZ.notification(number)) }
        let error = await #expect(throws: LinkError.self) { try await next(link) }
        #expect(error?.code == .system)
        #expect(error?.message.contains("lost") == true)
        await link.close()
        #expect(await radio.mock.calls.last == "Disconnect")
    }

    /// Waits until the loop has taken what lies in the socket: a link that is lost sends nothing.
    private func taken(by link: GATTLink) async throws {
        while (try? await link.send([0])) != nil {}
    }

    @Test func valuesOnTheBusAreIgnoredIfNotificationsUseASocket() async throws {
        let radio = try await Radio()
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        try await radio.mock.set(MockBlueZ.notifying, BlueZName.characteristic, ["Value": .bytes([1])])
        try await link.send(bytes("Esocket"))
        #expect(try await next(link) == bytes("socket"))
    }

    @Test func valuesFromBeforeNotificationsAreNone() async throws {
        let radio = try await Radio()
        await radio.mock.fail("AcquireNotify", BusError(name: "org.bluez.Error.NotSupported"))
        await radio.mock.tellEarly([1])
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        try await link.send(bytes("Eafter"))
        #expect(try await next(link) == bytes("after"))
    }

    @Test func valuesThatAProgramReadsAreNoNotifications() async throws {
        let radio = try await Radio()
        await radio.mock.fail("AcquireNotify", BusError(name: "org.bluez.Error.NotSupported"))
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        try await link.send(bytes("Eone"))
        let value = try await link.device.read(service: MockBlueZ.uuid(1), characteristic: MockBlueZ.uuid(3))
        #expect(value == bytes("one"))
        try await link.send(bytes("Etwo"))
        #expect(try await next(link) == bytes("one"))
        #expect(try await next(link) == bytes("two"))
    }

    @Test func notificationsWhileSomethingIsReadAreNotLost() async throws {
        let radio = try await Radio()
        await radio.mock.fail("AcquireNotify", BusError(name: "org.bluez.Error.NotSupported"))
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        await radio.mock.silence("ReadValue")
        let task = Task {
            try await link.device.read(service: MockBlueZ.uuid(1), characteristic: MockBlueZ.uuid(3))
        }
        await radio.mock.called("ReadValue")
        for text in ["Eone", "Etwo"] { try await link.send(bytes(text)) }
        task.cancel()
        _ = try? await task.value
        #expect(try await next(link) == bytes("one"))
        #expect(try await next(link) == bytes("two"))
    }

    @Test func unreceivedValuesAreFreedWithTheLink() async throws {
        let radio = try await Radio()
        await radio.mock.fail("AcquireNotify", BusError(name: "org.bluez.Error.NotSupported"))
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        let value = Lock(WeakValue())
        let number = await link.device.client.listen(to: MockBlueZ.notifying) { reported in
            value.withLock { $0.value = reported }
        }
        try await link.send(bytes("Esecret"))
        #expect(value.withLock { $0.value?.array } == bytes("secret"))
        await link.close()
        #expect(value.withLock { $0.value } == nil)
        await link.device.client.forget(number)
    }

    /// A value that another program has acquired.
    private struct WeakValue {
        weak var value: WipedBytes?
    }

    @Test(arguments: [true, false])
    func aLostLinkThrowsAfterItsReceivedValues(_ hasSockets: Bool) async throws {
        let radio = try await Radio()
        if !hasSockets { await radio.mock.fail("AcquireNotify", BusError(name: "org.bluez.Error.NotSupported")) }
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        try await link.send(bytes("D"))
        for number in 0..<5 { #expect(try await next(link) == MockBlueZ.notification(number)) }
        for _ in 0..<2 {
            let error = await #expect(throws: LinkError.self) { try await next(link) }
            #expect(error?.code == .disconnected)
        }
        let unsent = await #expect(throws: LinkError.self) { try await link.send(bytes("Elate")) }
        #expect(unsent?.code == .disconnected)
        #expect(unsent?.undelivered == 5)
    }

    @Test(arguments: [
        ("org.bluez.Reason.Timeout", LinkError.Code.outOfRange), ("org.bluez.Reason.Remote", .disconnected),
        ("org.bluez.Reason.Authentication", .pairedElsewhere), ("org.bluez.Reason.Local", .disconnected),
    ])
    func aDisconnectionHasItsReason(_ reason: String, _ code: LinkError.Code) async throws {
        let radio = try await Radio()
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        let task = Task { try await next(link) }
        try await radio.mock.drop(reason: reason)
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == code)
        #expect(error?.underlying == reason)
    }

    @Test func aSocketThatEndsAloneEndsTheLink() async throws {
        let radio = try await Radio()
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        let task = Task { try await next(link) }
        await radio.mock.closeSockets()
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .disconnected)
        #expect(error?.underlying == "notifications ended")
        // The connection is still there.
        await link.close()
        #expect(await radio.mock.calls.last == "Disconnect")
    }

    @Test func aConnectionThatHasEndedIsNotEndedAgain() async throws {
        let radio = try await Radio()
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        try await radio.mock.drop()
        _ = await #expect(throws: LinkError.self) { try await next(link) }
        // Another program has connected it again.
        _ = try await radio.bluetooth.connect(Radio.reader)
        await link.close()
        #expect(await !radio.mock.calls.contains("Disconnect"))
    }

    @Test func undeliveredBytesAreCounted() async throws {
        let radio = try await Radio()
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        await radio.mock.fail("WriteValue", BusError(name: "org.bluez.Error.Failed", message: "Not connected"))
        let error = await #expect(throws: LinkError.self) { try await link.send(Array(repeating: 1, count: 50)) }
        #expect(error?.code == .disconnected)
        #expect(error?.undelivered == 50)
    }

    @Test func receivingIsCancelledAndLosesNothing() async throws {
        let radio = try await Radio()
        let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
        let task = Task { try await next(link) }
        task.cancel()
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        try await link.send(bytes("Estill"))
        #expect(try await next(link) == bytes("still"))
    }

    @Test func characteristicsAreReadAndWritten() async throws {
        let radio = try await Radio()
        let device = try await radio.bluetooth.connect(Radio.reader)
        let value = try await device.read(service: MockBlueZ.uuid(1), characteristic: MockBlueZ.uuid(4))
        #expect(value == bytes("sim-reader 1.0"))
        try await device.write(
            [1, 2], service: MockBlueZ.uuid(1), characteristic: MockBlueZ.uuid(2), isAcknowledged: false)
        let unpaired = BusError(name: "org.bluez.Error.Failed", message: "Operation failed with ATT error: 0x05")
        await radio.mock.fail("ReadValue", unpaired)
        let error = await #expect(throws: LinkError.self) {
            try await device.read(service: MockBlueZ.uuid(1), characteristic: MockBlueZ.uuid(4))
        }
        #expect(error?.code == .notPermitted)
    }

    @Test func deviceInformationHasTheValuesThatExist() async throws {
        let radio = try await Radio()
        await radio.mock.inform(["2a29": "Maker", "2a25": "0001\0"])
        let device = try await radio.bluetooth.connect(Radio.reader)
        var information = DeviceInformation()
        information.manufacturer = "Maker"
        information.serialNumber = "0001"
        #expect(try await device.information() == information)
        #expect(await device.batteryLevel == nil)
        try await radio.mock.addInterface(BlueZName.battery, ["Percentage": .byte(87)], to: MockBlueZ.device)
        let level = try await device.client.wait {
            $0.properties(MockBlueZ.device, BlueZName.battery)?["Percentage"]?.integer
        }
        #expect(level == 87)
        #expect(await device.batteryLevel == 87)
    }

    @Test func aBatteryIsReportedUntilTheConnectionEnds() async throws {
        let radio = try await Radio()
        let device = try await radio.bluetooth.connect(Radio.reader)
        var reports = await device.batteryReports().makeAsyncIterator()
        try await radio.mock.addInterface(BlueZName.battery, ["Percentage": .byte(87)], to: MockBlueZ.device)
        #expect(await reports.next() == BatteryReport(percent: 87))
        try await radio.mock.set(MockBlueZ.device, BlueZName.battery, ["Percentage": .byte(14)])
        #expect(await reports.next() == BatteryReport(percent: 14))
        // A known state is reported at once.
        var others = await device.batteryReports().makeAsyncIterator()
        #expect(await others.next() == BatteryReport(percent: 14))
        try await radio.mock.drop()
        #expect(await reports.next() == nil)
        #expect(await others.next() == nil)
        var late = await device.batteryReports().makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func closedLinksLeaveNoListeners() async throws {
        let radio = try await Radio()
        let client = try await radio.bluetooth.client()
        for _ in 0..<100 {
            let link = try await radio.bluetooth.connect(Radio.reader, profile: Radio.profile)
            try await link.send(bytes("Eyes"))
            #expect(try await next(link) == bytes("yes"))
            await link.close()
        }
        #expect(await client.observers.isEmpty)
        #expect(await client.waiting.isEmpty)
        #expect(await client.listeners.isEmpty)
        #expect(try await rules(of: client.bus) == 2)
    }

    @Test func aReleasedBluetoothLeavesTheBus() async throws {
        let radio = try await Radio()
        let (names, continuation) = AsyncStream.makeStream(of: String.self)
        let match = BusMatch(sender: "org.freedesktop.DBus", member: "NameOwnerChanged")
        _ = try await radio.mock.bus.watch(match) { signal in
            if signal.body[2]?.text == "" { continuation.yield(signal.body[0]?.text ?? "") }
        }
        let name: String
        do {
            let bluetooth = Bluetooth(bus: .at(radio.daemon.address), clock: radio.clock)
            name = await (try bluetooth.client()).bus.uniqueName
            _ = try await bluetooth.connect(Radio.reader, profile: Radio.profile)
        }
        for await gone in names where gone == name { break }
    }

    @Test func acquiredSocketsCarryOnePacketAValueUntilTheLinkIsLost() async throws {
        let radio = try await Radio()
        let device = try await radio.bluetooth.connect(Radio.reader)
        let notifying = try await device.find(MockBlueZ.uuid(1), MockBlueZ.uuid(3))
        let notified = try await device.acquireNotifications(notifying)
        let written = try await device.acquireWriting(device.find(MockBlueZ.uuid(1), MockBlueZ.uuid(2)))
        #expect(notified.packetSize == 247)
        let taken = await #expect(throws: LinkError.self) { try await device.acquireNotifications(notifying) }
        #expect(taken?.code == .busy)
        let socket = try #require(notified.descriptor.withDescriptor { $0 })
        let loop = radio.mock.bus.loop
        let (ready, continuation) = AsyncStream.makeStream(of: Void.self)
        let watch = try loop.watch(socket, for: .reading) { _ in continuation.yield() }
        defer { loop.unwatch(watch) }
        var iterator = ready.makeAsyncIterator()
        func receive() async -> [UInt8] {
            var buffer = [UInt8](repeating: 0, count: 512)
            while true {
                let count = unsafe recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count >= 0 { return Array(buffer.prefix(count)) }
                _ = await iterator.next()
            }
        }
        func send(_ text: String) {
            let bytes = bytes(text)
            _ = written.descriptor.withDescriptor { descriptor in
                unsafe bytes.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress!, $0.count, 0) }
            }
        }
        send("Evia")
        #expect(await receive() == bytes("via"))
        send("D")
        for number in 0..<5 { #expect(await receive() == MockBlueZ.notification(number)) }
        #expect(await receive().isEmpty)
    }
}
