internal import JackdawSystem
public import JackdawTransport

/// A device that is connected over Bluetooth Low Energy, and what it offers.
public struct GATTDevice: Sendable {
    /// What it is opened by.
    public let link: LinkName
    let client: BlueZClient
    let path: String
    /// Whether it was connected before: somebody else uses it.
    private let wasConnected: Bool

    /// How long a device may take to be found, to be connected, and to tell of its services.
    static let searchLimit = Duration.seconds(10)
    static let connectionLimit = Duration.seconds(40)
    static let resolutionLimit = Duration.seconds(30)

    /// Connects a device and waits until its services are known.
    static func connect(_ address: BluetoothAddress, by client: BlueZClient) async throws(LinkError) -> GATTDevice {
        let link = LinkName(.ble, address.description)
        let found = try await client.device(address, link: link.description, radio: .lowEnergy, within: searchLimit)
        let device = GATTDevice(link: link, client: client, path: found.path, wasConnected: found.isConnected)
        do throws(LinkError) {
            do throws(BusError) {
                try await device.attempt()
            } catch {
                // bluetoothd gives up its own attempt when the device advertises at the wrong moment; the next one succeeds.
                guard BlueZCause(error, while: .connecting) == .brokenOff else { throw device.failure(error) }
                do throws(BusError) { try await device.attempt() } catch { throw device.failure(error) }
            }
            try await device.waitForServices()
        } catch {
            // Busy: another program connects it.
            if error.code != .busy { await device.undoConnection() }
            throw error
        }
        return device
    }

    /// Ends its connection where it was made for this.
    func undoConnection() async {
        if !wasConnected { await disconnect() }
    }

    /// Reads a characteristic.
    /// - Parameters:
    ///   - service: UUID of its service.
    ///   - characteristic: its UUID.
    /// - Returns: its value. It is the caller's to overwrite where it is card data.
    /// - Throws: `LinkError`: `unsupported` where the device has no such characteristic.
    public func read(service: String, characteristic: String) async throws(LinkError) -> [UInt8] {
        try await read(find(service, characteristic)).array
    }

    /// Writes a characteristic.
    /// - Parameters:
    ///   - value: what to write.
    ///   - service: UUID of its service.
    ///   - characteristic: its UUID.
    ///   - isAcknowledged: whether the device's answer is waited for.
    /// - Throws: `LinkError`.
    public func write(
        _ value: [UInt8], service: String, characteristic: String, isAcknowledged: Bool = true
    ) async throws(LinkError) {
        let characteristic = try await find(service, characteristic)
        do throws(BusError) {
            try await write(WipedBytes(value), to: characteristic.path, isAcknowledged: isAcknowledged)
        } catch {
            throw failure(error, undelivered: value.count)
        }
    }

    /// How full its battery is, in percent; nil where it does not tell.
    public var batteryLevel: Int? {
        get async { await client.objects.batteryLevel(of: path) }
    }

    /// What it says of its battery: at once where it has, and whenever it says so again. Only the latest waits to be taken.
    /// - Returns: reports, until the connection has ended or the stream is given up.
    public func batteryReports() async -> AsyncStream<BatteryReport> { await client.batteryReports(of: path) }

    /// What it says of itself.
    /// - Returns: what it says, with nil for what it does not.
    /// - Throws: `LinkError`.
    public func information() async throws(LinkError) -> DeviceInformation {
        var information = DeviceInformation()
        for (uuid, field) in DeviceInformation.fields {
            let found = await client.objects.characteristic(of: path, service: DeviceInformation.service, uuid: uuid)
            guard let found else { continue }
            // Some devices end their texts as C does.
            let text = try await read(found).array.prefix { $0 != 0 }
            information[keyPath: field] = String(decoding: text, as: UTF8.self)
        }
        return information
    }

    /// Ends its connection.
    public func disconnect() async { await client.undo(path, BlueZName.device, "Disconnect") }

    /// A characteristic by the UUIDs of it and of its service.
    func find(_ service: String, _ characteristic: String) async throws(LinkError) -> BlueZCharacteristic {
        let objects = await client.objects
        guard objects.device(path)?.isConnected == true else { throw LinkError(.disconnected, link: link.description) }
        let found = objects.characteristic(
            of: path, service: service.lowercased(), uuid: characteristic.lowercased())
        guard let found else {
            throw LinkError(.unsupported, link: link.description, underlying: "no \(characteristic)")
        }
        return found
    }

    func write(_ value: WipedBytes, to path: String, isAcknowledged: Bool) async throws(BusError) {
        let options = BusValue.options(["type": .string(isAcknowledged ? "request" : "command")])
        try await client.call(path, BlueZName.characteristic, "WriteValue", [.bytes(value), options])
    }

