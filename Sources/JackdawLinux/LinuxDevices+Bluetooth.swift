public import JackdawBluetooth
public import JackdawTransport

extension LinuxDevices {
    /// Opens a link of bytes to a reader. It is opened by the kernel's own sockets or by bluetoothd.
    /// - Parameters:
    ///   - link: `rfcomm:` and an address, with `/` and a channel where that is known, or `ble:` and an address.
    ///   - profile: how the family of readers carries bytes over Bluetooth Low Energy; needed for `ble:`.
    ///   - bluetooth: this computer's Bluetooth, for `ble:`.
    /// - Returns: the open link.
    /// - Throws: `LinkError`: what there is in the way, and what to do about it.
    public func connect(
        _ link: LinkName, profile: GATTProfile? = nil, by bluetooth: Bluetooth = Bluetooth()
    ) async throws(LinkError) -> any Transport {
        switch link.scheme {
        case .rfcomm:
            return try await RFCOMMConnector().connect(to: RFCOMMAddress(link))
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
        case .alsa, .wav:
            throw LinkError(.unsupported, link: link.description, "carries sound and no bytes")
        }
    }
}
