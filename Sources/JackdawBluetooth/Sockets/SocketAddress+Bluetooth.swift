internal import CBlueZ
internal import JackdawSystem

extension SocketAddress {
    /// A channel of a device; 0 is any that is free, for one that listens.
    static func rfcomm(_ device: BluetoothAddress, channel: UInt8) -> SocketAddress {
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_rc>.size)
        unsafe jackdaw_rfcomm_address(&bytes, device.bytes, channel)
        return SocketAddress(bytes: bytes)
    }

    /// A service of a device by its number.
    static func l2cap(_ device: BluetoothAddress, service: UInt16) -> SocketAddress {
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_l2>.size)
        unsafe jackdaw_l2cap_address(&bytes, device.bytes, service)
        return SocketAddress(bytes: bytes)
    }

    /// The device and its channel; nil where this is no address of RFCOMM.
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
    /// A stream of bytes over a channel of RFCOMM.
    static let rfcomm = SocketKind(
        domain: AF_BLUETOOTH, type: Int32(SOCK_STREAM.rawValue), protocolNumber: Int32(BTPROTO_RFCOMM))
    /// Packets over L2CAP.
    static let l2cap = SocketKind(
        domain: AF_BLUETOOTH, type: Int32(SOCK_SEQPACKET.rawValue), protocolNumber: Int32(BTPROTO_L2CAP))
}

extension SocketOption {
    /// Asks for so much security before anything is connected.
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
