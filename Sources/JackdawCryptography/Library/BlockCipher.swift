import COpenSSL
import JackdawCards

/// Triple DES and AES by libcrypto (`EVP_CipherInit_ex2`, `EVP_CipherUpdate`), without padding.
enum BlockCipher {
    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    /// The block cipher mode of operation.
    enum Chaining: String {
        case ecb = "ECB"
        case cbc = "CBC"
    }

    /// Encrypts or decrypts whole blocks.
    /// - Parameters:
    ///   - direction: encryption or decryption.
    ///   - chaining: the mode of operation.
    ///   - input: a multiple of the block size.
    ///   - key: the full key of the libcrypto cipher, as ``CipherKey/whole()`` returns it.
    ///   - algorithm: the algorithm of the cipher.
    ///   - vector: the initialisation vector, one block; its value is ignored without chaining.
    /// - Returns: the same number of bytes as the input.
    /// - Throws: ``CryptographyError`` with code `length`, `algorithm` or `library`.
    static func run(
        _ direction: Direction, _ chaining: Chaining, _ input: Span<UInt8>, key: Span<UInt8>, _ algorithm: KeyAlgorithm,
        vector: Span<UInt8>
    ) throws(CryptographyError) -> SecretBytes {
        guard let name = algorithm.cipherName else {
            throw CryptographyError(.algorithm, "a key for \(algorithm) cannot encrypt")
        }
        let block = algorithm.blockSize
        guard input.count.isMultiple(of: block), input.count <= LibCrypto.greatestSize else {
            throw CryptographyError(.length, "\(input.count) bytes are not whole blocks of \(block)")
        }
        guard vector.count == block else {
            throw CryptographyError(
                .length, "an initialisation vector of \(vector.count) bytes; a block has \(block)")
        }
        return try SecretBytes(count: input.count) { (output) throws(CryptographyError) in
            guard input.count > 0 else { return }
            try transform(direction, "\(name)-\(chaining.rawValue)", input, key, vector, into: &output)
        }
    }

    private static func transform(
        _ direction: Direction, _ name: String, _ input: Span<UInt8>, _ key: Span<UInt8>,
        _ vector: Span<UInt8>, into output: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        let cipher = unsafe EVP_CIPHER_fetch(nil, name, nil)
        let context = unsafe EVP_CIPHER_CTX_new()
        defer {
            // This call overwrites the key schedule.
            unsafe EVP_CIPHER_CTX_free(context)
            unsafe EVP_CIPHER_free(cipher)
        }
        guard let cipher = unsafe cipher, let context = unsafe context else {
            throw LibCrypto.failure("there is no cipher \(name)")
        }
        let started = unsafe key.withUnsafeBufferPointer { key in
            unsafe vector.withUnsafeBufferPointer { vector in
                unsafe EVP_CipherInit_ex2(
                    context, cipher, key.baseAddress, vector.baseAddress, direction.rawValue, nil)
            }
        }
        try LibCrypto.check(started, "\(name) rejects the key")
        unsafe EVP_CIPHER_CTX_set_padding(context, 0)
        var count: Int32 = 0
        let done = unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe input.withUnsafeBufferPointer { input in
                unsafe EVP_CipherUpdate(context, output.baseAddress, &count, input.baseAddress, Int32(input.count))
            }
        }
        try LibCrypto.check(done, "\(name) of \(input.count) bytes")
        guard Int(count) == input.count else { throw LibCrypto.failure("\(name) returned \(count) bytes") }
    }
}
