public import JackdawCards
public import JackdawReaders

/// Decrypts swipes with a key that the caller supplies.
///
/// ```swift
/// let decryptor = try SwipeDecryptor(key: key, mode: .test)
/// let swipe = try decryptor.decryptIDTech(frame.span)
/// for track in swipe.tracks { print(track.maskedText) }
/// ```
public struct SwipeDecryptor: ~Copyable, Sendable {
    let key: CipherKey
    private let chosenScheme: KeyScheme?

    /// Whether the key is published for tests.
    public var isPublishedTestKey: Bool { key.isPublishedTestKey }

    /// Creates a decryptor.
    /// - Parameters:
    ///   - key: the base derivation key, or the fixed key.
    ///   - mode: live cards or test cards.
    ///   - scheme: the scheme by which the reader encrypts; nil uses the scheme that its maker has published.
    /// - Throws: ``CryptographyError`` with code `length` if no key of the scheme has this length, `publishedKey` if
    ///   the key is published for tests and the mode is live cards.
    public init(
        key: consuming SecretBytes, mode: CardMode, scheme: KeyScheme? = nil
    ) throws(CryptographyError) {
        let size = key.count
        guard let algorithm = (scheme ?? .fixed).algorithm(ofSize: size) else {
            throw CryptographyError(.length, "no key for these readers has \(size) bytes")
        }
        self.key = try CipherKey(key, for: algorithm, mode: mode)
        chosenScheme = scheme
    }

    /// Derives the key of one swipe.
    /// - Parameters:
    ///   - published: the reader's scheme; nil if it is not known.
    ///   - serialNumber: the serial number that the reader sent.
    /// - Returns: the key that encrypts the tracks.
    /// - Throws: ``CryptographyError`` with code `unknownScheme`, or the codes of
    ///   ``KeyScheme/workingKey(from:serialNumber:)``.
    func workingKey(
        _ published: KeyScheme?, serialNumber: Span<UInt8>
    ) throws(CryptographyError) -> CipherKey {
        guard let scheme = chosenScheme ?? published else {
            throw CryptographyError(
                .unknownScheme, "it is not published which DUKPT key this reader uses: name a scheme")
        }
        return try scheme.workingKey(from: key, serialNumber: serialNumber)
    }

    /// Whether keys are derived, so that their serial number is meaningful.
    func isDeriving(_ published: KeyScheme?) -> Bool { chosenScheme ?? published != .fixed }
}

/// A decrypted swipe, in buffers that are wiped after use.
public struct DecryptedSwipe: ~Copyable, Sendable {
    /// The tracks, in the order of their numbers.
    public let tracks: [DecryptedTrack]
    /// The key serial number (KSN); nil if the key is fixed.
    public let keySerialNumber: [UInt8]?
    /// The stripe's fingerprint, 54 bytes; empty if the reader sent none or its decryption failed.
    public let magnePrint: SecretBytes
    /// The error of the MagnePrint's decryption; nil if it succeeded, or there is no MagnePrint.
    public let magnePrintFailure: CryptographyError?
    /// Eight bytes that the program sent to the reader; nil if the reader returned none.
    public let session: [UInt8]?

