/// Track 1 of a payment card, format B (ISO/IEC 7813): `%B` number `^` name `^` expiry, service code, the issuer's own
/// data `?`. A `^` replaces a missing expiry or service code.
public struct Track1: TrackContent, FramedFormat {
    /// Always the format ``TrackFormat/iso7813Track1``.
    public var format: TrackFormat { .iso7813Track1 }
    /// The whole text from start sentinel to end sentinel.
    public let text: SecretText
    /// The account number, 8 to 19 digits.
    public let pan: PrimaryAccountNumber?
    /// The cardholder's name, 2 to 26 characters.
    public let name: CardholderName?
    /// The month of expiry; nil if the track has none or the card does not expire.
    public let expiry: Expiry?
    /// The rules for the use of the card; nil if the track has no service code.
    public let serviceCode: ServiceCode?
    /// The issuer's own data, which may contain verification values: do not show, log or store it.
    public let discretionaryData: SecretText

    private let shown: [Range<Int>]

    /// Parses a track 1 of format B.
    /// - Parameter text: ASCII from `%` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` with the position and the expected form.
    public init(parsing text: Span<UInt8>) throws(CardDataError) { try self.init(TrackFrame(text)) }

    init(_ frame: TrackFrame) throws(CardDataError) {
        var reader = try FieldReader(frame, of: .alphanumeric)
        try reader.take(ASCII.formatB, "format code 'B'")
        let pan = try reader.accountNumber()
        let name = try reader.characters(2...26, upTo: reader.separator, "a name of 2 to 26 characters and '^'")
        expiry = try reader.expiry()
        serviceCode = try reader.serviceCode()
        discretionaryData = reader.rest()
        text = frame.text
        self.pan = pan
        self.name = CardholderName(payment: name)
        shown =
            pan.shownParts + [
                0..<pan.digits.range.lowerBound,
                pan.digits.range.upperBound..<name.range.lowerBound,
                name.range.upperBound..<discretionaryData.range.lowerBound,
                frame.content.upperBound..<text.range.upperBound,
            ]
    }

    /// The number and the name masked, expiry and service code in clear, the issuer's data hidden.
    public var maskedText: String {
        let surnameEnd = name?.surnameEnd
        return text.masked { place, _ in place == surnameEnd || shown.contains { $0.contains(place) } }
    }
}

/// Track 2 of a payment card (ISO/IEC 7813): `;` number `=` expiry, service code, the issuer's own data `?`. A `=`
/// replaces a missing expiry or service code.
public struct Track2: TrackContent, FramedFormat {
    /// Longest text without LRC (40 with it, ISO/IEC 7811-2).
    static let longest = 39

    /// Always the format ``TrackFormat/iso7813Track2``.
    public var format: TrackFormat { .iso7813Track2 }
    /// The whole text from start sentinel to end sentinel.
    public let text: SecretText
    /// The account number, 8 to 19 digits.
    public let pan: PrimaryAccountNumber?
    /// The month of expiry; nil if the track has none or the card does not expire.
    public let expiry: Expiry?
    /// The rules for the use of the card; nil if the track has no service code.
    public let serviceCode: ServiceCode?
    /// The issuer's own data, which may contain verification values: do not show, log or store it.
    public let discretionaryData: SecretText

    private let shown: [Range<Int>]

    /// Parses a track 2.
    /// - Parameter text: ASCII from `;` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` with the position and the expected form.
    public init(parsing text: Span<UInt8>) throws(CardDataError) { try self.init(TrackFrame(text)) }

    init(_ frame: TrackFrame) throws(CardDataError) {
        var reader = try FieldReader(frame, of: .numeric)
        guard frame.text.count <= Self.longest else {
            throw CardDataError(.length, at: Self.longest, expected: "no more than \(Self.longest) characters")
        }
        let pan = try reader.accountNumber()
        expiry = try reader.expiry()
        serviceCode = try reader.serviceCode()
        discretionaryData = reader.rest()
        text = frame.text
        self.pan = pan
        shown =
            pan.shownParts + [
                0..<pan.digits.range.lowerBound,
                pan.digits.range.upperBound..<discretionaryData.range.lowerBound,
                frame.content.upperBound..<text.range.upperBound,
            ]
    }

