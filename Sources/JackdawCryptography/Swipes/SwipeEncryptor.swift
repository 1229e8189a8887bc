public import JackdawCards
public import JackdawReaders
internal import Synchronization

/// Encrypts swipes as readers do, with published test keys: for simulated readers, which have only test cards.
///
/// ```swift
/// let encryptor = try SwipeEncryptor(testKey: key, scheme: .idTech)
/// let swipe = encryptor.encrypt([track1, track2], by: .tripleDES)
/// ```
public final class SwipeEncryptor: SwipeCipher {
    /// The scheme that selects the key of a swipe.
    public let scheme: KeyScheme
    private let key: CipherKey
    /// The serial number of the next swipe; nil if keys are not derived, or none is left.
    private let next: Mutex<KeySerialNumber?>

    /// The serial number of the standards' test examples, at its first transaction.
    public static let testSerialNumber: [UInt8] = [0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0x00, 0x01]

    /// Creates an encryptor.
    /// - Parameters:
    ///   - testKey: the base derivation key, or the fixed key; it must be published for tests.
    ///   - scheme: the scheme that selects the key of a swipe.
    ///   - serialNumber: the serial number of the first swipe's key, ten bytes; each swipe uses the next one.
    /// - Throws: ``CryptographyError`` with code `unknownScheme` for AES DUKPT, since no simulated reader sends its
    ///   serial numbers; `notPublished` if the key is not published for tests; `length` if the key or the serial
    ///   number has a wrong size; `counter` or `exhausted` if the serial number has no usable counter.
    public init(
        testKey: consuming SecretBytes, scheme: KeyScheme, serialNumber: [UInt8] = SwipeEncryptor.testSerialNumber
    ) throws(CryptographyError) {
        guard scheme != .aesDataEncryption else {
            throw CryptographyError(.unknownScheme, "no simulated reader has the serial numbers of AES's DUKPT")
        }
        let size = testKey.count
        guard let algorithm = scheme.algorithm(ofSize: size) else {
            throw CryptographyError(.length, "no key for these readers has \(size) bytes")
        }
        let key = try CipherKey(testKey, for: algorithm, mode: .test)
        guard key.isPublishedTestKey else {
            throw CryptographyError(
                .notPublished, "a simulated reader accepts keys that are published for tests only, such as X9.24's")
        }
        var first: KeySerialNumber?
        if scheme != .fixed {
            let number = try KeySerialNumber(serialNumber.span)
            try number.counter.checkUse()
            first = number
        }
        self.key = key
        self.scheme = scheme
        next = Mutex(first)
    }

    /// Creates an encryptor for each family of readers whose key scheme is published, by the families' names.
    /// - Parameter testKey: the base derivation key, or the fixed key; it must be published for tests.
    /// - Returns: an encryptor for each family; all begin with the same serial number.
    /// - Throws: ``CryptographyError``, with the codes of ``init(testKey:scheme:serialNumber:)``.
    public static func byFamily(
        testKey: borrowing SecretBytes
    ) throws(CryptographyError) -> [String: SwipeEncryptor] {
        var encryptors: [String: SwipeEncryptor] = [:]
        for family in ReaderFamily.all {
            guard let scheme = KeyScheme.published(for: family.name) else { continue }
            encryptors[family.name] = try SwipeEncryptor(testKey: testKey.clone(), scheme: scheme)
        }
        return encryptors
    }

    /// Whether each swipe has a key of its own, which a serial number identifies (DUKPT); false if all swipes have the
    /// same key.
    public var isDeriving: Bool { scheme != .fixed }
    /// Whether the key is the PIN variant; false for a data key.
    public var usesPINKey: Bool { scheme == .pin }
    /// The key serial number (KSN) of the next swipe; empty if all swipes have the same key, or no key is left.
    public var keySerialNumber: [UInt8] { next.withLock { $0?.bytes ?? [] } }

    /// Encrypts one swipe with the next key.
    /// - Parameters:
    ///   - parts: the parts of the swipe; each is padded with zeros and encrypted separately.
    ///   - cipher: the cipher and its mode.
    /// - Returns: the encrypted parts, and the serial number of their key; nil if no key is left, or libcrypto failed.
    public func encrypt(
        _ parts: [[UInt8]], by cipher: ReaderSwipe.Cipher
    ) -> (parts: [[UInt8]], keySerialNumber: [UInt8])? {
        let number = keySerialNumberToUse()
        guard !isDeriving || number != nil else { return nil }
        let bytes = number?.bytes ?? []
        guard let encrypted = try? encrypted(parts, by: cipher, bytes) else { return nil }
        return (encrypted, bytes)
    }

    /// The SHA-1 of a text, which some readers send for each track.
    /// - Returns: 20 bytes; nil if libcrypto has no SHA-1.
    public func hash(of text: [UInt8]) -> [UInt8]? { try? MessageDigest.sha1(of: text.span) }

    private func keySerialNumberToUse() -> KeySerialNumber? {
        next.withLock { next in
            defer { next = next.flatMap { try? $0.next() } }
            return next
        }
    }

    private func encrypted(
        _ parts: [[UInt8]], by cipher: ReaderSwipe.Cipher, _ serialNumber: [UInt8]
    ) throws(CryptographyError) -> [[UInt8]] {
        let working = try scheme.workingKey(from: key, serialNumber: serialNumber.span)
        // AES uses the 16 bytes that triple DES DUKPT derives.
        let key = try working.repurposed(for: cipher == .aes ? .aes128 : working.algorithm)
        var encrypted: [[UInt8]] = []
        for part in parts {
            guard !part.isEmpty else {
                encrypted.append([])
                continue
            }
            let padded = MessagePadding.zeros.padded(part.span, blockSize: key.algorithm.blockSize)
            let bytes = try padded.withBytes { (plaintext) throws(CryptographyError) in
                cipher == .tripleDESBlocks ? try key.encryptBlocks(plaintext) : try key.encrypt(plaintext)
            }
            encrypted.append(bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } })
        }
        return encrypted
    }
}

/// Shows no key material in descriptions.
extension SwipeEncryptor: CustomStringConvertible, CustomReflectable {
    /// The name of the scheme, without the key.
    public var description: String { "encryptor (\(scheme.rawValue))" }

    /// Empty, so that the key is not shown.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
