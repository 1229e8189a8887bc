import JackdawCards

/// Cryptograms of a card and of its issuer, with a session key (EMV Book 2, 8.1 and 8.2).
extension CipherKey {
    /// The application cryptogram: ARQC, TC and AAC are the same calculation.
    /// - Parameters:
    ///   - data: the data of the transaction, in the order of the card's scheme.
    ///   - padding: the padding of the card's scheme; EMV's is method 2.
    /// - Returns: 8 bytes (tag 9F26).
    /// - Throws: ``CryptographyError`` with code `algorithm` if the key is not for triple DES with 16 bytes, `library`.
    public borrowing func applicationCryptogram(
        of data: Span<UInt8>, padding: MessagePadding = .mark
    ) throws(CryptographyError) -> [UInt8] {
        try retailMAC(of: data, padding: padding)
    }

    /// The response cryptogram (ARPC) by method 1.
    /// - Parameters:
    ///   - cryptogram: the card's cryptogram, 8 bytes.
    ///   - code: the response code, 2 bytes: the ARC of tag 8A, or the scheme's ARPC response code.
    /// - Returns: 8 bytes.
    /// - Throws: ``CryptographyError`` with code `length`, `algorithm` or `library`.
    public borrowing func responseCryptogram(
        to cryptogram: [UInt8], code: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        try expect({ $0 == .tripleDES2 }, "triple DES of 16 bytes")
        try Self.check(cryptogram, 8, "a cryptogram")
        try Self.check(code, 2, "a response code")
        let block = cryptogram.indices.map { cryptogram[$0] ^ ($0 < 2 ? code[$0] : 0) }
        return try encryptBlocks(block.span).withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// The response cryptogram (ARPC) by method 2.
    /// - Parameters:
    ///   - cryptogram: the card's cryptogram, 8 bytes.
    ///   - status: the card status update (CSU), 4 bytes.
    ///   - proprietary: proprietary authentication data, at most 8 bytes.
    /// - Returns: 4 bytes.
    /// - Throws: ``CryptographyError`` with code `length`, `algorithm` or `library`.
    public borrowing func responseCryptogram(
        to cryptogram: [UInt8], status: [UInt8], proprietary: [UInt8] = []
    ) throws(CryptographyError) -> [UInt8] {
        try Self.check(cryptogram, 8, "a cryptogram")
        try Self.check(status, 4, "a card status update")
        guard proprietary.count <= 8 else {
            throw CryptographyError(
                .length, "proprietary authentication data of \(proprietary.count) bytes; the maximum is 8")
        }
        let message = cryptogram + status + proprietary
        return try Array(retailMAC(of: message.span, padding: .mark).prefix(4))
    }
}
