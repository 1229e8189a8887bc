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
