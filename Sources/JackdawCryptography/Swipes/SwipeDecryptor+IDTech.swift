import JackdawReaders

extension SwipeDecryptor {
    /// Decrypts a swipe of ID TECH's readers, in either layout.
    /// - Parameter frame: the bytes from `02` to `03`, as `IDTechSwipeFormat` delimits them.
    /// - Returns: the encrypted tracks, and the tracks that the frame has in clear.
    /// - Throws: ``CryptographyError`` with code `frame`, `notEncrypted`, `counter`, `exhausted`, `length`,
    ///   `algorithm`, `padding`, `hash`, `text` or `library`.
    public borrowing func decryptIDTech(_ frame: Span<UInt8>) throws(CryptographyError) -> DecryptedSwipe {
        try decrypt(frame, Self.reading { () throws(FrameFault) in try IDTechSwipe.blocks(in: frame) }, .idTech)
    }

    /// Decrypts a swipe of ID TECH's NEO readers, which contains one for ``decryptIDTech(_:)``.
    /// - Parameter frame: the answer to activate transaction, as `NEOFormat` delimits it.
    /// - Returns: the encrypted tracks.
    /// - Throws: ``CryptographyError`` with code `frame` or `notEncrypted`, or a code of ``decryptIDTech(_:)``.
    public borrowing func decryptNEO(_ frame: Span<UInt8>) throws(CryptographyError) -> DecryptedSwipe {
        try decrypt(frame, Self.reading { () throws(FrameFault) in try NEODialect.blocks(in: frame) }, .idTech)
    }
}
