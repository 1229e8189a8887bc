// The keys of a chip card's application, for cards that are software.

/// An RSA key with its private part, which is in wiped memory.
public struct RSAKeyPair: Sendable, Equatable {
    /// The public key, which a certificate has.
    public let publicKey: RSAPublicKey
    /// The private exponent, most significant octet first.
    public let privateExponent: SecretOctets

    /// A key of its parts.
    public init(publicKey: RSAPublicKey, privateExponent: SecretOctets) {
        self.publicKey = publicKey
        self.privateExponent = privateExponent
    }
}

/// The symmetric master keys of one application, and the rules for them. All keys are triple DES with 16 octets.
public struct ChipCardKeys: Sendable, Equatable {
    /// The name of the rules for cryptograms, such as `visa-18` or `m-chip-16`.
    public let scheme: String
    /// Whether the keys are those of the issuer, from which the card's own are derived; false for the card's own.
    public let areIssuerKeys: Bool
    /// The key for cryptograms (MK-AC).
    public let cryptogram: SecretOctets
    /// The key for authentication codes of commands (MK-SMI).
    public let integrity: SecretOctets
    /// The key for encryption of commands' data (MK-SMC).
    public let confidentiality: SecretOctets
    /// The account number as digits in ASCII, 1 to 19.
    public let account: SecretOctets
    /// The sequence number of the account (tag 5F34), 0 to 99.
    public let sequenceNumber: UInt8

    /// Keys of their parts. ``ChipCardCryptography/cipher(for:)`` checks them.
    public init(
        scheme: String, areIssuerKeys: Bool, cryptogram: SecretOctets, integrity: SecretOctets,
        confidentiality: SecretOctets, account: SecretOctets, sequenceNumber: UInt8
    ) {
        self.scheme = scheme
        self.areIssuerKeys = areIssuerKeys
        self.cryptogram = cryptogram
        self.integrity = integrity
        self.confidentiality = confidentiality
        self.account = account
        self.sequenceNumber = sequenceNumber
    }
}

/// The reason why keys cannot be used. It holds no octet of a key.
public struct ChipCardKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error, and the keys that would be right.
    public let message: String

    /// An error with its message, which must not show a key.
    public init(_ message: String) { self.message = message }

    /// The same as `message`.
    public var description: String { message }
}
