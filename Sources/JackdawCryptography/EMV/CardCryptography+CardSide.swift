import JackdawCards

/// The card's side of commands that its issuer protects by secure messaging.
extension CardCryptography {
    /// Decrypts the data of a command that changes the card's PIN: the inverse of ``pinChangeCommand(to:current:in:)``.
    /// - Parameters:
    ///   - data: the encrypted PIN block, without header and code.
    ///   - current: the current PIN, if the block depends on it; nil if it does not.
    ///   - transaction: the transaction in which the card receives the command.
    ///   - number: the place of the command, as for ``commandMAC(header:data:in:number:)``.
    /// - Returns: the new PIN.
    /// - Throws: ``CryptographyError`` with code `pinBlock` if there is no PIN in it, `value` if the scheme has no
    ///   block that depends on the current PIN, `length`, `unknownScheme` or `library`.
    package borrowing func newPIN(
        in data: Span<UInt8>, current: PIN?, _ transaction: CardTransaction, number: Int = 1
    ) throws(CryptographyError) -> PIN {
        let rules = try secureMessagingRules()
        let isVisa = rules.format == .visa
        guard current == nil || isVisa else {
            throw CryptographyError(.value, "cards of \(version.rawValue) do not verify the current PIN")
        }
        let cryptogram = try rules.cryptogram(of: transaction, forCommand: number)
        let key = try commandKey(keys.confidentiality, rules, transaction.counter, cryptogram)
        let clear = isVisa ? try key.decryptBlocks(data) : try key.decrypt(data)
        let block = try clear.withBytes { (clear) throws(CryptographyError) in
            try Self.pinBlock(in: clear, isVisa: isVisa)
        }
        guard isVisa, version != .visa22 || current != nil else {
            return try block.withBytes { (block) throws(CryptographyError) in try PIN(block: block, .iso2) }
        }
        return try PIN(visaBlock: block, keys.cryptogram, current: current)
    }

    /// The block of 8 bytes in decrypted data: after a byte with its length, and padded (Visa), or all of the data.
    private static func pinBlock(in clear: Span<UInt8>, isVisa: Bool) throws(CryptographyError) -> SecretBytes {
        guard isVisa else {
            guard clear.count == 8 else {
                throw CryptographyError(.pinBlock, "a PIN block of \(clear.count) bytes; it has 8")
            }
            return SecretBytes(copying: clear)
        }
        guard clear.count == 16, clear[0] == 8, clear[9] == 0x80, (10..<16).allSatisfy({ clear[$0] == 0 }) else {
            throw CryptographyError(.pinBlock, "the data are not a padded PIN block")
        }
        return SecretBytes(copying: clear.extracting(1..<9))
    }
}

extension PIN {
    /// Parses Visa's block: the inverse of ``visaBlock(_:current:)``.
    init(
        visaBlock block: borrowing SecretBytes, _ key: borrowing CipherKey, current: PIN?
    ) throws(CryptographyError) {
        let mask = key.withRevealedBytes { key in
            SecretBytes(count: 8) { mask in
                for index in 4..<8 { mask[index] = key[index] }
                guard let current else { return }
                for index in 0..<current.count {
                    mask[index / 2] ^= index.isMultiple(of: 2) ? current.digit(index) << 4 : current.digit(index)
                }
            }
        }
        let field = mask.withBytes { block.xor($0) }
        try self.init(field: field, control: 0) { $0 == 15 }
    }
}
