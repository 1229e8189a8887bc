/// An amount of money in minor units of its currency.
public struct Amount: Sendable, Hashable, CustomStringConvertible {
    /// The number of minor units: 1050 for 10.50 EUR.
    public let minorUnits: UInt64
    /// The numeric code of the currency (ISO 4217); nil if it is not known.
    public let currencyCode: UInt16?

    /// An amount in a currency.
    public init(minorUnits: UInt64, currencyCode: UInt16?) {
        self.minorUnits = minorUnits
        self.currencyCode = currencyCode
    }

    /// Parses an amount (n 12, tags 9F02 and 9F03).
    /// - Returns: nil if the value does not have 1 to 6 octets of decimal digits.
    public init?(_ octets: Span<UInt8>, currencyCode: UInt16?) {
        guard (1...6).contains(octets.count), let number = octets.packedDecimal else { return nil }
        self.init(minorUnits: number, currencyCode: currencyCode)
    }

    /// Reads an amount in major units: `12.34`, with at most the decimals of the currency.
    /// - Returns: nil if the text is no such number, or the amount has more than 12 digits in minor units.
    package init?(_ text: String, in currency: Currency) {
        var number: UInt64 = 0
        var digits = 0
        // The number of decimals; nil before the point.
        var decimals: Int?
        for character in text.utf8 {
            if character == UInt8(ascii: "."), digits > 0, decimals == nil {
                decimals = 0
                continue
            }
            guard (0x30...0x39).contains(character), (decimals ?? -1) < currency.exponent else { return nil }
            number = number * 10 + UInt64(character - 0x30)
            guard number <= Self.maxNumeric else { return nil }
            digits += 1
            decimals = decimals.map { $0 + 1 }
        }
        guard digits > 0, decimals != 0 else { return nil }
        for _ in (decimals ?? 0)..<currency.exponent { number *= 10 }
        guard number <= Self.maxNumeric else { return nil }
        self.init(minorUnits: number, currencyCode: currency.numericCode)
    }

    /// The greatest number of minor units in format n 12.
    package static let maxNumeric: UInt64 = 999_999_999_999

    /// The value of tag 9F02 or 9F03, 6 octets; nil if the amount has more than 12 digits.
    public var octets: [UInt8]? { minorUnits <= Self.maxNumeric ? minorUnits.packedDecimalOctets(6) : nil }

    /// The amount with the decimals of its currency and its code: `10.50 EUR`; minor units if the currency is unknown.
    public var description: String {
        guard let currency = currencyCode.flatMap({ Currency.find($0) }) else { return "\(minorUnits) minor units" }
        let digits = "\(minorUnits)"
        guard currency.exponent > 0 else { return "\(digits) \(currency.alphabeticCode)" }
        let missing = max(0, currency.exponent + 1 - digits.utf8.count)
        let whole = String(repeating: "0", count: missing) + digits
        let split = whole.utf8.count - currency.exponent
        var text = ""
        for (index, scalar) in whole.unicodeScalars.enumerated() {
            if index == split { text += "." }
            text.unicodeScalars.append(scalar)
        }
        return "\(text) \(currency.alphabeticCode)"
    }
}
