public import JackdawCards

/// A key with its algorithm. It has one owner, is not copied implicitly, is overwritten at the end of its lifetime, and
/// has no printed form.
///
/// ```swift
/// let base = try CipherKey(copying: bytes.span, for: .tripleDES2, mode: .live)
/// let key = try KeyScheme.idTech.workingKey(from: base, serialNumber: serialNumber.span)
/// ```
public struct CipherKey: ~Copyable, Sendable {
    /// The algorithm that the key is for.
    public let algorithm: KeyAlgorithm
    /// Whether the key, or the key that it was derived from, is published for tests, so that it must not be used for
    /// live cards.
    public let isPublishedTestKey: Bool
    private let bytes: SecretBytes

    /// Copies a key. The caller must wipe the original.
    /// - Parameters:
    ///   - bytes: the key, of the algorithm's size.
    ///   - algorithm: the algorithm that the key is for.
    ///   - mode: live cards or test cards.
    /// - Throws: ``CryptographyError`` with code `length` if the size is another one, `publishedKey` if the key is
    ///   published for tests and the mode is live cards.
    public init(
        copying bytes: Span<UInt8>, for algorithm: KeyAlgorithm, mode: CardMode
    ) throws(CryptographyError) {
        try self.init(SecretBytes(copying: bytes), for: algorithm, mode: mode)
    }

    /// Takes over a key that the caller supplies, under the conditions of ``init(copying:for:mode:)``.
    init(
        _ bytes: consuming SecretBytes, for algorithm: KeyAlgorithm, mode: CardMode
    ) throws(CryptographyError) {
        try Self.check(bytes.count, of: algorithm)
        let isPublished = bytes.withBytes { PublishedTestKey.contains($0, ignoringParity: algorithm.isTripleDES) }
        try Self.check(isPublished, mode)
        self.algorithm = algorithm
        isPublishedTestKey = isPublished
        self.bytes = bytes
    }

    /// A key that was derived from another one, and is published if that one is: none of the published keys is derived
    /// from a secret one.
    init(derived bytes: consuming SecretBytes, for algorithm: KeyAlgorithm, isPublished: Bool) {
        precondition(bytes.count == algorithm.size)
        self.algorithm = algorithm
        isPublishedTestKey = isPublished
        self.bytes = bytes
    }

    /// Calls the body with the bytes of the key; the caller must wipe all copies that the body makes.
    public borrowing func withRevealedBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withBytes(body)
    }

    /// The same bytes as a key for another algorithm.
    /// - Throws: ``CryptographyError`` with code `length` if its keys have another size.
    borrowing func repurposed(for other: KeyAlgorithm) throws(CryptographyError) -> CipherKey {
        try Self.check(bytes.count, of: other)
        return CipherKey(derived: bytes.clone(), for: other, isPublished: isPublishedTestKey)
    }

    private static func check(_ size: Int, of algorithm: KeyAlgorithm) throws(CryptographyError) {
        guard size == algorithm.size else {
            throw CryptographyError(.length, "a key of \(size) bytes; a key for \(algorithm) has \(algorithm.size)")
        }
    }

    /// Checks that the key's algorithm suits its use.
    borrowing func expect(_ isRight: (KeyAlgorithm) -> Bool, _ wanted: String) throws(CryptographyError) {
        guard isRight(algorithm) else {
            throw CryptographyError(.algorithm, "a key for \(algorithm); a key for \(wanted) is needed")
        }
    }

    /// Checks the length of a value that is not secret.
    static func check(_ bytes: [UInt8], _ count: Int, _ name: String) throws(CryptographyError) {
        guard bytes.count == count else {
            throw CryptographyError(.length, "\(name) of \(bytes.count) bytes; it has \(count)")
        }
    }

    /// Checks that the key may be used for the cards that a program handles.
    borrowing func expect(_ mode: CardMode) throws(CryptographyError) { try Self.check(isPublishedTestKey, mode) }

    private static func check(_ isPublished: Bool, _ mode: CardMode) throws(CryptographyError) {
        guard mode == .test || !isPublished else {
            throw CryptographyError(.publishedKey, "this is a published test key, not a key for live cards")
        }
    }
}

