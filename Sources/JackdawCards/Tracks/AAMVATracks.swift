/// Track 1 of a North American driving licence or identity card: the holder's name and address (AAMVA DL/ID standard,
/// field widths from ID TECH and MagTek manuals).
public struct AAMVATrack1: TrackContent, FramedFormat {
    /// Always the format ``TrackFormat/aamvaTrack1``.
    public var format: TrackFormat { .aamvaTrack1 }
    /// The whole text from start sentinel to end sentinel.
    public let text: SecretText
    /// State, province or territory of the address, two letters.
    public let jurisdiction: String
    /// City, at most 13 characters.
    public let city: SecretText
    /// The holder's name, at most 35 characters; default output never shows it.
    public let name: CardholderName?
    /// The lines of the address.
    public let address: [SecretText]

    /// Parses track 1 of a licence.
    /// - Parameter text: ASCII from `%` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` with the position and the expected form.
    public init(parsing text: Span<UInt8>) throws(CardDataError) { try self.init(TrackFrame(text)) }

    init(_ frame: TrackFrame) throws(CardDataError) {
        var reader = try FieldReader(frame, of: .alphanumeric)
        let jurisdiction = reader.characters(atMost: 2).revealedText()
        guard Self.jurisdictions.contains(jurisdiction) else {
            throw reader.fault("a state or province of two letters", at: frame.content.lowerBound)
        }
        city = try reader.characters(1...13, orUpTo: reader.separator, "a city of 1 to 13 characters and '^'").trimmed
        let name = try reader.characters(1...35, orUpTo: reader.separator, "a name of 1 to 35 characters and '^'")
        let address = reader.rest().split(at: reader.separator)[0]
        self.jurisdiction = jurisdiction
        self.name = CardholderName(licence: name)
        self.address = address.split(at: ASCII.dollar).map { $0.trimmed }
        text = frame.text
    }

    /// The jurisdiction and the separators in clear, all else hidden.
    public var maskedText: String {
        text.masked { place, character in
            place < 3 || place == text.count - 1 || character == ASCII.caret || character == ASCII.dollar
        }
    }

    /// Two-letter codes of the states, the District of Columbia, territories and Canadian provinces (ANSI D-20 uses the
    /// postal ones).
    private static let jurisdictions: Set<String> = [
        "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "DC", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY",
        "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH",
        "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY",
        "AS", "GU", "MP", "PR", "VI",
        "AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT",
    ]
}

/// Track 2 of a North American driving licence or identity card: issuer, document number, dates (AAMVA DL/ID standard,
/// field widths from ID TECH and MagTek manuals).
public struct AAMVATrack2: TrackContent, FramedFormat {
    /// Always the format ``TrackFormat/aamvaTrack2``.
    public var format: TrackFormat { .aamvaTrack2 }
    /// The whole text from start sentinel to end sentinel.
    public let text: SecretText
    /// Six digits that name the issuing authority.
    public let issuer: String
    /// The first 1 to 13 digits of the document number.
    public let documentNumber: SecretText
    /// The document's month of expiry; nil if the track has one of the standard's markers instead of the month.
    public let expiry: Expiry?
    /// The four digits of the expiry, unchanged.
    public let expiryDigits: String
    /// Date of birth, `YYYYMMDD`; not checked, because some issuers write markers there too.
    public let birthDate: SecretText
    /// Up to 5 further digits of the document number; often empty.
    public let documentNumberOverflow: SecretText

    private let shown: [Range<Int>]

    /// Parses track 2 of a licence.
    /// - Parameter text: ASCII from `;` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` with the position and the expected form.
    public init(parsing text: Span<UInt8>) throws(CardDataError) { try self.init(TrackFrame(text)) }

    init(_ frame: TrackFrame) throws(CardDataError) {
        var reader = try FieldReader(frame, of: .numeric)
        let issuer = try reader.digits(6, "an issuer of 6 digits").revealedText()
        guard let number = Int(issuer), Self.issuers.contains(where: { $0.contains(number) }) else {
            throw reader.fault("an issuer of licences, 604425 or 636000 to 636062", at: frame.content.lowerBound)
        }
        documentNumber = try reader.digits(
            1...13, upTo: reader.separator, "a document number of 1 to 13 digits and '='")
        let expiryDigits = try reader.digits(4, "an expiry of 4 digits")
        birthDate = try reader.digits(8, "a date of birth of 8 digits")
        let overflow = reader.rest()
        documentNumberOverflow = overflow.split(at: reader.separator)[0]
        let isClosed = overflow.count == documentNumberOverflow.count + 1
        guard isClosed || overflow == documentNumberOverflow, documentNumberOverflow.count <= 5,
            documentNumberOverflow.isAllDigits
        else { throw reader.fault("up to 5 digits and '='", at: overflow.range.lowerBound) }
        text = frame.text
        self.issuer = issuer
        self.expiryDigits = expiryDigits.revealedText()
        expiry = Expiry(expiryDigits)
        shown = [
            0..<documentNumber.range.lowerBound,
            documentNumber.range.upperBound..<birthDate.range.lowerBound,
            frame.content.upperBound..<text.range.upperBound,
        ]
    }

