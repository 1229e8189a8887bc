public import JackdawTransport

extension Bluetooth {
    /// Pairs a device, which is looked for where it is not known, and lets it connect by itself from then on. One that is
    /// paired already is left so.
    /// - Parameters:
    ///   - address: of the device.
    ///   - radio: how to look for it.
    ///   - agent: answers what pairing asks.
    /// - Throws: `LinkError`: `rejected`, `outOfRange`, `timedOut`, ...
    public func pair(
        _ address: BluetoothAddress, radio: BluetoothRadio = .any, agent: any PairingAgent
    ) async throws(LinkError) {
        let client = try await client()
        let link = address.description
        let device = try await client.device(address, link: link, radio: radio, within: GATTDevice.searchLimit)
        try await PairingSession(device, link: link, agent: agent, by: client).run()
    }

    /// Forgets a device and its keys.
    /// - Parameter address: of the device.
    /// - Throws: `LinkError`: `notFound` where it is not known.
    public func forget(_ address: BluetoothAddress) async throws(LinkError) {
        let client = try await client()
        guard let device = await client.objects.device(with: address) else {
            throw LinkError(.notFound, link: address.description)
        }
        do throws(BusError) {
            try await client.call(device.adapter, BlueZName.adapter, "RemoveDevice", [.objectPath(device.path)])
        } catch {
            throw LinkError(error, link: address.description, while: .pairing)
        }
    }

    /// Devices that bluetoothd knows: paired ones, connected ones, and those that were heard of late.
    /// - Returns: each device, with the link that opens it.
    /// - Throws: `LinkError`: `serviceMissing`, `notPermitted`.
    public func knownDevices() async throws(LinkError) -> [FoundDevice] {
        try await client().objects.devices.compactMap { FoundDevice($0, by: .any) }
    }

    /// Connects a device over Bluetooth Low Energy. It is looked for where it is not known.
    /// - Parameter address: of the device.
    /// - Returns: the device, with its services known.
    /// - Throws: `LinkError`: `outOfRange`, `adapterOff`, `pairedElsewhere`, ...
    public func connect(_ address: BluetoothAddress) async throws(LinkError) -> GATTDevice {
        try await GATTDevice.connect(address, by: client())
    }

    /// Connects a device over Bluetooth Low Energy and opens a link by two of its characteristics.
    /// - Parameters:
    ///   - address: of the device.
    ///   - profile: how its family carries bytes.
    /// - Returns: the link.
    /// - Throws: `LinkError`: `unsupported` where the device is of another family.
    public func connect(_ address: BluetoothAddress, profile: GATTProfile) async throws(LinkError) -> GATTLink {
        let device = try await connect(address)
        do throws(LinkError) {
            return try await GATTLink.open(device, profile)
        } catch {
            await device.undoConnection()
            throw error
        }
    }
}