    /// The number masked, expiry and service code in clear, the issuer's data hidden.
    public var maskedText: String { text.masked { place, _ in shown.contains { $0.contains(place) } } }
}

extension Track2 {
    /// Parses the track 2 equivalent data of a chip (EMV tag 57): two digits a byte, `D` for the separator, `F` after
    /// an odd number of digits. Expiry and service code are required.
    /// - Parameter data: 1 to 19 bytes.
    /// - Throws: ``CardDataError``; its offset counts characters of the same data written as a track, `;` included.
    public init(equivalentData data: Span<UInt8>) throws(CardDataError) {
        guard (1...19).contains(data.count) else {
            throw CardDataError(.length, at: data.count, expected: "1 to 19 bytes")
        }
        let nibbles = data.count * 2
        let isPadded = data[data.count - 1] & 0x0F == 0x0F
        let digits = isPadded ? nibbles - 1 : nibbles
        let track = SecretBytes(count: digits + 2) { characters in
            characters[0] = ASCII.semicolon
            for index in 0..<digits {
                let nibble = index.isMultiple(of: 2) ? data[index / 2] >> 4 : data[index / 2] & 0x0F
                characters[index + 1] = ASCII.zero + nibble
            }
            characters[digits + 1] = ASCII.question
        }
        self = try track.withBytes { (characters) throws(CardDataError) in try Track2(parsing: characters) }
        guard expiry != nil, serviceCode != nil else {
            let separator = (pan?.digits.range.upperBound ?? 0) + 1
            throw CardDataError(.field, at: separator, expected: "an expiry and a service code")
        }
    }
}

/// Track 3 of a payment card (ISO/IEC 4909): limits and counters that a terminal may rewrite.
///
/// Field widths follow the layout that GB/T 19584, annex B, publishes for format code 99; a separator replaces a field
/// that the card does not use. For a track that does not fit, ``Track`` reports a proprietary or unknown layout instead
/// of an error.
public struct Track3: TrackContent, FramedFormat {
    /// Always the format ``TrackFormat/iso4909Track3``.
    public var format: TrackFormat { .iso4909Track3 }
    /// The whole text from start sentinel to end sentinel.
    public let text: SecretText
    /// Two digits: 00 no international use, 01 and 02 the standard's layouts, 03 to 89 reserved, 90 to 99 the issuer's.
    public let formatCode: SecretText
    /// The account number; nil if only track 2 has it.
    public let pan: PrimaryAccountNumber?
    /// Country, 3 digits (ISO 3166-1); nil on cards by editions since 2006, which omit it.
    public let country: SecretText?
    /// Currency, 3 digits (ISO 4217); `000` means not for international use.
    public let currency: SecretText
    /// Power of ten of the two amounts, 1 digit.
    public let currencyExponent: SecretText
    /// Amount authorised for each cycle, 4 digits.
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
    /// The area in which the card may be used, 1 digit.
    public let interchangeControl: SecretText
    /// Type of account and service restriction of the account number and the two subsidiary ones, 2 digits each.
    public let accountTypes: [SecretText]
    /// The month of expiry; nil if the track has none or the card does not expire.
    public let expiry: Expiry?
    /// Distinguishes cards of the same account number, 1 digit.
    public let cardSequence: SecretText
    /// Two further accounts, up to 12 digits each.
    public let subsidiaryAccounts: [SecretText]
    /// Whether the additional data goes to the issuer, 1 digit.
    public let relayMarker: SecretText
    /// Check of the track's integrity, 6 digits; nil if the card does not use it.
    public let cryptoCheckDigits: SecretText?
    /// The issuer's own data, which may contain verification values: do not show, log or store it.
    public let additionalData: SecretText

    private let shown: [Range<Int>]

    /// Parses a track 3.
    /// - Parameter text: ASCII from `;` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` with the position and the expected form.
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
