/// What a MagneSafe reader says became of a command.
///
/// Source: MagTek's communication reference manual 99875483.
public struct MagTekResult: NamedNumber {
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

    /// What the published numbers mean.
    public static let names: [UInt8: String] = [
        0x00: "done", 0x01: "failed", 0x02: "bad parameter", 0x03: "bad data", 0x05: "delayed", 0x07: "out of sequence",
    ]
}
