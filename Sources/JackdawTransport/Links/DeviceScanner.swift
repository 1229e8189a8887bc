/// Scans for devices that a link can be opened to, such as Bluetooth devices in range.
public protocol DeviceScanner: Sendable {
    /// Scans for devices.
    /// - Parameter duration: how long to scan; nil scans until the caller ends the stream.
    /// - Returns: each device when the scanner first sees it, and again when one of its values changes. The stream ends
    ///   when `duration` is over, or earlier with ``LinkError`` if the scan cannot continue.
    func devices(for duration: Duration?) -> AsyncThrowingStream<FoundDevice, any Error>
}

/// A device that a scan has found, with the values that the device advertises.
public struct FoundDevice: Sendable, Hashable {
    /// The name that opens a link to the device.
    public var link: LinkName
    /// The name that the device advertises; nil if it has not sent one.
    public var name: String?
    /// Received signal strength (RSSI), dBm; nil if the device is known but not in range.
    public var signalStrength: Int?
    /// The services that the device advertises, as lower-case UUIDs of 36 characters.
    public var services: [String]
    /// Whether this computer has the device's pairing keys.
    public var isPaired: Bool
    /// Whether the device is connected to this computer now.
    public var isConnected: Bool

    /// Creates a device from its advertised values.
    /// - Parameters:
    ///   - link: the name that opens a link to the device.
    ///   - name: the name that the device advertises.
    ///   - signalStrength: received signal strength, dBm.
    ///   - services: the UUIDs of the device's services.
    ///   - isPaired: whether this computer has the device's pairing keys.
    ///   - isConnected: whether the device is connected now.
    public init(
        link: LinkName, name: String? = nil, signalStrength: Int? = nil, services: [String] = [],
        isPaired: Bool = false, isConnected: Bool = false
    ) {
        self.link = link
        self.name = name
        self.signalStrength = signalStrength
        self.services = services
        self.isPaired = isPaired
        self.isConnected = isConnected
    }
}
