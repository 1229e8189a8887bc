internal import CBlueZ
internal import JackdawBytes
internal import JackdawSystem
public import JackdawTransport

/// The address of a Bluetooth device: six bytes, written highest first, as in `AA:BB:CC:DD:EE:FF`.
public struct BluetoothAddress: Sendable, Hashable, CustomStringConvertible {
    /// The six bytes, highest first.
    let bytes: [UInt8]

    /// Creates an address of six bytes, highest first.
    init(bytes: [UInt8]) {
        precondition(bytes.count == 6, "an address has six bytes")
        self.bytes = bytes
    }

    /// Parses an address; nil if the text is not an address.
    /// - Parameter text: six pairs of hexadecimal digits with colons between them.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { UInt8(hexadecimal: $0) }
        guard parts.count == 6, bytes.count == 6 else { return nil }
        self.bytes = bytes
    }

    /// Six pairs of upper-case hexadecimal digits with colons between them.
    public var description: String {
        bytes.map(\.hexadecimal).joined(separator: ":")
    }
}

/// An RFCOMM service of a device: `AA:BB:CC:DD:EE:FF/1`, or without the channel if the program must query the device
/// for it.
public struct RFCOMMAddress: Sendable, Hashable, CustomStringConvertible {
    /// The channel numbers that RFCOMM has.
    public static let channels: ClosedRange<UInt8> = 1...30

    /// The address of the device.
    public let device: BluetoothAddress
    /// The channel; nil if the program must query the device for it.
    public let channel: UInt8?

    /// Creates an address of a service.
    /// - Parameters:
    ///   - device: the address of the device.
    ///   - channel: 1 to 30; nil if the program must query the device for it.
    public init(device: BluetoothAddress, channel: UInt8? = nil) {
        precondition(channel.map(Self.channels.contains) ?? true, "channels are 1 to 30")
        self.device = device
        self.channel = channel
    }

    /// Parses the address of a link.
    /// - Parameter link: a name with the scheme `rfcomm`.
    /// - Throws: `LinkError` with code `badName` if the name is not an RFCOMM address.
    public init(_ link: LinkName) throws(LinkError) {
        func bad(_ message: String) -> LinkError {
            LinkError(.badName, link: link.description, message, remedy: "write it as rfcomm:AA:BB:CC:DD:EE:FF/1")
        }
        guard link.scheme == .rfcomm else { throw bad("not the name of an RFCOMM link") }
        let parts = link.address.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let device = BluetoothAddress(parts[0]) else { throw bad("not the address of a Bluetooth device") }
        self.device = device
        guard parts.count == 2 else {
            channel = nil
            return
        }
        guard parts[1].allSatisfy(\.isNumber), let channel = UInt8(parts[1]), Self.channels.contains(channel) else {
            throw bad("not an RFCOMM channel, 1 to 30")
        }
        self.channel = channel
    }

    /// The name of a link to this address.
    public var link: LinkName { LinkName(.rfcomm, description) }

    /// The device's address, followed by a slash and the channel if it is known.
    public var description: String { channel.map { "\(device)/\($0)" } ?? "\(device)" }
}

extension SocketAddress {
    /// A channel of a device; for a listening socket, 0 means any free channel.
    static func rfcomm(_ device: BluetoothAddress, channel: UInt8) -> SocketAddress {
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_rc>.size)
        unsafe jackdaw_rfcomm_address(&bytes, device.bytes, channel)
        return SocketAddress(bytes: bytes)
    }

    /// A service of a device, by its number (PSM).
    static func l2cap(_ device: BluetoothAddress, service: UInt16) -> SocketAddress {
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_l2>.size)
        unsafe jackdaw_l2cap_address(&bytes, device.bytes, service)
        return SocketAddress(bytes: bytes)
    }

    /// The device and its channel; nil if this is not an RFCOMM address.
    var rfcomm: (device: BluetoothAddress, channel: UInt8)? {
        guard let address = self.as(sockaddr_rc.self) else { return nil }
        let lowestFirst = address.rc_bdaddr.b
        let device = BluetoothAddress(bytes: [
            lowestFirst.5, lowestFirst.4, lowestFirst.3, lowestFirst.2, lowestFirst.1, lowestFirst.0,
        ])
        return (device, address.rc_channel)
    }
}

extension SocketKind {
    /// A byte stream over an RFCOMM channel.
    static let rfcomm = SocketKind(
        domain: AF_BLUETOOTH, type: Int32(SOCK_STREAM.rawValue), protocolNumber: Int32(BTPROTO_RFCOMM))
    /// Packets over an L2CAP channel.
    static let l2cap = SocketKind(
        domain: AF_BLUETOOTH, type: Int32(SOCK_SEQPACKET.rawValue), protocolNumber: Int32(BTPROTO_L2CAP))
}

extension SocketOption {
    /// Requests this security level before the connection.
    static func security(_ level: LinkSecurity) -> SocketOption {
        var security = bt_security()
        security.level =
            switch level {
            case .low: UInt8(BT_SECURITY_LOW)
            case .medium: UInt8(BT_SECURITY_MEDIUM)
            case .high: UInt8(BT_SECURITY_HIGH)
            }
        return SocketOption(level: SOL_BLUETOOTH, name: BT_SECURITY, value: security)
    }
}

/// The security that a link requires before it carries bytes.
public enum LinkSecurity: Sendable, Hashable, CaseIterable {
    /// No security; some old readers support no other level.
    case low
    /// Encryption, with a device that was paired by any method.
    case medium
    /// Encryption, with a device that was paired by comparing or typing a code.
    case high
}
