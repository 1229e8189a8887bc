/// Why a reader with ID TECH's NGA protocol did not do something.
///
/// Source: ID TECH's Augusta user manual 80145503, which names two: with either all else is done, it is a warning.
public struct NGAError: NamedNumber {
    /// Both bytes of it.
    public let rawValue: UInt16

    /// Of both bytes.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A value that the setting cannot have.
    public static let valueOutOfRange = NGAError(rawValue: 0x1400)
    /// There is no such setting.
    public static let unknownSetting = NGAError(rawValue: 0x1600)

    /// What the published numbers mean.
    public static let names: [UInt16: String] = [0x1400: "value out of range", 0x1600: "unknown setting"]
}
