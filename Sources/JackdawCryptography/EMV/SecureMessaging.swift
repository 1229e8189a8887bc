import JackdawCards

/// The format in which a scheme encrypts the data of a command for a card.
public enum CommandDataFormat: Sendable, Hashable, CaseIterable {
    /// Visa: the length in a byte, the data, padding by method 2; without chaining.
    case visa
    /// M/Chip and Interac: padding by method 2 only if the data are not whole blocks; with chaining.
    case mChip
    /// EMV Book 2, 9.3.1: padding by method 2 always; with chaining.
    case emv
}

/// Secure messaging: protection of commands that an issuer sends to its card, with a session key (EMV Book 2, 9).
extension CipherKey {
    /// The maximum size of encrypted data: whole blocks that leave room for a code of 4 bytes, of the 255 bytes that a
    /// command has.
    private static let maxEncryptedSize = 248

    /// The authentication code of a command.
    /// - Parameters:
    ///   - message: the command's header, the values that the scheme adds to it, and the data.
    ///   - length: the length of the code in bytes, 4 to 8.
    /// - Returns: the code.
    /// - Throws: ``CryptographyError`` with code `value` for another length, `algorithm` or `library`.
    public borrowing func commandMAC(
        of message: Span<UInt8>, length: Int = 8
    ) throws(CryptographyError) -> [UInt8] {
        guard (4...8).contains(length) else {
            throw CryptographyError(.value, "an authentication code of \(length) bytes; a command has 4 to 8")
        }
        return try Array(retailMAC(of: message, padding: .mark).prefix(length))
    }

    /// Encrypts the data of a command.
    /// - Parameters:
    ///   - data: the data, which with the padding of the format must fit into 248 bytes.
    ///   - format: the scheme's format.
    /// - Returns: whole blocks of 8 bytes, at most 248 bytes.
    /// - Throws: ``CryptographyError`` with code `length`, `algorithm` if the key is not for triple DES with 16 bytes,
    ///   `library`.
    public borrowing func encryptCommandData(
        _ data: Span<UInt8>, format: CommandDataFormat
    ) throws(CryptographyError) -> [UInt8] {
        try expect({ $0 == .tripleDES2 }, "triple DES of 16 bytes")
        let start = format == .visa ? 1 : 0
        let isWhole = format == .mChip && data.count.isMultiple(of: 8) && data.count > 0
        let paddedSize = isWhole ? data.count : (start + data.count) / 8 * 8 + 8
        guard paddedSize <= Self.maxEncryptedSize else {
            throw CryptographyError(
                .length,
                "command data of \(data.count) bytes; encrypted, a command has room for \(Self.maxEncryptedSize)")
        }
        let message = SecretBytes(count: start + data.count) { message in
            if start == 1 { message[0] = UInt8(data.count) }
            for index in data.indices { message[start + index] = data[index] }
        }
        let encrypted = try message.withBytes { (message) throws(CryptographyError) in
            let padding: MessagePadding = isWhole ? .zeros : .mark
            return try padding.padded(message, blockSize: 8).withBytes { (blocks) throws(CryptographyError) in
                format == .visa ? try encryptBlocks(blocks) : try encrypt(blocks)
            }
        }
        return encrypted.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }
}
