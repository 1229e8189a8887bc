/// An adapter of this computer, as bluetoothd tells of it.
struct BlueZAdapter: Sendable {
    let path: String
    let properties: [String: BusValue]

    /// Its name in the system, such as `hci0`.
    var name: String { BlueZName.last(of: path) }
    var address: BluetoothAddress? { properties["Address"]?.text.flatMap { BluetoothAddress($0) } }
    var alias: String { properties["Alias"]?.text ?? properties["Name"]?.text ?? "" }
    var isPowered: Bool { properties["Powered"]?.boolean ?? false }
}

/// A device, as bluetoothd tells of it.
struct BlueZDevice: Sendable {
    let path: String
    let properties: [String: BusValue]

    var adapter: String { properties["Adapter"]?.text ?? "" }
    var address: BluetoothAddress? { properties["Address"]?.text.flatMap { BluetoothAddress($0) } }
    /// What it calls itself; its alias is its address where it has not said.
    var name: String? { properties["Name"]?.text }
    /// In dBm; the controller says 127 where it does not know (Core Specification, Vol 4, Part E, 7.7.65.2).
    var signalStrength: Int? { properties["RSSI"]?.integer.flatMap { $0 == 127 ? nil : $0 } }
    var services: [String] { (properties["UUIDs"]?.texts ?? []).map { $0.lowercased() } }
    var isPaired: Bool { properties["Paired"]?.boolean ?? false }
    var isConnected: Bool { properties["Connected"]?.boolean ?? false }
    var areServicesResolved: Bool { properties["ServicesResolved"]?.boolean ?? false }
    /// Only devices of classic Bluetooth have a class.
    var isClassic: Bool { properties["Class"] != nil }
}

/// A characteristic of a connected device.
struct BlueZCharacteristic: Sendable {
    let path: String
    let properties: [String: BusValue]

    var service: String { properties["Service"]?.text ?? "" }
    var uuid: String { properties["UUID"]?.text?.lowercased() ?? "" }
    var flags: [String] { properties["Flags"]?.texts ?? [] }
    /// Bytes in a packet of the link, three of which are its own; nil where bluetoothd is too old to tell.
    var packetSize: Int? { properties["MTU"]?.integer }
}

extension BlueZObjects {
    var adapters: [BlueZAdapter] { views(BlueZName.adapter, BlueZAdapter.init(path:properties:)) }
    var devices: [BlueZDevice] { views(BlueZName.device, BlueZDevice.init(path:properties:)) }

    func adapter(_ path: String) -> BlueZAdapter? {
        properties(path, BlueZName.adapter).map { BlueZAdapter(path: path, properties: $0) }
    }

    func device(_ path: String) -> BlueZDevice? {
        properties(path, BlueZName.device).map { BlueZDevice(path: path, properties: $0) }
    }

    /// A device by its address; where several adapters know it, the one that is connected.
    func device(with address: BluetoothAddress) -> BlueZDevice? {
        let known = devices.filter { $0.address == address }
        return known.first(where: \.isConnected) ?? known.first
    }

    /// How full a device's battery is, in percent; nil where it does not tell.
    func batteryLevel(of device: String) -> Int? { properties(device, BlueZName.battery)?["Percentage"]?.integer }

    /// A characteristic of a device by the UUIDs of it and of its service.
    func characteristic(of device: String, service: String, uuid: String) -> BlueZCharacteristic? {
        let services = paths(with: BlueZName.gattService).filter { path in
            let found = properties(path, BlueZName.gattService) ?? [:]
            return found["Device"]?.text == device && found["UUID"]?.text?.lowercased() == service
        }
        return views(BlueZName.characteristic, BlueZCharacteristic.init(path:properties:)).first {
            $0.uuid == uuid && services.contains($0.service)
        }
    }

    private func views<View>(_ interface: String, _ view: (String, [String: BusValue]) -> View) -> [View] {
        paths(with: interface).map { view($0, properties($0, interface) ?? [:]) }
    }
}
