/// A kind of Bluetooth socket.
enum SocketKind: Hashable {
    /// A stream of bytes over a channel of RFCOMM.
    case rfcomm
    /// Packets over L2CAP.
    case l2cap
}
