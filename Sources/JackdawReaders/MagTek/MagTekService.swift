/// What MagTek's readers are known by over Bluetooth Low Energy.
public enum MagTekService {
    /// A service or a characteristic.
    public struct Attribute: Sendable, Hashable {
        /// Its UUID, lower case with hyphens.
        public let uuid: String
        /// How it is known.
        public let provenance: Provenance

        /// All of them differ in two bytes only.
        init(_ number: String, _ provenance: Provenance) {
            uuid = "0508e6f8-ad82-898f-f843-e3410cb6\(number)"
            self.provenance = provenance
        }
    }

    /// Service of readers for stripes alone, as public sample code names it.
    public static let stripeReader = Attribute("0102", .reported)
    /// Service of eDynamo, as public sample code names it.
    public static let eDynamo = Attribute("0103", .reported)
    /// Service of tDynamo, as public sample code names it.
    public static let tDynamo = Attribute("0104", .reported)
    /// Where commands are written, as public sample code names it.
    public static let command = Attribute("0200", .reported)
    /// Notifies of messages (``MagTekBlockJoiner``), or has them to read.
    public static let cardData = Attribute("0201", .documented)
    /// Notifies that there is something to read: 4 bytes.
    public static let dataReady = Attribute("0202", .documented)
    /// Takes what became of reading: 3 bytes.
    public static let readStatus = Attribute("0203", .documented)
    /// Service of devices with a keypad.
    public static let keypad = Attribute("0101", .documented)
    /// How much the next message to a keypad device has.
    public static let fromHostLength = Attribute("0220", .documented)
    /// Takes a message to a keypad device, up to 65 bytes.
    public static let fromHost = Attribute("0221", .documented)
    /// How much the next message from a keypad device has.
    public static let toHostLength = Attribute("0222", .documented)
    /// Has a message from a keypad device, up to 128 bytes.
    public static let toHost = Attribute("0223", .documented)
}
