/// Who connects a serial port of classic Bluetooth.
public enum SerialRoute: Sendable, Hashable, CaseIterable {
    /// The kernel, by its own sockets.
    case kernel
    /// bluetoothd, where programs may not use such sockets.
    case bluetoothd
}
