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

/// What a track's content was recognised as. The raw value is its name for machines.
public enum TrackFormat: String, Sendable, Hashable, CaseIterable {
    /// A payment card's track 1 of format B (ISO/IEC 7813).
    case iso7813Track1 = "iso7813-track1"
    /// A payment card's track 2 (ISO/IEC 7813).
    case iso7813Track2 = "iso7813-track2"
    /// A payment card's track 3 (ISO/IEC 4909).
    case iso4909Track3 = "iso4909-track3"
    /// Track 1 of a North American driving licence or identity card (AAMVA).
    case aamvaTrack1 = "aamva-track1"
    /// Track 2 of a North American driving licence or identity card (AAMVA).
    case aamvaTrack2 = "aamva-track2"
    /// Track 3 of a North American driving licence or identity card (AAMVA).
    case aamvaTrack3 = "aamva-track3"
    /// A layout of the issuer's own, by the format code that the track bears.
    case proprietary
    /// Anything else between two sentinels.
    case unknown
}

/// A text whose sentinels, length and characters were checked: what every format starts from.
struct TrackFrame {
    /// The two character codes of a stripe, told by the start sentinel.
    enum Code {
        case alphanumeric
        case numeric

        var startSentinel: UInt8 { self == .alphanumeric ? ASCII.percent : ASCII.semicolon }
        var separator: UInt8 { self == .alphanumeric ? ASCII.caret : ASCII.equals }
        var characters: ClosedRange<UInt8> { self == .alphanumeric ? 0x20...0x5F : 0x30...0x3F }

        /// Longest text without LRC: 81 alphanumeric characters (79 with LRC by ISO/IEC 7811-2, 82 by AAMVA), 106
        /// numeric ones (107 with LRC on track 3).
        var longest: Int { self == .alphanumeric ? 81 : 106 }
    }

    let text: SecretText
    let code: Code

    /// Between the sentinels.
    var content: Range<Int> { (text.range.lowerBound + 1)..<(text.range.upperBound - 1) }

    /// Checks a text from start sentinel to end sentinel and copies it into a wiped buffer.
    init(_ bytes: Span<UInt8>) throws(CardDataError) {
        guard bytes.count > 0 else { throw CardDataError(.length, at: 0, expected: "a start sentinel, '%' or ';'") }
        switch bytes[0] {
        case ASCII.percent: code = .alphanumeric
        case ASCII.semicolon: code = .numeric
        default: throw CardDataError(.startSentinel, at: 0, expected: "a start sentinel, '%' or ';'")
        }
        guard bytes.count <= code.longest else {
            throw CardDataError(.length, at: code.longest, expected: "no more than \(code.longest) characters")
        }
        for index in 1..<bytes.count {
            guard code.characters.contains(bytes[index]) else {
                throw CardDataError(.character, at: index, expected: "a character of the track's code")
            }
            guard bytes[index] != ASCII.question || index == bytes.count - 1 else {
                throw CardDataError(.endSentinel, at: index + 1, expected: "nothing behind the end sentinel")
            }
        }
        guard bytes.count > 1, bytes[bytes.count - 1] == ASCII.question else {
            throw CardDataError(.endSentinel, at: bytes.count, expected: "the end sentinel '?'")
        }
        text = SecretText(copying: bytes)
    }

    /// Checks that the text starts as a format's text does.
    func expect(_ code: Code) throws(CardDataError) {
        guard self.code == code else {
            let sentinel = code == .alphanumeric ? "'%'" : "';'"
            throw CardDataError(.startSentinel, at: 0, expected: "the start sentinel \(sentinel)")
        }
    }
}

/// A format that can be tried on a text whose frame was checked already.
protocol FramedFormat: TrackContent {
    /// Reads the fields of a framed text.
    init(_ frame: TrackFrame) throws(CardDataError)
}

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

/// Text that may be shown, from text that may not.
public enum Masking {
    /// Masks whatever a stripe held, also a damaged or partial text: the length stays.
    ///
    /// A track of a known format shows what its `maskedText` shows. Of anything else only the start sentinel, `^`, `=`
    /// and `?` show.
    /// - Parameter text: what was read, sentinels included where there are any; bytes of any value.
    /// - Returns: one character a byte.
    public static func mask(_ text: Span<UInt8>) -> String {
        guard let track = try? Track(parsing: text) else { return hidingAll(SecretText(copying: text)) }
        return track.maskedText
    }

    static func hidingAll(_ text: SecretText) -> String {
        text.masked { place, character in
            switch character {
            case ASCII.caret, ASCII.equals, ASCII.question: true
            case ASCII.percent, ASCII.semicolon: place == 0
            default: false
            }
        }
    }
}
