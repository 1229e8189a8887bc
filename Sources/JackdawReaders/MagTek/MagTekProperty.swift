/// What can be asked and set of a MagneSafe reader, by ``MagTekCommand/getProperty`` and ``MagTekCommand/setProperty``.
///
/// Source: MagTek's communication reference manual 99875483; from 6E on those of readers of the third generation.
public struct MagTekProperty: NamedNumber {
    /// Its number.
    public let rawValue: UInt8

    /// Of a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Software.
    public static let software = MagTekProperty(rawValue: 0x00)
    /// Serial number.
    public static let serialNumber = MagTekProperty(rawValue: 0x03)

    /// What the published numbers mean.
    public static let names: [UInt8: String] = [
        0x00: "software", 0x03: "serial number", 0x04: "MagneSafe version", 0x05: "track enable", 0x07: "ISO mask",
        0x08: "AAMVA mask", 0x1E: "string before a card", 0x1F: "string behind a card", 0x20: "string before a track",
        0x21: "string behind a track", 0x22: "termination", 0x23: "field separator", 0x24: "start sentinel %",
        0x25: "start sentinel ;", 0x26: "start sentinel +", 0x27: "start sentinel #", 0x28: "start sentinel @",
        0x29: "start sentinel &", 0x2B: "end sentinel", 0x2D: "end sentinel", 0x2E: "end sentinel",
        0x2F: "end sentinel", 0x6E: "service code mask", 0x78: "card data encrypted", 0x80: "hardware", 0x81: "mode",
    ]
}
