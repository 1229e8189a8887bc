import JackdawSystem

@testable import JackdawBluetooth

/// bluetoothd as far as its clients see it, on a private bus: an adapter and a reader that
/// echoes what is written to it.
///
/// A write `E...` comes back as a notification, `N<count>` sends so many, `D` sends five and drops the link.
actor MockBlueZ {
    static let reader = "F0:F1:F2:F3:F4:F5"
    static let serialPort = "00001101-0000-1000-8000-00805f9b34fb"
    static let adapter = "/org/bluez/hci0"
    static let device = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5"
    static let service = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5/service0010"
    /// The characteristic that notifies.
    static let notifying = "\(service)/char3"
    static func uuid(_ number: Int) -> String { "7a0c000\(number)-5a5a-4b4b-9c9c-0123456789ab" }

    /// What a device asks when it is paired: a method of the agent, and its arguments after the device.
    struct Question: Sendable {
        var member: String
        var values: [BusValue] = []
    }

    let bus: Bus
    /// Methods that were called, in order.
    private(set) var calls: [String] = []
    /// Answers of the agent to what pairing asked.
    var answers: [Result<[BusValue], BusError>] = []
    var objects: [String: [String: [String: BusValue]]] = [:]
    private var exports: [String: Bus.Registration] = [:]
    private var failures: [String: [BusError]] = [:]
    private var silent: Set<String> = []
    /// Programs that look for devices, and the filter of each.
    private(set) var searches: Set<String> = []
    private(set) var filters: [String: BusValue] = [:]
    /// The value that a characteristic reports just before its notifications are switched on.
    private var earlyValue: WipedBytes?
    private var expected: [(member: String, continuation: CheckedContinuation<Void, Never>)] = []
    var questions: [Question] = []
    /// What the reader says of itself, by the short UUIDs of characteristics.
    var information: [String: String] = [:]
    var agent: (sender: String, path: String)?
    var profiles: [String: (sender: String, path: String)] = [:]
    var notifySocket: Int32?
    var writeSocket: (descriptor: Int32, watch: Watch)?
    var serialSocket: (descriptor: Int32, watch: Watch)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe bus.unownedExecutor }

    private init(_ bus: Bus) { self.bus = bus }

    /// Starts it, after the test has set it up.
    static func start(
        on daemon: PrivateBus, _ arrange: (MockBlueZ) async -> Void = { _ in }
    ) async throws -> MockBlueZ {
        let mock = MockBlueZ(try await daemon.connect())
        await arrange(mock)
        try await mock.begin()
        return mock
    }

    /// Ends it, as when bluetoothd is stopped.
    func stop() async {
        closeSockets()
        await bus.close()
    }

    // What tests arrange.

    /// Lets the next calls of a method fail.
    func fail(_ member: String, _ errors: BusError...) { failures[member, default: []] += errors }
    /// Lets calls of a method go without an answer.
    func silence(_ member: String) { silent.insert(member) }
    /// Lets calls of a method be answered again.
    func unsilence(_ member: String) { silent.remove(member) }
    /// Lets a characteristic report a value just before its notifications are switched on.
    func tellEarly(_ value: WipedBytes) { earlyValue = value }
    /// What the reader says of itself.
    func inform(_ information: [String: String]) { self.information = information }
    /// What the device asks when it is paired.
    func ask(_ questions: [Question]) { self.questions = questions }
    func set(_ path: String, _ interface: String, _ properties: [String: BusValue]) throws(BusError) {
        objects[path]?[interface]?.merge(properties) { $1 }
        let variants = BusValue.options(properties)
        try signal(path, BlueZName.properties, "PropertiesChanged", [.string(interface), variants, .strings([])])
    }
    /// Reports that a property was removed.
    func withdraw(_ property: String, of interface: String, from path: String) throws(BusError) {
        objects[path]?[interface]?[property] = nil
        try signal(
            path, BlueZName.properties, "PropertiesChanged",
            [.string(interface), .options([:]), .strings([property])])
    }
    func addInterface(_ interface: String, _ properties: [String: BusValue], to path: String) throws(BusError) {
        objects[path]?[interface] = properties
        try signal(
            "/", BlueZName.objectManager, "InterfacesAdded",
            [.objectPath(path), Self.interfaces([interface: properties])])
    }
    func remove(_ path: String) async throws(BusError) {
        guard let interfaces = objects.removeValue(forKey: path) else { return }
        if let export = exports.removeValue(forKey: path) { await bus.remove(export) }
        try signal(
            "/", BlueZName.objectManager, "InterfacesRemoved",
            [.objectPath(path), .strings(interfaces.keys.sorted())])
    }
    /// Reports the device that is near.
    func appear() async throws(BusError) {
        guard objects[Self.device] == nil else { return }
        try await add(
            Self.device,
            [
                BlueZName.device: [
                    "Address": .string(Self.reader), "AddressType": .string("public"), "Name": .string("Sim Reader"),
                    "Alias": .string("Sim Reader"), "Paired": .boolean(false), "Trusted": .boolean(false),
                    "Connected": .boolean(false), "ServicesResolved": .boolean(false), "RSSI": .int16(-50),
                    "UUIDs": .strings([Self.serialPort, Self.uuid(1)]), "Adapter": .objectPath(Self.adapter),
                ]
            ])
    }
    /// Drops the link, for a reason if bluetoothd is new enough to report one.
    func drop(reason: String? = nil) async throws(BusError) {
        closeSockets()
        if let reason {
            try signal(Self.device, BlueZName.device, "Disconnected", [.string(reason), .string("")])
        }
        for path in objects.keys.sorted().reversed() where path.hasPrefix("\(Self.device)/") { try await remove(path) }
        try set(Self.device, BlueZName.device, ["ServicesResolved": .boolean(false), "Connected": .boolean(false)])
    }
    func property(_ path: String, _ interface: String, _ name: String) -> BusValue? { objects[path]?[interface]?[name] }
    /// Waits until a method was called.
    func called(_ member: String) async {
        if calls.contains(where: { $0.hasPrefix(member) }) { return }
        await withCheckedContinuation { expected.append((member, $0)) }
    }

    // What bluetoothd does.

    private func begin() async throws(BusError) {
        try await export("/")
        try await add(BlueZName.root, [BlueZName.agentManager: [:], BlueZName.profileManager: [:]])
        try await add(
            Self.adapter,
            [
                BlueZName.adapter: [
                    "Address": .string("E0:E1:E2:E3:E4:E5"), "Alias": .string("mock"), "Powered": .boolean(true),
                    "Discovering": .boolean(false),
                ]
            ])
        _ = try await bus.call(.daemon("RequestName", .string(BlueZName.service), .uint32(4)))
    }

    private func export(_ path: String) async throws(BusError) {
        exports[path] = try await bus.export(path) { [weak self] request in
            self?.assumeIsolated { $0.receive(request) }
        }
    }

    func add(_ path: String, _ interfaces: [String: [String: BusValue]]) async throws(BusError) {
        objects[path] = interfaces
        try await export(path)
        try signal(
            "/", BlueZName.objectManager, "InterfacesAdded", [.objectPath(path), Self.interfaces(interfaces)])
    }

    private static func interfaces(_ interfaces: [String: [String: BusValue]]) -> BusValue {
        let entries = interfaces.map { (BusValue.string($0.key), BusValue.options($0.value)) }
        return .dictionary(Dictionary(uniqueKeysWithValues: entries), key: "s", value: "a{sv}")
    }

    private func signal(
        _ path: String, _ interface: String, _ member: String, _ values: [BusValue]
    ) throws(BusError) {
        // On one loop with the bus, so that signals and answers keep their order.
        let result: Result<Void, BusError> = bus.assumeIsolated { bus in
            do throws(BusError) {
                try bus.emit(BusSignal(path: path, interface: interface, member: member, body: BusBody(values)))
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func receive(_ request: BusRequest) {
        let detail = request.body.values.first?.text.map { " \($0)" } ?? ""
        calls.append(request.member + detail)
        for waiting in expected where waiting.member == request.member { waiting.continuation.resume() }
        expected.removeAll { $0.member == request.member }
        if let failure = failures[request.member]?.first {
            failures[request.member]?.removeFirst()
            return reply(request, .failure(failure))
        }
        guard !silent.contains(request.member) else { return }
        Task {
            do throws(BusError) {
                reply(request, .success(try await answer(to: request)))
            } catch {
                reply(request, .failure(error))
            }
        }
    }

    private func reply(_ request: BusRequest, _ result: Result<BusBody, BusError>) {
        bus.assumeIsolated { $0.answer(request, result) }
    }

    static func error(_ name: String, _ message: String = "") -> BusError {
        BusError(name: "org.bluez.Error.\(name)", message: message)
    }

    private func answer(to request: BusRequest) async throws(BusError) -> BusBody {
        let body = request.body
        switch request.member {
        case "GetManagedObjects":
            let entries = objects.map { (BusValue.objectPath($0.key), Self.interfaces($0.value)) }
            return BusBody([.dictionary(Dictionary(uniqueKeysWithValues: entries), key: "o", value: "a{sa{sv}}")])
        case "Get": return BusBody([.variant(property(Self.device, BlueZName.device, "Connected") ?? .boolean(false))])
        case "Set":
            try set(request.path, body[0]?.text ?? "", [body[1]?.text ?? "": body[2]?.content ?? .boolean(false)])
        case "RegisterAgent": agent = (request.sender, body[0]?.text ?? "")
        case "UnregisterAgent": agent = nil
        case "RegisterProfile": profiles[body[1]?.text ?? ""] = (request.sender, body[0]?.text ?? "")
        case "UnregisterProfile": profiles = profiles.filter { $0.value.path != body[0]?.text }
        case "CancelPairing", "StopNotify": break
        case "SetDiscoveryFilter": filters[request.sender] = body[0]
        case "StartDiscovery":
            guard searches.insert(request.sender).inserted else {
                throw Self.error("InProgress", "Operation already in progress")
            }
            try set(request.path, BlueZName.adapter, ["Discovering": .boolean(true)])
            try await appear()
        case "StopDiscovery":
            searches.remove(request.sender)
            try set(request.path, BlueZName.adapter, ["Discovering": .boolean(!searches.isEmpty)])
        case "RemoveDevice":
            try await drop()
            try await remove(Self.device)
        case "Connect": try await connect()
        case "Disconnect": try await drop()
        case "Pair": try await pair()
        case "ConnectProfile": try await connectProfile(body[0]?.text ?? "")
        case "ReadValue":
            let value = property(request.path, BlueZName.characteristic, "Value") ?? .bytes([])
            // A value that was read is reported too, before the answer.
            try set(request.path, BlueZName.characteristic, ["Value": value])
            return BusBody([value])
        case "WriteValue": try await command(body[0]?.byteArray?.array ?? [])
        case "StartNotify":
            if let earlyValue { try set(request.path, BlueZName.characteristic, ["Value": .bytes(earlyValue)]) }
            try set(request.path, BlueZName.characteristic, ["Notifying": .boolean(true)])
        case "AcquireNotify": return try acquireNotify()
        case "AcquireWrite": return try acquireWrite()
        default: throw BusError(name: BusError.Name.unknownMethod, message: request.member)
        }
        return BusBody()
    }
}
