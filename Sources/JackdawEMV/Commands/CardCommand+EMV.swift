// The commands of an EMV transaction (EMV Book 3 section 6.5, Book 1 section 11).

extension CardCommand {
    /// SELECT: an application or directory by its name.
    /// - Parameters:
    ///   - name: a name of a directory or application, 5 to 16 octets.
    ///   - next: selects the next application whose name begins with `name`. Default: false.
    /// - Returns: the command.
    /// - Throws: ``CardMessageError`` if the name does not have 5 to 16 octets.
    public static func select(_ name: [UInt8], next: Bool = false) throws(CardMessageError) -> CardCommand {
        guard (5...16).contains(name.count) else { throw CardMessageError(.length, "a name has 5 to 16 octets") }
        return CardCommand(checked: 0x00, 0xA4, 0x04, next ? 0x02 : 0x00, SecretOctets(name), 256)
    }

    /// READ RECORD: one record of a linear file.
    /// - Parameters:
    ///   - record: the number of the record, 1 to 255.
    ///   - file: the short file identifier (SFI), 1 to 30.
    /// - Returns: the command.
    /// - Throws: ``CardMessageError`` if a number is out of range.
    public static func readRecord(_ record: Int, file: Int) throws(CardMessageError) -> CardCommand {
        guard (1...255).contains(record), (1...30).contains(file) else {
            throw CardMessageError(.parameter, "records are 1 to 255, files 1 to 30")
        }
        return CardCommand(checked: 0x00, 0xB2, UInt8(record), UInt8(file << 3 | 4), SecretOctets([]), 256)
    }

    /// GET PROCESSING OPTIONS: starts a transaction.
    /// - Parameter data: the values that the PDOL asks for, at most 252 octets, without the tag 83.
    /// - Returns: the command.
    /// - Throws: ``CardMessageError`` if the data is too long.
    public static func getProcessingOptions(_ data: SecretOctets) throws(CardMessageError) -> CardCommand {
        guard let count = UInt8(exactly: data.count), count <= 252 else {
            throw CardMessageError(.length, "GET PROCESSING OPTIONS has at most 252 octets of values")
        }
        let header: [UInt8] = count < 0x80 ? [0x83, count] : [0x83, 0x81, count]
        return CardCommand(
            checked: 0x80, 0xA8, 0x00, 0x00, SecretOctets(joining: [SecretOctets(header), data]), 256)
    }

    /// GENERATE AC: asks for an application cryptogram.
    /// - Parameters:
    ///   - referenceControl: the type of cryptogram in bits 8 and 7 (00 AAC, 01 TC, 10 ARQC), in bits 5 and 4 the
    ///     request of a signature (CDA).
    ///   - data: the values that the CDOL asks for, at most 255 octets.
    /// - Returns: the command.
    /// - Throws: ``CardMessageError`` if the data is too long.
    public static func generateCryptogram(
        _ referenceControl: UInt8, _ data: SecretOctets
    ) throws(CardMessageError) -> CardCommand {
        try CardCommand(checked: 0x80, 0xAE, referenceControl, 0x00, checked(data), 256)
    }

    /// GET DATA: a data object outside the records.
    /// - Parameter tag: a tag of one or two octets, such as 9F17, the PIN try counter.
    /// - Returns: the command.
    /// - Throws: ``CardMessageError`` if the tag is longer.
    public static func getData(_ tag: Tag) throws(CardMessageError) -> CardCommand {
        guard tag.count <= 2 else { throw CardMessageError(.parameter, "GET DATA asks for tags of at most 2 octets") }
        return CardCommand(
            checked: 0x80, 0xCA, UInt8(truncatingIfNeeded: tag.rawValue >> 8), UInt8(truncatingIfNeeded: tag.rawValue),
            SecretOctets([]), 256)
    }

    /// GET CHALLENGE: the card answers a random number of 8 octets.
    public static var getChallenge: CardCommand { CardCommand(checked: 0x00, 0x84, 0x00, 0x00, SecretOctets([]), 256) }

    /// VERIFY: gives the card a PIN to compare.
    /// - Parameters:
    ///   - pin: the PIN block, or the enciphered PIN.
    ///   - isEnciphered: whether the PIN is enciphered with the card's key (P2 88), or in clear (P2 80).
    /// - Returns: the command.
    /// - Throws: ``CardMessageError`` if the data is too long.
    public static func verify(_ pin: SecretOctets, isEnciphered: Bool) throws(CardMessageError) -> CardCommand {
        try CardCommand(checked: 0x00, 0x20, 0x00, isEnciphered ? 0x88 : 0x80, checked(pin), nil)
    }

    /// INTERNAL AUTHENTICATE, for DDA.
    /// - Parameter data: the values that the DDOL asks for, at most 255 octets.
    /// - Returns: the command.
    /// - Throws: ``CardMessageError`` if the data is too long.
    public static func internalAuthenticate(_ data: SecretOctets) throws(CardMessageError) -> CardCommand {
        try CardCommand(checked: 0x00, 0x88, 0x00, 0x00, checked(data), 256)
    }

    /// EXTERNAL AUTHENTICATE: gives the card the issuer's cryptogram.
    /// - Parameter data: the issuer authentication data (tag 91), 8 to 16 octets.
    /// - Returns: the command.
    /// - Throws: ``CardMessageError`` if the data has another length.
    public static func externalAuthenticate(_ data: [UInt8]) throws(CardMessageError) -> CardCommand {
        guard (8...16).contains(data.count) else {
            throw CardMessageError(.length, "issuer authentication data has 8 to 16 octets")
        }
        return CardCommand(checked: 0x00, 0x82, 0x00, 0x00, SecretOctets(data), nil)
    }

    /// Data that a command can have.
    private static func checked(_ data: SecretOctets) throws(CardMessageError) -> SecretOctets {
        guard data.count <= 255 else { throw CardMessageError(.length, "a command has at most 255 octets of data") }
        return data
    }
}
