/// One value of a profile.
public enum ProfileValue: Sendable, Hashable, CustomStringConvertible {
    /// A number.
    case number(Double)
    /// A text.
    case text(String)
    /// Bytes, which files have as hexadecimal digits.
    case bytes([UInt8])
    /// Whether or not.
    case flag(Bool)

    /// What kind of value it is; files name it so.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A number.
        case number
        /// A text.
        case text
        /// Bytes.
        case bytes
        /// Whether or not.
        case flag
    }

    /// What kind of value it is.
    public var kind: Kind {
        switch self {
        case .number: .number
        case .text: .text
        case .bytes: .bytes
        case .flag: .flag
        }
    }

    /// The value as people read it.
    public var description: String {
        switch self {
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .text(let text): text
        case .bytes(let bytes): bytes.span.hexadecimal(first: bytes.count)
        case .flag(let flag): flag ? "yes" : "no"
        }
    }
}
