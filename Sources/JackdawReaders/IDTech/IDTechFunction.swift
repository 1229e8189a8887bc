/// What can be set and asked of ID TECH's magnetic stripe readers.
///
/// Source: ID TECH's iMag and SecureMag manuals.
public struct IDTechFunction: NamedNumber {
    /// Its number.
    public let rawValue: UInt8

    /// Of a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reset to default.
    public static let resetToDefault = IDTechFunction(rawValue: 0x18)
    /// Decoding.
    public static let decoding = IDTechFunction(rawValue: 0x1D)
    /// Review all.
    public static let reviewAll = IDTechFunction(rawValue: 0x1F)
    /// Firmware version.
    public static let firmwareVersion = IDTechFunction(rawValue: 0x22)
    /// Baud rate.
    public static let baudRate = IDTechFunction(rawValue: 0x41)
    /// Clear digits in front.
    public static let clearDigitsInFront = IDTechFunction(rawValue: 0x49)
    /// Clear digits behind.
    public static let clearDigitsBehind = IDTechFunction(rawValue: 0x4A)
    /// Mask character.
    public static let maskCharacter = IDTechFunction(rawValue: 0x4B)
    /// Encryption.
    public static let encryption = IDTechFunction(rawValue: 0x4C)
    /// Serial number.
    public static let serialNumber = IDTechFunction(rawValue: 0x4E)
    /// Expiry shown.
    public static let expiryShown = IDTechFunction(rawValue: 0x50)
    /// The serial number of the next key (KSN), of readers on the audio jack. Reported, not documented.
    public static let nextKeySerialNumber = IDTechFunction(rawValue: 0x51)
    /// Key management.
    public static let keyManagement = IDTechFunction(rawValue: 0x58)
    /// LRC in secure mode.
    public static let lrcInSecureMode = IDTechFunction(rawValue: 0x6F)
    /// Security level.
    public static let securityLevel = IDTechFunction(rawValue: 0x7E)
    /// Activate authentication.
    public static let activateAuthentication = IDTechFunction(rawValue: 0x82)
    /// Encrypt option.
    public static let encryptOption = IDTechFunction(rawValue: 0x84)
    /// Output format.
    public static let outputFormat = IDTechFunction(rawValue: 0x85)
    /// Mask option.
    public static let maskOption = IDTechFunction(rawValue: 0x86)

    /// What the published numbers mean.
    public static let names: [UInt8: String] = [
        0x18: "reset to default", 0x1D: "decoding", 0x1F: "review all", 0x22: "firmware version", 0x41: "baud rate",
        0x49: "clear digits in front", 0x4A: "clear digits behind", 0x4B: "mask character", 0x4C: "encryption",
        0x4E: "serial number", 0x50: "expiry shown", 0x51: "next KSN", 0x58: "key management",
        0x6F: "LRC in secure mode", 0x7E: "security level", 0x80: "authentication challenge",
        0x82: "activate authentication", 0x84: "encrypt option", 0x85: "output format", 0x86: "mask option",
        0xD2: "preamble", 0xD3: "postamble",
    ]
}
