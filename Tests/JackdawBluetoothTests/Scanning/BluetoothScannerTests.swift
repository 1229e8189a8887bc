import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// Searches for devices through a mock of bluetoothd.
@Suite(.needsBus, .timeLimit(.minutes(30)))
struct BluetoothScannerTests {
    private func isDiscovering(_ radio: Radio) async -> Bool? {
        await radio.mock.property(MockBlueZ.adapter, BlueZName.adapter, "Discovering")?.boolean
    }

    @Test func aDeviceIsReportedAgainWhenItChanges() async throws {
        let radio = try await Radio()
        var found = radio.bluetooth.scanner(radio: .lowEnergy, services: [MockBlueZ.uuid(1)]).devices(for: nil)
            .makeAsyncIterator()
        let first = FoundDevice(
            link: LinkName(.ble, MockBlueZ.reader), name: "Sim Reader", signalStrength: -50,
            services: [MockBlueZ.serialPort, MockBlueZ.uuid(1)])
        #expect(try await found.next() == first)
        try await radio.mock.set(MockBlueZ.device, BlueZName.device, ["RSSI": .int16(-50)])
        try await radio.mock.set(MockBlueZ.device, BlueZName.device, ["RSSI": .int16(-61), "Paired": .boolean(true)])
        var nearer = first
        nearer.signalStrength = -61
        nearer.isPaired = true
        #expect(try await found.next() == nearer)
        // What the controller says where it does not know.
        try await radio.mock.set(MockBlueZ.device, BlueZName.device, ["RSSI": .int16(127)])
        nearer.signalStrength = nil
        #expect(try await found.next() == nearer)
        #expect(await radio.mock.calls.contains("StartDiscovery"))
    }

    @Test func aScanEndsAtItsTimeLimit() async throws {
        let radio = try await Radio()
        var found = radio.bluetooth.scanner().devices().makeAsyncIterator()
        #expect(try await found.next()?.link == LinkName(.rfcomm, MockBlueZ.reader))
        #expect(await isDiscovering(radio) == true)
        await radio.clock.sleepers(1)
        radio.clock.advance(by: .seconds(5))
        #expect(try await found.next() == nil)
        #expect(await isDiscovering(radio) == false)
    }

    @Test func givingTheStreamUpStopsTheSearch() async throws {
        let radio = try await Radio()
        for try await _ in radio.bluetooth.scanner().devices(for: nil) { break }
        await radio.mock.called("StopDiscovery")
    }

    @Test func cancellingWhileTheSearchStartsStopsIt() async throws {
        let radio = try await Radio()
        await radio.mock.silence("StartDiscovery")
        let task = Task { for try await _ in radio.bluetooth.scanner().devices(for: nil) {} }
        await radio.mock.called("StartDiscovery")
        task.cancel()
        await radio.mock.called("StopDiscovery")
        try await task.value
    }

    @Test func connectingChangesNoSearchThatIsUnderWay() async throws {
        let radio = try await Radio()
        let services = [MockBlueZ.uuid(1)]
        var found = radio.bluetooth.scanner(radio: .classic, services: services).devices(for: nil).makeAsyncIterator()
        _ = try await found.next()
        let filter = DiscoveryFilter(radio: .classic, services: services)
        #expect(await Array(radio.mock.filters.values) == [filter.options])
        let far = BluetoothAddress(bytes: [1, 2, 3, 4, 5, 6])
        let task = Task { try await radio.bluetooth.connect(far) }
        // The search for it; before it, only calls have a limit.
        while radio.clock.nextDeadline?.offset != GATTDevice.searchLimit { await Task.yield() }
        #expect(await radio.mock.searches.count == 2)
        let filters = await Array(radio.mock.filters.values)
        #expect(filters.count == 2)
        #expect(filters.contains(filter.options))
        #expect(filters.contains(DiscoveryFilter(radio: .lowEnergy).options))
        task.cancel()
        _ = try? await task.value
        // The other one goes on.
        #expect(await isDiscovering(radio) == true)
    }

