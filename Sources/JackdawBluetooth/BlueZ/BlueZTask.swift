/// What was being done when bluetoothd refused: some of its errors mean one thing here and another there.
enum BlueZTask {
    case searching
    /// Connecting, reading and writing.
    case connecting
    case pairing
}
