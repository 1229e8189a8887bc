public import JackdawEMV

/// A public key of a certification authority of a card scheme, with which the certificates of issuers are verified (EMV
/// Book 2, 5 and 11.2.2).
public struct AuthorityKey: Sendable, Hashable {
    /// The registered application provider identifier (RID) of the scheme, 5 bytes.
    public let provider: [UInt8]
    /// The index of the key (tag 8F of the card).
    public let index: UInt8
    /// The key.
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
    ///   - isTestKey: whether the key is for tests. Test keys of Visa and Mastercard are recognised in any case.
    ///   - checksum: the published checksum, 20 bytes; nil verifies none.
    /// - Throws: ``CryptographyError`` with code `length` if the provider has another size; `length` or `value` if RSA has
    ///   no such key; `checksum` if the checksum does not match, `library`.
    public init(
        provider: [UInt8], index: UInt8, key: RSAPublicKey, expiry: CardDate? = nil, isTestKey: Bool = false,
        checksum: [UInt8]? = nil
    ) throws(CryptographyError) {
        try CipherKey.check(provider, 5, "an RID")
        try key.check()
        let found = try MessageDigest.sha1(of: (provider + [index] + key.modulus + key.exponent).span)
        guard checksum == nil || checksum == found else {
            throw CryptographyError(.checksum, "the checksum does not match the key: a digit of the key is wrong")
        }
        self.provider = provider
        self.index = index
        self.key = key
        self.expiry = expiry
        self.checksum = found
        let start = found.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        isPublishedTestKey = isTestKey || Self.publishedTestKeys.contains(start)
    }

    /// The first 8 bytes of the checksums of published test keys.
    private static let publishedTestKeys: Set<UInt64> = [
        // Visa, "VSDC CA Public Test Keys": indexes 92, 94, 95 and 99.
        0x429C_954A_3859_CEF9, 0xC4A3_C43C_CF87_327D, 0xEE15_11CE_C710_20A9, 0x4ABF_FD6B_1C51_212D,
        // Mastercard, in the settings of terminals for M/TIP and PayPass tests: indexes EF, F1, F3, F8, FA and FE.
        0x2176_6EBB_0EE1_22AF, 0xD8E6_8DA1_67AB_5A85, 0xA69A_C760_3DAF_566E, 0xF06E_CC6D_2AAE_BF25,
        0x5BED_4068_D96E_A16D, 0x9A29_5B05_FB39_0EF7,
    ]
}
