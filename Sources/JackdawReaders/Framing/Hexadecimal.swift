/// Bytes as people read them in protocols: `02 53 4C`.
extension Span<UInt8> {
    /// The bytes with a space between, the first ones only where there are many.
    func hexadecimal(first most: Int = 32) -> String {
        let shown = (0..<Swift.min(count, most)).map { self[$0].hexadecimal }
        return shown.joined(separator: " ") + (count > most ? " ..." : "")
    }

    /// ASCII with dots for what is none.
    var printable: String {
        indices.map { (0x20..<0x7F).contains(self[$0]) ? String(UnicodeScalar(self[$0])) : "." }.joined()
    }

    /// What is shown of a text that a reader sent, which may be confused and send a card's.
    func readerText(_ isRevealing: Bool) -> String {
        isRevealing || !mayBeOfACard ? printable : sensitive(false)
    }

    /// Whether a text may be an account number or a track: numbers of readers and versions have few digits and no `^`.
    var mayBeOfACard: Bool {
        indices.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self[$0]) } >= 12
            || indices.contains { self[$0] == UInt8(ascii: "^") }
    }

    /// What is shown of bytes that may be card data: themselves where everything is, else how many.
    func sensitive(_ isRevealing: Bool) -> String {
        isRevealing ? hexadecimal(first: count) : count == 1 ? "1 byte" : "\(count) bytes"
    }

    /// The byte that two digits say; nil where they are none.
    package func byte(at index: Int) -> UInt8? {
        guard index + 1 < count, let high = self[index].digitValue, let low = self[index + 1].digitValue else {
            return nil
        }
        return high << 4 | low
    }
}

extension UInt8 {
    /// Two digits.
    package var hexadecimal: String {
        let text = String(self, radix: 16, uppercase: true)
        return text.count < 2 ? "0\(text)" : text
    }

    /// What an ASCII character says as a hexadecimal digit; nil where it is none.
    package var digitValue: UInt8? {
        let digit = self &- UInt8(ascii: "0")
        if digit < 10 { return digit }
        // A letter's case is one bit.
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }
}

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