extension CipherKey {
    /// The retail MAC (ANSI X9.19; ISO/IEC 9797-1, algorithm 3): single DES throughout, triple DES at the end.
    /// - Parameters:
    ///   - message: a message of any length.
    ///   - padding: the method that pads it to whole blocks.
    /// - Returns: 8 bytes; a shorter code is the first of them.
    /// - Throws: ``CryptographyError`` with code `algorithm` if the key is not for triple DES with 16 bytes, `library`.
    public borrowing func retailMAC(
        of message: Span<UInt8>, padding: MessagePadding = .zeros
    ) throws(CryptographyError) -> [UInt8] {
        try expect({ $0 == .tripleDES2 }, "triple DES of 16 bytes")
        let padded = padding.padded(message, blockSize: 8)
        let first = half(0)
        return try padded.withBytes { (blocks) throws(CryptographyError) in
            let start = blocks.extracting(first: blocks.count - 8)
            // A value of single DES: with the message, it would reveal the first half of the key.
            let chained = try first.encrypt(start)
            let last = blocks.extracting(last: 8)
            guard chained.count > 0 else { return try encrypt(last).lastBlock(8) ?? [] }
            return try chained.withBytes { (chained) throws(CryptographyError) in
                try run(.encrypt, .cbc, last, vector: chained.extracting(last: 8)).lastBlock(8) ?? []
            }
        }
    }

    /// The last block of a message encrypted with chaining (ISO/IEC 9797-1, algorithm 1).
    /// - Parameters:
    ///   - message: a message of any length.
    ///   - padding: the method that pads it to whole blocks.
    /// - Returns: a block; a shorter code is its first bytes.
    /// - Throws: ``CryptographyError`` with code `algorithm` if the key's algorithm does not encrypt, `library`.
    public borrowing func chainingMAC(
        of message: Span<UInt8>, padding: MessagePadding = .zeros
    ) throws(CryptographyError) -> [UInt8] {
        let size = algorithm.blockSize
        let padded = padding.padded(message, blockSize: size)
        return try padded.withBytes { (blocks) throws(CryptographyError) in
            try encrypt(blocks).lastBlock(size) ?? []
        }
    }

    /// The cipher-based code of a message (CMAC; NIST SP 800-38B).
    /// - Parameter message: a message of any length.
    /// - Returns: a block; a shorter code is its first bytes.
    /// - Throws: ``CryptographyError`` with code `algorithm` if the key's algorithm does not encrypt, `library`.
    public borrowing func cipherMAC(of message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        guard let name = algorithm.cipherName else {
            throw CryptographyError(.algorithm, "a key for \(algorithm) cannot encrypt")
        }
        let size = algorithm.blockSize
        return try bytes.withBytes { (key) throws(CryptographyError) in
            try MessageAuthentication.code("CMAC", ("cipher", "\(name)-CBC"), key: key, of: message, size: size)
        }
    }

    /// The hash-based code of a message, with SHA-256 (HMAC; RFC 2104).
    /// - Parameter message: a message of any length.
    /// - Returns: 32 bytes.
    /// - Throws: ``CryptographyError`` with code `algorithm` if the key is not for HMAC, `library`.
    public borrowing func hashMAC(of message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        try expect({ $0.cipherName == nil }, "HMAC")
        return try withRevealedBytes { (key) throws(CryptographyError) in
            try MessageAuthentication.code("HMAC", ("digest", "SHA256"), key: key, of: message, size: 32)
        }
    }

    /// The key check value (KCV), which two people compare to verify that they have the same key: for triple DES the
    /// first 3 bytes of an encrypted block of zeros, for AES the first 5 bytes of that block's CMAC (X9.24-1:2017).
    /// - Throws: ``CryptographyError`` with code `algorithm` if the key's algorithm does not encrypt, `library`.
    public borrowing func checkValue() throws(CryptographyError) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: algorithm.blockSize)
        guard algorithm.isTripleDES else { return try Array(cipherMAC(of: zeros.span).prefix(5)) }
        return try Array(chainingMAC(of: zeros.span).prefix(3))
    }

    /// One half of a key of 16 bytes, as a key of two equal halves, which makes triple DES single DES.
    borrowing func half(_ number: Int) -> CipherKey {
        let bytes = withRevealedBytes { key in
            SecretBytes(count: 16) { twice in
                for index in 0..<16 { twice[index] = key[8 * number + index % 8] }
            }
        }
        return CipherKey(derived: bytes, for: .tripleDES2, isPublished: isPublishedTestKey)
    }
}

