/// The known state of bluetoothd's objects: adapters, devices, services, characteristics.
///
/// A value type: its owner passes the bus's messages in, and it returns the changes.
struct BlueZObjects: Sendable {
    /// A change of the objects.
    enum Event: Sendable, Hashable {
        /// bluetoothd has started; its objects are requested and not known yet.
        case serviceStarted
        /// bluetoothd has ended, and all its objects are removed.
        case serviceEnded
        case added(path: String, interface: String)
        /// Properties were reported; their values may be unchanged.
        case changed(path: String, interface: String, properties: [String: BusValue])
        /// The value of a characteristic: the device has notified it, or a program has read it.
        case notified(path: String, value: WipedBytes)
        case removed(path: String, interface: String)
        /// A device's connection has ended; only newer versions of bluetoothd report it.
        case disconnected(path: String, reason: String)
    }

    /// The unique bus name of bluetoothd; nil if it is not running.
    private(set) var owner: String?
    /// Whether the objects are known.
    private(set) var isComplete = false
    private var objects: [String: [String: [String: BusValue]]] = [:]

    /// Processes a signal of bluetoothd or of the bus. Signals of other senders are ignored.
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

    /// Replaces all objects with the answer of `GetManagedObjects`.
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

    /// Processes the end of the connection to the bus.
    mutating func lose() -> [Event] { changeOwner(to: "") }

    /// The properties of an object's interface; nil if the object does not have the interface.
    func properties(_ path: String, _ interface: String) -> [String: BusValue]? { objects[path]?[interface] }

    /// Objects with an interface, in the order of their paths.
    func paths(with interface: String) -> [String] {
        objects.filter { $0.value[interface] != nil }.keys.sorted()
    }

    private mutating func changeOwner(to name: String) -> [Event] {
        guard name != owner ?? "" else { return [] }
        // The event with the reason precedes the removals.
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
        // bluetoothd invalidates the RSSI and the name of a device that is no longer in range.
        for name in invalidated { objects[path]?[interface]?[name] = nil }
        let event = Event.changed(path: path, interface: interface, properties: kept)
        guard kept["Value"] == nil, let value = changed["Value"]?.byteArray else { return [event] }
        let notified = Event.notified(path: path, value: value)
        return kept.isEmpty ? [notified] : [event, notified]
    }

    /// A value that a device has sent may be card data, and is not stored.
    private static func kept(_ properties: [String: BusValue], of interface: String) -> [String: BusValue] {
        interface == BlueZName.characteristic ? properties.filter { $0.key != "Value" } : properties
    }
}

/// An adapter of this computer, with the properties that bluetoothd reports.
struct BlueZAdapter: Sendable {
    let path: String
    let properties: [String: BusValue]

    /// The adapter's name in the system, such as `hci0`.
    var name: String { BlueZName.last(of: path) }
    var address: BluetoothAddress? { properties["Address"]?.text.flatMap { BluetoothAddress($0) } }
    var alias: String { properties["Alias"]?.text ?? properties["Name"]?.text ?? "" }
    var isPowered: Bool { properties["Powered"]?.boolean ?? false }
}

/// A device, with the properties that bluetoothd reports.
struct BlueZDevice: Sendable {
    let path: String
    let properties: [String: BusValue]

    var adapter: String { properties["Adapter"]?.text ?? "" }
    var address: BluetoothAddress? { properties["Address"]?.text.flatMap { BluetoothAddress($0) } }
    /// The name that the device advertises, not its alias, which is the address if the device has sent no name.
    var name: String? { properties["Name"]?.text }
    /// RSSI in dBm; the controller's 127 means not available (Core Specification, Vol 4, Part E, 7.7.65.2).
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
    /// Bytes in a packet of the link (the ATT MTU), three of which are its header; nil if bluetoothd is too old to
    /// report it.
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

    /// The device with this address; if several adapters know it, the connected one.
    func device(with address: BluetoothAddress) -> BlueZDevice? {
        let known = devices.filter { $0.address == address }
        return known.first(where: \.isConnected) ?? known.first
    }

    /// The charge of a device's battery, in percent; nil if the device does not report it.
    func batteryLevel(of device: String) -> Int? { properties(device, BlueZName.battery)?["Percentage"]?.integer }

    /// The characteristic of a device with these service and characteristic UUIDs.
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
