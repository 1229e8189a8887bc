package import JackdawCards

extension CipherKey {
    /// The bytes of a nonce for ``seal(_:nonce:authenticating:)``.
    package static let nonceSize = AuthenticatedCipher.nonceSize

    /// Encrypts a message by AES in Galois/Counter Mode (NIST SP 800-38D), so that a change is detected.
    /// - Parameters:
    ///   - message: a message of any length.
    ///   - nonce: 12 bytes, which must be other ones for each message with this key.
    ///   - data: bytes to which the message belongs; they are not encrypted.
    /// - Returns: the encrypted message, and a tag of 16 bytes.
    /// - Throws: ``CryptographyError`` with code `algorithm` if the key is not for AES, `length`, `library`.
    package borrowing func seal(
        _ message: Span<UInt8>, nonce: Span<UInt8>, authenticating data: Span<UInt8>
    ) throws(CryptographyError) -> [UInt8] {
        let algorithm = algorithm
        return try withRevealedBytes { (key) throws(CryptographyError) in
            try AuthenticatedCipher.seal(message, key: key, algorithm, nonce: nonce, authenticating: data)
        }
    }

    /// Decrypts a message of ``seal(_:nonce:authenticating:)``.
    /// - Parameters:
    ///   - sealed: the encrypted message with its tag.
    ///   - nonce: the nonce of the message.
    ///   - data: the bytes to which the message belongs.
    /// - Returns: the message.
    /// - Throws: ``CryptographyError`` with code `authentication` if a byte of any of these was changed or the key is
    ///   another one, `algorithm` if the key is not for AES, `length`, `library`.
    package borrowing func open(
        _ sealed: Span<UInt8>, nonce: Span<UInt8>, authenticating data: Span<UInt8>
    ) throws(CryptographyError) -> SecretBytes {
        let algorithm = algorithm
        return try withRevealedBytes { (key) throws(CryptographyError) in
            try AuthenticatedCipher.open(sealed, key: key, algorithm, nonce: nonce, authenticating: data)
        }
    }
}
