/// A card that was read, with the same fields whatever read it: sound, a reader, or a decrypted swipe.
///
/// Printed forms show the masked account number, brand, expiry and service code, and nothing of the name.
///
/// ```swift
/// let event = CardEvent([.init(2, characters.span)], source: .sound)
/// print(event.maskedNumber ?? "-", event.brand.rawValue, event.expiry?.text ?? "-")
/// ```
public struct CardEvent: RedactedDescription {
    /// The kind of source that a card was read from. More may be added.
    public struct Source: RawRepresentable, Sendable, Hashable {
        /// The name for machines, such as `audio_reader`.
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The sound of a magnetic head.
        public static let sound = Source(rawValue: "sound")
        /// A reader on the audio jack, which decodes the stripe itself.
        public static let audioReader = Source(rawValue: "audio_reader")
        /// A reader over Bluetooth.
        public static let bluetoothReader = Source(rawValue: "bluetooth_reader")
        /// A reader on any other link: a serial line, a network, a simulated reader, a transcript.
        public static let reader = Source(rawValue: "reader")
        /// An encrypted swipe of a reader, after decryption.
        public static let decryptedSwipe = Source(rawValue: "decrypted_swipe")
    }

    /// A track of the card, as the source has it. Printed forms show the number, the form and the length.
    public struct TrackText: RedactedDescription {
        /// How the source has a track. The raw value is its name for machines.
        public enum Form: String, Sendable, Hashable, CaseIterable {
            /// All characters.
            case clear
            /// With characters that the reader has masked.
            case masked
            /// Encrypted by the reader.
            case encrypted
        }

        /// The track's number, 1 to 3; nil for several tracks that are encrypted together.
        public let number: Int?
        /// How the source has the track.
        public let form: Form
        /// The characters, with sentinels if the source has them; nil for an encrypted track.
        public let text: SecretText?
        /// The fields of a track in clear; nil if the text does not have the form of a track.
        public let content: Track?

        /// Copies a track in clear and parses it. The caller wipes the original.
        /// - Parameters:
        ///   - number: the track's number, 1 to 3.
        ///   - characters: ASCII, from start sentinel to end sentinel; other text has no fields.
        public init(_ number: Int, _ characters: Span<UInt8>) {
            self.init(number, characters, content: try? Track(parsing: characters))
        }

        /// Copies a track that has been parsed.
        /// - Parameters:
        ///   - number: the track's number, 1 to 3.
        ///   - characters: the characters.
        ///   - content: their fields; nil if the text does not have the form of a track.
        package init(_ number: Int, _ characters: Span<UInt8>, content: Track?) {
            self.number = number
            form = .clear
            text = content?.text ?? SecretText(copying: characters)
            self.content = content
        }

        /// Copies a track with characters that the reader has masked.
        /// - Parameters:
        ///   - number: the track's number, 1 to 3.
        ///   - characters: the characters; the caller wipes the original.
        public init(masked number: Int, _ characters: Span<UInt8>) {
            self.number = number
            form = .masked
            text = SecretText(copying: characters)
            content = nil
        }

        /// A track that is encrypted.
        /// - Parameter number: the track's number, 1 to 3; nil for several tracks that are encrypted together.
        public init(encrypted number: Int?) {
            self.number = number
            form = .encrypted
            text = nil
            content = nil
        }

        /// The characters for default output, of the same length; nil for an encrypted track.
        public var maskedText: String? {
            content?.maskedText ?? text.map { text in text.withRevealedText { Masking.mask($0) } }
        }

        /// Number, form and length, without the characters.
        public var description: String {
            let name = number.map { "track \($0)" } ?? "tracks"
            let length = text.map { ", \($0.count) characters" } ?? ""
            return "\(name), \(form.rawValue)\(length)"
        }
    }

    /// The source of the card.
    public let source: Source
    /// The time at which the card was read, since the beginning of 1970 (UTC); nil for a recording or a stored frame.
    public let time: Duration?
    /// The tracks, in the order given.
    public let tracks: [TrackText]
    /// The account number; nil if the source has none, or only part of its digits.
    public let pan: PrimaryAccountNumber?
    /// The account number with `*` for hidden digits: the masked form of ``pan``, or the number that the reader has
    /// masked; nil if the source has none.
    public let maskedNumber: String?
    /// The card's scheme, also of a masked number whose first digits show; ``CardBrand/unknown`` without a number.
    public let brand: CardBrand
    /// The cardholder's name; nil if the source has none.
    public let name: CardholderName?
    /// The month of expiry; nil if the source has none, or the reader has masked it.
    public let expiry: Expiry?
    /// The rules for the use of the card; nil if the source has none, or the reader has masked them.
    public let serviceCode: ServiceCode?
    /// The fields that differ between tracks in clear; empty if all tracks agree.
    public let conflicts: [SwipedCard.Conflict]