    init(
        _ tracks: [DecryptedTrack], keySerialNumber: [UInt8]?,
        magnePrint: consuming SecretBytes = SecretBytes(count: 0) { _ in },
        magnePrintFailure: CryptographyError? = nil, session: [UInt8]? = nil
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

/// A track in clear, in a buffer that is wiped after use; its printed forms are masked.
public struct DecryptedTrack: RedactedDescription {
    /// The track's number, 1 to 3.
    public let number: Int
    /// The characters from the start sentinel to the end sentinel; all characters for a card without sentinels.
    public let text: SecretText
    /// The check character (LRC) after the end sentinel; nil if the reader left it out.
    public let redundancyCheck: UInt8?
    /// Whether the reader encrypted the track; false if it sent the track in clear, beside encrypted ones.
    public let wasEncrypted: Bool
    /// Whether the track matches its hash in the frame; if false, at most its sentinels, characters and LRC were
    /// checked.
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

    /// The fields of the track; nil if it does not have the format of a track.
    public var content: Track? { text.withRevealedText { try? Track(parsing: $0) } }
    /// The text for default output, of the same length.
    public var maskedText: String { text.withRevealedText { Masking.mask($0) } }

    /// Number and length, without the characters.
    public var description: String { "track \(number), \(text.count) characters" }
}

extension CardEvent {
    /// The event of a decrypted swipe, with all its tracks.
    /// - Parameters:
    ///   - swipe: the decrypted swipe.
    ///   - time: the time at which it was read, since the beginning of 1970 (UTC); nil for a stored frame.
    public init(_ swipe: borrowing DecryptedSwipe, time: Duration? = nil) {
        self.init(swipe.tracks.map { $0.eventText }, source: .decryptedSwipe, time: time)
    }

    /// The event of a single track of a decrypted swipe.
    /// - Parameters:
    ///   - track: the track.
    ///   - time: the time at which it was read, since the beginning of 1970 (UTC); nil for a stored frame.
    public init(_ track: DecryptedTrack, time: Duration? = nil) {
        self.init([track.eventText], source: .decryptedSwipe, time: time)
    }
}

extension DecryptedTrack {
    fileprivate var eventText: CardEvent.TrackText { text.withRevealedText { CardEvent.TrackText(number, $0) } }
}

extension SwipeDecryptor {
    /// Decrypts a swipe of a protocol.
    /// - Parameters:
    ///   - frame: the complete frame.
    ///   - protocol: the reader's protocol: ID TECH's (also BTMag and NEO), MagTek's (lines, or eDynamo's messages) or
    ///     IPS's.
    /// - Returns: the decrypted swipe.
    /// - Throws: ``CryptographyError`` with code `unknownScheme` for other protocols, or the codes of
    ///   the protocol's own method.
    public borrowing func decrypt(
        _ frame: Span<UInt8>, of protocol: FrameProtocol
    ) throws(CryptographyError) -> DecryptedSwipe {
        guard let encryption = ReaderFamily.named(`protocol`.name)?.encryption else {
            throw CryptographyError(.unknownScheme, "no swipes of \(`protocol`.name) are known")
        }
        return try decrypt(frame, encryption.frame, encryption)
    }

    /// Decrypts a swipe that a driver has reported.
    /// - Parameter swipe: a swipe of a reader of ID TECH (also BTMag, NEO and UniMag), MagTek (lines, or eDynamo) or
    ///   IPS.
    /// - Returns: the decrypted swipe.
    /// - Throws: ``CryptographyError`` with code `notEncrypted`, `unknownScheme` for other families, or the codes of
    ///   the protocol's own method.
    public borrowing func decrypt(_ swipe: ReaderSwipe) throws(CryptographyError) -> DecryptedSwipe {
        guard let encryption = ReaderFamily.named(swipe.family)?.encryption else {
            throw CryptographyError(.unknownScheme, "the encryption of \(swipe.family) swipes is not published")
        }
        let decrypted: DecryptedSwipe? =
            try swipe.withPart(.frame) { (frame) throws(CryptographyError) in
                swipe.isEncrypted ? try decrypt(frame, encryption.record, encryption) : nil
            } ?? nil
        guard let decrypted else { throw CryptographyError(.notEncrypted, "the reader did not encrypt the swipe") }
        return decrypted
    }

    private borrowing func decrypt(
        _ bytes: Span<UInt8>, _ record: SwipeEncryption.Record, _ encryption: SwipeEncryption
    ) throws(CryptographyError) -> DecryptedSwipe {
        switch record {
        case .magTekLine: try decryptMagTek(bytes)
        case .magTekRecord: try decryptRecord(bytes)
        case .magTekMessage: try decryptEDynamo(bytes)
        case .ips: try decryptIPS(bytes)
        case .blocks(let locate):
            try decrypt(
                bytes, Self.reading { () throws(FrameFault) in try locate(bytes) }, KeyScheme(encryption))
        }
    }

    /// Decrypts the blocks of a record that has no further rules.
    /// - Throws: ``CryptographyError`` with code `frame` if a block is not in the record, `notEncrypted`, `counter`,
    ///   `exhausted`, `length`, `algorithm`, `padding`, `hash`, `text` or `library`.
    borrowing func decrypt(
        _ record: Span<UInt8>, _ blocks: EncryptedBlocks, _ scheme: KeyScheme?
    ) throws(CryptographyError) -> DecryptedSwipe {
        guard !blocks.tracks.isEmpty else {
            throw CryptographyError(.notEncrypted, "the reader did not encrypt the swipe")
        }
        if let outside = blocks.places.first(where: { $0.lowerBound < 0 || $0.upperBound > record.count }) {
            throw CryptographyError(FrameFault(.length, at: record.count, "bytes \(outside) are missing"))
        }
        // A fixed key needs no serial number; without one, the derivation fails.
        let serialNumber = record.extracting(blocks.keySerialNumber ?? 0..<0)
        let working = try workingKey(scheme, serialNumber: serialNumber)
        var tracks = try Self.tracks(of: blocks, in: record, working)
        for track in blocks.inClear {
            tracks.append(TrackCheck.trackInClear(track.number, record.extracting(track.place)))
        }
        return DecryptedSwipe(
            tracks.sorted { $0.number < $1.number },
            keySerialNumber: isDeriving(scheme) ? serialNumber.indices.map { serialNumber[$0] } : nil)
    }

    /// The tracks, decrypted with the cipher that the record names; if it names no cipher, with the one whose result is
    /// valid.
    private static func tracks(
        of blocks: EncryptedBlocks, in record: Span<UInt8>, _ working: borrowing CipherKey
    ) throws(CryptographyError) -> [DecryptedTrack] {
        guard let cipher = blocks.cipher else {
            do throws(CryptographyError) {
                return try tracks(of: blocks, in: record, working, .tripleDES)
            } catch {
                if let tracks = try? tracks(of: blocks, in: record, working, .aes) { return tracks }
                throw error
            }
        }
        return try tracks(of: blocks, in: record, working, cipher)
    }

    private static func tracks(
        of blocks: EncryptedBlocks, in record: Span<UInt8>, _ working: borrowing CipherKey,
        _ cipher: ReaderSwipe.Cipher
    ) throws(CryptographyError) -> [DecryptedTrack] {
        // AES uses the 16 bytes that triple DES DUKPT derives.
        let key = try working.repurposed(for: cipher == .aes ? .aes128 : working.algorithm)
        var tracks: [DecryptedTrack] = []
        var rest = blocks.tracks[...]
        while let first = rest.first {
            let together = rest.prefix { $0.place == first.place }
            rest = rest.dropFirst(together.count)
            let ciphertext = record.extracting(first.place)
            let plaintext =
                cipher == .tripleDESBlocks ? try key.decryptBlocks(ciphertext) : try key.decrypt(ciphertext)
            tracks += try plaintext.withBytes { (plaintext) throws(CryptographyError) in
                try Self.tracks(Array(together), of: plaintext, in: record, hasSentinels: blocks.hasSentinels)
            }
        }
        return tracks
    }

    /// The tracks of one plaintext, in order.
    private static func tracks(
        _ tracks: [EncryptedBlocks.Track], of plaintext: Span<UInt8>, in record: Span<UInt8>, hasSentinels: Bool
    ) throws(CryptographyError) -> [DecryptedTrack] {
        var places: [Range<Int>] = []
        var next = 0
        for track in tracks {
            let length = min(track.length ?? TrackCheck.end(of: plaintext), plaintext.count - next)
            places.append(next..<next + length)
            next += length
        }
        try TrackCheck.padding(of: plaintext, from: next)
        var decrypted: [DecryptedTrack] = []
        for (track, place) in zip(tracks, places) where track.length != 0 {
            let characters = plaintext.extracting(place)
            if let hash = track.hash {
                decrypted.append(
                    try TrackCheck.track(
                        track.number, characters, hash: record.extracting(hash), hasSentinels: hasSentinels))
            } else {
                decrypted.append(try TrackCheck.track(track.number, characters))
            }
        }
        return decrypted
    }

    /// Converts a `FrameFault` to a decryption error.
    static func reading<Result>(_ body: () throws(FrameFault) -> Result) throws(CryptographyError) -> Result {
        do throws(FrameFault) {
            return try body()
        } catch {
            throw CryptographyError(error)
        }
    }
}
