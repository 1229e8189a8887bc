import JackdawCards

/// Commands that an issuer sends to its card, protected by secure messaging.
extension CardCryptography {
    /// The authentication code of a command.
    /// - Parameters:
    ///   - header: class, instruction, parameters and length (Lc), 5 bytes; Lc counts the data and the code of 4 to 8
    ///     bytes that follow.
    ///   - data: the command's data, encrypted if the command encrypts them.
    ///   - transaction: the transaction in which the card receives the command.
    ///   - number: the place of the command among those with secure messaging that the card receives in the
    ///     transaction, from 1. M/Chip adds 1 to the cryptogram for each further command.
    /// - Returns: 8 bytes; a shorter code is the first of them.
    /// - Throws: ``CryptographyError`` with code `length` if the header has another size, or Lc does not fit the data;
    ///   `value` if the number is less than 1, `unknownScheme` if the scheme's rules are not public, `library`.
    public borrowing func commandMAC(
        header: [UInt8], data: [UInt8] = [], in transaction: CardTransaction, number: Int = 1
    ) throws(CryptographyError) -> [UInt8] {
        try CipherKey.check(header, 5, "the header of a command")
        guard (4...8).contains(Int(header[4]) - data.count) else {
            throw CryptographyError(
                .length, "Lc is \(header[4]); with a code of 4 to 8 bytes, \(data.count) bytes of data have another one"
            )
        }
        let rules = try secureMessagingRules()
        let cryptogram = try rules.cryptogram(of: transaction, forCommand: number)
        let counter = [UInt8(transaction.counter >> 8), UInt8(transaction.counter & 255)]
        let message = header + (rules.bindsTransaction ? counter + cryptogram : []) + data
        return try commandKey(keys.integrity, rules, transaction.counter, cryptogram).commandMAC(of: message.span)
    }

    /// Encrypts the data of a command.
    /// - Parameters:
    ///   - data: the data in clear, which with the padding of the scheme must fit into 248 bytes.
    ///   - transaction: the transaction in which the card receives the command.
    ///   - number: the place of the command, as for ``commandMAC(header:data:in:number:)``.
    /// - Returns: whole blocks of 8 bytes.
    /// - Throws: ``CryptographyError`` with code `length` if the data are too long, `value` if the number is less than
    ///   1, `unknownScheme` if the scheme's rules are not public, `library`.
    public borrowing func encryptCommandData(
        _ data: Span<UInt8>, in transaction: CardTransaction, number: Int = 1
    ) throws(CryptographyError) -> [UInt8] {
        let rules = try secureMessagingRules()
        let cryptogram = try rules.cryptogram(of: transaction, forCommand: number)
        return try commandKey(keys.confidentiality, rules, transaction.counter, cryptogram)
            .encryptCommandData(data, format: rules.format)
    }

    /// The command that changes the card's PIN (PIN CHANGE/UNBLOCK).
    /// - Parameters:
    ///   - pin: the new PIN.
    ///   - current: the current PIN, which a card of Visa then verifies; nil if it must not.
    ///   - transaction: the transaction in which the card receives the command.
    ///   - number: the place of the command, as for ``commandMAC(header:data:in:number:)``.
    /// - Returns: the complete command: header, encrypted PIN block, authentication code of 8 bytes.
    /// - Throws: ``CryptographyError`` with code `value` if the scheme cannot verify the current PIN or the number is
    ///   less than 1, `unknownScheme` if its rules are not public, `library`.
    public borrowing func pinChangeCommand(
        to pin: PIN, current: PIN? = nil, in transaction: CardTransaction, number: Int = 1
    ) throws(CryptographyError) -> [UInt8] {
        let isVisa = try secureMessagingRules().format == .visa
        guard current == nil || isVisa else {
            throw CryptographyError(.value, "cards of \(version.rawValue) do not verify the current PIN")
        }
        let hasVisaBlock = isVisa && (version != .visa22 || current != nil)
        let block = hasVisaBlock ? pin.visaBlock(keys.cryptogram, current: current) : try pin.block(.iso2)
        let encrypted = try block.withBytes { (block) throws(CryptographyError) in
            try encryptCommandData(block, in: transaction, number: number)
        }
        let header = [0x84, 0x24, 0x00, current == nil ? 0x02 : 0x01, UInt8(encrypted.count + 8)]
        return try header + encrypted + commandMAC(header: header, data: encrypted, in: transaction, number: number)
    }

    borrowing func secureMessagingRules() throws(CryptographyError) -> SecureMessagingRules {
        guard let rules = version.secureMessaging else {
            throw CryptographyError(.unknownScheme, "the secure messaging of \(version.rawValue) is not public")
        }
        return rules
    }

    /// The session key of a master key for secure messaging.
    borrowing func commandKey(
        _ key: borrowing CipherKey, _ rules: SecureMessagingRules, _ counter: UInt16, _ cryptogram: [UInt8]
    ) throws(CryptographyError) -> CipherKey {
        rules.hasVisaKey ? try key.visaSessionKey(counter: counter) : try key.commonSessionKey(for: cryptogram)
    }
}

extension SecureMessagingRules {
    /// The cryptogram that diversifies the keys of a command and is in its code.
    func cryptogram(
        of transaction: CardTransaction, forCommand number: Int
    ) throws(CryptographyError) -> [UInt8] {
        guard number >= 1 else {
            throw CryptographyError(.value, "the first command of a transaction has the number 1, not \(number)")
        }
        guard number == 1 || countsCommands else {
            throw CryptographyError(
                .unknownScheme, "the rule of this scheme for further commands of a transaction is not public")
        }
        let first = transaction.cryptogram.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let sum = first &+ UInt64(number - 1)
        return (0..<8).map { sum.byte($0) }
    }
}
