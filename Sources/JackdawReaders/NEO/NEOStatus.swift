/// What a NEO reader says became of a command.
///
/// Source: ViVOpay NEO 2 developer manual.
public struct NEOStatus: NamedNumber {
    /// Its number.
    public let rawValue: UInt8

    /// Of a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It was done.
    public static let done = NEOStatus(rawValue: 0x00)
    /// The reader does not know the command.
    public static let unknownCommand = NEOStatus(rawValue: 0x02)
    /// The reader does not know the subcommand.
    public static let unknownSubcommand = NEOStatus(rawValue: 0x03)
    /// The command's CRC was wrong.
    public static let crcError = NEOStatus(rawValue: 0x04)
    /// A value that the command cannot have.
    public static let badParameter = NEOStatus(rawValue: 0x05)
    /// The reader cannot do it.
    public static let unsupported = NEOStatus(rawValue: 0x06)
    /// Nothing happened in time.
    public static let timedOut = NEOStatus(rawValue: 0x08)
    /// It was not done.
    public static let notAcknowledged = NEOStatus(rawValue: 0x0A)
    /// Not now: the reader is doing something else.
    public static let notAllowed = NEOStatus(rawValue: 0x0B)
    /// What was sent last is to be sent again.
    public static let sendAgain = NEOStatus(rawValue: 0x1A)
    /// The issuer is to be asked.
    public static let onlineRequired = NEOStatus(rawValue: 0x23)

    /// What the published numbers mean.
    public static let names: [UInt8: String] = [
        0x00: "done", 0x01: "bad header", 0x02: "unknown command", 0x03: "unknown subcommand", 0x04: "CRC error",
        0x05: "bad parameter", 0x06: "not supported", 0x07: "malformed", 0x08: "timed out", 0x0A: "not acknowledged",
        0x0B: "command not allowed", 0x0C: "subcommand not allowed", 0x0D: "overflow", 0x0E: "event for the display",
        0x11: "wrong kind of link", 0x12: "secure interface", 0x13: "length not a multiple of 8", 0x14: "bad padding",
        0x15: "wrong kind of key", 0x16: "key cannot be read", 0x17: "bad hash", 0x18: "key cannot be stored",
        0x19: "too large", 0x1A: "send again", 0x1B: "memory error", 0x1C: "APDU encoding", 0x23: "online required",
        0x50: "automatic switch", 0x51: "automatic switch", 0x60: "no data", 0x61: "full", 0x62: "flash error",
        0x63: "done, next command", 0x80: "contact EMV cannot start", 0x81: "cancelled by a card",
        0x90: "no DUKPT key for accounts", 0x91: "DUKPT key exhausted",
    ]
}
