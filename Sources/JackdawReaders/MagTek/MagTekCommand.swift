/// What a MagneSafe reader is told to do.
///
/// Source: MagTek's communication reference manual 99875483.
public struct MagTekCommand: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
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

    private static let names: [UInt8: String] = [
        0x00: "get property", 0x01: "set property", 0x02: "reset", 0x09: "get KSN and counter", 0x0A: "set session",
        0x10: "activate authenticated mode", 0x11: "reply to a challenge", 0x12: "deactivate authenticated mode",
        0x14: "get reader state", 0x15: "get security level", 0x1C: "get encryption counter",
        0x30: "encrypt data", 0xA0: "control",
    ]

    /// Whether its meaning is documented.
    public var isKnown: Bool { Self.names[rawValue] != nil }

    /// Number and meaning.
    public var description: String {
        Self.names[rawValue].map { "\(rawValue.hexadecimal) \($0)" } ?? rawValue.hexadecimal
    }
}

/// What a MagneSafe reader says became of a command.
///
/// Source: MagTek's communication reference manual 99875483.
public struct MagTekResult: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// Its number.
    public let rawValue: UInt8

    /// Of a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Done.
    public static let done = MagTekResult(rawValue: 0x00)
    /// Failed.
    public static let failed = MagTekResult(rawValue: 0x01)
    /// Bad parameter.
    public static let badParameter = MagTekResult(rawValue: 0x02)
    /// Bad data.
    public static let badData = MagTekResult(rawValue: 0x03)
    /// Delayed.
    public static let delayed = MagTekResult(rawValue: 0x05)
    /// Out of sequence.
    public static let outOfSequence = MagTekResult(rawValue: 0x07)

    private static let names: [UInt8: String] = [
        0x00: "done", 0x01: "failed", 0x02: "bad parameter", 0x03: "bad data", 0x05: "delayed", 0x07: "out of sequence",
    ]

    /// Whether its meaning is documented.
    public var isKnown: Bool { Self.names[rawValue] != nil }

    /// Number and meaning.
    public var description: String { "\(rawValue.hexadecimal) \(Self.names[rawValue] ?? "unknown")" }
}
