/// Names of bluetoothd's objects and interfaces.
enum BlueZName {
    static let service = "org.bluez"
    static let root = "/org/bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let gattService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let battery = "org.bluez.Battery1"
    static let agent = "org.bluez.Agent1"
    static let agentManager = "org.bluez.AgentManager1"
    static let profile = "org.bluez.Profile1"
    static let profileManager = "org.bluez.ProfileManager1"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"

    /// The last part of an object's path, which is an adapter's name.
    static func last(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
