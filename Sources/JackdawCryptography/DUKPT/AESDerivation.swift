import JackdawBytes
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
        return chain.key(for: base.algorithm)
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
        return chain.key(for: initialKey.algorithm)
    }

    /// Derives the key of one transaction for one use.
    /// - Parameters:
    ///   - usage: the use of the key.
    ///   - algorithm: the algorithm for which the key is used.
    ///   - transactionKey: the result of ``transactionKey(from:for:)``.
    ///   - serialNumber: the serial number that the reader sent.
    /// - Returns: the working key.
    /// - Throws: ``CryptographyError`` with code `strength` if the key would be stronger than the key that it is
    ///   derived from, `algorithm` or `library`.
    package static func workingKey(
        for usage: AESKeyUsage, _ algorithm: KeyAlgorithm, from transactionKey: borrowing CipherKey,
        serialNumber: AESKeySerialNumber
    ) throws(CryptographyError) -> CipherKey {
        var chain = try AESChain(transactionKey)
        try chain.deriveWorkingKey(usage, algorithm, serialNumber)
        return chain.key(for: algorithm)
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
        return chain.key(for: algorithm)
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
        return chain.key(for: algorithm)
    }
}

/// Keys that are derived one from another, with one cipher, in one piece of memory that is wiped at the end.
private struct AESChain: ~Copyable {
    /// The usage indicators of the derivation's own keys.
    private static let derivation: UInt16 = 0x8000
    private static let initial: UInt16 = 0x8001
    /// The maximum size of a key, in bytes.
    private static let maxKeySize = 32

    private let cipher: BlockCipher
    private let algorithm: KeyAlgorithm
    private let isPublished: Bool
    private var memory: SecretBuffer<UInt8>
    /// The place of the present key in the memory; the next key is made in the other half.
    private var place = 0

    init(_ key: borrowing CipherKey) throws(CryptographyError) {
        try key.expect(\.isAES, "AES")
        let cipher = try BlockCipher(.encrypt, .ecb, key.algorithm)
        self.cipher = cipher
        algorithm = key.algorithm
        var memory = SecretBuffer<UInt8>(zeroed: 2 * Self.maxKeySize)
        key.withRevealedBytes { key in
            memory.withMutableElements { memory in
                for index in key.indices { memory[index] = key[index] }
            }
        }
        self.memory = memory
        isPublished = key.isPublishedTestKey
    }

    /// A copy of the present key, which was derived for an algorithm.
    borrowing func key(for algorithm: KeyAlgorithm) -> CipherKey {
        let range = place..<place + algorithm.size
        let bytes = memory.withElements { SecretBytes(copying: $0.extracting(range)) }
        return CipherKey(derived: bytes, for: algorithm, isPublished: isPublished)
    }

    mutating func deriveInitialKey(_ serialNumber: AESKeySerialNumber) throws(CryptographyError) {
        try derive(Self.initial, algorithm, serialNumber.initialKeyName)
    }

    /// One step for each one bit of the counter.
    mutating func deriveTransactionKey(_ serialNumber: AESKeySerialNumber) throws(CryptographyError) {
        let counter = serialNumber.counter
        let name = serialNumber.transaction(0)
        var last: UInt32 = 0
        while let step = counter.step(after: last) {
            try derive(Self.derivation, algorithm, name | UInt64(step))
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
        let key = place..<place + algorithm.size
        place = Self.maxKeySize - place
        let blocks = place..<place + (derived.size + 15) / 16 * 16
        let use = UInt64(usage) << 32 | UInt64(derived.indicator) << 16 | UInt64(8 * derived.size)
        try memory.withMutableElements { (memory) throws(CryptographyError) in
            for (number, start) in stride(from: blocks.lowerBound, to: blocks.upperBound, by: 16).enumerated() {
                memory.store(UInt64(0x0101 + number) << 48 | use, at: start)
                memory.store(name, at: start + 8)
            }
            try cipher.run(blocks, of: &memory, key: key)
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
    /// The initial key's ID.
    let initialKeyName: UInt64
    private let count: UInt32

    /// Parses a serial number.
    /// - Parameter bytes: the twelve bytes that the reader sent.
    /// - Throws: ``CryptographyError`` with code `length` for another number of bytes.
    package init(_ bytes: Span<UInt8>) throws(CryptographyError) {
        guard bytes.count == 12 else {
            throw CryptographyError(.length, "a KSN of \(bytes.count) bytes; a KSN for AES has 12")
        }
        self.init(
            initialKeyName: (0..<8).reduce(0) { $0 << 8 | UInt64(bytes[$1]) },
            count: (8..<12).reduce(0) { $0 << 8 | UInt32(bytes[$1]) })
    }

    /// Parses a serial number from hexadecimal digits.
    /// - Throws: ``CryptographyError`` with code `digit` or `length`.
    package init(hexadecimal text: String) throws(CryptographyError) {
        let digits = Array(text.utf8)
        let bytes = try HexadecimalDigits.bytes(of: digits.span)
        try self.init(bytes.span)
    }

    private init(initialKeyName: UInt64, count: UInt32) {
        self.initialKeyName = initialKeyName
        self.count = count
    }

    /// The serial number, twelve bytes.
    package var bytes: [UInt8] {
        (0..<8).map { initialKeyName.byte($0) } + (4..<8).map { UInt64(count).byte($0) }
    }

    /// The transaction counter: the number of keys that the reader has taken since its initial key.
    package var counter: TransactionCounter { .aes(count) }

    /// The serial number of the next transaction.
    /// - Throws: ``CryptographyError`` with code `exhausted` if there is none.
    package func next() throws(CryptographyError) -> AESKeySerialNumber { with(try counter.next().value) }

    /// The last four bytes of the initial key's ID, followed by another counter.
    func transaction(_ counter: UInt32) -> UInt64 { initialKeyName << 32 | UInt64(counter) }

    /// The serial number with another counter.
    func with(_ counter: UInt32) -> AESKeySerialNumber {
        AESKeySerialNumber(initialKeyName: initialKeyName, count: counter)
    }

    /// The serial number as 24 hexadecimal digits.
    package var description: String { bytes.hexadecimal }
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
