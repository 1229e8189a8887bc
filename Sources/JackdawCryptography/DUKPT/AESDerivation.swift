import JackdawCards

/// Derivation of AES DUKPT keys (ANSI X9.24-3:2017): from the base derivation key, which the host has, to the key of
/// one transaction.
package enum AESDerivation {
    /// A counter that no transaction has; its key encrypts a new initial key.
    private static let updateCounter: UInt32 = 0xFFFF_FFFF

    /// Derives the key that is loaded into a reader.
    /// - Parameters:
    ///   - base: the base derivation key, for AES.
    ///   - serialNumber: the reader's serial number; its counter is ignored.
    /// - Returns: the initial key.
    /// - Throws: ``CryptographyError`` with code `algorithm` or `library`.
    package static func initialKey(
        from base: borrowing CipherKey, for serialNumber: AESKeySerialNumber
    ) throws(CryptographyError) -> CipherKey {
        var chain = try AESChain(base)
        try chain.deriveInitialKey(serialNumber)
        return try chain.key(for: base.algorithm)
    }

    /// Derives the key of one transaction, from which working keys are derived.
    /// - Parameters:
    ///   - initialKey: the result of ``initialKey(from:for:)``.
    ///   - serialNumber: the serial number that the reader sent.
    /// - Returns: the transaction's key.
    /// - Throws: ``CryptographyError`` with code `counter`, `exhausted`, `algorithm` or `library`.
    package static func transactionKey(
        from initialKey: borrowing CipherKey, for serialNumber: AESKeySerialNumber
    ) throws(CryptographyError) -> CipherKey {
        try serialNumber.counter.checkUse()
        var chain = try AESChain(initialKey)
        try chain.deriveTransactionKey(serialNumber)
        return try chain.key(for: initialKey.algorithm)
    }

    /// Derives the key of one transaction for one use.
    /// - Parameters:
    ///   - usage: the use of the key.
    ///   - algorithm: the algorithm for which the key is used.
    ///   - transactionKey: the result of ``transactionKey(from:for:)``.
    ///   - serialNumber: the serial number that the reader sent.
    /// - Returns: the working key.
    /// - Throws: ``CryptographyError`` with code `strength` if the key would be stronger than the key that it is derived
    ///   from, `algorithm` or `library`.
    package static func workingKey(
        for usage: AESKeyUsage, _ algorithm: KeyAlgorithm, from transactionKey: borrowing CipherKey,
        serialNumber: AESKeySerialNumber
    ) throws(CryptographyError) -> CipherKey {
        var chain = try AESChain(transactionKey)
        try chain.deriveWorkingKey(usage, algorithm, serialNumber)
        return try chain.key(for: algorithm)
    }

    /// Derives the key of one transaction for one use, in all steps from the base derivation key.
    /// - Parameters:
    ///   - usage: the use of the key.
    ///   - algorithm: the algorithm for which the key is used.
    ///   - base: the base derivation key, for AES.
    ///   - serialNumber: the serial number that the reader sent.
    /// - Returns: the working key.
    /// - Throws: ``CryptographyError`` with code `counter`, `exhausted`, `strength`, `algorithm` or `library`.
    package static func workingKey(
        for usage: AESKeyUsage, _ algorithm: KeyAlgorithm, fromBase base: borrowing CipherKey,
        serialNumber: AESKeySerialNumber
    ) throws(CryptographyError) -> CipherKey {
        var chain = try AESChain(base)
        try chain.deriveInitialKey(serialNumber)
        try serialNumber.counter.checkUse()
        try chain.deriveTransactionKey(serialNumber)
        try chain.deriveWorkingKey(usage, algorithm, serialNumber)
        return try chain.key(for: algorithm)
    }

    /// Derives the key that encrypts a new initial key on its way to the reader.
    /// - Parameters:
    ///   - algorithm: the algorithm that encrypts the new key.
    ///   - initialKey: the reader's present initial key.
    ///   - serialNumber: the reader's serial number; its counter is ignored.
    /// - Returns: the update key.
    /// - Throws: ``CryptographyError`` with code `strength`, `algorithm` or `library`.
    package static func updateKey(
        _ algorithm: KeyAlgorithm, from initialKey: borrowing CipherKey, for serialNumber: AESKeySerialNumber
    ) throws(CryptographyError) -> CipherKey {
        let last = serialNumber.with(updateCounter)
        var chain = try AESChain(initialKey)
        try chain.deriveTransactionKey(last)
        try chain.deriveWorkingKey(.keyEncryption, algorithm, last)
        return try chain.key(for: algorithm)
    }
}

/// Keys that are derived one from another, with one cipher, in one piece of memory that is wiped at the end.
private struct AESChain: ~Copyable {
    /// The usage indicators of the derivation's own keys.
    private static let derivation: UInt16 = 0x8000
    private static let initial: UInt16 = 0x8001
    /// The place of the next key in the memory, after the present one; a key has at most 32 bytes.
    private static let next = 32..<64

    private let cipher: BlockCipher
    private let algorithm: KeyAlgorithm
    private var memory: SecretBytes
    private let isPublished: Bool

    init(_ key: borrowing CipherKey) throws(CryptographyError) {
        try key.expect(\.isAES, "AES")
        let cipher = try BlockCipher(.encrypt, .ecb, key.algorithm)
        self.cipher = cipher
        algorithm = key.algorithm
        memory = key.withRevealedBytes { key in
            SecretBytes(count: Self.next.upperBound) { memory in
                for index in key.indices { memory[index] = key[index] }
            }
        }
        isPublished = key.isPublishedTestKey
    }