extension SecretBytes {
    /// The last bytes, which need not be secret; nil if there are no bytes.
    fileprivate borrowing func lastBlock(_ size: Int) -> [UInt8]? {
        guard count > 0 else { return nil }
        return withBytes { bytes in (bytes.count - size..<bytes.count).map { bytes[$0] } }
    }
}

extension CipherKey {
    /// Encrypts whole blocks, each chained to the one before (CBC).
    /// - Parameters:
    ///   - plaintext: a multiple of the block size, 8 bytes for triple DES and 16 for AES.
    ///   - vector: the initialisation vector; nil for zeros.
    /// - Returns: the same number of bytes.
    /// - Throws: ``CryptographyError`` with code `length`, `algorithm` or `library`.
    public borrowing func encrypt(
        _ plaintext: Span<UInt8>, vector: [UInt8]? = nil
    ) throws(CryptographyError) -> SecretBytes {
        try run(.encrypt, .cbc, plaintext, vector)
    }

    /// Decrypts whole blocks, each chained to the one before (CBC).
    /// - Parameters:
    ///   - ciphertext: a multiple of the block size, 8 bytes for triple DES and 16 for AES.
    ///   - vector: the initialisation vector; nil for zeros.
    /// - Returns: the same number of bytes, padding included.
    /// - Throws: ``CryptographyError`` with code `length`, `algorithm` or `library`.
    public borrowing func decrypt(
        _ ciphertext: Span<UInt8>, vector: [UInt8]? = nil
    ) throws(CryptographyError) -> SecretBytes {
        try run(.decrypt, .cbc, ciphertext, vector)
    }

    /// Encrypts whole blocks without chaining (ECB).
    borrowing func encryptBlocks(_ plaintext: Span<UInt8>) throws(CryptographyError) -> SecretBytes {
        try run(.encrypt, .ecb, plaintext, nil)
    }

    /// Decrypts whole blocks without chaining (ECB).
    borrowing func decryptBlocks(_ ciphertext: Span<UInt8>) throws(CryptographyError) -> SecretBytes {
        try run(.decrypt, .ecb, ciphertext, nil)
    }

    private borrowing func run(
        _ direction: BlockCipher.Direction, _ chaining: BlockCipher.Chaining, _ input: Span<UInt8>, _ vector: [UInt8]?
    ) throws(CryptographyError) -> SecretBytes {
        let vector = vector ?? [UInt8](repeating: 0, count: algorithm.blockSize)
        return try run(direction, chaining, input, vector: vector.span)
    }

    private borrowing func run(
        _ direction: BlockCipher.Direction, _ chaining: BlockCipher.Chaining, _ input: Span<UInt8>, vector: Span<UInt8>
    ) throws(CryptographyError) -> SecretBytes {
        let algorithm = algorithm
        return try bytes.withBytes { (key) throws(CryptographyError) in
            try BlockCipher.run(direction, chaining, input, key: key, algorithm, vector: vector)
        }
    }
}

/// The padding of a message to whole blocks before it is authenticated (ISO/IEC 9797-1).
public enum MessagePadding: Int, Sendable, Hashable, CaseIterable {
    /// Method 1: zeros up to a whole block; an empty message becomes one block of zeros.
    case zeros = 1
    /// Method 2: a byte 80, then zeros up to a whole block.
    case mark = 2
    /// Method 3: zeros as in method 1, and a block at the front with the length in bits.
    case length = 3

    /// A padded copy of a message.
    func padded(_ message: Span<UInt8>, blockSize: Int) -> SecretBytes {
        let start = self == .length ? blockSize : 0
        let contentSize = max(message.count + (self == .mark ? 1 : 0), 1)
        let size = start + (contentSize + blockSize - 1) / blockSize * blockSize
        return SecretBytes(count: size) { padded in
            for index in message.indices { padded[start + index] = message[index] }
            switch self {
            case .zeros: break
            case .mark: padded[message.count] = 0x80
            case .length:
                for place in 0..<min(8, blockSize) {
                    padded[blockSize - 1 - place] = UInt8(
                        truncatingIfNeeded: (UInt64(message.count) << 3) >> (8 * place))
                }
            }
        }
    }
}