    /// Takes a socket for what a characteristic notifies of. bluetoothd loses none on this way as long as
    /// the socket has room; it is emptied whenever the loop's thread is free.
    func acquireNotifications(_ characteristic: BlueZCharacteristic) async throws(LinkError) -> AcquiredSocket {
        try await acquire("AcquireNotify", characteristic)
    }

    /// Takes a socket for what is written to a characteristic without an answer.
    func acquireWriting(_ characteristic: BlueZCharacteristic) async throws(LinkError) -> AcquiredSocket {
        try await acquire("AcquireWrite", characteristic)
    }

    func failure(_ error: BusError, undelivered: Int = 0) -> LinkError {
        LinkError(error, link: link.description, while: .connecting, undelivered: undelivered)
    }

    private func acquire(
        _ member: String, _ characteristic: BlueZCharacteristic
    ) async throws(LinkError) -> AcquiredSocket {
        do throws(BusError) {
            let body = try await client.call(characteristic.path, BlueZName.characteristic, member, [.options([:])])
            guard let descriptor = body.descriptor(at: 0), let size = body[1]?.integer else {
                throw .badMessage("a socket was to come")
            }
            return AcquiredSocket(descriptor: descriptor, packetSize: size)
        } catch {
            throw failure(error)
        }
    }

    private func read(_ characteristic: BlueZCharacteristic) async throws(LinkError) -> WipedBytes {
        do throws(BusError) { return try await client.read(characteristic.path) } catch { throw failure(error) }
    }

    private func attempt() async throws(BusError) {
        do throws(BusError) {
            try await client.call(path, BlueZName.device, "Connect", within: Self.connectionLimit)
        } catch {
            guard error.name != "org.bluez.Error.AlreadyConnected" else { return }
            throw error
        }
    }

    private func waitForServices() async throws(LinkError) {
        let late = LinkError(.timedOut, link: link.description, underlying: "its services are not known yet")
        let isConnected = try await withDeadline(Self.resolutionLimit, of: client.clock, late: late) {
            () throws(LinkError) in
            do throws(BusError) {
                return try await client.wait { [path] objects -> Bool? in
                    guard let device = objects.device(path), device.isConnected else { return false }
                    return device.areServicesResolved ? true : nil
                }
            } catch {
                throw failure(error)
            }
        }
        guard !isConnected else { return }
        throw LinkError(await client.objects.isComplete ? .brokenOff : .serviceMissing, link: link.description)
    }
}

/// What a device says of itself in its device information service; nil where it does not.
public struct DeviceInformation: Sendable, Hashable {
    /// Who made it.
    public var manufacturer: String?
    /// What kind it is.
    public var model: String?
    /// Which one it is.
    public var serialNumber: String?
    /// The version of its hardware.
    public var hardwareRevision: String?
    /// The version of its firmware.
    public var firmwareRevision: String?
    /// The version of its software.
    public var softwareRevision: String?

    static let service = "0000180a-0000-1000-8000-00805f9b34fb"
    /// The characteristics, by Bluetooth's assigned numbers.
    static let fields: [(uuid: String, field: any WritableKeyPath<DeviceInformation, String?> & Sendable)] = [
        ("00002a29-0000-1000-8000-00805f9b34fb", \.manufacturer), ("00002a24-0000-1000-8000-00805f9b34fb", \.model),
        ("00002a25-0000-1000-8000-00805f9b34fb", \.serialNumber),
        ("00002a27-0000-1000-8000-00805f9b34fb", \.hardwareRevision),
        ("00002a26-0000-1000-8000-00805f9b34fb", \.firmwareRevision),
        ("00002a28-0000-1000-8000-00805f9b34fb", \.softwareRevision),
    ]
}

extension BlueZClient {
    /// What a connected device says of its battery: at once where it has, and whenever it says so again.
    func batteryReports(of path: String) -> AsyncStream<BatteryReport> {
        let (reports, continuation) = AsyncStream.makeStream(
            of: BatteryReport.self, bufferingPolicy: .bufferingNewest(1))
        guard objects.device(path)?.isConnected == true else {
            continuation.finish()
            return reports
        }
        let tell: @Sendable (BlueZObjects) -> Void = { objects in
            guard let level = objects.batteryLevel(of: path) else { return }
            continuation.yield(BatteryReport(percent: level))
        }
        tell(objects)
        let number = observe { [weak self] event in
            switch event {
            case .added(path, BlueZName.battery), .changed(path, BlueZName.battery, _):
                self?.assumeIsolated { tell($0.objects) }
            case .changed(path, BlueZName.device, let properties) where properties["Connected"] == .boolean(false):
                continuation.finish()
            case .removed(path, BlueZName.device), .serviceEnded: continuation.finish()
            default: break
            }
        }
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            Task { await self.forget(number) }
        }
        return reports
    }
}
