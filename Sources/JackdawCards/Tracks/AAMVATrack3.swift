/// Track 3 of a North American driving licence or identity card, written in track 1's characters: what the holder may
/// drive and looks like (AAMVA DL/ID standard, widths as ID TECH and MagTek manuals give them).
///
/// Many issuers stop behind the colour of the eyes; the fields behind it are then empty or short.
public struct AAMVATrack3: TrackContent, FramedFormat {
    /// ``TrackFormat/aamvaTrack3``.
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
    /// Restrictions, 10 characters.
    public let restrictions: SecretText
    /// Endorsements, 4 characters.
    public let endorsements: SecretText
    /// Sex, 1 character: `1` or `M` male, `2` or `F` female.
    public let sex: SecretText
    /// Height, 3 characters.
    public let height: SecretText
    /// Weight, 3 characters.
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

    /// Reads track 3 of a licence.
    /// - Parameter text: ASCII from `%` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` with where and what was expected.
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
        guard eyeColor.count == 3 else { throw reader.fault("the fields up to the colour of the eyes") }
        identifier = reader.characters(atMost: 10)
        reserved = reader.characters(atMost: 16)
        errorCorrection = reader.characters(atMost: 6)
        security = reader.characters(atMost: 5)
        text = frame.text
        guard reader.remaining == 0 else { throw reader.fault("nothing behind the security field") }
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

    /// All between the sentinels hidden.
    public var maskedText: String { text.masked { place, _ in place == 0 || place == text.count - 1 } }
}
