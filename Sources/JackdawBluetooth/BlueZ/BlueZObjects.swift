/// What bluetoothd's objects look like, as far as it has told: adapters, devices, services, characteristics.
///
/// A value that is fed the bus's messages and answers with what they changed.
struct BlueZObjects: Sendable {
    /// Something that changed.
    enum Event: Sendable, Hashable {
        /// bluetoothd has come; its objects are asked for and not here yet.
        case serviceStarted
        /// bluetoothd has gone, and all objects with it.
        case serviceEnded
        case added(path: String, interface: String)
        /// Properties that were told anew, which may be the same as before.
        case changed(path: String, interface: String, properties: [String: BusValue])
        /// The value of a characteristic: the device has notified of it, or a program has read it.
        case notified(path: String, value: WipedBytes)
        case removed(path: String, interface: String)
        /// A device's connection has ended, in newer versions of bluetoothd.
        case disconnected(path: String, reason: String)
    }

    /// The unique name of bluetoothd on the bus; nil where it does not run.
    private(set) var owner: String?
    /// Whether its objects are here.
    private(set) var isComplete = false
    private var objects: [String: [String: [String: BusValue]]] = [:]

    /// Takes in a signal of bluetoothd or of the bus. Others' are not heeded.
    mutating func receive(_ signal: BusSignal) -> [Event] {
        let body = signal.body
        if signal.interface == "org.freedesktop.DBus" {
            guard signal.member == "NameOwnerChanged", body[0]?.text == BlueZName.service else { return [] }
            return changeOwner(to: body[2]?.text ?? "")
        }
        guard isComplete, signal.sender == owner else { return [] }
        switch (signal.interface, signal.member) {
        case (BlueZName.objectManager, "InterfacesAdded"):
            guard let path = body[0]?.text, let interfaces = body[1]?.entries else { return [] }
            return interfaces.flatMap { add(path, $0.key, $0.value.entries ?? [:]) }
        case (BlueZName.objectManager, "InterfacesRemoved"):
            guard let path = body[0]?.text, let interfaces = body[1]?.texts else { return [] }
            return interfaces.flatMap { remove(path, $0) }
        case (BlueZName.properties, "PropertiesChanged"):
            guard let interface = body[0]?.text, let changed = body[1]?.entries else { return [] }
            return change(signal.path, interface, changed.mapValues(\.content), invalidated: body[2]?.texts ?? [])
        case (BlueZName.device, "Disconnected"):
            return [.disconnected(path: signal.path, reason: body[0]?.text ?? "")]
        default: return []
        }
    }

    /// Takes in all objects, as `GetManagedObjects` answers them.
    mutating func replace(with reply: BusReply) -> [Event] {
        var events = removeAll()
        owner = reply.sender
        isComplete = true
        for (path, interfaces) in reply.body[0]?.entries ?? [:] {
            for (interface, properties) in interfaces.entries ?? [:] {
                events += add(path, interface, properties.entries ?? [:])
            }
        }
        return events
    }

    /// The connection to the bus has ended.
    mutating func lose() -> [Event] { changeOwner(to: "") }

    /// The properties of an object's interface; nil where it has none such.
    func properties(_ path: String, _ interface: String) -> [String: BusValue]? { objects[path]?[interface] }

    /// Objects with an interface, in the order of their paths.
    func paths(with interface: String) -> [String] {
        objects.filter { $0.value[interface] != nil }.keys.sorted()
    }

    private mutating func changeOwner(to name: String) -> [Event] {
        guard name != owner ?? "" else { return [] }
        // Why objects go is told before them.
        var events: [Event] = owner == nil ? [] : [.serviceEnded]
        events += removeAll()
        isComplete = false
        owner = name.isEmpty ? nil : name
        if owner != nil { events.append(.serviceStarted) }
        return events
    }

    private mutating func removeAll() -> [Event] {
        let events = objects.keys.sorted().flatMap { path in
            (objects[path] ?? [:]).keys.sorted().map { Event.removed(path: path, interface: $0) }
        }
        objects = [:]
        return events
    }

    private mutating func add(_ path: String, _ interface: String, _ properties: [String: BusValue]) -> [Event] {
        objects[path, default: [:]][interface] = Self.kept(properties, of: interface).mapValues(\.content)
        return [.added(path: path, interface: interface)]
    }

    private mutating func remove(_ path: String, _ interface: String) -> [Event] {
        guard objects[path]?.removeValue(forKey: interface) != nil else { return [] }
        if objects[path]?.isEmpty == true { objects[path] = nil }
        return [.removed(path: path, interface: interface)]
    }

    private mutating func change(
        _ path: String, _ interface: String, _ changed: [String: BusValue], invalidated: [String]
    ) -> [Event] {
        guard objects[path]?[interface] != nil else { return [] }
        let kept = Self.kept(changed, of: interface)
        objects[path]?[interface]?.merge(kept) { $1 }
        // RSSI and names of devices go this way when they are not heard any more.
        for name in invalidated { objects[path]?[interface]?[name] = nil }
        let event = Event.changed(path: path, interface: interface, properties: kept)
        guard kept["Value"] == nil, let value = changed["Value"]?.byteArray else { return [event] }
        let notified = Event.notified(path: path, value: value)
        return kept.isEmpty ? [notified] : [event, notified]
    }

    /// What a device has sent may be card data, and is not kept.
    private static func kept(_ properties: [String: BusValue], of interface: String) -> [String: BusValue] {
        interface == BlueZName.characteristic ? properties.filter { $0.key != "Value" } : properties
    }
}

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
