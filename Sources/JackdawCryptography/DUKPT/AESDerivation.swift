import JackdawCards

/// Derivation of AES DUKPT keys (ANSI X9.24-3:2017): from the base derivation key, which the host has, to the key of
/// one transaction.
package enum AESDerivation {
    /// The usage indicators of the derivation's own keys.
    private static let derivation: UInt16 = 0x8000
    private static let initial: UInt16 = 0x8001
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
        try check(base)
        return try derived(from: base, initial, base.algorithm, serialNumber.initialKeyName)
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
        return try intermediateKey(from: initialKey, for: serialNumber)
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
        try check(transactionKey)
        guard algorithm.strength <= transactionKey.algorithm.strength else {
            throw CryptographyError(
                .strength, "a key for \(algorithm) is stronger than its origin, a key for \(transactionKey.algorithm)")
        }
        let name = serialNumber.transaction(serialNumber.counter.value)
        return try derived(from: transactionKey, usage.rawValue, algorithm, name)
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
        let initialKey = try initialKey(from: base, for: serialNumber)
        let transactionKey = try transactionKey(from: initialKey, for: serialNumber)
        return try workingKey(for: usage, algorithm, from: transactionKey, serialNumber: serialNumber)
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
        let transactionKey = try intermediateKey(from: initialKey, for: last)
        return try workingKey(for: .keyEncryption, algorithm, from: transactionKey, serialNumber: last)
    }

    /// The key of any counter: one derivation step for each of its one bits.
    private static func intermediateKey(
        from initialKey: borrowing CipherKey, for serialNumber: AESKeySerialNumber
    ) throws(CryptographyError) -> CipherKey {
        try check(initialKey)
        let algorithm = initialKey.algorithm
        var key = try initialKey.repurposed(for: algorithm)
        for step in serialNumber.counter.steps {
            key = try derived(from: key, derivation, algorithm, serialNumber.transaction(step))
        }
        return key
    }

    /// Derives a key from as many encrypted blocks as its size needs. The data of each block has its number and the
    /// complete use of the key.
    private static func derived(
        from key: borrowing CipherKey, _ usage: UInt16, _ algorithm: KeyAlgorithm, _ name: [UInt8]
    ) throws(CryptographyError) -> CipherKey {
        let size = algorithm.size
        let bits = UInt16(8 * size)
        var data: [UInt8] = []
        for block in 1...(size + 15) / 16 {
            data += [1, UInt8(block)]
            for number in [usage, algorithm.indicator, bits] { data += [UInt8(number >> 8), UInt8(number & 255)] }
            data += name
        }
        let blocks = try key.encryptBlocks(data.span)
        let bytes = blocks.withBytes { SecretBytes(copying: $0.extracting(first: size)) }
        return try CipherKey(bytes, for: algorithm, isPublished: key.isPublishedTestKey)
    }

    private static func check(_ key: borrowing CipherKey) throws(CryptographyError) {
        try key.expect(\.isAES, "AES")
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
    var initialKeyName: [UInt8] { Array(bytes[..<8]) }

    /// The last four bytes of the initial key's ID, followed by another counter.
    func transaction(_ counter: UInt32) -> [UInt8] { Array(with(counter).bytes[4...]) }

    /// The serial number with another counter.
    func with(_ counter: UInt32) -> AESKeySerialNumber {
        let digits = [24, 16, 8, 0].map { UInt8(counter >> $0 & 255) }
        return AESKeySerialNumber(unchecked: initialKeyName + digits)
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