    /// Issuer and expiry in clear, all else hidden.
    public var maskedText: String { text.masked { place, _ in shown.contains { $0.contains(place) } } }

    /// Issuer numbers that the AAMVA assigns (MagTek, iDynamo communication manual).
    private static let issuers = [604425...604425, 636000...636062]
}

/// Track 3 of a North American driving licence or identity card, in the character code of track 1: the holder's vehicle
/// classes and physical description (AAMVA DL/ID standard, field widths from ID TECH and MagTek manuals).
///
/// Many issuers end the track after the colour of the eyes; the fields after it are then empty or short.
public struct AAMVATrack3: TrackContent, FramedFormat {
    /// Always the format ``TrackFormat/aamvaTrack3``.
    public var format: TrackFormat { .aamvaTrack3 }
    /// The whole text from start sentinel to end sentinel.
    public let text: SecretText
    /// Version of the layout, 1 character.
    public let templateVersion: SecretText
    /// Version of the security field, 1 character.
    public let securityVersion: SecretText
    /// Postal code, 11 characters.
    public let postalCode: SecretText
    /// Class of vehicles, 2 characters.
    public let vehicleClass: SecretText
    /// Restrictions of the licence, 10 characters.
    public let restrictions: SecretText
    /// Endorsements of the licence, 4 characters.
    public let endorsements: SecretText
    /// Sex, 1 character: `1` or `M` male, `2` or `F` female.
    public let sex: SecretText
    /// Height, 3 characters (digits or spaces).
    public let height: SecretText
    /// Weight, 3 characters (digits or spaces).
    public let weight: SecretText
    /// Colour of the hair, 3 characters.
    public let hairColor: SecretText
    /// Colour of the eyes, 3 characters.
    public let eyeColor: SecretText
    /// A further number of the holder, up to 10 characters.
    public let identifier: SecretText
    /// Reserved, up to 16 characters.
    public let reserved: SecretText
    /// Error correction, up to 6 characters.
    public let errorCorrection: SecretText
    /// Security, up to 5 characters.
    public let security: SecretText

    /// Parses track 3 of a licence.
    /// - Parameter text: ASCII from `%` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` with the position and the expected form.
    public init(parsing text: Span<UInt8>) throws(CardDataError) { try self.init(TrackFrame(text)) }

    init(_ frame: TrackFrame) throws(CardDataError) {
        var reader = try FieldReader(frame, of: .alphanumeric)
        templateVersion = reader.characters(atMost: 1)
        securityVersion = reader.characters(atMost: 1)
        postalCode = reader.characters(atMost: 11)
        vehicleClass = reader.characters(atMost: 2)
        restrictions = reader.characters(atMost: 10)
        endorsements = reader.characters(atMost: 4)
        sex = reader.characters(atMost: 1)
        height = reader.characters(atMost: 3)
        weight = reader.characters(atMost: 3)
        hairColor = reader.characters(atMost: 3)
        eyeColor = reader.characters(atMost: 3)
        guard eyeColor.count == 3 else { throw reader.fault("the fields up to the eye colour") }
        identifier = reader.characters(atMost: 10)
        reserved = reader.characters(atMost: 16)
        errorCorrection = reader.characters(atMost: 6)
        security = reader.characters(atMost: 5)
        text = frame.text
        guard reader.remaining == 0 else { throw reader.fault("nothing after the security field") }
        try check(postalCode, "a postal code") { $0.isDigit || $0.isCapital || $0 == ASCII.space }
        try check(sex, "a sex, '1', '2', 'M' or 'F'") { [0x31, 0x32, 0x46, 0x4D].contains($0) }
        try check(height, "a height of 3 digits or spaces") { $0.isDigit || $0 == ASCII.space }
        try check(weight, "a weight of 3 digits or spaces") { $0.isDigit || $0 == ASCII.space }
    }

    private func check(
        _ field: SecretText, _ expected: String, _ isAllowed: (UInt8) -> Bool
    ) throws(CardDataError) {
        for place in field.range where !isAllowed(text[place]) {
            throw CardDataError(.field, at: place, expected: expected)
        }
    }

    /// Everything between the sentinels is hidden.
    public var maskedText: String { text.masked { place, _ in place == 0 || place == text.count - 1 } }
}
