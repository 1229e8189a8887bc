/// A track of any format, recognised by its text.
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
    /// Any other text between two sentinels.
    case unknown(UnknownTrack)

    /// Recognises the format of a track by start sentinel, length and fields. The stripe that it was read from does not
    /// matter.
    /// - Parameter text: ASCII from start sentinel to end sentinel, without the LRC.
    /// - Throws: ``CardDataError`` if a sentinel is missing, or a character is not in the track's code. A text in no
    ///   known format becomes ``unknown(_:)`` and is not an error.
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

    /// The fields that tracks may have, of a track of any format.
    private struct Fields {
        let format: TrackFormat
        let text: SecretText
        let pan: PrimaryAccountNumber?
        let name: CardholderName?
        let expiry: Expiry?
        let serviceCode: ServiceCode?

        init(_ track: some TrackContent) {
            format = track.format
            text = track.text
            pan = track.pan
            name = track.name
            expiry = track.expiry
            serviceCode = track.serviceCode
        }
    }

    private var fields: Fields {
        switch self {
        case .payment1(let track): Fields(track)
        case .payment2(let track): Fields(track)
        case .payment3(let track): Fields(track)
        case .licence1(let track): Fields(track)
        case .licence2(let track): Fields(track)
        case .licence3(let track): Fields(track)
        case .unknown(let track): Fields(track)
        }
    }

    /// The format of the text.
    public var format: TrackFormat { fields.format }
    /// The whole text from start sentinel to end sentinel.
    public var text: SecretText { fields.text }
    /// The text for default output, of the same length.
    public var maskedText: String {
        switch self {
        case .payment1(let track): track.maskedText
        case .payment2(let track): track.maskedText
        case .payment3(let track): track.maskedText
        case .licence1(let track): track.maskedText
        case .licence2(let track): track.maskedText
        case .licence3(let track): track.maskedText
        case .unknown(let track): track.maskedText
        }
    }
    /// The account number; nil if the track has none.
    public var pan: PrimaryAccountNumber? { fields.pan }
    /// The cardholder's name; nil if the track has none.
    public var name: CardholderName? { fields.name }
    /// The month of expiry; nil if the track has none.
    public var expiry: Expiry? { fields.expiry }
    /// The rules for the use of the card; nil if the track has none.
    public var serviceCode: ServiceCode? { fields.serviceCode }
}

/// A text between two sentinels, with the fields that tracks may have.
///
/// Printed forms show only the format and the masked account number.
public protocol TrackContent: RedactedDescription {
    /// Parses a track.
    /// - Parameter text: ASCII from start sentinel to end sentinel, without the LRC.
    /// - Throws: ``CardDataError`` with the position and the expected form.
    init(parsing text: Span<UInt8>) throws(CardDataError)

    /// The format of the text.
    var format: TrackFormat { get }
    /// The whole text from start sentinel to end sentinel.
    var text: SecretText { get }
    /// The text for default output, of the same length: `*` for every hidden character. Discretionary data, which may
    /// contain card verification and PIN verification values, is always hidden.
    var maskedText: String { get }
    /// The account number. Default: nil.
    var pan: PrimaryAccountNumber? { get }
    /// The cardholder's name. Default: nil.
    var name: CardholderName? { get }
    /// The month of expiry. Default: nil.
    var expiry: Expiry? { get }
    /// The rules for the use of the card. Default: nil.
    var serviceCode: ServiceCode? { get }
}

extension TrackContent {
    /// Default: nil, for formats without this field.
    public var pan: PrimaryAccountNumber? { nil }

    /// Default: nil, for formats without this field.
    public var name: CardholderName? { nil }

    /// Default: nil, for formats without this field.
    public var expiry: Expiry? { nil }

    /// Default: nil, for formats without this field.
    public var serviceCode: ServiceCode? { nil }

    /// Runs a body over the whole text in clear, sentinels included. The caller wipes any copy that the body makes.
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

/// The recognised format of a track's text. The raw value is its name for machines.
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
    /// A layout of the issuer's own, by the format code of the track.
    case proprietary
    /// Any other text between two sentinels.
    case unknown
}

/// A text with checked sentinels, length and characters, from which every format is parsed.
struct TrackFrame {
    /// The two character codes of a stripe, identified by the start sentinel.
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

    /// The range between the sentinels.
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
                throw CardDataError(.endSentinel, at: index + 1, expected: "nothing after the end sentinel")
            }
        }
        guard bytes.count > 1, bytes[bytes.count - 1] == ASCII.question else {
            throw CardDataError(.endSentinel, at: bytes.count, expected: "the end sentinel '?'")
        }
        text = SecretText(copying: bytes)
    }

    /// Checks that the text has the start sentinel of a code.
    func expect(_ code: Code) throws(CardDataError) {
        guard self.code == code else {
            let sentinel = code == .alphanumeric ? "'%'" : "';'"
            throw CardDataError(.startSentinel, at: 0, expected: "the start sentinel \(sentinel)")
        }
    }
}

/// A format that can be parsed from a text with a checked frame.
protocol FramedFormat: TrackContent {
    /// Parses the fields of a framed text.
    init(_ frame: TrackFrame) throws(CardDataError)
}

/// A text between two sentinels in no known format: a room key, a loyalty card, an issuer's own layout.
public struct UnknownTrack: TrackContent {
    /// ``TrackFormat/proprietary`` if the track has an issuer's format code, otherwise ``TrackFormat/unknown``.
    public let format: TrackFormat
    /// The whole text from start sentinel to end sentinel.
    public let text: SecretText
    /// The fields between the separators (`^` or `=`), at least one.
    public let fields: [SecretText]
    /// The error of the payment format with the same start sentinel; nil if that was not tried.
    public let mismatch: CardDataError?

    /// Parses any text between two sentinels as unknown, even in a known format.
    /// - Parameter text: ASCII from `%` or `;` to `?`, without the LRC.
    /// - Throws: ``CardDataError`` if a sentinel is missing, or a character is not in the track's code.
    public init(parsing text: Span<UInt8>) throws(CardDataError) { try self.init(TrackFrame(text), mismatch: nil) }

    init(_ frame: TrackFrame, mismatch: CardDataError?) {
        text = frame.text
        fields = frame.text[frame.content].split(at: frame.code.separator)
        self.mismatch = mismatch
        format = Self.bearsIssuersFormatCode(frame) ? .proprietary : .unknown
    }

    /// Track 1: format code A or N to Z (ISO/IEC 7813). Track 3, recognised by its length: 90 to 99 (ISO/IEC 4909).
    private static func bearsIssuersFormatCode(_ frame: TrackFrame) -> Bool {
        guard let first = frame.content.first else { return false }
        let code = frame.text[first]
        switch frame.code {
        case .alphanumeric: return code == ASCII.formatA || (ASCII.formatN...ASCII.formatZ).contains(code)
        case .numeric: return frame.text.count > Track2.longest && code == ASCII.nine && frame.text[first + 1].isDigit
        }
    }

    /// Sentinels and separators in clear, all else hidden, because the place of the number in such a text is not known.
    public var maskedText: String { Masking.hidingAll(text) }
}

/// Masks card text for default output.
public enum Masking {
    /// Masks any text of a stripe, also a damaged or partial one; the length stays the same.
    ///
    /// A track of a known format shows the same characters as its `maskedText`. Any other text shows only the start
    /// sentinel, `^`, `=` and `?`.
    /// - Parameter text: the text as it was read, with or without sentinels; bytes of any value.
    /// - Returns: one character for each byte.
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
