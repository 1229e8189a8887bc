/// What a Miura reader says became of a command: the last two bytes of an answer (SW1 SW2).
///
/// Source: sources of Miura's SDKs in public repositories. Those that begin with 9F answer the commands of a payment.
public struct MiuraStatus: NamedNumber {
    /// Its number.
    public let rawValue: UInt16

    /// Of a number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// It was done.
    public static let done = MiuraStatus(rawValue: 0x9000)
    /// What the published numbers mean.
    public static let names: [UInt16: String] = [
        0x9000: "done", 0x9F21: "invalid data", 0x9F22: "not ready", 0x9F23: "no card", 0x9F25: "invalid card",
        0x9F26: "in progress", 0x9F27: "missing data", 0x9F28: "card not supported", 0x9F2A: "missing file",
        0x9F30: "chip read error", 0x9F40: "issuer key", 0x9F41: "cancelled", 0x9F42: "timed out",
        0x9F43: "aborted by a card inserted", 0x9F44: "aborted by a card swiped", 0x9FC1: "no application",
        0x9FC2: "impossible", 0x9FC3: "use the chip", 0x9FCF: "hardware error", 0x9FE0: "not ready for SRED",
    ]
}
