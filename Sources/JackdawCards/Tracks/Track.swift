/// A track, as whatever it was recognised.
///
/// ```swift
/// let track = try Track(parsing: characters.span)
/// print(track.format.rawValue, track.pan?.masked ?? "-", track.maskedText)
/// ```
public enum Track: TrackContent {
    /// Track 1 of a payment card.
    case payment1(Track1)
    /// Track 2 of a payment card.
    case payment2(Track2)
    /// Track 3 of a payment card.
    case payment3(Track3)
    /// Track 1 of a licence.
    case licence1(AAMVATrack1)
    /// Track 2 of a licence.
    case licence2(AAMVATrack2)
    /// Track 3 of a licence.
    case licence3(AAMVATrack3)
    /// Something else between two sentinels.
    case unknown(UnknownTrack)

    /// Recognises a track. Which stripe it came from does not matter: start sentinel, length and fields tell the
    /// formats apart.
    /// - Parameter text: ASCII from start sentinel to end sentinel, without the LRC.
    /// - Throws: ``CardDataError`` where there are no two sentinels, or characters that a track does not have. A text
    ///   that fits no known format is no error but ``unknown(_:)``.
    public init(parsing text: Span<UInt8>) throws(CardDataError) {
        let frame = try TrackFrame(text)
        switch frame.code {
        case .alphanumeric: self = Self.alphanumeric(frame)
        case .numeric: self = Self.numeric(frame)
        }
    }

    private static func alphanumeric(_ frame: TrackFrame) -> Track {
        do throws(CardDataError) {
            return .payment1(try Track1(frame))
        } catch {
            if let licence = try? AAMVATrack1(frame) { return .licence1(licence) }
            if let licence = try? AAMVATrack3(frame) { return .licence3(licence) }
            return .unknown(UnknownTrack(frame, mismatch: error))
        }
    }

    private static func numeric(_ frame: TrackFrame) -> Track {
        if let licence = try? AAMVATrack2(frame) { return .licence2(licence) }
        do throws(CardDataError) {
            guard frame.text.count <= Track2.longest else { return .payment3(try Track3(frame)) }
            return .payment2(try Track2(frame))
        } catch {
            return .unknown(UnknownTrack(frame, mismatch: error))
        }
    }

    /// The recognised track by what all formats have in common.
    public var content: any TrackContent {
        switch self {
        case .payment1(let track): track
        case .payment2(let track): track
        case .payment3(let track): track
        case .licence1(let track): track
        case .licence2(let track): track
        case .licence3(let track): track
        case .unknown(let track): track
        }
    }

    /// What the text was recognised as.
    public var format: TrackFormat { content.format }
    /// The whole text from start sentinel to end sentinel.
    public var text: SecretText { content.text }
    /// The text for default output, of the same length.
    public var maskedText: String { content.maskedText }
    /// The account number, where the format has one.
    public var pan: PrimaryAccountNumber? { content.pan }
    /// The cardholder's name, where the format has one.
    public var name: CardholderName? { content.name }
    /// When the card expires, where the format says.
    public var expiry: Expiry? { content.expiry }
    /// Where and how the card may be used, where the format says.
    public var serviceCode: ServiceCode? { content.serviceCode }
}
