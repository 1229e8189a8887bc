import JackdawCards

/// Derivation of triple DES DUKPT keys (ANSI X9.24-1:2009, annex A): from the base derivation key, which the host has,
/// to the key of one transaction.
package enum TripleDESDerivation {
    /// Derives the key that is loaded into a reader.
    /// - Parameters:
    ///   - base: the base derivation key, of 16 bytes for triple DES.
    ///   - serialNumber: the reader's serial number; its counter is ignored.
    /// - Returns: the initial key.
    /// - Throws: ``CryptographyError`` with code `algorithm` or `library`.
    package static func initialKey(
        from base: borrowing CipherKey, for serialNumber: KeySerialNumber
    ) throws(CryptographyError) -> CipherKey {
        var chain = try TripleDESChain(base)
        try chain.deriveInitialKey(serialNumber)
        return chain.key()
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
        var chain = try TripleDESChain(initial)
        try chain.deriveTransactionKey(serialNumber)
        return chain.key()
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
        var chain = try TripleDESChain(transaction)
        try chain.deriveWorkingKey(usage)
        return chain.key()
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
        var chain = try TripleDESChain(base)
        try chain.deriveInitialKey(serialNumber)
        try chain.deriveTransactionKey(serialNumber)
        try chain.deriveWorkingKey(usage)
        return chain.key()
    }
}

/// Keys that are derived one from another, with one cipher, in one piece of memory that is wiped at the end.
private struct TripleDESChain: ~Copyable {
    /// The place of the present key in the memory.
    private static let key = 0..<16
    /// The place of the key that encrypts a block.
    private static let blockKey = 16..<32
    /// The places of the next key and of its halves.
    private static let (next, left, right) = (32..<48, 32..<40, 40..<48)
    /// XORed with each half of a key, gives the variant that derives the right half of an initial key, and the left
    /// half of every further key.
    private static let mask: UInt64 = 0xC0C0_C0C0_0000_0000

    private let cipher: BlockCipher
    private var memory: SecretBytes
    private let isPublished: Bool

    init(_ key: borrowing CipherKey) throws(CryptographyError) {
        try key.expect({ $0 == .tripleDES2 }, "triple DES of 16 bytes")
        let cipher = try BlockCipher(.encrypt, .ecb, .tripleDES2)
        self.cipher = cipher
        memory = key.withRevealedBytes { key in
            SecretBytes(count: Self.next.upperBound) { memory in
                for index in Self.key { memory[index] = key[index] }
            }
        }
        isPublished = key.isPublishedTestKey
    }

    /// A copy of the present key.
    borrowing func key() -> CipherKey {
        let bytes = memory.withBytes { SecretBytes(copying: $0.extracting(Self.key)) }
        return CipherKey(derived: bytes, for: .tripleDES2, isPublished: isPublished)
    }

    /// The halves are the key's name, encrypted with the base derivation key and with its variant.
    mutating func deriveInitialKey(_ serialNumber: KeySerialNumber) throws(CryptographyError) {
        let name = serialNumber.initialKeyName
        try memory.withMutableBytes { (memory) throws(CryptographyError) in
            for index in 0..<8 {
                memory[Self.left.lowerBound + index] = name.byte(index)
                memory[Self.right.lowerBound + index] = name.byte(index)
            }
            for index in 0..<16 {
                memory[Self.blockKey.lowerBound + index] = memory[index] ^ Self.mask.byte(index % 8)
            }
            try cipher.run(Self.left, of: &memory, key: Self.key)
            try cipher.run(Self.right, of: &memory, key: Self.blockKey)
            memory.copy(Self.next, to: Self.key)
        }
    }

    /// One step for each one bit of the counter.
    mutating func deriveTransactionKey(_ serialNumber: KeySerialNumber) throws(CryptographyError) {
        let counter = serialNumber.counter
        try counter.checkUse()
        try memory.withMutableBytes { (memory) throws(CryptographyError) in
            var last: UInt32 = 0
            while let step = counter.step(after: last) {
                let register = serialNumber.register(step)
                try Self.derive(Self.left, from: register, Self.mask, cipher, &memory)
                try Self.derive(Self.right, from: register, 0, cipher, &memory)
                memory.copy(Self.next, to: Self.key)
                last = step
            }
        }
    }

    /// One half of the next key: the register XOR the right half of the variant, encrypted by single DES with the left
    /// half, XOR the right half again. Triple DES with a key of equal halves is single DES.
    private static func derive(
        _ half: Range<Int>, from register: UInt64, _ mask: UInt64, _ cipher: borrowing BlockCipher,
        _ memory: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        let (block, single) = (half.lowerBound, blockKey.lowerBound)
        for index in 0..<8 {
            let mask = mask.byte(index)
            memory[single + index] = memory[index] ^ mask
            memory[single + 8 + index] = memory[index] ^ mask
            memory[block + index] = register.byte(index) ^ memory[8 + index] ^ mask
        }
        try cipher.run(half, of: &memory, key: blockKey)
        for index in 0..<8 { memory[block + index] ^= memory[8 + index] ^ mask.byte(index) }
    }

    /// The variant of the usage, for some usages encrypted by itself.
    mutating func deriveWorkingKey(_ usage: TripleDESKeyUsage) throws(CryptographyError) {
        try memory.withMutableBytes { (memory) throws(CryptographyError) in
            memory[usage.variantByte] ^= 0xFF
            memory[8 + usage.variantByte] ^= 0xFF
            guard usage.isOneWay else { return }
            memory.copy(Self.key, to: Self.next)
            try cipher.run(Self.next, of: &memory, key: Self.key)
            memory.copy(Self.next, to: Self.key)
        }
    }
}

extension MutableSpan<UInt8> {
    /// Stores a number of 8 bytes, the highest first.
    mutating func store(_ number: UInt64, at place: Int) {
        var bytes = unsafe mutableBytes
        bytes.storeBytes(of: number.bigEndian, toByteOffset: place, as: UInt64.self)
    }

    /// Copies bytes to another place in the same memory; the places do not overlap.
    mutating func copy(_ source: Range<Int>, to target: Range<Int>) {
        for offset in 0..<target.count { self[target.lowerBound + offset] = self[source.lowerBound + offset] }
    }
}

extension UInt64 {
    /// A byte, from 0 for the highest to 7 for the lowest.
    func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: self >> (56 - 8 * index)) }
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
