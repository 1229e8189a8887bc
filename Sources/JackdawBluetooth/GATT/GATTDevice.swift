internal import JackdawSystem
public import JackdawTransport

/// A device that is connected over Bluetooth Low Energy, and its GATT services.
public struct GATTDevice: Sendable {
    /// The name of the link to the device: `ble:ADDRESS`.
    public let link: LinkName
    let client: BlueZClient
    let path: String
    /// Whether the device was connected already: another program uses it, so closing does not disconnect it.
    private let wasConnected: Bool

    /// The time limits to find a device, to connect it, and to resolve its services.
    static let searchLimit = Duration.seconds(10)
    static let connectionLimit = Duration.seconds(40)
    static let resolutionLimit = Duration.seconds(30)

    /// Connects a device and waits until its services are resolved.
    static func connect(_ address: BluetoothAddress, by client: BlueZClient) async throws(LinkError) -> GATTDevice {
        let link = LinkName(.ble, address.description)
        let found = try await client.device(address, link: link.description, radio: .lowEnergy, within: searchLimit)
        let device = GATTDevice(link: link, client: client, path: found.path, wasConnected: found.isConnected)
        do throws(LinkError) {
            do throws(BusError) {
                try await device.attempt()
            } catch {
                // bluetoothd aborts its own attempt when the device advertises at the wrong moment; the next attempt
                // succeeds.
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

    /// Ends the connection if this value has made it.
    func undoConnection() async {
        if !wasConnected { await disconnect() }
    }

    /// Reads the value of a characteristic.
    /// - Parameters:
    ///   - service: UUID of its service.
    ///   - characteristic: its UUID.
    /// - Returns: the value. If it is card data, the caller must overwrite it.
    /// - Throws: `LinkError`: `unsupported` if the device has no such characteristic.
    public func read(service: String, characteristic: String) async throws(LinkError) -> [UInt8] {
        try await read(find(service, characteristic)).array
    }

    /// Writes the value of a characteristic.
    /// - Parameters:
    ///   - value: the bytes to write.
    ///   - service: UUID of its service.
    ///   - characteristic: its UUID.
    ///   - isAcknowledged: whether to wait for the device's response.
    /// - Throws: `LinkError` if the device has no such characteristic, or the write fails.
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

    /// The charge of the battery, in percent; nil if the device does not report it.
    public var batteryLevel: Int? {
        get async { await client.objects.batteryLevel(of: path) }
    }

    /// The battery reports of the device: the last one at once, if there is one, then each new one. Only the latest
    /// report is buffered.
    /// - Returns: reports, until the connection ends or the caller ends the stream.
    public func batteryReports() async -> AsyncStream<BatteryReport> { await client.batteryReports(of: path) }

    /// Reads the device information service.
    /// - Returns: the values, nil for each one that the device does not have.
    /// - Throws: `LinkError` if a value cannot be read.
    public func information() async throws(LinkError) -> DeviceInformation {
        var information = DeviceInformation()
        for (uuid, field) in DeviceInformation.fields {
            let found = await client.objects.characteristic(of: path, service: DeviceInformation.service, uuid: uuid)
            guard let found else { continue }
            // Some devices end their strings with a zero byte, as in C.
            let text = try await read(found).array.prefix { $0 != 0 }
            information[keyPath: field] = String(decoding: text, as: UTF8.self)
        }
        return information
    }

    /// Ends the connection of the device.
    public func disconnect() async { await client.undo(path, BlueZName.device, "Disconnect") }

    /// The characteristic with these service and characteristic UUIDs.
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

    /// Acquires a socket for the notifications of a characteristic. bluetoothd loses no notification on it as long as
    /// the socket has space; the loop empties it whenever its thread is free.
    func acquireNotifications(_ characteristic: BlueZCharacteristic) async throws(LinkError) -> AcquiredSocket {
        try await acquire("AcquireNotify", characteristic)
    }

    /// Acquires a socket for writes to a characteristic without a response.
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
                throw .badMessage("the answer has no socket")
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

/// The values of a device's device information service; nil for each one that the device does not have.
public struct DeviceInformation: Sendable, Hashable {
    /// The name of the manufacturer.
    public var manufacturer: String?
    /// The manufacturer's name of the model.
    public var model: String?
    /// The serial number of this device.
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
    /// The battery reports of a connected device: the last one at once, if there is one, then each new one.
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
