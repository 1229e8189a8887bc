/// What a MagneSafe reader is told to do.
///
/// Source: MagTek's communication reference manual 99875483.
public struct MagTekCommand: NamedNumber {
    /// Its number.
    public let rawValue: UInt8

    /// Of a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Get property.
    public static let getProperty = MagTekCommand(rawValue: 0x00)
    /// Set property.
    public static let setProperty = MagTekCommand(rawValue: 0x01)
    /// Reset.
    public static let reset = MagTekCommand(rawValue: 0x02)
    /// Get KSN and counter.
    public static let keySerialNumber = MagTekCommand(rawValue: 0x09)
    /// Set session.
    public static let setSession = MagTekCommand(rawValue: 0x0A)
    /// Activate authenticated mode.
    public static let activateAuthentication = MagTekCommand(rawValue: 0x10)
    /// Get reader state.
    public static let readerState = MagTekCommand(rawValue: 0x14)
    /// Get encryption counter.
    public static let encryptionCounter = MagTekCommand(rawValue: 0x1C)

    /// Whether its data begins with the number of a property.
    var isOfProperty: Bool { self == .getProperty || self == .setProperty }

    /// What the published numbers mean.
    public static let names: [UInt8: String] = [
        0x00: "get property", 0x01: "set property", 0x02: "reset", 0x09: "get KSN and counter", 0x0A: "set session",
        0x10: "activate authenticated mode", 0x11: "reply to a challenge", 0x12: "deactivate authenticated mode",
        0x14: "get reader state", 0x15: "get security level", 0x1C: "get encryption counter",
        0x30: "encrypt data", 0xA0: "control",
    ]
}
