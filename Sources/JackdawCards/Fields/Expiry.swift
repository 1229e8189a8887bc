/// The month at whose end a card expires.
public struct Expiry: Sendable, Hashable, CustomStringConvertible {
    /// Year within its century, 0 to 99.
    public let year: Int
    /// Month, 1 to 12.
    public let month: Int

    /// A month, or nil where the year is not 0 to 99 or the month not 1 to 12.
    public init?(year: Int, month: Int) {
        guard (0...99).contains(year), (1...12).contains(month) else { return nil }
        self.year = year
        self.month = month
    }

    /// The month of four digits, or nil where they name none.
    init?(_ digits: SecretText) {
        guard digits.count == 4, digits.isAllDigits else { return nil }
        let values = digits.range.map { digits[$0].digitValue }
        self.init(year: values[0] * 10 + values[1], month: values[2] * 10 + values[3])
    }

    /// `YYMM`, as on the stripe.
    public var text: String { "\(year / 10)\(year % 10)\(month / 10)\(month % 10)" }

    /// The same as ``text``: the expiry of a card may be shown (PCI DSS 3.4 names the account number alone).
    public var description: String { text }
}
