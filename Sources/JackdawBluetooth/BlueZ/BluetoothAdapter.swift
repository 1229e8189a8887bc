/// An adapter of this computer.
public struct BluetoothAdapter: Sendable, Hashable {
    /// Its name in the system, such as `hci0`.
    public let name: String
    /// Its address.
    public let address: BluetoothAddress
    /// What it is called by others.
    public let alias: String
    /// Whether it is switched on.
    public let isPowered: Bool
}
