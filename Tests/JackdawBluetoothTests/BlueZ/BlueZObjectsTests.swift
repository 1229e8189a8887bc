import Testing

@testable import JackdawBluetooth

/// What bluetoothd's messages make of its objects, without a bus.
@Suite struct BlueZObjectsTests {
    private let path = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5"

    private func filled() -> BlueZObjects {
        var objects = BlueZObjects()
        let device = BusValue.dictionary(
            [.string(BlueZName.device): .options(["Connected": .boolean(false), "RSSI": .int16(-40)])], key: "s",
            value: "a{sv}")
        let all = BusValue.dictionary([.objectPath(path): device], key: "o", value: "a{sa{sv}}")
        let events = objects.replace(with: BusReply(sender: ":1.7", body: BusBody([all])))
        #expect(events == [.added(path: path, interface: BlueZName.device)])
        return objects
    }

    private func changed(
        _ properties: [String: BusValue], invalidated: [String] = [], interface: String = BlueZName.device,
        by sender: String = ":1.7"
    ) -> BusSignal {
        BusSignal(
            sender: sender, path: path, interface: BlueZName.properties, member: "PropertiesChanged",
            body: BusBody([.string(interface), .options(properties), .strings(invalidated)]))
    }

    private func owner(_ old: String, _ new: String, of name: String = "org.bluez") -> BusSignal {
        BusSignal(
            sender: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "NameOwnerChanged", body: BusBody([.string(name), .string(old), .string(new)]))
    }

    @Test func propertiesChangeAndGo() {
        var objects = filled()
        let events = objects.receive(changed(["Connected": .boolean(true)], invalidated: ["RSSI"]))
        #expect(
            events == [.changed(path: path, interface: BlueZName.device, properties: ["Connected": .boolean(true)])])
        #expect(objects.device(path)?.isConnected == true)
        #expect(objects.device(path)?.signalStrength == nil)
    }

    @Test func strangersAreNotHeeded() {
        var objects = filled()
        #expect(objects.receive(changed(["Connected": .boolean(true)], by: ":1.8")).isEmpty)
        #expect(objects.device(path)?.isConnected == false)
        #expect(objects.receive(owner(":1.7", "", of: "org.example")).isEmpty)
        #expect(objects.isComplete)
    }

    @Test func signalsBeforeTheObjectsAreIgnored() {
        var objects = BlueZObjects()
        #expect(objects.receive(owner("", ":1.7")) == [.serviceStarted])
        #expect(objects.receive(changed(["Connected": .boolean(true)])).isEmpty)
    }

    @Test func bluetoothdTakesItsObjectsAlong() {
        var objects = filled()
        let gone = BlueZObjects.Event.removed(path: path, interface: BlueZName.device)
        #expect(objects.receive(owner(":1.7", "")) == [.serviceEnded, gone])
        #expect(objects.devices.isEmpty)
        #expect(!objects.isComplete)
        objects = filled()
        // One that takes the name over from another.
        #expect(objects.receive(owner(":1.7", ":1.9")) == [.serviceEnded, gone, .serviceStarted])
        objects = filled()
        #expect(objects.lose() == [.serviceEnded, gone])
        #expect(objects.lose().isEmpty)
    }

    @Test func valuesOfCharacteristicsAreNotStored() {
        var objects = filled()
        let characteristic = BusValue.dictionary(
            [.string(BlueZName.characteristic): .options(["UUID": .string("x"), "Value": .bytes([1, 2])])], key: "s",
            value: "a{sv}")
        let added = BusSignal(
            sender: ":1.7", path: "/", interface: BlueZName.objectManager, member: "InterfacesAdded",
            body: BusBody([.objectPath(path), characteristic]))
        #expect(objects.receive(added) == [.added(path: path, interface: BlueZName.characteristic)])
        #expect(objects.properties(path, BlueZName.characteristic) == ["UUID": .string("x")])
        // Nor reported to those that follow the changes.
        let reported = BlueZObjects.Event.notified(path: path, value: [52, 49])
        let value = changed(["Value": .bytes([52, 49])], interface: BlueZName.characteristic)
        #expect(objects.receive(value) == [reported])
        let more = changed(
            ["Value": .bytes([52, 49]), "Notifying": .boolean(true)], interface: BlueZName.characteristic)
        let notifying = BlueZObjects.Event.changed(
            path: path, interface: BlueZName.characteristic, properties: ["Notifying": .boolean(true)])
        #expect(objects.receive(more) == [notifying, reported])
        #expect(
            objects.properties(path, BlueZName.characteristic) == ["UUID": .string("x"), "Notifying": .boolean(true)])
    }

    @Test func interfacesAreRemovedOneByOne() {
        var objects = filled()
        let removed = BusSignal(
            sender: ":1.7", path: "/", interface: BlueZName.objectManager, member: "InterfacesRemoved",
            body: BusBody([.objectPath(path), .strings([BlueZName.device, BlueZName.battery])]))
        #expect(objects.receive(removed) == [.removed(path: path, interface: BlueZName.device)])
        #expect(objects.device(path) == nil)
        #expect(objects.receive(removed).isEmpty)
        #expect(objects.receive(changed(["Connected": .boolean(true)])).isEmpty)
    }

    @Test func malformedSignalsChangeNothing() {
        var objects = filled()
        for member in ["InterfacesAdded", "InterfacesRemoved", "PropertiesChanged", "NameOwnerChanged"] {
            for interface in [BlueZName.objectManager, BlueZName.properties, "org.freedesktop.DBus"] {
                for body in [[], [BusValue.byte(1)], [.objectPath(path), .byte(1)], [.string("org.bluez"), .byte(1)]] {
                    var signal = BusSignal(path: path, interface: interface, member: member, body: BusBody(body))
                    signal.sender = ":1.7"
                    // Without an owner bluetoothd has no name.
                    guard interface != "org.freedesktop.DBus" else { continue }
                    #expect(objects.receive(signal).isEmpty)
                }
            }
        }
        #expect(objects.devices.count == 1)
    }
}
