/// A card number of 8 to 19 digits (ISO/IEC 7812-1) in a wiped buffer.
///
/// Every printed form is ``masked``; only ``withRevealedDigits(_:)`` gives the digits in clear.
public struct PrimaryAccountNumber: RedactedDescription, Equatable {
    /// The possible numbers of digits, 8 to 19 (ISO/IEC 7812-1).
    public static let lengths = 8...19

    /// The length from which the first six digits may be shown. In a shorter number, six and four digits would leave
    /// too few digits hidden, or no digit at all.
    static let shortestShowingIssuer = 13

    let digits: SecretText

    /// A number from ASCII digits.
    /// - Throws: ``CardDataError`` if there are not 8 to 19 characters, or one of them is not a digit.
    public init(_ digits: Span<UInt8>) throws(CardDataError) {
        guard Self.lengths.contains(digits.count) else {
            throw CardDataError(.length, at: digits.count, expected: "8 to 19 digits in all")
        }
        for index in digits.indices where !digits[index].isDigit {
            throw CardDataError(.character, at: index, expected: "a digit")
        }
        self.init(checked: SecretText(copying: digits))
    }

    /// A number whose form has been checked.
    init(checked digits: SecretText) { self.digits = digits }

    /// Number of digits, 8 to 19.
    public var count: Int { digits.count }

    /// The digits for default output. Of 13 to 19 digits the first 6 and the last 4 show, of 8 to 12 the last 4: at
    /// most ten, and at least three are hidden.
    public var masked: String {
        let shown = shownParts
        return digits.masked { place, _ in shown.contains { $0.contains(place) } }
    }

    /// The same as ``masked``.
    public var description: String { masked }

    /// The places in the buffer of ``digits`` that masking leaves in clear.
    var shownParts: [Range<Int>] {
        let places = digits.range
        let first = count >= Self.shortestShowingIssuer ? 6 : 0
        return [
            places.lowerBound..<(places.lowerBound + first),
            (places.upperBound - 4)..<places.upperBound,
        ]
    }

    /// Runs a body over the ASCII digits in clear. The caller wipes any copy that the body makes.
    public func withRevealedDigits<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try digits.withRevealedText(body)
    }

    /// Whether the last digit is the check digit of the others.
    public var isLuhnValid: Bool { digits.withRevealedText { Luhn.isValid($0) } }

    /// The first six digits, which name the issuer; nil for numbers below 13 digits, of which these and the last four
    /// would reveal too much.
    public var issuerIdentificationNumber: String? {
        guard count >= Self.shortestShowingIssuer else { return nil }
        return digits.withRevealedText { String(ascii: $0.extracting(first: 6)) }
    }

    /// The card scheme of the issuer's range; ``CardBrand/unknown`` if no range matches.
    public var brand: CardBrand { issuerRange?.brand ?? .unknown }

    /// Whether cards of the issuer's range have this number of digits; nil if no range matches.
    public var hasLengthOfItsBrand: Bool? { issuerRange?.lengths.contains(count) }

    private var issuerRange: IssuerRange? { digits.withRevealedText { IssuerRange.range(of: $0) } }
}

/// The check digit of card numbers (ISO/IEC 7812-1, annex B: "double-add-double", modulus 10).
public enum Luhn {
    /// Whether ASCII digits end in their check digit; false if there are fewer than two, or one is not a digit.
    public static func isValid(_ number: Span<UInt8>) -> Bool {
        guard number.count > 1, let sum = sum(of: number, doublingLast: false) else { return false }
        return sum % 10 == 0
    }

    /// The digit (0 to 9) that makes a number valid when it is appended; nil if a byte is not an ASCII digit.
    public static func checkDigit(of payload: Span<UInt8>) -> Int? {
        sum(of: payload, doublingLast: true).map { (10 - $0 % 10) % 10 }
    }

    private static func sum(of digits: Span<UInt8>, doublingLast: Bool) -> Int? {
        var total = 0
        var doubles = doublingLast
        for index in digits.indices.reversed() {
            guard digits[index].isDigit else { return nil }
            let value = digits[index].digitValue * (doubles ? 2 : 1)
            total += value / 10 + value % 10
            doubles.toggle()
        }
        return total
    }
}
