/// The three master keys of an issuer or of a card.
public struct MasterKeys: ~Copyable, Sendable {
    let cryptogram: CipherKey
    let integrity: CipherKey
    let confidentiality: CipherKey

    /// Creates the set; each key is for triple DES with 16 bytes.
    /// - Parameters:
    ///   - cryptogram: the key for application cryptograms (MK-AC).
    ///   - integrity: the key for authentication codes of commands (MK-SMI).
    ///   - confidentiality: the key for encryption of commands' data (MK-SMC).
    /// - Throws: ``CryptographyError`` with code `algorithm` if a key is for something else.
    public init(
        cryptogram: consuming CipherKey, integrity: consuming CipherKey, confidentiality: consuming CipherKey
    ) throws(CryptographyError) {
        try cryptogram.expect({ $0 == .tripleDES2 }, "triple DES of 16 bytes")
        try integrity.expect({ $0 == .tripleDES2 }, "triple DES of 16 bytes")
        try confidentiality.expect({ $0 == .tripleDES2 }, "triple DES of 16 bytes")
        self.cryptogram = cryptogram
        self.integrity = integrity
        self.confidentiality = confidentiality
    }

    /// Derives the keys of a card from these keys of its issuer.
    /// - Parameters:
    ///   - account: the card's account.
    ///   - option: the method.
    /// - Returns: the card's keys.
    /// - Throws: ``CryptographyError`` with code `library`.
    public borrowing func cardKeys(
        for account: CardAccount, option: CardKeyOption
    ) throws(CryptographyError) -> MasterKeys {
        try MasterKeys(
            cryptogram: cryptogram.cardKey(for: account, option: option),
            integrity: integrity.cardKey(for: account, option: option),
            confidentiality: confidentiality.cardKey(for: account, option: option))
    }
}

/// The cryptograms and the secure messaging of one card, by the rules of its scheme: for the issuer's side, and for a
/// simulated card.
///
/// ```swift
/// let card = try CardCryptography(.visa18, issuerKeys: keys, account: account, mode: .test)
/// let cryptogram = try card.cryptogram(of: data, cardData: issuerApplicationData)
/// ```
public struct CardCryptography: ~Copyable, Sendable {
    /// The rules of the card's scheme.
    public let version: CryptogramVersion
    let keys: MasterKeys

    /// Creates the cryptography of a card.
    /// - Parameters:
    ///   - version: the rules of the card's scheme.
    ///   - cardKeys: the master keys of the card.
    ///   - mode: live cards or test cards.
    /// - Throws: ``CryptographyError`` with code `publishedKey` if a key is published for tests
    ///   and the mode is live cards.
    public init(
        _ version: CryptogramVersion, cardKeys: consuming MasterKeys, mode: CardMode
    ) throws(CryptographyError) {
        try cardKeys.cryptogram.expect(mode)
        try cardKeys.integrity.expect(mode)
        try cardKeys.confidentiality.expect(mode)
        self.version = version
        keys = cardKeys
    }

    /// Creates the cryptography of a card, whose keys are derived by the scheme's option.
    /// - Parameters:
    ///   - version: the rules of the card's scheme.
    ///   - issuerKeys: the master keys of the issuer.
    ///   - account: the card's account.
    ///   - mode: live cards or test cards.
    /// - Throws: ``CryptographyError`` with code `publishedKey` if a key is published for tests and the mode
    ///   is live cards, `library`.
    public init(
        _ version: CryptogramVersion, issuerKeys: borrowing MasterKeys, account: CardAccount, mode: CardMode
    ) throws(CryptographyError) {
        let cardKeys = try issuerKeys.cardKeys(for: account, option: version.cardKeyOption)
        try self.init(version, cardKeys: cardKeys, mode: mode)
    }

