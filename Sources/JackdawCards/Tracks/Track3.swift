/// Track 3 of a payment card (ISO/IEC 4909): limits and counters that a terminal may rewrite.
///
/// Field widths follow the layout that GB/T 19584, annex B, publishes for format code 99; a field that the card does
/// not use has a separator in its place. A track that does not fit is no error of ``Track``, which then reports a
/// proprietary or unknown layout.
public struct Track3: TrackContent, FramedFormat {
    /// ``TrackFormat/iso4909Track3``.
    public var format: TrackFormat { .iso4909Track3 }
    /// The whole text from start sentinel to end sentinel.
    public let text: SecretText
    /// Two digits: 00 no international use, 01 and 02 the standard's layouts, 03 to 89 reserved, 90 to 99 the issuer's.
    public let formatCode: SecretText
    /// The account number; nil where it is on track 2 alone.
    public let pan: PrimaryAccountNumber?
    /// Country, 3 digits (ISO 3166-1), which editions since 2006 leave out.
    public let country: SecretText?
    /// Currency, 3 digits (ISO 4217); `000` not for international use.
    public let currency: SecretText
    /// Power of ten of the two amounts, 1 digit.
    public let currencyExponent: SecretText
    /// Amount authorised a cycle, 4 digits.
    public let amountAuthorized: SecretText
    /// Amount left in this cycle, 4 digits.
    public let amountRemaining: SecretText
    /// First day of the cycle, 4 digits: last digit of the year, day of the year.
    public let cycleBegin: SecretText
    /// Length of a cycle, 2 digits.
    public let cycleLength: SecretText
    /// PIN tries left, 1 digit.
    public let retryCount: SecretText
    /// PIN control parameters, 6 digits.
    public let pinControl: SecretText
    /// Where the card may be used, 1 digit.
    public let interchangeControl: SecretText
    /// Type of account and service restriction of the account number and the two subsidiary ones, 2 digits each.
    public let accountTypes: [SecretText]
    /// When the card expires; nil where the track does not say or the card does not expire.
    public let expiry: Expiry?
    /// Tells cards of one account number apart, 1 digit.
    public let cardSequence: SecretText
    /// Two further accounts, up to 12 digits each.
    public let subsidiaryAccounts: [SecretText]
    /// Whether the additional data goes to the issuer, 1 digit.
    public let relayMarker: SecretText
    /// Check of the track's integrity, 6 digits.
    public let cryptoCheckDigits: SecretText?
    /// The issuer's own data, which may hold verification values: never to be shown, logged or kept.
    public let additionalData: SecretText

    private let shown: [Range<Int>]

    /// Reads a track 3.
    /// - Parameter text: ASCII from `;` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` with where and what was expected.
    public init(parsing text: Span<UInt8>) throws(CardDataError) { try self.init(TrackFrame(text)) }

    init(_ frame: TrackFrame) throws(CardDataError) {
        var reader = try FieldReader(frame, of: .numeric)
        formatCode = try reader.digits(2, "a format code of 2 digits")
        pan = reader.takeIfNext(reader.separator) ? nil : try reader.accountNumber()
        let start = reader.position
        country = try reader.digits(3, or: reader.separator, "a country of 3 digits or '='")
        currency = try reader.digits(3, "a currency of 3 digits")
        currencyExponent = try reader.digits(1, "a currency exponent of 1 digit")
        amountAuthorized = try reader.digits(4, "an amount authorised of 4 digits")
        amountRemaining = try reader.digits(4, "an amount remaining of 4 digits")
        cycleBegin = try reader.digits(4, "a cycle begin of 4 digits")
        cycleLength = try reader.digits(2, "a cycle length of 2 digits")
        retryCount = try reader.digits(1, "a retry count of 1 digit")
        pinControl = try reader.digits(6, "PIN control parameters of 6 digits")
        interchangeControl = try reader.digits(1, "an interchange control of 1 digit")
        var types: [SecretText] = []
        for _ in 0..<3 { types.append(try reader.digits(2, "an account type of 2 digits")) }
        accountTypes = types
        let expiryStart = reader.position
        expiry = try reader.expiry()
        let expiryEnd = reader.position
        cardSequence = try reader.digits(1, "a card sequence number of 1 digit")
        try reader.take(reader.separator, "'=' in place of a card security number")
        var accounts: [SecretText] = []
        for _ in 0..<2 {
            accounts.append(try reader.digits(0...12, upTo: reader.separator, "an account of up to 12 digits and '='"))
        }
        subsidiaryAccounts = accounts
        relayMarker = try reader.digits(1, "a relay marker of 1 digit")
        cryptoCheckDigits = try reader.digits(6, or: reader.separator, "6 crypto check digits or '='")
        additionalData = reader.rest()
        text = frame.text
        shown =
            (pan?.shownParts ?? []) + [
                0..<formatCode.range.upperBound,
                (start - 1)..<start,
                expiryStart..<expiryEnd,
                frame.content.upperBound..<text.range.upperBound,
            ]
    }

    /// Format code and expiry in clear, the number masked, all else hidden.
    public var maskedText: String { text.masked { place, _ in shown.contains { $0.contains(place) } } }
}
