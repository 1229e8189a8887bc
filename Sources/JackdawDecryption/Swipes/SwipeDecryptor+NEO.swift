import JackdawReaders

extension SwipeDecryptor {
    /// Decrypts a swipe of ID TECH's NEO readers, which is one of ``decryptIDTech(_:)`` inside their answer.
    /// - Parameter frame: the answer to activate transaction, as `NEOFormat` tells it.
    /// - Returns: the tracks that were encrypted.
    /// - Throws: ``DecryptionError`` with code `frame` or `notEncrypted`, or as for ID TECH's.
    public borrowing func decryptNEO(_ frame: Span<UInt8>) throws(DecryptionError) -> DecryptedSwipe {
        let swipe = try Self.reading { () throws(FrameFault) in
            try NEOFormat(.answer).check(frame)
            return NEODialect.encryptedSwipe(in: frame)
        }
        guard let swipe else { throw DecryptionError(.notEncrypted, "the answer has no encrypted swipe (DFEE23)") }
        return try decryptIDTech(frame.extracting(swipe))
    }
}
