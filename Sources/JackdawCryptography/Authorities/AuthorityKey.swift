public import JackdawEMV

/// A public key of a certification authority of a card scheme, with which the certificates of issuers are verified (EMV
/// Book 2, 5 and 11.2.2).
public struct AuthorityKey: Sendable, Hashable {
    /// The registered application provider identifier (RID) of the scheme, 5 bytes.
    public let provider: [UInt8]
    /// The index of the key (tag 8F of the card).
    public let index: UInt8
    /// The modulus, 64 to 248 bytes, and the exponent.
    public let key: RSAPublicKey
    /// The last day on which the key is valid; nil if it is not known.
    public let expiry: CardDate?
    /// Whether the key is published for tests, so that it must not be used for live cards.
    public let isPublishedTestKey: Bool
    /// The SHA-1 of provider, index, modulus and exponent, 20 bytes: schemes publish it with the key.
    public let checksum: [UInt8]

    /// Creates a key.
    /// - Parameters:
    ///   - provider: the registered application provider identifier (RID), 5 bytes.
    ///   - index: the index of the key.
    ///   - key: the key.
    ///   - expiry: the last day on which the key is valid; nil if it is not known.
    ///   - isTestKey: whether the key is for tests. The published test keys of Visa (92, 94, 95, 99) and Mastercard
    ///     (00, 01, 02, 05, EF, F0, F1, F3, F5 to F9, both FA, FE) are recognised in any case, by the modulus alone; 01
    ///     with Mastercard's provider only, since the same modulus was a live key of Visa.
    ///   - checksum: the published checksum, 20 bytes; nil verifies none.
    /// - Throws: ``CryptographyError`` with code `length` if the provider has another size, or the modulus not 64 to
    ///   248 bytes; `value` if the modulus is even or has leading zeros, or the exponent is not the shortest form of 3
    ///   or 65537; `checksum` if the checksum does not match, `library`.
    public init(
        provider: [UInt8], index: UInt8, key: RSAPublicKey, expiry: CardDate? = nil, isTestKey: Bool = false,
        checksum: [UInt8]? = nil
    ) throws(CryptographyError) {
        try CipherKey.check(provider, 5, "an RID")
        try key.check()
        try Self.check(key)
        let found = try MessageDigest.sha1(of: (provider + [index] + key.modulus + key.exponent).span)
        guard checksum == nil || checksum == found else {
            throw CryptographyError(.checksum, "the checksum does not match the key: a digit of the key is wrong")
        }
        self.provider = provider
        self.index = index
        self.key = key
        self.expiry = expiry
        self.checksum = found
        isPublishedTestKey = isTestKey ? true : try PublishedAuthorityKey.contains(key.modulus, of: provider)
    }

    /// The sizes of a modulus, in bytes; the upper limit is that of EMV Book 2, B2.1.
    private static let sizes = 64...248

    /// Checks the numbers. Each number has one form only: another one would have another checksum.
    private static func check(_ key: RSAPublicKey) throws(CryptographyError) {
        guard sizes.contains(key.modulus.count) else {
            throw CryptographyError(
                .length,
                "a modulus of \(key.modulus.count) bytes; that of a CA key has \(sizes.lowerBound) to "
                    + "\(sizes.upperBound)")
        }
        guard key.modulus.first != 0 else {
            throw CryptographyError(.value, "the modulus of a CA key must not have leading zeros")
        }
        guard key.hasValidExponent else {
            throw CryptographyError(.value, "the exponent of a CA key must be 03 or 010001")
        }
    }
}
