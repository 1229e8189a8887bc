public import JackdawReaders

extension SwipeDecryptor {
    /// Decrypts a swipe of a protocol.
    /// - Parameters:
    ///   - frame: all of it.
    ///   - protocol: the reader's: ID TECH's (BTMag and NEO, too), MagTek's (lines, or eDynamo's messages) or IPS's.
    /// - Returns: what was encrypted.
    /// - Throws: ``DecryptionError`` with code `unknownScheme` for other protocols, or as for theirs.
    public borrowing func decrypt(
        _ frame: Span<UInt8>, of protocol: FrameProtocol
    ) throws(DecryptionError) -> DecryptedSwipe {
        switch (`protocol`.name, ReaderFamily.named(`protocol`.name)?.encryption) {
        // These put the record of a swipe into frames of their own.
        case ("edynamo", _): return try decryptEDynamo(frame)
        case ("neo", _): return try decryptNEO(frame)
        case (_, let encryption?): return try decrypt(frame, encryption)
        case (_, nil): throw DecryptionError(.unknownScheme, "no swipes of \(`protocol`.name) are known")
        }
    }

    /// Decrypts a swipe as its driver reports it.
    /// - Parameter swipe: of a reader of ID TECH (BTMag, NEO and UniMag, too), MagTek (lines, or eDynamo) or IPS.
    /// - Returns: its tracks.
    /// - Throws: ``DecryptionError`` with code `notEncrypted`, `unknownScheme` for other families, or as for their protocols.
    public borrowing func decrypt(_ swipe: ReaderSwipe) throws(DecryptionError) -> DecryptedSwipe {
        guard let encryption = ReaderFamily.named(swipe.family)?.encryption else {
            throw DecryptionError(.unknownScheme, "how swipes of \(swipe.family) are encrypted is not published")
        }
        let decrypted: DecryptedSwipe? =
            try swipe.withPart(.frame) { (frame) throws(DecryptionError) in
                swipe.isEncrypted ? try decrypt(frame, encryption) : nil
            } ?? nil
        guard let decrypted else { throw DecryptionError(.notEncrypted, "the reader has encrypted nothing") }
        return decrypted
    }

    private borrowing func decrypt(
        _ record: Span<UInt8>, _ encryption: ReaderFamily.Encryption
    ) throws(DecryptionError) -> DecryptedSwipe {
        switch encryption {
        case .idTech: try decryptIDTech(record)
        case .magTekLine: try decryptMagTek(record)
        case .magTekRecord: try decryptRecord(record)
        case .ips: try decryptIPS(record)
        }
    }
}
