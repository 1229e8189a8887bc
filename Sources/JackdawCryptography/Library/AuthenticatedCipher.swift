import COpenSSL
import JackdawCards

/// AES in Galois/Counter Mode (GCM; NIST SP 800-38D): it encrypts, and detects changes.
enum AuthenticatedCipher {
    /// The bytes of a nonce, for which the standard recommends 12.
    static let nonceSize = 12
    /// The bytes of a tag, the most that the standard has.
    static let tagSize = 16

    /// Encrypts and authenticates a message.
    /// - Returns: the encrypted message and the tag.
    /// - Throws: ``CryptographyError`` with code `length` or `library`.
    static func seal(
        _ message: Span<UInt8>, key: Span<UInt8>, _ algorithm: KeyAlgorithm, nonce: Span<UInt8>,
        authenticating data: Span<UInt8>
    ) throws(CryptographyError) -> [UInt8] {
        let context = try Context(.encrypt, key: key, algorithm, nonce: nonce)
        try context.authenticate(data)
        var sealed = [UInt8](repeating: 0, count: message.count + tagSize)
        var output = sealed.mutableSpan
        try context.transform(message, into: &output)
        try context.finish()
        var tag = [UInt8](repeating: 0, count: tagSize)
        let count = Int32(tagSize)
        try LibCrypto.check(
            unsafe EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_GET_TAG, count, &tag), "GCM has no tag")
        sealed.replaceSubrange(message.count..., with: tag)
        return sealed
    }

    /// Decrypts an encrypted message with its tag.
    /// - Throws: ``CryptographyError`` with code `authentication` if the tag is not that of these bytes, `length` or
    ///   `library`.
    static func open(
        _ sealed: Span<UInt8>, key: Span<UInt8>, _ algorithm: KeyAlgorithm, nonce: Span<UInt8>,
        authenticating data: Span<UInt8>
    ) throws(CryptographyError) -> SecretBytes {
        guard sealed.count >= tagSize else {
            throw CryptographyError(.length, "\(sealed.count) bytes; the tag alone has \(tagSize)")
        }
        let context = try Context(.decrypt, key: key, algorithm, nonce: nonce)
        try context.authenticate(data)
        let message = sealed.extracting(droppingLast: tagSize)
        var tag: [UInt8] = []
        for index in message.count..<sealed.count { tag.append(sealed[index]) }
        // The caller gets the bytes only after the tag is found to be right.
        return try SecretBytes(count: message.count) { (output) throws(CryptographyError) in
            try context.transform(message, into: &output)
            let isSet = unsafe EVP_CIPHER_CTX_ctrl(
                context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tagSize), &tag)
            try LibCrypto.check(isSet, "GCM does not take the tag")
            do throws(CryptographyError) {
                try context.finish()
            } catch {
                throw CryptographyError(
                    .authentication, "the encrypted bytes were changed, or belong to another key or other data")
            }
        }
    }

    /// A context of libcrypto for one message.
    @safe
    private struct Context: ~Copyable {
        let pointer: OpaquePointer

        init(
            _ direction: BlockCipher.Direction, key: Span<UInt8>, _ algorithm: KeyAlgorithm, nonce: Span<UInt8>
        ) throws(CryptographyError) {
            guard algorithm.isAES, key.count == algorithm.size else {
                throw CryptographyError(.algorithm, "GCM needs a key for AES; this one is for \(algorithm)")
            }
            guard nonce.count == nonceSize else {
                throw CryptographyError(.length, "a nonce of \(nonce.count) bytes; it has \(nonceSize)")
            }
            unsafe pointer = try Self.makeContext(direction, key: key, algorithm, nonce: nonce)
        }

        private static func makeContext(
            _ direction: BlockCipher.Direction, key: Span<UInt8>, _ algorithm: KeyAlgorithm, nonce: Span<UInt8>
        ) throws(CryptographyError) -> OpaquePointer {
            LibCrypto.clearErrors()
            let cipher = unsafe EVP_CIPHER_fetch(nil, "\(algorithm.rawValue)-GCM", nil)
            defer { unsafe EVP_CIPHER_free(cipher) }
            guard let cipher = unsafe cipher, let context = unsafe EVP_CIPHER_CTX_new() else {
                throw LibCrypto.failure("there is no GCM for \(algorithm)")
            }
            let isStarted = unsafe key.withUnsafeBufferPointer { key in
                unsafe nonce.withUnsafeBufferPointer { nonce in
                    unsafe EVP_CipherInit_ex2(
                        context, cipher, key.baseAddress, nonce.baseAddress, direction.rawValue, nil)
                }
            }
            guard isStarted == 1 else {
                unsafe EVP_CIPHER_CTX_free(context)
                throw LibCrypto.failure("\(algorithm) in GCM rejects the key")
            }
            return unsafe context
        }

        // This call overwrites the key schedule.
        deinit { unsafe EVP_CIPHER_CTX_free(pointer) }

        /// Takes data that is authenticated and not encrypted; before the message.
        borrowing func authenticate(_ data: Span<UInt8>) throws(CryptographyError) {
            try unsafe update(data, into: nil)
        }

        /// Encrypts or decrypts the whole message.
        borrowing func transform(
            _ message: Span<UInt8>, into output: inout MutableSpan<UInt8>
        ) throws(CryptographyError) {
            precondition(output.count >= message.count)
            try unsafe output.withUnsafeMutableBufferPointer { (output) throws(CryptographyError) in
                try unsafe update(message, into: output.baseAddress)
            }
        }

        private borrowing func update(
            _ input: Span<UInt8>, into output: UnsafeMutablePointer<UInt8>?
        ) throws(CryptographyError) {
            guard input.count <= LibCrypto.maxCallSize else {
                throw CryptographyError(.length, "a message of \(input.count) bytes")
            }
            guard input.count > 0 else { return }
            var count: Int32 = 0
            let isDone = unsafe input.withUnsafeBufferPointer { input in
                unsafe EVP_CipherUpdate(pointer, output, &count, input.baseAddress, Int32(input.count))
            }
            try LibCrypto.check(isDone, "GCM of \(input.count) bytes")
            guard Int(count) == input.count else { throw LibCrypto.failure("GCM returned \(count) bytes") }
        }

        /// Makes the tag, or compares it.
        borrowing func finish() throws(CryptographyError) {
            var block = [UInt8](repeating: 0, count: 16)
            var count: Int32 = 0
            try LibCrypto.check(unsafe EVP_CipherFinal_ex(pointer, &block, &count), "GCM cannot be completed")
        }
    }
}
