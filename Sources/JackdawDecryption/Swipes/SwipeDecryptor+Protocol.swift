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
}
