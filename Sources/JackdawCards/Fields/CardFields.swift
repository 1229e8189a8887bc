/// The error of card data in an invalid form. It has the position and the expected form, and never the content.
public struct CardDataError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault. A struct, so that kinds can be added.
    public struct Code: Sendable, Hashable {
        enum Kind: String { case length, startSentinel, endSentinel, character, field }
        let kind: Kind
        /// The text is too short or too long.
        public static let length = Code(kind: .length)
        /// The first character is not the start sentinel.
        public static let startSentinel = Code(kind: .startSentinel)
        /// The end sentinel is missing, or characters follow it.
        public static let endSentinel = Code(kind: .endSentinel)
        /// A character that the stripe's code does not have.
        public static let character = Code(kind: .character)
        /// A field that does not have its form.
        public static let field = Code(kind: .field)

        /// A name for machines: `length`, `field`, ...
        public var name: String { kind.rawValue }
    }

    /// The kind of fault.
    public let code: Code
    /// Number of characters before the fault, from the start of the given text.
    public let offset: Int
    /// The expected form at this position, in words.
    public let expected: String

    init(_ code: Code, at offset: Int, expected: String) {
        self.code = code
        self.offset = offset
        self.expected = expected
    }

    /// The expected form, in one line for a person.
    public var message: String { "expected \(expected)" }

    /// The message and its position in characters (counted from 1).
    public var description: String { "\(message) at character \(offset + 1)" }
}

/// The name on a card, as a whole and in its parts.
///
/// Every printed form is ``masked``; only its parts give the characters in clear.
public struct CardholderName: RedactedDescription, Equatable {
    /// The whole field, padding included.
    public let text: SecretText
    /// The family name, or the whole name if the field is not divided.
    public let surname: SecretText
    /// The given name or initials; may be empty.
    public let givenName: SecretText
    /// The second given name of a licence; empty on payment cards, whose track does not separate it from the first.
    public let middleName: SecretText
    /// The title or suffix; may be empty.
    public let title: SecretText
    private let isOfPayment: Bool

    /// The name of a payment card: `SURNAME/GIVEN.TITLE` (ISO/IEC 7813).
    package init(payment field: SecretText) {
        let end = field.range.upperBound
        let slash = field.range.first { field[$0] == ASCII.slash } ?? end
        let given = min(slash + 1, end)..<end
        let stop = given.last { field[$0] == ASCII.fullStop } ?? end
        isOfPayment = true
        text = field
        surname = field[field.range.lowerBound..<slash].trimmed
        givenName = field[given.lowerBound..<stop].trimmed
        middleName = field[end..<end]
        title = field[min(stop + 1, end)..<end].trimmed
    }

    /// The name of a licence: `SURNAME$GIVEN$MIDDLE$SUFFIX` (AAMVA).
    init(licence field: SecretText) {
        let parts = field.split(at: ASCII.dollar).map { $0.trimmed }
        let none = field[field.range.upperBound..<field.range.upperBound]
        isOfPayment = false
        text = field
        surname = parts[0]
        givenName = parts.count > 1 ? parts[1] : none
        middleName = parts.count > 2 ? parts[2] : none
        title = parts.count > 3 ? parts[3] : none
    }

    /// The name for default output, without padding at its ends: `*` for every character except the `/` that ends the
    /// surname.
    public var masked: String { text.trimmed.masked { place, _ in place == surnameEnd } }

    /// The position of the `/` that ends the surname; nil if there is none, as on licences.
    var surnameEnd: Int? { isOfPayment ? text.range.first { text[$0] == ASCII.slash } : nil }

    /// Masks the name of a payment card: `*` for every character except the first `/`, which ends the surname.
    /// - Parameter name: the name as the card or the reader gives it; bytes of any value.
    /// - Returns: one character for each byte.
    public static func mask(_ name: Span<UInt8>) -> String {
        let end = name.indices.first { name[$0] == ASCII.slash }
        return name.indices.reduce(into: "") { $0 += $1 == end ? "/" : "*" }
    }

    /// The same as ``masked``.
    public var description: String { masked }
}

/// The month at the end of which a card expires.
public struct Expiry: Sendable, Hashable, CustomStringConvertible {
    /// Year within its century, 0 to 99.
    public let year: Int
    /// Month, 1 to 12.
    public let month: Int

    /// A month; nil if the year is not 0 to 99 or the month not 1 to 12.
    public init?(year: Int, month: Int) {
        guard (0...99).contains(year), (1...12).contains(month) else { return nil }
        self.year = year
        self.month = month
    }

    /// Parses four digits, `YYMM`; nil if they are not a month.
    init?(_ digits: SecretText) {
        guard digits.count == 4, digits.isAllDigits else { return nil }
        let values = digits.range.map { digits[$0].digitValue }
        self.init(year: values[0] * 10 + values[1], month: values[2] * 10 + values[3])
    }

    /// The month in the form `YYMM`, as on the stripe.
    public var text: String { "\(year / 10)\(year % 10)\(month / 10)\(month % 10)" }

    /// The same as ``text``: the expiry of a card may be shown (PCI DSS 3.4 names the account number alone).
    public var description: String { text }
}
