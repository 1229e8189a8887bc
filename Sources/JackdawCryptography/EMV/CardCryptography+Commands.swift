import JackdawCards

/// Commands that an issuer sends to its card, protected by secure messaging.
extension CardCryptography {
    /// The authentication code of a command.
    /// - Parameters:
    ///   - header: class, instruction, parameters and length, 5 bytes; the length includes the code.
    ///   - data: the command's data, encrypted if the command encrypts them.
    ///   - transaction: the transaction in which the card receives the command.
    /// - Returns: 8 bytes; a shorter code is the first of them.
    /// - Throws: ``CryptographyError`` with code `length`, `unknownScheme` if the scheme's rules are not public,
    ///   `library`.
    public borrowing func commandMAC(
        header: [UInt8], data: [UInt8] = [], in transaction: CardTransaction
    ) throws(CryptographyError) -> [UInt8] {
        try CipherKey.check(header, 5, "the header of a command")
        let rules = try secureMessagingRules()
        let counter = [UInt8(transaction.counter >> 8), UInt8(transaction.counter & 255)]
        let message = header + (rules.bindsTransaction ? counter + transaction.cryptogram : []) + data
        return try commandKey(keys.integrity, rules, transaction).commandMAC(of: message.span)
    }

    /// Encrypts the data of a command.
    /// - Parameters:
    ///   - data: the data in clear.
    ///   - transaction: the transaction in which the card receives the command.
    /// - Returns: whole blocks of 8 bytes.
    /// - Throws: ``CryptographyError`` with code `length`, `unknownScheme` if the scheme's rules are not public,
    ///   `library`.
    public borrowing func encryptCommandData(
        _ data: Span<UInt8>, in transaction: CardTransaction
    ) throws(CryptographyError) -> [UInt8] {
        let rules = try secureMessagingRules()
        return try commandKey(keys.confidentiality, rules, transaction).encryptCommandData(data, format: rules.format)
    }

    /// The command that changes the card's PIN (PIN CHANGE/UNBLOCK).
    /// - Parameters:
    ///   - pin: the new PIN.
    ///   - current: the current PIN, which a card of Visa then verifies; nil if it must not.
    ///   - transaction: the transaction in which the card receives the command.
    /// - Returns: the complete command: header, encrypted PIN block, authentication code of 8 bytes.
    /// - Throws: ``CryptographyError`` with code `value` if the scheme cannot verify the current PIN, `unknownScheme` if
    ///   its rules are not public, `library`.
    public borrowing func pinChangeCommand(
        to pin: PIN, current: PIN? = nil, in transaction: CardTransaction
    ) throws(CryptographyError) -> [UInt8] {
        let isVisa = try secureMessagingRules().format == .visa
        guard current == nil || isVisa else {
            throw CryptographyError(.value, "cards of \(version.rawValue) do not verify the current PIN")
        }
        let hasVisaBlock = isVisa && (version != .visa22 || current != nil)
        let block = hasVisaBlock ? pin.visaBlock(keys.cryptogram, current: current) : try pin.block(.iso2)
        let encrypted = try block.withBytes { (block) throws(CryptographyError) in
            try encryptCommandData(block, in: transaction)
        }
        let header = [0x84, 0x24, 0x00, current == nil ? 0x02 : 0x01, UInt8(encrypted.count + 8)]
        return try header + encrypted + commandMAC(header: header, data: encrypted, in: transaction)
    }

    borrowing func secureMessagingRules() throws(CryptographyError) -> SecureMessagingRules {
        guard let rules = version.secureMessaging else {
            throw CryptographyError(.unknownScheme, "the secure messaging of \(version.rawValue) is not public")
        }
        return rules
    }

    /// The session key of a master key for secure messaging.
    borrowing func commandKey(
        _ key: borrowing CipherKey, _ rules: SecureMessagingRules, _ transaction: CardTransaction
    ) throws(CryptographyError) -> CipherKey {
        rules.hasVisaKey
            ? try key.visaSessionKey(counter: transaction.counter)
            : try key.commonSessionKey(for: transaction.cryptogram)
    }
}
