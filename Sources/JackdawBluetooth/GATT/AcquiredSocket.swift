/// A socket that bluetoothd has given away for a characteristic: a packet in it is a value. It is closed with this.
struct AcquiredSocket: Sendable {
    let descriptor: BusDescriptor
    /// Bytes in a packet of the link, three of which are its own.
    let packetSize: Int
}
