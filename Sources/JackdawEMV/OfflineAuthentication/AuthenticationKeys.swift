// The keys of offline data authentication, and the two primitives that it is given.

import JackdawBytes

/// The calculations that offline data authentication needs and this module does not have: the caller supplies them.
///
/// A type that has no RSA returns nil from ``recover(_:with:)``; every card then fails offline data authentication.
public protocol AuthenticationPrimitives: Sendable {
    /// Applies a public key to a block: the block to the power of the exponent, modulo the modulus (EMV Book 2, B2.1).
    /// - Parameters:
    ///   - block: as many octets as the modulus has, most significant first.
    ///   - key: the public key.
    /// - Returns: as many octets as the modulus has; nil if the key cannot be used.
    func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]?

    /// The SHA-1 digest of octets, 20 octets (EMV Book 2, B3.1).
    func sha1(_ bytes: [UInt8]) -> [UInt8]
}

extension AuthenticationPrimitives {
    /// The SHA-1 digest of octets one part after the other. The array that the digest needs is wiped.
    func sha1(covering parts: [SecretOctets]) -> [UInt8] {
        var octets = SecretOctets(joining: parts).octets
        defer { octets.wipe() }
        return sha1(octets)
    }
}

/// The RSA public key of a certification authority, an issuer or a card (EMV Book 2, annex B2.1).
public struct RSAPublicKey: Sendable, Hashable {
    /// Most significant octet first, without leading zeros.
    public let modulus: [UInt8]
    /// Most significant octet first: `03` or `010001` on EMV cards.
    public let exponent: [UInt8]

    /// A key of a modulus and an exponent, both with the most significant octet first.
    public init(modulus: [UInt8], exponent: [UInt8]) {
        self.modulus = modulus
        self.exponent = exponent
    }

    /// Whether the exponent is 3 or 65,537, the only ones of EMV (Book 2, annex B2.1). The time to apply a key grows with
    /// its exponent, which a card may choose.
    package var hasValidExponent: Bool { exponent == [0x03] || exponent == [0x01, 0x00, 0x01] }
}

/// A public key of a certification authority, of which a terminal has some for each scheme (EMV Book 2, 11.2.2).
public struct CertificationAuthorityKey: Sendable, Hashable {
    /// The registered application provider identifier: the first five octets of the scheme's application identifiers.
    public let provider: [UInt8]
    /// The Certification Authority Public Key Index, which the card names in tag 8F.
    public let index: UInt8
    /// The public key itself.
    public let key: RSAPublicKey

    /// - Parameters:
    ///   - provider: the registered application provider identifier, five octets.
    ///   - index: the index under which cards name the key.
    ///   - key: the public key.
    public init(provider: [UInt8], index: UInt8, key: RSAPublicKey) {
        self.provider = provider
        self.index = index
        self.key = key
    }
}

/// An issuer's certificate that its certification authority has revoked (EMV Book 2, 5.1.2).
public struct RevokedCertificate: Sendable, Hashable {
    /// The registered application provider identifier, five octets.
    public let provider: [UInt8]
    /// The Certification Authority Public Key Index.
    public let index: UInt8
    /// The serial number of the certificate, three octets.
    public let serialNumber: [UInt8]

    /// A certificate by its provider (five octets), the index of its authority's key and its serial number (three
    /// octets).
    public init(provider: [UInt8], index: UInt8, serialNumber: [UInt8]) {
        self.provider = provider
        self.index = index
        self.serialNumber = serialNumber
    }
}

/// The certification authority keys that a terminal has.
public struct AuthenticationKeys: Sendable {
    /// The keys, of any number of schemes.
    public var keys: [CertificationAuthorityKey]
    /// The issuers' revoked certificates.
    public var revoked: [RevokedCertificate]

    /// Keys and, if there are any, revoked certificates. Default: no certificate is revoked.
    public init(_ keys: [CertificationAuthorityKey] = [], revoked: [RevokedCertificate] = []) {
        self.keys = keys
        self.revoked = revoked
    }

    /// The key that a card names; nil if the terminal does not have it.
    func key(of provider: [UInt8], index: UInt8) -> CertificationAuthorityKey? {
        keys.first { $0.provider == provider && $0.index == index }
    }
}