    /// A copy of the present key, which was derived for an algorithm.
    borrowing func key(for algorithm: KeyAlgorithm) throws(CryptographyError) -> CipherKey {
        let bytes = memory.withBytes { SecretBytes(copying: $0.extracting(first: algorithm.size)) }
        return try CipherKey(bytes, for: algorithm, isPublished: isPublished)
    }

    mutating func deriveInitialKey(_ serialNumber: AESKeySerialNumber) throws(CryptographyError) {
        try derive(Self.initial, algorithm, serialNumber.initialKeyName)
    }

    /// One step for each one bit of the counter.
    mutating func deriveTransactionKey(_ serialNumber: AESKeySerialNumber) throws(CryptographyError) {
        let counter = serialNumber.counter
        var last: UInt32 = 0
        while let step = counter.step(after: last) {
            try derive(Self.derivation, algorithm, serialNumber.transaction(step))
            last = step
        }
    }

    mutating func deriveWorkingKey(
        _ usage: AESKeyUsage, _ working: KeyAlgorithm, _ serialNumber: AESKeySerialNumber
    ) throws(CryptographyError) {
        guard working.strength <= algorithm.strength else {
            throw CryptographyError(
                .strength, "a key for \(working) is stronger than its origin, a key for \(algorithm)")
        }
        try derive(usage.rawValue, working, serialNumber.transaction(serialNumber.counter.value))
    }

    /// Derives a key from as many encrypted blocks as its size needs. The data of each block has its number and the
    /// complete use of the key.
    private mutating func derive(
        _ usage: UInt16, _ derived: KeyAlgorithm, _ name: UInt64
    ) throws(CryptographyError) {
        let key = 0..<algorithm.size
        let next = Self.next.prefix((derived.size + 15) / 16 * 16)
        let use = UInt64(usage) << 32 | UInt64(derived.indicator) << 16 | UInt64(8 * derived.size)
        try memory.withMutableBytes { (memory) throws(CryptographyError) in
            for start in stride(from: next.lowerBound, to: next.upperBound, by: 16) {
                let header = UInt64(0x0100 + (start - next.lowerBound) / 16 + 1) << 48 | use
                for index in 0..<8 {
                    memory[start + index] = header.byte(index)
                    memory[start + 8 + index] = name.byte(index)
                }
            }
            try cipher.run(next, of: &memory, key: key)
            memory.copy(next, to: 0..<next.count)
        }
    }
}

extension KeyAlgorithm {
    /// The algorithm indicator of X9.24-3; the same for all sizes of HMAC.
    fileprivate var indicator: UInt16 {
        switch self {
        case .tripleDES2: 0
        case .tripleDES3: 1
        case .aes128: 2
        case .aes192: 3
        case .aes256: 4
        case .hmac128, .hmac192, .hmac256: 5
        }
    }
}

/// The key serial number of AES DUKPT (X9.24-3): eight bytes for the initial key's ID, four for the counter.
package struct AESKeySerialNumber: Sendable, Hashable, CustomStringConvertible {
    /// The serial number, twelve bytes.
    package let bytes: [UInt8]

    /// Parses a serial number.
    /// - Parameter bytes: the twelve bytes that the reader sent.
    /// - Throws: ``CryptographyError`` with code `length` for another number of bytes.
    package init(_ bytes: Span<UInt8>) throws(CryptographyError) {
        guard bytes.count == 12 else {
            throw CryptographyError(.length, "a KSN of \(bytes.count) bytes; a KSN for AES has 12")
        }
        self.bytes = bytes.indices.map { bytes[$0] }
    }

    /// Parses a serial number from hexadecimal digits.
    /// - Throws: ``CryptographyError`` with code `digit` or `length`.
    package init(hexadecimal text: String) throws(CryptographyError) {
        let digits = Array(text.utf8)
        let bytes = try HexadecimalDigits.bytes(of: digits.span)
        try self.init(bytes.span)
    }

    /// The transaction counter: the number of keys that the reader has taken since its initial key.
    package var counter: TransactionCounter { .aes(bytes[8...].reduce(0) { $0 << 8 | UInt32($1) }) }

    /// The serial number of the next transaction.
    /// - Throws: ``CryptographyError`` with code `exhausted` if there is none.
    package func next() throws(CryptographyError) -> AESKeySerialNumber { with(try counter.next().value) }

    /// The eight bytes of the initial key's ID.
    var initialKeyName: UInt64 { bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) } }

    /// The last four bytes of the initial key's ID, followed by another counter.
    func transaction(_ counter: UInt32) -> UInt64 { initialKeyName << 32 | UInt64(counter) }

    /// The serial number with another counter.
    func with(_ counter: UInt32) -> AESKeySerialNumber {
        let digits = [24, 16, 8, 0].map { UInt8(counter >> $0 & 255) }
        return AESKeySerialNumber(unchecked: bytes[..<8] + digits)
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// The serial number as 24 hexadecimal digits.
    package var description: String { HexadecimalDigits.text(of: bytes) }
}

/// The use of a working key, with the numbers of X9.24-3.
package enum AESKeyUsage: UInt16, Sendable, Hashable, CaseIterable {
    /// Encryption of other keys.
    case keyEncryption = 0x0002
    /// Encryption of PIN blocks.
    case pin = 0x1000
    /// Message authentication codes that the reader generates.
    case macGeneration = 0x2000
    /// Message authentication codes that the reader verifies.
    case macVerification = 0x2001
    /// Message authentication codes in both directions.
    case mac = 0x2002
    /// Data that the reader encrypts.
    case dataEncryption = 0x3000
    /// Data that the reader decrypts.
    case dataDecryption = 0x3001
    /// Data in both directions.
    case data = 0x3002
}
