import JackdawCards

/// PIN blocks of ISO 9564-1, format 4, which AES encrypts together with the account number.
extension PIN {
    /// Encrypts the PIN as a block of format 4.
    /// - Parameters:
    ///   - key: a key for AES.
    ///   - account: the account.
    ///   - filler: at least 8 random bytes; nil takes them from the system.
    /// - Returns: 16 bytes, encrypted.
    /// - Throws: ``CryptographyError`` with code `algorithm` if the key is not for AES, `length` if the filler is
    ///   shorter, `library`.
    public func encryptedBlock(
        with key: borrowing CipherKey, account: CardAccount, filler: [UInt8]? = nil
    ) throws(CryptographyError) -> [UInt8] {
        try key.expect(\.isAES, "AES")
        let filler = try Self.filler(filler, 8)
        let field = SecretBytes(packing: 32) { index in
            switch index {
            case 0: 4
            case 1: UInt8(count)
            case ..<(2 + count): digit(index - 2)
            case ..<16: 10
            default: filler.span.digit(index - 16)
            }
        }
        let first = try field.withBytes { (field) throws(CryptographyError) in try key.encryptBlocks(field) }
        let mixed = Self.longAccountField(account).withBytes { first.xor($0) }
        let second = try mixed.withBytes { (mixed) throws(CryptographyError) in try key.encryptBlocks(mixed) }
        return second.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// Decrypts a block of format 4.
    /// - Parameters:
    ///   - block: 16 bytes, encrypted.
    ///   - key: the key for AES that encrypted it.
    ///   - account: the account.
    /// - Throws: ``CryptographyError`` with code `pinBlock` if it is not such a block, or was made with another key or
    ///   for another account; `algorithm` if the key is not for AES, `library`.
    public init(
        encryptedBlock block: Span<UInt8>, with key: borrowing CipherKey, account: CardAccount
    ) throws(CryptographyError) {
        try key.expect(\.isAES, "AES")
        guard block.count == 16 else {
            throw CryptographyError(.pinBlock, "a PIN block of \(block.count) bytes; format 4 has 16")
        }
        let mixed = try key.decryptBlocks(block)
        let first = Self.longAccountField(account).withBytes { mixed.xor($0) }
        let field = try first.withBytes { (first) throws(CryptographyError) in try key.decryptBlocks(first) }
        try self.init(field: field, control: 4) { $0 == 10 }
    }

    /// The account field of format 4: the number of digits above 12, the digits with zeros in
    /// front up to 12, and zeros.
    static func longAccountField(_ account: CardAccount) -> SecretBytes {
        let lacking = max(0, 12 - account.count)
        return SecretBytes(packing: 32) { index in
            let place = index - 1 - lacking
            return switch index {
            case 0: UInt8(max(0, account.count - 12))
            default: (0..<account.count).contains(place) ? account.digit(place) : 0
            }
        }
    }
}
