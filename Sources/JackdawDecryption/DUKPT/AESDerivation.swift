import JackdawCards

/// Keys of DUKPT with AES (ANSI X9.24-3:2017): from the base derivation key, which the host has, to that of one
/// transaction.
package enum AESDerivation {
    /// What keys of the derivation itself are for.
    private static let derivation: UInt16 = 0x8000
    private static let initial: UInt16 = 0x8001
    /// The counter of no transaction, that a new initial key is encrypted under.
    private static let updateCounter: UInt32 = 0xFFFF_FFFF

    /// The key that is put into a reader.
    /// - Parameters:
    ///   - base: the base derivation key, for AES.
    ///   - serialNumber: of the reader; its counter does not matter.
    /// - Returns: the initial key.
    /// - Throws: ``DecryptionError`` with code `algorithm` or `library`.
    package static func initialKey(
        from base: borrowing CipherKey, for serialNumber: AESKeySerialNumber
    ) throws(DecryptionError) -> CipherKey {
        try check(base)
        return try derived(from: base, initial, base.algorithm, serialNumber.initialKeyName)
    }

    /// The key of one transaction, which working keys are derived from.
    /// - Parameters:
    ///   - initialKey: what ``initialKey(from:for:)`` gives.
    ///   - serialNumber: as the reader sent it.
    /// - Returns: the transaction's key.
    /// - Throws: ``DecryptionError`` with code `counter`, `exhausted`, `algorithm` or `library`.
    package static func transactionKey(
        from initialKey: borrowing CipherKey, for serialNumber: AESKeySerialNumber
    ) throws(DecryptionError) -> CipherKey {
        try serialNumber.counter.checkUse()
        return try intermediateKey(from: initialKey, for: serialNumber)
    }

    /// The key of one transaction for one use.
    /// - Parameters:
    ///   - usage: what it is for.
    ///   - algorithm: what it encrypts or authenticates with.
    ///   - transactionKey: what ``transactionKey(from:for:)`` gives.
    ///   - serialNumber: as the reader sent it.
    /// - Returns: the working key.
    /// - Throws: ``DecryptionError`` with code `strength` where it were stronger than the key that it comes from,
    ///   `algorithm` or `library`.
    package static func workingKey(
        for usage: AESKeyUsage, _ algorithm: KeyAlgorithm, from transactionKey: borrowing CipherKey,
        serialNumber: AESKeySerialNumber
    ) throws(DecryptionError) -> CipherKey {
        try check(transactionKey)
        guard algorithm.strength <= transactionKey.algorithm.strength else {
            throw DecryptionError(
                .strength, "a key for \(algorithm) were stronger than its origin, one for \(transactionKey.algorithm)")
        }
        let name = serialNumber.transaction(serialNumber.counter.value)
        return try derived(from: transactionKey, usage.rawValue, algorithm, name)
    }

    /// The key of one transaction for one use, in all steps.
    /// - Parameters:
    ///   - usage: what it is for.
    ///   - algorithm: what it encrypts or authenticates with.
    ///   - base: the base derivation key, for AES.
    ///   - serialNumber: as the reader sent it.
    /// - Returns: the working key.
    /// - Throws: ``DecryptionError`` with code `counter`, `exhausted`, `strength`, `algorithm` or `library`.
    package static func workingKey(
        for usage: AESKeyUsage, _ algorithm: KeyAlgorithm, fromBase base: borrowing CipherKey,
        serialNumber: AESKeySerialNumber
    ) throws(DecryptionError) -> CipherKey {
        let initialKey = try initialKey(from: base, for: serialNumber)
        let transactionKey = try transactionKey(from: initialKey, for: serialNumber)
        return try workingKey(for: usage, algorithm, from: transactionKey, serialNumber: serialNumber)
    }

    /// The key that a new initial key is encrypted under on its way to the reader.
    /// - Parameters:
    ///   - algorithm: what it encrypts with.
    ///   - initialKey: the reader's present one.
    ///   - serialNumber: of the reader; its counter does not matter.
    /// - Returns: the key.
    /// - Throws: ``DecryptionError`` with code `strength`, `algorithm` or `library`.
    package static func updateKey(
        _ algorithm: KeyAlgorithm, from initialKey: borrowing CipherKey, for serialNumber: AESKeySerialNumber
    ) throws(DecryptionError) -> CipherKey {
        let last = serialNumber.with(updateCounter)
        let transactionKey = try intermediateKey(from: initialKey, for: last)
        return try workingKey(for: .keyEncryption, algorithm, from: transactionKey, serialNumber: last)
    }

    /// The key of a counter, whichever it is: one step for each of its ones.
    private static func intermediateKey(
        from initialKey: borrowing CipherKey, for serialNumber: AESKeySerialNumber
    ) throws(DecryptionError) -> CipherKey {
        try check(initialKey)
        let algorithm = initialKey.algorithm
        var key = try initialKey.repurposed(for: algorithm)
        for step in serialNumber.counter.steps {
            key = try derived(from: key, derivation, algorithm, serialNumber.transaction(step))
        }
        return key
    }

    /// A key of as many encrypted blocks as it takes. Each says which one it is, and everything that the key is for.
    private static func derived(
        from key: borrowing CipherKey, _ usage: UInt16, _ algorithm: KeyAlgorithm, _ name: [UInt8]
    ) throws(DecryptionError) -> CipherKey {
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

    private static func check(_ key: borrowing CipherKey) throws(DecryptionError) {
        try key.expect(\.isAES, "AES")
    }
}

extension KeyAlgorithm {
    /// As X9.24-3 numbers it, all sizes of HMAC alike.
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

/// Which key a reader used, as X9.24-3 writes it for AES: eight bytes that name the initial key, four of a counter.
package struct AESKeySerialNumber: Sendable, Hashable, CustomStringConvertible {
    /// Twelve bytes.
    package let bytes: [UInt8]

    /// Reads a serial number.
    /// - Parameter bytes: twelve.
    /// - Throws: ``DecryptionError`` with code `length`.
    package init(_ bytes: Span<UInt8>) throws(DecryptionError) {
        guard bytes.count == 12 else {
            throw DecryptionError(.length, "a KSN of \(bytes.count) bytes, where one of AES has 12")
        }
        self.bytes = bytes.indices.map { bytes[$0] }
    }

    /// Reads a serial number from hexadecimal digits.
    /// - Throws: ``DecryptionError`` with code `digit` or `length`.
    package init(hexadecimal text: String) throws(DecryptionError) {
        let digits = Array(text.utf8)
        let bytes = try HexadecimalDigits.bytes(of: digits.span)
        try self.init(bytes.span)
    }

    /// How often the reader has taken a new key.
    package var counter: TransactionCounter { .aes(bytes[8...].reduce(0) { $0 << 8 | UInt32($1) }) }

    /// The serial number of the next transaction.
    /// - Throws: ``DecryptionError`` with code `exhausted` where there is none.
    package func next() throws(DecryptionError) -> AESKeySerialNumber { with(try counter.next().value) }

    /// The eight bytes that name the initial key.
    var initialKeyName: [UInt8] { Array(bytes[..<8]) }

    /// The last four of those and another counter.
    func transaction(_ counter: UInt32) -> [UInt8] { Array(with(counter).bytes[4...]) }

    /// The same initial key's number with another counter.
    func with(_ counter: UInt32) -> AESKeySerialNumber {
        let digits = [24, 16, 8, 0].map { UInt8(counter >> $0 & 255) }
        return AESKeySerialNumber(unchecked: initialKeyName + digits)
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// 24 hexadecimal digits.
    package var description: String { HexadecimalDigits.text(of: bytes) }
}

/// What a working key of X9.24-3 is for, as the standard numbers it.
package enum AESKeyUsage: UInt16, Sendable, Hashable, CaseIterable {
    /// Encrypting other keys.
    case keyEncryption = 0x0002
    /// PINs.
    case pin = 0x1000
    /// Codes that the reader makes.
    case macGeneration = 0x2000
    /// Codes that the reader checks.
    case macVerification = 0x2001
    /// Codes both ways.
    case mac = 0x2002
    /// Data that the reader encrypts.
    case dataEncryption = 0x3000
    /// Data that the reader decrypts.
    case dataDecryption = 0x3001
    /// Data both ways.
    case data = 0x3002
}
