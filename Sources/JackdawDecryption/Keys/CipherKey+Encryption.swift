public import JackdawCards

extension CipherKey {
    /// Encrypts whole blocks, each chained to the one before (CBC).
    /// - Parameters:
    ///   - plaintext: a multiple of the block's size, 8 bytes of triple DES and 16 of AES.
    ///   - vector: what the first block is chained to; nil for zeros.
    /// - Returns: as many bytes.
    /// - Throws: ``DecryptionError`` with code `length`, `algorithm` or `library`.
    public borrowing func encrypt(
        _ plaintext: Span<UInt8>, vector: [UInt8]? = nil
    ) throws(DecryptionError) -> SecretBytes {
        try run(.encrypt, .cbc, plaintext, vector)
    }

    /// Decrypts whole blocks, each chained to the one before (CBC).
    /// - Parameters:
    ///   - ciphertext: a multiple of the block's size, 8 bytes of triple DES and 16 of AES.
    ///   - vector: what the first block is chained to; nil for zeros.
    /// - Returns: as many bytes, padding included.
    /// - Throws: ``DecryptionError`` with code `length`, `algorithm` or `library`.
    public borrowing func decrypt(
        _ ciphertext: Span<UInt8>, vector: [UInt8]? = nil
    ) throws(DecryptionError) -> SecretBytes {
        try run(.decrypt, .cbc, ciphertext, vector)
    }

    /// Encrypts whole blocks, each on its own (ECB).
    borrowing func encryptBlocks(_ plaintext: Span<UInt8>) throws(DecryptionError) -> SecretBytes {
        try run(.encrypt, .ecb, plaintext, nil)
    }

    /// Decrypts whole blocks, each on its own (ECB).
    borrowing func decryptBlocks(_ ciphertext: Span<UInt8>) throws(DecryptionError) -> SecretBytes {
        try run(.decrypt, .ecb, ciphertext, nil)
    }

    /// All bytes that libcrypto's cipher takes: two keys of triple DES are three, the third being the first again.
    borrowing func whole() -> SecretBytes {
        let size = algorithm.isTripleDES ? 24 : algorithm.size
        return withRevealedBytes { key in
            SecretBytes(count: size) { whole in
                for index in 0..<size { whole[index] = key[index % key.count] }
            }
        }
    }

    private borrowing func run(
        _ direction: BlockCipher.Direction, _ chaining: BlockCipher.Chaining, _ input: Span<UInt8>, _ vector: [UInt8]?
    ) throws(DecryptionError) -> SecretBytes {
        let algorithm = algorithm
        let vector = vector ?? [UInt8](repeating: 0, count: algorithm.blockSize)
        return try whole().withBytes { (key) throws(DecryptionError) in
            try BlockCipher.run(direction, chaining, input, key: key, algorithm, vector: vector.span)
        }
    }
}
