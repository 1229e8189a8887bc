import JackdawBytes

/// Bytes as protocol documents print them: `02 53 4C`.
extension Span<UInt8> {
    /// Returns the bytes in hexadecimal, separated by spaces; only the first `most` of them, with `...` if there are
    /// more.
    func spacedHexadecimal(first most: Int = 32) -> String {
        let shown = (0..<Swift.min(count, most)).map { self[$0].hexadecimal }
        return shown.joined(separator: " ") + (count > most ? " ..." : "")
    }

    /// ASCII text, with a dot for each other byte.
    var printable: String {
        indices.map { (0x20..<0x7F).contains(self[$0]) ? String(UnicodeScalar(self[$0])) : "." }.joined()
    }

    /// Returns a text from a reader as it may be shown, as a faulty reader may send card data in it.
    func readerText(_ isRevealing: Bool) -> String {
        isRevealing || !mayBeOfACard ? printable : sensitive(false)
    }

    /// Whether a text may be an account number or a track: serial numbers and versions have few digits and no `^`.
    var mayBeOfACard: Bool {
        indices.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self[$0]) } >= 12
            || indices.contains { self[$0] == UInt8(ascii: "^") }
    }

    /// Returns possible card data as it may be shown: the bytes if `isRevealing`, otherwise their number.
    func sensitive(_ isRevealing: Bool) -> String {
        isRevealing ? spacedHexadecimal(first: count) : count == 1 ? "1 byte" : "\(count) bytes"
    }
}

/// A number in a protocol whose meaning may be published. A number without a published meaning is a valid value without
/// a name.
public protocol NamedNumber: RawRepresentable, Sendable, Hashable, CustomStringConvertible
where RawValue: FixedWidthInteger & Sendable {
    /// The meanings of the published numbers.
    static var names: [RawValue: String] { get }

    /// Creates a value for any number, published or not.
    init(rawValue: RawValue)
}

extension NamedNumber {
    /// Whether the number's meaning is published.
    public var isKnown: Bool { Self.names[rawValue] != nil }

    public var description: String { "\(rawValue.hexadecimalBytes) \(Self.names[rawValue] ?? "unknown")" }
}

extension FixedWidthInteger {
    /// The bytes of the number, most significant first, separated by spaces.
    fileprivate var hexadecimalBytes: String {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0).hexadecimal }
            .joined(separator: " ")
    }
}
