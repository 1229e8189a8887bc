/// Track 1 of a North American driving licence or identity card: whose it is and where they live (AAMVA DL/ID standard,
/// widths as ID TECH and MagTek manuals give them).
public struct AAMVATrack1: TrackContent, FramedFormat {
    /// ``TrackFormat/aamvaTrack1``.
    public var format: TrackFormat { .aamvaTrack1 }
    /// The whole text from start sentinel to end sentinel.
    public let text: SecretText
    /// State, province or territory of the address, two letters.
    public let jurisdiction: String
    /// City, at most 13 characters.
    public let city: SecretText
    /// The holder's name, at most 35 characters; it shows in no default output.
    public let name: CardholderName?
    /// Lines of the address.
    public let address: [SecretText]

    /// Reads track 1 of a licence.
    /// - Parameter text: ASCII from `%` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` with where and what was expected.
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
        self.address = address.split(at: ASCII.dollar).map(\.trimmed)
        text = frame.text
    }

    /// The jurisdiction and the separators in clear, all else hidden.
    public var maskedText: String {
        text.masked { place, character in
            place < 3 || place == text.count - 1 || character == ASCII.caret || character == ASCII.dollar
        }
    }

    /// Two-letter codes of the states, the District of Columbia, territories and Canadian provinces (ANSI D-20 uses
    /// the postal ones).
    private static let jurisdictions: Set<String> = [
        "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "DC", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY",
        "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH",
        "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY",
        "AS", "GU", "MP", "PR", "VI",
        "AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT",
    ]
}
