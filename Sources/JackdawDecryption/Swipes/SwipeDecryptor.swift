public import JackdawCards
public import JackdawReaders

/// Decrypts swipes with a key that the caller has.
///
/// ```swift
/// let decryptor = try SwipeDecryptor(key: key, mode: .test)
/// let swipe = try decryptor.decryptIDTech(frame.span)
/// for track in swipe.tracks { print(track.maskedText) }
/// ```
public struct SwipeDecryptor: ~Copyable, Sendable {
    let key: CipherKey
    private let chosenScheme: KeyScheme?

    /// Whether everybody knows the key.
    public var isPublishedTestKey: Bool { key.isPublishedTestKey }

    /// A decryptor.
    /// - Parameters:
    ///   - key: the base derivation key, or the fixed key.
    ///   - mode: what kind of cards are read.
    ///   - scheme: by which key the reader encrypts; nil for what its maker has published.
    /// - Throws: ``DecryptionError`` with code `length` where no key is that long, `publishedKey` where everybody knows it
    ///   and live cards are read.
    public init(
        key: consuming SecretBytes, mode: DecryptionMode, scheme: KeyScheme? = nil
    ) throws(DecryptionError) {
        let size = key.count
        guard let algorithm = (scheme ?? .fixed).algorithm(ofSize: size) else {
            throw DecryptionError(.length, "no key for these readers has \(size) bytes")
        }
        let cipherKey = try CipherKey(key, for: algorithm, isPublished: false)
        guard mode == .test || !cipherKey.isPublishedTestKey else {
            throw DecryptionError(.publishedKey, "this is a published test key, which is no key for live cards")
        }
        self.key = cipherKey
        chosenScheme = scheme
    }

    /// The key of one swipe.
    /// - Parameters:
    ///   - published: the reader's scheme; nil where it is not known.
    ///   - serialNumber: as the reader sent it.
    /// - Returns: what the tracks are encrypted by.
    /// - Throws: ``DecryptionError`` with code `unknownScheme`, or what ``KeyScheme/workingKey(from:serialNumber:)`` throws.
    func workingKey(
        _ published: KeyScheme?, serialNumber: Span<UInt8>
    ) throws(DecryptionError) -> CipherKey {
        guard let scheme = chosenScheme ?? published else {
            throw DecryptionError(
                .unknownScheme, "nobody has published by which of DUKPT's keys this reader encrypts: name a scheme")
        }
        return try scheme.workingKey(from: key, serialNumber: serialNumber)
    }

    /// Whether keys are derived, so that their serial number says something.
    func isDeriving(_ published: KeyScheme?) -> Bool { chosenScheme ?? published != .fixed }
}

/// A swipe in clear, of which something was encrypted, in wiped buffers.
public struct DecryptedSwipe: ~Copyable, Sendable {
    /// The tracks, in the order of their numbers.
    public let tracks: [DecryptedTrack]
    /// The key's serial number (KSN); nil where the key is fixed.
    public let keySerialNumber: [UInt8]?
    /// The stripe's fingerprint, 54 bytes; none where the reader takes none or it did not decrypt.
    public let magnePrint: SecretBytes
    /// Why the MagnePrint did not decrypt; nil where it did, or there is none.
    public let magnePrintFailure: DecryptionError?
    /// Eight bytes that the program gave the reader; nil where it sent none.
    public let session: [UInt8]?

    init(
        _ tracks: [DecryptedTrack], keySerialNumber: [UInt8]?,
        magnePrint: consuming SecretBytes = SecretBytes(count: 0) { _ in },
        magnePrintFailure: DecryptionError? = nil, session: [UInt8]? = nil
    ) {
        self.tracks = tracks
        self.keySerialNumber = keySerialNumber
        self.magnePrint = magnePrint
        self.magnePrintFailure = magnePrintFailure
        self.session = session
    }

    /// The tracks as those of one card.
    public var card: SwipedCard { SwipedCard(tracks.compactMap(\.content)) }
}

