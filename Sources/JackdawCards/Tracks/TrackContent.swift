/// What all tracks have in common: a text between two sentinels, and what may be said of it.
///
/// Printed forms show the format and the masked account number, no more.
public protocol TrackContent: RedactedDescription {
    /// Reads a track.
    /// - Parameter text: ASCII from start sentinel to end sentinel, without the LRC.
    /// - Throws: ``CardDataError`` with where and what was expected.
    init(parsing text: Span<UInt8>) throws(CardDataError)

    /// What the text was recognised as.
    var format: TrackFormat { get }
    /// The whole text from start sentinel to end sentinel.
    var text: SecretText { get }
    /// The text for default output, of the same length: `*` for whatever must not show. Discretionary data (it may
    /// hold card verification and PIN verification values) never shows.
    var maskedText: String { get }
    /// The account number.
    var pan: PrimaryAccountNumber? { get }
    /// The cardholder's name.
    var name: CardholderName? { get }
    /// When the card expires.
    var expiry: Expiry? { get }
    /// Where and how the card may be used.
    var serviceCode: ServiceCode? { get }
}

extension TrackContent {
    /// None, where a format has no such field.
    public var pan: PrimaryAccountNumber? { nil }

    /// None, where a format has no such field.
    public var name: CardholderName? { nil }

    /// None, where a format has no such field.
    public var expiry: Expiry? { nil }

    /// None, where a format has no such field.
    public var serviceCode: ServiceCode? { nil }

    /// Runs a body over the whole text in clear, sentinels included; what it copies out is the caller's to wipe.
    public func withRevealedText<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try text.withRevealedText(body)
    }

    /// Format, masked account number and length.
    public var description: String {
        let number = pan.map { " \($0.masked)" } ?? ""
        return "\(format.rawValue)\(number), \(text.count) characters"
    }
}
