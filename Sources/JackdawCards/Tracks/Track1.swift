/// Track 1 of a payment card, format B (ISO/IEC 7813): `%B` number `^` name `^` expiry, service code, the issuer's own
/// data `?`. A `^` stands where there is no expiry or no service code.
public struct Track1: TrackContent, FramedFormat {
    /// ``TrackFormat/iso7813Track1``.
    public var format: TrackFormat { .iso7813Track1 }
    /// The whole text from start sentinel to end sentinel.
    public let text: SecretText
    /// The account number.
    public let pan: PrimaryAccountNumber?
    /// The cardholder's name.
    public let name: CardholderName?
    /// When the card expires; nil where the track does not say or the card does not expire.
    public let expiry: Expiry?
    /// Where and how the card may be used; nil where the track does not say.
    public let serviceCode: ServiceCode?
    /// The issuer's own data, which may hold verification values: never to be shown, logged or kept.
    public let discretionaryData: SecretText

    private let shown: [Range<Int>]

    /// Reads a track 1 of format B.
    /// - Parameter text: ASCII from `%` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` with where and what was expected.
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
