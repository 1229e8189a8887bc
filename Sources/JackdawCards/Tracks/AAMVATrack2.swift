/// Track 2 of a North American driving licence or identity card: issuer, document number, dates (AAMVA DL/ID standard,
/// widths as ID TECH and MagTek manuals give them).
public struct AAMVATrack2: TrackContent, FramedFormat {
    /// ``TrackFormat/aamvaTrack2``.
    public var format: TrackFormat { .aamvaTrack2 }
    /// The whole text from start sentinel to end sentinel.
    public let text: SecretText
    /// Six digits that name the issuing authority.
    public let issuer: String
    /// The first 1 to 13 digits of the document number.
    public let documentNumber: SecretText
    /// When the document expires; nil where the month is one of the standard's markers instead of 01 to 12.
    public let expiry: Expiry?
    /// The four digits of the expiry as they are.
    public let expiryDigits: String
    /// Date of birth, `YYYYMMDD`; not checked, since some issuers write markers there too.
    public let birthDate: SecretText
    /// Up to 5 further digits of the document number; often none.
    public let documentNumberOverflow: SecretText

    private let shown: [Range<Int>]

    /// Reads track 2 of a licence.
    /// - Parameter text: ASCII from `;` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` with where and what was expected.
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
