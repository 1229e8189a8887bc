/// A date of a card or terminal, YYMMDD in format n 6 (tags 5F24, 5F25 and 9A).
public struct CardDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The year, 1950 to 2049.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day of the month, 1 to 31. It may be beyond the end of the month: cards state 31 for the last day.
    public let day: Int

    /// A date.
    /// - Returns: nil if the year is not 1950 to 2049, the month not 1 to 12 or the day not 1 to 31.
    public init?(year: Int, month: Int, day: Int) {
        guard (1950...2049).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Parses a date. Years below 50 are 20YY, the others 19YY (EMV Book 4 section 6.7.3).
    /// - Returns: nil if the value does not have 3 octets of decimal digits, or month or day is out of range.
    public init?(_ octets: Span<UInt8>) {
        guard octets.count == 3, let number = octets.packedDecimal else { return nil }
        let year = Int(number / 10_000)
        self.init(year: year < 50 ? 2000 + year : 1900 + year, month: Int(number / 100 % 100), day: Int(number % 100))
    }

    /// The value, 3 octets.
    public var octets: [UInt8] {
        UInt64(year % 100 * 10_000 + month * 100 + day).packedDecimalOctets(3)
    }

    public static func < (left: CardDate, right: CardDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// The date as in ISO 8601: `2026-01-15`.
    public var description: String {
        "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }
}
