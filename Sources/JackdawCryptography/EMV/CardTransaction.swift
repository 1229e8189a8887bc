/// The data of a transaction that a cryptogram protects in all schemes of ``CryptogramVersion``.
public struct CryptogramData: Sendable, Hashable {
    /// The terminal's data, 29 bytes.
    let terminalData: [UInt8]
    /// The application interchange profile (tag 82), 2 bytes.
    let profile: [UInt8]
    /// The application transaction counter (tag 9F36).
    let counter: UInt16

    /// Creates the data.
    /// - Parameters:
    ///   - terminalData: 29 bytes, the values of these tags in this order: 9F02 amount (6 bytes), 9F03 other amount
    ///     (6), 9F1A country (2), 95 verification results (5), 5F2A currency (2), 9A date (3), 9C type (1), 9F37
    ///     unpredictable number (4).
    ///   - profile: the application interchange profile (tag 82), 2 bytes.
    ///   - counter: the application transaction counter (tag 9F36).
    /// - Throws: ``CryptographyError`` with code `length`.
    public init(terminalData: [UInt8], profile: [UInt8], counter: UInt16) throws(CryptographyError) {
        try CipherKey.check(terminalData, 29, "the terminal's data")
        try CipherKey.check(profile, 2, "an application interchange profile")
        self.terminalData = terminalData
        self.profile = profile
        self.counter = counter
    }

    /// The terminal's unpredictable number (tag 9F37), 4 bytes.
    var unpredictableNumber: [UInt8] { Array(terminalData.suffix(4)) }
}

/// The values that identify the transaction of a card for its issuer's response and commands.
public struct CardTransaction: Sendable, Hashable {
    /// The application transaction counter (tag 9F36).
    public let counter: UInt16
    /// The terminal's unpredictable number (tag 9F37), 4 bytes.
    public let unpredictableNumber: [UInt8]
    /// The cryptogram that the card sent (tag 9F26), 8 bytes.
    public let cryptogram: [UInt8]

    /// Creates a transaction.
    /// - Parameters:
    ///   - counter: the application transaction counter (tag 9F36).
    ///   - unpredictableNumber: the terminal's number (tag 9F37), 4 bytes.
    ///   - cryptogram: the cryptogram that the card sent (tag 9F26), 8 bytes.
    /// - Throws: ``CryptographyError`` with code `length`.
    public init(counter: UInt16, unpredictableNumber: [UInt8], cryptogram: [UInt8]) throws(CryptographyError) {
        try CipherKey.check(unpredictableNumber, 4, "an unpredictable number")
        try CipherKey.check(cryptogram, 8, "a cryptogram")
        self.counter = counter
        self.unpredictableNumber = unpredictableNumber
        self.cryptogram = cryptogram
    }
}

/// The issuer's answer to a cryptogram, which the response cryptogram protects.
public enum IssuerAnswer: Sendable, Hashable {
    /// For method 1: a response code of 2 bytes.
    case code([UInt8])
    /// For method 2: a card status update (CSU) of 4 bytes, and at most 8 bytes of proprietary authentication data.
    case status([UInt8], proprietary: [UInt8] = [])
}
