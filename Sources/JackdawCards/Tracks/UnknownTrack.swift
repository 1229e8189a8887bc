/// A text between two sentinels that fits no format known here: a room key, a loyalty card, an issuer's own layout.
public struct UnknownTrack: TrackContent {
    /// ``TrackFormat/proprietary`` where the track bears an issuer's format code, ``TrackFormat/unknown`` otherwise.
    public let format: TrackFormat
    /// The whole text from start sentinel to end sentinel.
    public let text: SecretText
    /// What stands between the separators (`^` or `=`), at least one.
    public let fields: [SecretText]
    /// Why it is not the payment format that starts alike; nil where that was not tried.
    public let mismatch: CardDataError?

    /// Reads any text between two sentinels as unknown, also one that has a known format.
    /// - Parameter text: ASCII from `%` or `;` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` where there are no two sentinels, or characters that a track does not have.
    public init(parsing text: Span<UInt8>) throws(CardDataError) { try self.init(TrackFrame(text), mismatch: nil) }

    init(_ frame: TrackFrame, mismatch: CardDataError?) {
        text = frame.text
        fields = frame.text[frame.content].split(at: frame.code.separator)
        self.mismatch = mismatch
        format = Self.bearsIssuersFormatCode(frame) ? .proprietary : .unknown
    }

    /// Track 1: format code A or N to Z (ISO/IEC 7813). Track 3, told by its length: 90 to 99 (ISO/IEC 4909).
    private static func bearsIssuersFormatCode(_ frame: TrackFrame) -> Bool {
        guard let first = frame.content.first else { return false }
        let code = frame.text[first]
        switch frame.code {
        case .alphanumeric: return code == ASCII.formatA || (ASCII.formatN...ASCII.formatZ).contains(code)
        case .numeric: return frame.text.count > Track2.longest && code == ASCII.nine && frame.text[first + 1].isDigit
        }
    }

    /// Sentinels and separators in clear, all else hidden: where the number stands in such a text is not known.
    public var maskedText: String { Masking.hidingAll(text) }
}
