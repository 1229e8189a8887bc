public import JackdawBluetooth
public import JackdawTransport

extension LinuxDevices {
    /// Opens a link of bytes to a reader.
    /// - Parameters:
    ///   - link: `rfcomm:` and an address, with `/` and a channel where that is known, or `ble:` and an address.
    ///   - profile: how the family of readers carries bytes over Bluetooth Low Energy; needed for `ble:`.
    ///   - route: who connects `rfcomm:`.
    /// - Returns: the open link.
    /// - Throws: `LinkError`: what there is in the way, and what to do about it.
    public func connect(
        _ link: LinkName, profile: GATTProfile? = nil, route: SerialRoute = .kernel
    ) async throws(LinkError) -> any Transport {
        switch link.scheme {
        case .rfcomm:
            let address = try RFCOMMAddress(link)
            guard route == .bluetoothd else { return try await serialPorts.connect(to: address) }
            guard address.channel == nil else {
                throw LinkError(
                    .unsupported, link: link.description, "bluetoothd finds the channel itself",
                    remedy: "leave it out: \(RFCOMMAddress(device: address.device).link)")
            }
            return try await bluetooth.serialPort(address.device)
        case .ble:
            guard let address = BluetoothAddress(link.address) else {
                throw LinkError(
                    .badName, link: link.description, "no address of a device",
                    remedy: "one has six pairs of digits: ble:AA:BB:CC:DD:EE:FF")
            }
            guard let profile else {
                throw LinkError(
                    .unsupported, link: link.description, "it is not known how this device carries bytes",
                    remedy: "name its service and its characteristics")
            }
            return try await bluetooth.connect(address, profile: profile)
        case .tcp, .pty, .sim, .record, .replay:
            throw LinkError(.unsupported, link: link.description, "no such link can be opened yet")
        case .alsa, .wav:
            throw LinkError(.unsupported, link: link.description, "carries sound and no bytes")
        }
    }
}
