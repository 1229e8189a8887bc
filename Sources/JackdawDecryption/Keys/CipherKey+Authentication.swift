import JackdawCards

extension CipherKey {
    /// The retail MAC (ANSI X9.19; ISO/IEC 9797-1, algorithm 3): single DES throughout, triple DES at the end.
    /// - Parameters:
    ///   - message: of any length.
    ///   - padding: how it becomes whole blocks.
    /// - Returns: 8 bytes; shorter codes are the first of them.
    /// - Throws: ``DecryptionError`` with code `algorithm` for other keys than those of 16 bytes for triple DES, `library`.
    public borrowing func retailMAC(
        of message: Span<UInt8>, padding: MessagePadding = .zeros
    ) throws(DecryptionError) -> [UInt8] {
        try expect({ $0 == .tripleDES2 }, "triple DES of 16 bytes")
        let padded = padding.padded(message, blockSize: 8)
        let first = try half(0)
        return try padded.withBytes { (blocks) throws(DecryptionError) in
            let start = blocks.extracting(first: blocks.count - 8)
            let chained = try first.encrypt(start).lastBlock(8) ?? [UInt8](repeating: 0, count: 8)
            return try encrypt(blocks.extracting(last: 8), vector: chained).lastBlock(8) ?? []
        }
    }

    /// The last block of a message encrypted with chaining (ISO/IEC 9797-1, algorithm 1).
    /// - Parameters:
    ///   - message: of any length.
    ///   - padding: how it becomes whole blocks.
    /// - Returns: a block; shorter codes are its first bytes.
    /// - Throws: ``DecryptionError`` with code `algorithm` for keys that encrypt nothing, `library`.
    public borrowing func chainingMAC(
        of message: Span<UInt8>, padding: MessagePadding = .zeros
    ) throws(DecryptionError) -> [UInt8] {
        let size = algorithm.blockSize
        let padded = padding.padded(message, blockSize: size)
        return try padded.withBytes { (blocks) throws(DecryptionError) in
            try encrypt(blocks).lastBlock(size) ?? []
        }
    }

    /// The code of a message by the key's cipher (CMAC; NIST SP 800-38B).
    /// - Parameter message: of any length.
    /// - Returns: a block; shorter codes are its first bytes.
    /// - Throws: ``DecryptionError`` with code `algorithm` for keys that encrypt nothing, `library`.
    public borrowing func cipherMAC(of message: Span<UInt8>) throws(DecryptionError) -> [UInt8] {
        guard let name = algorithm.cipherName else {
            throw DecryptionError(.algorithm, "a key for \(algorithm) encrypts nothing")
        }
        let size = algorithm.blockSize
        return try whole().withBytes { (key) throws(DecryptionError) in
            try MessageAuthentication.code("CMAC", ("cipher", "\(name)-CBC"), key: key, of: message, size: size)
        }
    }

    /// The code of a message by SHA-256 (HMAC; RFC 2104).
    /// - Parameter message: of any length.
    /// - Returns: 32 bytes.
    /// - Throws: ``DecryptionError`` with code `algorithm` for keys that are for something else, `library`.
    public borrowing func hashMAC(of message: Span<UInt8>) throws(DecryptionError) -> [UInt8] {
        try expect({ $0.cipherName == nil }, "HMAC")
        return try withRevealedBytes { (key) throws(DecryptionError) in
            try MessageAuthentication.code("HMAC", ("digest", "SHA256"), key: key, of: message, size: 32)
        }
    }

    /// What two people compare to know that they have the same key: of triple DES the first 3 bytes of an encrypted block of
    /// zeros, of AES the first 5 of that block's CMAC (X9.24-1:2017).
    /// - Throws: ``DecryptionError`` with code `algorithm` for keys that encrypt nothing, `library`.
    public borrowing func checkValue() throws(DecryptionError) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: algorithm.blockSize)
        guard algorithm.isTripleDES else { return try Array(cipherMAC(of: zeros.span).prefix(5)) }
        return try Array(chainingMAC(of: zeros.span).prefix(3))
    }

    /// One half of a key of 16 bytes as a key of two equal halves, which makes triple DES single DES.
    borrowing func half(_ number: Int) throws(DecryptionError) -> CipherKey {
        let bytes = withRevealedBytes { key in
            SecretBytes(count: 16) { twice in
                for index in 0..<16 { twice[index] = key[8 * number + index % 8] }
            }
        }
        return try CipherKey(bytes, for: .tripleDES2, isPublished: isPublishedTestKey)
    }
}

extension SecretBytes {
    /// The last bytes, which need not be secret; nil where there are none.
    fileprivate borrowing func lastBlock(_ size: Int) -> [UInt8]? {
        guard count > 0 else { return nil }
        return withBytes { bytes in (bytes.count - size..<bytes.count).map { bytes[$0] } }
    }
}
