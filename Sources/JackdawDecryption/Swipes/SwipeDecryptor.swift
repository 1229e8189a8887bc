public import JackdawCards

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
