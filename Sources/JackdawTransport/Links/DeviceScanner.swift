/// Finds devices.
public protocol DeviceScanner: Sendable {
    /// Looks for devices.
    /// - Parameter duration: how long; nil until the stream is given up.
    /// - Returns: each device when it is first seen and again when something about it changed; ends by itself when the time is
    ///   over, and earlier with ``LinkError`` where it cannot go on.
    func devices(for duration: Duration?) -> AsyncThrowingStream<FoundDevice, any Error>
}

/// A device that was found, as far as it told about itself.
public struct FoundDevice: Sendable, Hashable {
    /// The name that opens a link to it.
    public var link: LinkName
    /// What it calls itself; nil where it has not said so.
    public var name: String?
    /// Strength at which it is heard, dBm; nil where it is known but not heard.
    public var signalStrength: Int?
    /// The services that it tells of, as lower-case UUIDs of 36 characters.
    public var services: [String]
    /// Whether this computer has its keys.
    public var isPaired: Bool
    /// Whether it is connected now.
    public var isConnected: Bool

    /// A device.
    /// - Parameters:
    ///   - link: the name that opens a link to it.
    ///   - name: what it calls itself.
    ///   - signalStrength: strength at which it is heard, dBm.
    ///   - services: the UUIDs of its services.
    ///   - isPaired: whether this computer has its keys.
    ///   - isConnected: whether it is connected now.
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