/// A track in clear, in a wiped buffer; what is printed of it is masked.
public struct DecryptedTrack: RedactedDescription {
    /// Which one, 1 to 3.
    public let number: Int
    /// From the start sentinel to the end sentinel; of cards that have none, everything.
    public let text: SecretText
    /// The character behind the end sentinel that the track is checked by; nil where the reader left it out.
    public let redundancyCheck: UInt8?
    /// Whether the reader encrypted it; else it sent the track in clear beside others that it encrypted.
    public let wasEncrypted: Bool
    /// Whether the frame has a hash of the track, which is right; without one only sentinels and characters speak for it.
    public let isHashChecked: Bool

    init(
        number: Int, text: SecretText, redundancyCheck: UInt8?, wasEncrypted: Bool = true, isHashChecked: Bool
    ) {
        self.number = number
        self.text = text
        self.redundancyCheck = redundancyCheck
        self.wasEncrypted = wasEncrypted
        self.isHashChecked = isHashChecked
    }

    /// Its fields, where it has the form of a track.
    public var content: Track? { text.withRevealedText { try? Track(parsing: $0) } }
    /// The text for default output, of the same length.
    public var maskedText: String { text.withRevealedText { Masking.mask($0) } }

    /// Number and length.
    public var description: String { "track \(number), \(text.count) characters" }
}

/// What kind of cards a program reads.
public enum DecryptionMode: Sendable, Hashable {
    /// People's cards: no key that everybody knows is taken.
    case live
    /// Test cards.
    case test
}

extension SwipeDecryptor {
    /// Decrypts a swipe of a protocol.
    /// - Parameters:
    ///   - frame: all of it.
    ///   - protocol: the reader's: ID TECH's (BTMag and NEO, too), MagTek's (lines, or eDynamo's messages) or IPS's.
    /// - Returns: what was encrypted.
    /// - Throws: ``DecryptionError`` with code `unknownScheme` for other protocols, or as for theirs.
    public borrowing func decrypt(
        _ frame: Span<UInt8>, of protocol: FrameProtocol
    ) throws(DecryptionError) -> DecryptedSwipe {
        switch (`protocol`.name, ReaderFamily.named(`protocol`.name)?.encryption) {
        // These put the record of a swipe into frames of their own.
        case ("edynamo", _): return try decryptEDynamo(frame)
        case ("neo", _): return try decryptNEO(frame)
        case (_, let encryption?): return try decrypt(frame, encryption)
        case (_, nil): throw DecryptionError(.unknownScheme, "no swipes of \(`protocol`.name) are known")
        }
    }

    /// Decrypts a swipe as its driver reports it.
    /// - Parameter swipe: of a reader of ID TECH (BTMag, NEO and UniMag, too), MagTek (lines, or eDynamo) or IPS.
    /// - Returns: its tracks.
    /// - Throws: ``DecryptionError`` with code `notEncrypted`, `unknownScheme` for other families, or as for their protocols.
    public borrowing func decrypt(_ swipe: ReaderSwipe) throws(DecryptionError) -> DecryptedSwipe {
        guard let encryption = ReaderFamily.named(swipe.family)?.encryption else {
            throw DecryptionError(.unknownScheme, "how swipes of \(swipe.family) are encrypted is not published")
        }
        let decrypted: DecryptedSwipe? =
            try swipe.withPart(.frame) { (frame) throws(DecryptionError) in
                swipe.isEncrypted ? try decrypt(frame, encryption) : nil
            } ?? nil
        guard let decrypted else { throw DecryptionError(.notEncrypted, "the reader has encrypted nothing") }
        return decrypted
    }

    private borrowing func decrypt(
        _ record: Span<UInt8>, _ encryption: ReaderFamily.Encryption
    ) throws(DecryptionError) -> DecryptedSwipe {
        switch encryption {
        case .idTech: try decryptIDTech(record)
        case .magTekLine: try decryptMagTek(record)
        case .magTekRecord: try decryptRecord(record)
        case .ips: try decryptIPS(record)
        }
    }
}