    /// Combines the tracks of a card.
    /// - Parameters:
    ///   - tracks: the tracks of one card, in the order of their numbers.
    ///   - source: the source of the card.
    ///   - time: the time at which it was read, since the beginning of 1970 (UTC); nil if it is not known.
    public init(_ tracks: [TrackText], source: Source, time: Duration? = nil) {
        self.init(tracks, source: source, time: time, separate: SeparateFields())
    }

    /// Combines the tracks of a card with fields that the reader sent beside them. A track in clear precedes these
    /// fields, and they precede a track that the reader has masked.
    package init(_ tracks: [TrackText], source: Source, time: Duration?, separate: SeparateFields) {
        let card = SwipedCard(tracks.compactMap { $0.content })
        let masked = tracks.compactMap { track in
            track.form == .masked ? track.text.map { VisibleFields(of: track.number, $0) } : nil
        }
        self.source = source
        self.time = time
        self.tracks = tracks
        conflicts = card.conflicts
        pan = card.pan
        maskedNumber = card.pan?.masked ?? separate.maskedNumber
        brand = card.pan?.brand ?? separate.maskedNumber.map { Self.brand(ofMasked: $0) } ?? .unknown
        name = card.name ?? separate.name ?? masked.compactMap { $0.name }.first
        expiry = card.expiry ?? separate.expiry ?? masked.compactMap { $0.expiry }.first
        serviceCode = card.serviceCode ?? masked.compactMap { $0.serviceCode }.first
    }

    /// The scheme of a number of which at least the first six digits show.
    private static func brand(ofMasked number: String) -> CardBrand {
        let digits = Array(number.utf8.prefix { $0.isDigit })
        guard digits.count >= 6 else { return .unknown }
        return CardBrand(of: digits.span)
    }

    /// Source, masked account number, brand, expiry, service code and the number of tracks.
    public var description: String {
        var facts = [source.rawValue, maskedNumber ?? "no account number"]
        if brand != .unknown { facts.append(brand.rawValue) }
        if let expiry { facts.append("expires \(expiry.text)") }
        if let serviceCode { facts.append("service code \(serviceCode.text)") }
        facts.append(tracks.count == 1 ? "1 track" : "\(tracks.count) tracks")
        return facts.joined(separator: ", ")
    }
}

extension CardEvent {
    /// The fields of a card that a reader sends beside the tracks.
    package struct SeparateFields: RedactedDescription {
        /// The account number with `*` for hidden digits.
        package var maskedNumber: String?
        package var name: CardholderName?
        package var expiry: Expiry?

        /// Without any field.
        package init() {}

        /// The masked number, and nothing of the name.
        package var description: String { maskedNumber ?? "no account number" }
    }
}

/// The fields of a payment track of which the reader has masked some characters: those of which all characters show.
struct VisibleFields {
    private(set) var name: CardholderName?
    private(set) var expiry: Expiry?
    private(set) var serviceCode: ServiceCode?

    /// Reads name, expiry and service code after the separators of track 1 (`^`) or track 2 (`=`). Other text has no
    /// fields: track 3, and a driving licence, whose track 2 has a date of birth there.
    init(of track: Int?, _ text: SecretText) {
        guard let first = text.range.first, track == 1 || track == 2 else { return }
        let isTrack1 = track == 1
        guard text[first] == (isTrack1 ? ASCII.percent : ASCII.semicolon) else { return }
        let separator = isTrack1 ? ASCII.caret : ASCII.equals
        let parts = text.split(at: separator)
        guard parts.count > (isTrack1 ? 2 : 1), !Self.isLicence(parts[0]) else { return }
        if isTrack1, !parts[1].trimmed.isEmpty { name = CardholderName(payment: parts[1]) }
        // A separator instead of the expiry moves the service code; such a part is too short.
        let rest = isTrack1 ? parts[2].range : parts[1].range
        guard rest.count >= 4 else { return }
        let start = rest.lowerBound
        expiry = Expiry(text[start..<start + 4])
        if rest.count >= 7 { serviceCode = ServiceCode(text[start + 4..<start + 7]) }
    }

    /// Whether the text up to the first separator begins with 636, as the issuers' numbers of AAMVA do.
    private static func isLicence(_ part: SecretText) -> Bool {
        let digits = part.range.dropFirst().prefix(3)
        return digits.count == 3 && zip(digits, [UInt8]("636".utf8)).allSatisfy { part[$0] == $1 }
    }
}
