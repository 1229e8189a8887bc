public import JackdawTransport

extension Bluetooth {
    /// Pairs a device and trusts it, so that it may connect by itself from then on. Scans for the device if bluetoothd
    /// does not know it. A device that is already paired stays paired.
    /// - Parameters:
    ///   - address: the device's address.
    ///   - radio: the radio to scan with.
    ///   - agent: answers the questions of the pairing.
    /// - Throws: `LinkError`: `rejected`, `outOfRange`, `timedOut`, ...
    public func pair(
        _ address: BluetoothAddress, radio: BluetoothRadio = .any, agent: any PairingAgent
    ) async throws(LinkError) {
        let client = try await client()
        let link = address.description
        let device = try await client.device(address, link: link, radio: radio, within: GATTDevice.searchLimit)
        try await PairingSession(device, link: link, agent: agent, by: client).run()
    }

    /// Removes a device and its pairing keys.
    /// - Parameter address: the device's address.
    /// - Throws: `LinkError`: `notFound` if bluetoothd does not know the device.
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

    /// Lists the devices that bluetoothd knows: paired ones, connected ones, and those seen recently.
    /// - Returns: each device, with the name of its link.
    /// - Throws: `LinkError`: `serviceMissing`, `notPermitted`.
    public func knownDevices() async throws(LinkError) -> [FoundDevice] {
        try await client().objects.devices.compactMap { FoundDevice($0, by: .any) }
    }

    /// Connects a device over Bluetooth Low Energy. Scans for the device if bluetoothd does not know it.
    /// - Parameter address: the device's address.
    /// - Returns: the device, after its services have been resolved.
    /// - Throws: `LinkError`: `outOfRange`, `adapterOff`, `pairedElsewhere`, ...
    public func connect(_ address: BluetoothAddress) async throws(LinkError) -> GATTDevice {
        try await GATTDevice.connect(address, by: client())
    }

    /// Connects a device over Bluetooth Low Energy and opens a link over two of its characteristics.
    /// - Parameters:
    ///   - address: the device's address.
    ///   - profile: the characteristics and packet sizes of the device's family.
    /// - Returns: the link.
    /// - Throws: `LinkError`: `unsupported` if the device is of another family.
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
