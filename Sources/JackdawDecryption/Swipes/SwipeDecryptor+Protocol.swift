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
        switch `protocol`.name {
        case "edynamo": return try decryptEDynamo(frame)
        case "btmag", "idtech": return try decryptIDTech(frame)
        case "neo": return try decryptNEO(frame)
        case "ips": return try decryptIPS(frame)
        case "magtek": return try decryptMagTek(frame)
        default: throw DecryptionError(.unknownScheme, "no swipes of \(`protocol`.name) are known")
        }
    }

    /// Decrypts a swipe as its driver reports it.
    /// - Parameter swipe: of a reader of ID TECH (BTMag, NEO and UniMag, too), MagTek (lines, or eDynamo) or IPS.
    /// - Returns: its tracks.
    /// - Throws: ``DecryptionError`` with code `notEncrypted`, `unknownScheme` for other families, or as for their protocols.
    public borrowing func decrypt(_ swipe: ReaderSwipe) throws(DecryptionError) -> DecryptedSwipe {
        guard KeyScheme.published(for: swipe.family) != nil else {
            throw DecryptionError(.unknownScheme, "how swipes of \(swipe.family) are encrypted is not published")
        }
        let decrypted: DecryptedSwipe? =
            try swipe.withPart(.frame) { (frame) throws(DecryptionError) in
                guard swipe.isEncrypted else { return nil }
                return switch swipe.family {
                case "edynamo": try decryptRecord(frame)
                case "ips": try decryptIPS(frame)
                case "magtek": try decryptMagTek(frame)
                default: try decryptIDTech(frame)
                }
            } ?? nil
        guard let decrypted else { throw DecryptionError(.notEncrypted, "the reader has encrypted nothing") }
        return decrypted
    }
}
