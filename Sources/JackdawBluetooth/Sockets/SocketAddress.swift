/// Where a Bluetooth socket leads to, or listens.
enum SocketAddress: Hashable, Sendable {
    /// A channel of a device; 0 is any that is free, for one that listens.
    case rfcomm(BluetoothAddress, channel: UInt8)
    /// A service of a device by its number.
    case l2cap(BluetoothAddress, service: UInt16)

    /// What kind of socket it takes.
    var kind: SocketKind {
        switch self {
        case .rfcomm: .rfcomm
        case .l2cap: .l2cap
        }
    }
}
