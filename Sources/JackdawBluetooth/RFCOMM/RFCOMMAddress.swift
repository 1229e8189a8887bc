public import JackdawTransport

/// An RFCOMM service of a device: `AA:BB:CC:DD:EE:FF/1`, or without the channel where the device is to be asked for it.
public struct RFCOMMAddress: Sendable, Hashable, CustomStringConvertible {
    /// The channels that RFCOMM has.
    public static let channels: ClosedRange<UInt8> = 1...30

    /// The device.
    public let device: BluetoothAddress
    /// The channel; nil where the device is to be asked for it.
    public let channel: UInt8?

    /// An address.
    /// - Parameters:
    ///   - device: the device.
    ///   - channel: 1 to 30; nil where the device is to be asked for it.
    public init(device: BluetoothAddress, channel: UInt8? = nil) {
        precondition(channel.map(Self.channels.contains) ?? true, "channels are 1 to 30")
        self.device = device
        self.channel = channel
    }

    /// Reads the address of a link.
    /// - Parameter link: a name with the scheme `rfcomm`.
    /// - Throws: `LinkError` with code `badName`.
    public init(_ link: LinkName) throws(LinkError) {
        func bad(_ message: String) -> LinkError {
            LinkError(.badName, link: link.description, message, remedy: "write it as rfcomm:AA:BB:CC:DD:EE:FF/1")
        }
        guard link.scheme == .rfcomm else { throw bad("no name of an RFCOMM link") }
        let parts = link.address.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let device = BluetoothAddress(parts[0]) else { throw bad("no address of a Bluetooth device") }
        self.device = device
        guard parts.count == 2 else {
            channel = nil
            return
        }
        guard parts[1].allSatisfy(\.isNumber), let channel = UInt8(parts[1]), Self.channels.contains(channel) else {
            throw bad("no channel of RFCOMM, which are 1 to 30")
        }
        self.channel = channel
    }

    /// The name of a link to it.
    public var link: LinkName { LinkName(.rfcomm, description) }

    /// The device's address, and a slash and the channel where that is known.
    public var description: String { channel.map { "\(device)/\($0)" } ?? "\(device)" }
}
