/// What a Miura reader is told to do: class and instruction of a command.
///
/// Source: Miura's SDKs in public repositories.
public struct MiuraInstruction: NamedNumber {
    /// Its number.
    public let rawValue: UInt16

    /// Of a number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Select file.
    public static let selectFile = MiuraInstruction(rawValue: 0x00A4)
    /// Read binary.
    public static let readBinary = MiuraInstruction(rawValue: 0x00B0)
    /// Stream binary.
    public static let streamBinary = MiuraInstruction(rawValue: 0x00D7)
    /// Update binary.
    public static let updateBinary = MiuraInstruction(rawValue: 0x00D6)
    /// Reset.
    public static let reset = MiuraInstruction(rawValue: 0xD000)
    /// Get configuration.
    public static let configuration = MiuraInstruction(rawValue: 0xD001)
    /// Get device information: a list of the reader's capabilities.
    public static let deviceInformation = MiuraInstruction(rawValue: 0xD002)
    /// System clock.
    public static let systemClock = MiuraInstruction(rawValue: 0xD010)
    /// Card status.
    public static let cardStatus = MiuraInstruction(rawValue: 0xD060)
    /// Keyboard status.
    public static let keyboardStatus = MiuraInstruction(rawValue: 0xD061)
    /// Battery status.
    public static let batteryStatus = MiuraInstruction(rawValue: 0xD062)
    /// Peripherals.
    public static let peripherals = MiuraInstruction(rawValue: 0xD0A0)
    /// Cash drawer.
    public static let cashDrawer = MiuraInstruction(rawValue: 0xD0D0)
    /// Bar code reader.
    public static let barCodeReader = MiuraInstruction(rawValue: 0xD0D1)
    /// Abort.
    public static let abort = MiuraInstruction(rawValue: 0xD0FF)
    /// Display text.
    public static let displayText = MiuraInstruction(rawValue: 0xD201)
    /// Spool text.
    public static let spoolText = MiuraInstruction(rawValue: 0xD2A3)
    /// P2PE status.
    public static let encryptionStatus = MiuraInstruction(rawValue: 0xEEE0)
    /// Start transaction.
    public static let startTransaction = MiuraInstruction(rawValue: 0xDED1)
    /// Continue transaction.
    public static let continueTransaction = MiuraInstruction(rawValue: 0xDED2)
    /// Start contactless.
    public static let startContactless = MiuraInstruction(rawValue: 0xDEC1)

    /// What the published numbers mean.
    public static let names: [UInt16: String] = [
        0x00A4: "select file", 0x00A5: "delete file", 0x00A6: "list files", 0x00B0: "read binary",
        0x00D6: "update binary", 0x00D7: "stream binary", 0xD000: "reset", 0xD001: "get configuration",
        0xD002: "get device information", 0xD010: "system clock", 0xD060: "card status", 0xD061: "keyboard status",
        0xD062: "battery status", 0xD063: "printer status", 0xD065: "USB status", 0xD0A0: "peripherals",
        0xD0BC: "Bluetooth control", 0xD0C0: "USB disconnect", 0xD0D0: "cash drawer", 0xD0D1: "bar code reader",
        0xD0E1: "system log", 0xD0FF: "abort", 0xD201: "display text", 0xD204: "numeric entry", 0xD205: "tip entry",
        0xD206: "menu", 0xD230: "buzzer", 0xD25A: "secure PAN", 0xD2A3: "spool text", 0xD2A4: "ESC/POS print",
        0xD2D2: "display image", 0xD2E0: "secure data", 0xDE01: "EMV configuration hash",
        0xDE02: "next sequence counter", 0xDEC1: "start contactless", 0xDEC2: "contactless configuration hash",
        0xDED1: "start transaction", 0xDED2: "continue transaction", 0xDED6: "online PIN", 0xEEE0: "P2PE status",
        0xEEE1: "P2PE initialise", 0xEEE2: "P2PE import",
        0xEEE3: "encrypted data", 0xEEE4: "verify MAC", 0xEEE5: "KSN for MAC", 0xEEE6: "MAC configuration",
    ]
}
