/// The two radios of Bluetooth.
public enum BluetoothRadio: String, Sendable, Hashable, CaseIterable {
    /// Whichever a device has.
    case any = "auto"
    /// The classic one, with RFCOMM.
    case classic = "bredr"
    /// Bluetooth Low Energy, with GATT.
    case lowEnergy = "le"
}
