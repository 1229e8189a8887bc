/// A number of a protocol whose meaning may be published: one that is not known has no name and is a value all the same.
public protocol NamedNumber: RawRepresentable, Sendable, Hashable, CustomStringConvertible
where RawValue: FixedWidthInteger & Sendable {
    /// What the published numbers mean.
    static var names: [RawValue: String] { get }

    /// Of a number, published or not.
    init(rawValue: RawValue)
}

extension NamedNumber {
    /// Whether its meaning is published.
    public var isKnown: Bool { Self.names[rawValue] != nil }

    /// Number and meaning.
    public var description: String { "\(rawValue.hexadecimalBytes) \(Self.names[rawValue] ?? "unknown")" }
}

extension FixedWidthInteger {
    /// Its bytes, the most significant one first, with a space between.
    fileprivate var hexadecimalBytes: String {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0).hexadecimal }
            .joined(separator: " ")
    }
}