    /// The session key of cryptograms; for Visa CVN 10 the card's master key.
    /// - Parameters:
    ///   - counter: the application transaction counter.
    ///   - unpredictableNumber: the terminal's number, 4 bytes; not all schemes use it.
    /// - Returns: a key for triple DES with 16 bytes.
    /// - Throws: ``CryptographyError`` with code `length` or `library`.
    package borrowing func sessionKey(
        counter: UInt16, unpredictableNumber: [UInt8]
    ) throws(CryptographyError) -> CipherKey {
        let high = [UInt8(counter >> 8), UInt8(counter & 255), 0, 0]
        return switch version.sessionKey {
        case .cardKey: try keys.cryptogram.repurposed(for: .tripleDES2)
        case .tree: try keys.cryptogram.treeSessionKey(counter: counter)
        case .counter: try keys.cryptogram.commonSessionKey(for: high + [0, 0, 0, 0])
        case .counterAndNumber: try keys.cryptogram.commonSessionKey(for: high + unpredictableNumber)
        }
    }

    /// The application cryptogram of a transaction: ARQC, TC or AAC.
    /// - Parameters:
    ///   - data: the data of the transaction.
    ///   - cardData: the card's own data: for Visa CVN 18 and 22 and Interac the issuer application data (tag 9F10),
    ///     for the others the card verification results (CVR), with M/Chip CVN 17 and 21 followed by the counters.
    /// - Returns: 8 bytes (tag 9F26).
    /// - Throws: ``CryptographyError`` with code `library`.
    public borrowing func cryptogram(
        of data: CryptogramData, cardData: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        let counter = [UInt8(data.counter >> 8), UInt8(data.counter & 255)]
        let message = data.terminalData + data.profile + counter + cardData
        return try sessionKey(counter: data.counter, unpredictableNumber: data.unpredictableNumber)
            .applicationCryptogram(of: message.span, padding: version.padding)
    }

    /// The issuer's response to a cryptogram.
    /// - Parameters:
    ///   - transaction: the transaction.
    ///   - answer: the issuer's answer; its kind must be that of the scheme's method.
    /// - Returns: the issuer authentication data (tag 91): the response cryptogram, then the answer.
    /// - Throws: ``CryptographyError`` with code `value` if the answer is for the other method, `length` or `library`.
    public borrowing func issuerAuthenticationData(
        for transaction: CardTransaction, answer: IssuerAnswer
    ) throws(CryptographyError) -> [UInt8] {
        let session = try sessionKey(
            counter: transaction.counter, unpredictableNumber: transaction.unpredictableNumber)
        switch (answer, version.responseMethod) {
        case (.code(let code), .method1):
            let isSession = !version.respondsWithCardKey
            return try isSession
                ? session.responseCryptogram(to: transaction.cryptogram, code: code) + code
                : keys.cryptogram.responseCryptogram(to: transaction.cryptogram, code: code) + code
        case (.status(let status, let proprietary), .method2):
            return try session.responseCryptogram(
                to: transaction.cryptogram, status: status, proprietary: proprietary) + status + proprietary
        case (.code, .method2), (.status, .method1):
            throw CryptographyError(.value, "\(version.rawValue) answers by the other method of responses")
        }
    }

    /// Whether issuer authentication data are the response to a cryptogram, as a card checks it.
    /// - Parameters:
    ///   - data: the issuer authentication data (tag 91), 8 to 16 bytes.
    ///   - transaction: the transaction.
    /// - Returns: whether they are; false for another length.
    /// - Throws: ``CryptographyError`` with code `library`.
    public borrowing func isAuthentic(
        _ data: [UInt8], for transaction: CardTransaction
    ) throws(CryptographyError) -> Bool {
        let answer: IssuerAnswer
        switch version.responseMethod {
        case .method1:
            guard data.count == 10 else { return false }
            answer = .code(Array(data[8...]))
        case .method2:
            guard (8...16).contains(data.count) else { return false }
            answer = .status(Array(data[4..<8]), proprietary: Array(data[8...]))
        }
        let expected = try issuerAuthenticationData(for: transaction, answer: answer)
        return zip(data, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
