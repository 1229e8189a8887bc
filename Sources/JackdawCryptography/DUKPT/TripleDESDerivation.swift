import JackdawCards

/// Derivation of triple DES DUKPT keys (ANSI X9.24-1:2009, annex A): from the base derivation key, which the host has,
/// to the key of one transaction.
package enum TripleDESDerivation {
    /// XORed with a key, gives the variant that derives one half of a new key.
    private static let mask: [UInt8] = [0xC0, 0xC0, 0xC0, 0xC0, 0, 0, 0, 0, 0xC0, 0xC0, 0xC0, 0xC0, 0, 0, 0, 0]

    /// Derives the key that is loaded into a reader.
    /// - Parameters:
    ///   - base: the base derivation key, of 16 bytes for triple DES.
    ///   - serialNumber: the reader's serial number; its counter is ignored.
    /// - Returns: the initial key.
    /// - Throws: ``CryptographyError`` with code `algorithm` or `library`.
    package static func initialKey(
        from base: borrowing CipherKey, for serialNumber: KeySerialNumber
    ) throws(CryptographyError) -> CipherKey {
        try check(base)
        let name = serialNumber.initialKeyName
        let left = try base.encryptBlocks(name.span)
        let right = try variant(of: base, by: mask).encryptBlocks(name.span)
        return try joined(left, right, like: base)
    }

    /// Derives the key of one transaction.
    /// - Parameters:
    ///   - initial: the result of ``initialKey(from:for:)``.
    ///   - serialNumber: the serial number that the reader sent.
    /// - Returns: the transaction's key.
    /// - Throws: ``CryptographyError`` with code `counter`, `exhausted`, `algorithm` or `library`.
    package static func transactionKey(
        from initial: borrowing CipherKey, for serialNumber: KeySerialNumber
    ) throws(CryptographyError) -> CipherKey {
        try check(initial)
        let counter = serialNumber.counter
        try counter.checkUse()
        var key = try initial.repurposed(for: .tripleDES2)
        for step in counter.steps {
            let register = serialNumber.register(step)
            let left = try generated(register, by: variant(of: key, by: mask))
            let right = try generated(register, by: key)
            key = try joined(left, right, like: key)
        }
        return key
    }

    /// Derives the key of one transaction for one use.
    /// - Parameters:
    ///   - usage: the use of the key.
    ///   - transaction: the result of ``transactionKey(from:for:)``.
    /// - Returns: the working key.
    /// - Throws: ``CryptographyError`` with code `algorithm` or `library`.
    package static func workingKey(
        for usage: TripleDESKeyUsage, from transaction: borrowing CipherKey
    ) throws(CryptographyError) -> CipherKey {
        try check(transaction)
        let pattern = (0..<16).map { UInt8($0 % 8 == usage.variantByte ? 0xFF : 0) }
        let variant = try variant(of: transaction, by: pattern)
        guard usage.isOneWay else { return variant }
        let bytes = try variant.withRevealedBytes { (key) throws(CryptographyError) in try variant.encryptBlocks(key) }
        return try CipherKey(bytes, for: .tripleDES2, isPublished: variant.isPublishedTestKey)
    }

    /// Derives the key of one transaction for one use, in all steps from the base derivation key.
    /// - Parameters:
    ///   - usage: the use of the key.
    ///   - base: the base derivation key, of 16 bytes for triple DES.
    ///   - serialNumber: the serial number that the reader sent.
    /// - Returns: the working key.
    /// - Throws: ``CryptographyError`` with code `counter`, `exhausted`, `algorithm` or `library`.
    package static func workingKey(
        for usage: TripleDESKeyUsage, from base: borrowing CipherKey, serialNumber: KeySerialNumber
    ) throws(CryptographyError) -> CipherKey {
        let initial = try initialKey(from: base, for: serialNumber)
        return try workingKey(for: usage, from: transactionKey(from: initial, for: serialNumber))
    }

    /// One half of a new key: the register XOR the right half, encrypted by single DES with the left half, XOR the
    /// right half again.
    private static func generated(
        _ register: [UInt8], by key: borrowing CipherKey
    ) throws(CryptographyError) -> SecretBytes {
        let single = try key.half(0)
        let encrypted = try mixed(register.span, key).withBytes { (block) throws(CryptographyError) in
            try single.encryptBlocks(block)
        }
        return encrypted.withBytes { mixed($0, key) }
    }

    /// Eight bytes XOR the right half of a key.
    private static func mixed(_ bytes: Span<UInt8>, _ key: borrowing CipherKey) -> SecretBytes {
        key.withRevealedBytes { key in
            SecretBytes(count: 8) { mixed in
                for index in 0..<8 { mixed[index] = bytes[index] ^ key[8 + index] }
            }
        }
    }

    private static func variant(
        of key: borrowing CipherKey, by pattern: [UInt8]
    ) throws(CryptographyError) -> CipherKey {
        let bytes = key.withRevealedBytes { key in
            SecretBytes(count: key.count) { variant in
                for index in key.indices { variant[index] = key[index] ^ pattern[index] }
            }
        }
        return try CipherKey(bytes, for: .tripleDES2, isPublished: key.isPublishedTestKey)
    }

    private static func joined(
        _ left: borrowing SecretBytes, _ right: borrowing SecretBytes, like key: borrowing CipherKey
    ) throws(CryptographyError) -> CipherKey {
        let bytes = left.withBytes { left in
            right.withBytes { right in
                SecretBytes(count: 16) { joined in
                    for index in 0..<16 { joined[index] = index < 8 ? left[index] : right[index - 8] }
                }
            }
        }
        return try CipherKey(bytes, for: .tripleDES2, isPublished: key.isPublishedTestKey)
    }

    private static func check(_ key: borrowing CipherKey) throws(CryptographyError) {
        try key.expect({ $0 == .tripleDES2 }, "triple DES of 16 bytes")
    }
}

/// The use of a working key of X9.24-1. Requests are sent by the reader, responses are sent to it.
package enum TripleDESKeyUsage: Sendable, Hashable, CaseIterable {
    /// PIN blocks; with MagTek's readers also tracks.
    case pin
    /// Message authentication codes of requests from the reader.
    case macRequest
    /// Message authentication codes of responses to the reader.
    case macResponse
    /// Data from the reader, or in both directions: the variant, encrypted by itself.
    case dataRequest
    /// Data to the reader: the variant, encrypted by itself.
    case dataResponse
    /// Data from the reader: the variant alone, without the last step, as some readers use it.
    case plainDataRequest

    /// The byte of each half, from the left, that the variant inverts.
    var variantByte: Int {
        switch self {
        case .pin: 7
        case .macRequest: 6
        case .macResponse: 4
        case .dataRequest, .plainDataRequest: 5
        case .dataResponse: 3
        }
    }

    /// Whether each half of the variant is encrypted by the variant, the one-way function for data.
    var isOneWay: Bool { self == .dataRequest || self == .dataResponse }
}
