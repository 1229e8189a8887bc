// The calculations of a chip card with its secret keys, which software that acts as a card is given.

/// Makes the ciphers of chip cards' applications, and the certificates of their keys. JackdawCryptography's
/// `LibCryptoPrimitives` is one.
public protocol ChipCardCryptography: AuthenticationPrimitives {
    /// The cipher of one application.
    associatedtype Cipher: ChipCardCipher

    /// Makes the cipher of an application.
    /// - Parameter keys: its master keys.
    /// - Returns: the cipher, which keeps the keys.
    /// - Throws: ``ChipCardKeyError`` if a key has the wrong size or must not be used, or the scheme is unknown.
    func cipher(for keys: ChipCardKeys) throws(ChipCardKeyError) -> Cipher

    /// Applies a private key to a block: signs it, or deciphers it.
    /// - Parameters:
    ///   - key: the key.
    ///   - block: as many octets as the modulus has, a smaller number than the modulus.
    /// - Returns: as many octets; nil if the key cannot be used.
    func applyPrivate(_ key: RSAKeyPair, to block: SecretOctets) -> SecretOctets?
}

/// The transaction in which a card receives a command of its issuer.
public struct ChipCardTransaction: Sendable, Hashable {
    /// The application transaction counter (9F36).
    public let counter: UInt16
    /// The terminal's unpredictable number (9F37), four octets.
    public let unpredictableNumber: [UInt8]
    /// The first cryptogram of the transaction (9F26), eight octets.
    public let cryptogram: [UInt8]

    /// A transaction by its counter, the terminal's number (four octets) and the first cryptogram (eight octets).
    public init(counter: UInt16, unpredictableNumber: [UInt8], cryptogram: [UInt8]) {
        self.counter = counter
        self.unpredictableNumber = unpredictableNumber
        self.cryptogram = cryptogram
    }
}

/// The calculations of one application with its master keys. A method returns nil if it cannot calculate.
public protocol ChipCardCipher: Sendable {
    /// Whether all master keys are published for tests.
    var usesPublishedTestKeys: Bool { get }

    /// Computes an application cryptogram.
    /// - Parameters:
    ///   - terminalData: 29 octets, the values of these tags in this order: 9F02, 9F03, 9F1A, 95, 5F2A, 9A, 9C, 9F37.
    ///   - profile: the application interchange profile (82), two octets.
    ///   - counter: the application transaction counter (9F36).
    ///   - cardData: the card's own data, by the rules of the scheme.
    /// - Returns: eight octets (9F26).
    func cryptogram(
        terminalData: [UInt8], profile: [UInt8], counter: UInt16, cardData: [UInt8]
    ) -> [UInt8]?

    /// Whether issuer authentication data (91) is the issuer's response to a cryptogram.
    func isAuthentic(_ data: [UInt8], for transaction: ChipCardTransaction) -> Bool

    /// Computes the authentication code of a command.
    /// - Parameters:
    ///   - header: class, instruction, parameters and length, five octets.
    ///   - data: the command's data without the code.
    ///   - transaction: the transaction in which the card receives the command.
    ///   - number: the place of the command among those with secure messaging in the transaction, from 1.
    /// - Returns: eight octets; a shorter code is the first of them.
    func commandMAC(header: [UInt8], data: [UInt8], in transaction: ChipCardTransaction, number: Int) -> [UInt8]?

    /// Decrypts the data of a command that changes the PIN.
    /// - Parameters:
    ///   - data: the encrypted PIN block.
    ///   - current: the digits of the current PIN in ASCII, if the block depends on it; nil if not.
    ///   - transaction: the transaction in which the card receives the command.
    ///   - number: the place of the command, as for ``commandMAC(header:data:in:number:)``.
    /// - Returns: the digits of the new PIN in ASCII, 4 to 12.
    func newPIN(
        in data: [UInt8], current: SecretOctets?, _ transaction: ChipCardTransaction, number: Int
    ) -> SecretOctets?
}
