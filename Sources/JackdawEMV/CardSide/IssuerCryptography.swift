// The calculations of an issuer with its secret keys, which software that acts as an issuer is given.

/// Makes the ciphers with which an issuer checks its cards and answers them.
/// JackdawCryptography's `LibCryptoPrimitives` is one.
public protocol IssuerCryptography: ChipCardCryptography where Cipher: IssuerCipher {
    /// Encrypts a PIN as a PIN pad does for its issuer: ISO 9564-1, format 0, in triple DES.
    /// - Parameters:
    ///   - pin: the digits in ASCII, 4 to 12.
    ///   - key: the key that PIN pad and issuer share, 16 octets.
    ///   - account: the account number as digits in ASCII, 1 to 19.
    /// - Returns: eight octets; nil if a value is invalid, or the key must not be used.
    func pinBlock(of pin: SecretOctets, key: SecretOctets, account: SecretOctets) -> [UInt8]?

    /// Decrypts a block of ``pinBlock(of:key:account:)``.
    /// - Returns: the digits of the PIN in ASCII; nil if the block is none for this account and key.
    func pin(ofBlock block: [UInt8], key: SecretOctets, account: SecretOctets) -> SecretOctets?

    /// Whether a key of triple DES, 16 octets, is published for tests.
    func isPublishedTestKey(_ key: SecretOctets) -> Bool
}

/// The calculations of an issuer for one card, beside those of the card: a cryptogram is checked by computing it again.
/// A method returns nil if it cannot calculate.
public protocol IssuerCipher: ChipCardCipher {
    /// Computes the issuer's response to a cryptogram (EMV Book 2, 8.2).
    /// - Parameters:
    ///   - transaction: the transaction.
    ///   - answer: for schemes with method 1 a response code, two octets; with method 2 a card status update, four
    ///     octets, and at most eight octets of proprietary data.
    /// - Returns: the issuer authentication data (91), 8 to 16 octets.
    func authenticationData(for transaction: ChipCardTransaction, answer: [UInt8]) -> [UInt8]?

    /// Encrypts a PIN for the command that changes it: the inverse of ``ChipCardCipher/newPIN(in:current:_:number:)``.
    /// - Parameters:
    ///   - pin: the digits of the new PIN in ASCII, 4 to 12.
    ///   - current: the digits of the current PIN, if the block depends on it; nil if not.
    ///   - transaction: the transaction in which the card receives the command.
    ///   - number: the place of the command, as for ``ChipCardCipher/commandMAC(header:data:in:number:)``.
    /// - Returns: the data of the command without its code.
    func newPINData(
        _ pin: SecretOctets, current: SecretOctets?, _ transaction: ChipCardTransaction, number: Int
    ) -> [UInt8]?
}