    @Test func aSearchForADeviceEndsWithBluetoothdOrTheAdapter() async throws {
        let far = BluetoothAddress(bytes: [1, 2, 3, 4, 5, 6])
        for cause in [LinkError.Code.serviceMissing, .adapterOff] {
            let radio = try await Radio()
            let task = Task { try await radio.bluetooth.connect(far) }
            while radio.clock.nextDeadline?.offset != GATTDevice.searchLimit { await Task.yield() }
            if cause == .serviceMissing {
                await radio.mock.stop()
            } else {
                try await radio.mock.set(MockBlueZ.adapter, BlueZName.adapter, ["Powered": .boolean(false)])
            }
            let error = await #expect(throws: LinkError.self) { try await task.value }
            #expect(error?.code == cause)
        }
    }

    @Test func devicesOfOtherSearchesAreNotReported() async throws {
        let radio = try await Radio()
        let other = "00001800-0000-1000-8000-00805f9b34fb"
        var found = radio.bluetooth.scanner(services: [other]).devices(for: nil).makeAsyncIterator()
        await radio.mock.called("StartDiscovery")
        try await radio.mock.set(MockBlueZ.device, BlueZName.device, ["UUIDs": .strings([other])])
        #expect(try await found.next()?.services == [other])
    }

    @Test func noSearchWithoutAnAdapterThatIsOn() async throws {
        let radio = try await Radio()
        try await radio.mock.set(MockBlueZ.adapter, BlueZName.adapter, ["Powered": .boolean(false)])
        let error = await #expect(throws: LinkError.self) {
            for try await _ in radio.bluetooth.scanner().devices() {}
        }
        #expect(error?.code == .adapterOff)
        #expect(error?.link == "hci0")
        #expect(await !radio.mock.calls.contains("StartDiscovery"))
        let missing = await #expect(throws: LinkError.self) {
            for try await _ in radio.bluetooth.scanner(adapter: "hci7").devices() {}
        }
        #expect(missing?.code == .adapterOff)
    }

    @Test func anAdapterThatIsRemovedEndsTheSearch() async throws {
        let radio = try await Radio()
        var found = radio.bluetooth.scanner().devices(for: nil).makeAsyncIterator()
        _ = try await found.next()
        try await radio.mock.remove(MockBlueZ.adapter)
        let error = await #expect(throws: LinkError.self) { while try await found.next() != nil {} }
        #expect(error?.code == .adapterOff)
    }

    @Test func anAdapterThatIsSwitchedOffEndsTheSearch() async throws {
        let radio = try await Radio()
        var found = radio.bluetooth.scanner().devices(for: nil).makeAsyncIterator()
        _ = try await found.next()
        try await radio.mock.set(MockBlueZ.adapter, BlueZName.adapter, ["Powered": .boolean(false)])
        let error = await #expect(throws: LinkError.self) { while try await found.next() != nil {} }
        #expect(error?.code == .adapterOff)
        #expect(await isDiscovering(radio) == false)
    }

    @Test func bluetoothdThatEndsEndsTheSearchAndIsFoundAgain() async throws {
        let radio = try await Radio()
        var found = radio.bluetooth.scanner().devices(for: nil).makeAsyncIterator()
        _ = try await found.next()
        await radio.mock.stop()
        let error = await #expect(throws: LinkError.self) { while try await found.next() != nil {} }
        #expect(error?.code == .serviceMissing)
        let again = try await MockBlueZ.start(on: radio.daemon)
        _ = try await radio.bluetooth.client().wait { $0.adapters.isEmpty ? nil : true }
        found = radio.bluetooth.scanner().devices(for: nil).makeAsyncIterator()
        #expect(try await found.next()?.name == "Sim Reader")
        await again.called("StartDiscovery")
    }

    @Test func noBluetoothdIsAnErrorOfItsOwn() async throws {
        let daemon = try PrivateBus()
        let bluetooth = Bluetooth(bus: .at(daemon.address), clock: ManualClock())
        let error = await #expect(throws: LinkError.self) { try await bluetooth.adapters() }
        #expect(error?.code == .serviceMissing)
        // It is asked for again each time.
        let mock = try await MockBlueZ.start(on: daemon)
        #expect(try await bluetooth.adapters().map(\.name) == ["hci0"])
        await mock.stop()
        let missing = Bluetooth(bus: .at("unix:path=/nowhere"), clock: ManualClock())
        let noBus = await #expect(throws: LinkError.self) { try await missing.adapters() }
        #expect(noBus?.code == .serviceMissing)
    }
}
