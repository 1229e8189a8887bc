/// Keys of certification authorities that are published for tests: those listed here, and no others.
///
/// A key is recognised by its modulus: the same one is published under several names.
enum PublishedAuthorityKey {
    /// Mastercard's registered application provider identifier.
    private static let mastercard: [UInt8] = [0xA0, 0, 0, 0, 4]

    /// The first 8 bytes of the SHA-1 of each modulus. The tests have the keys, with their published checksums.
    private static let fingerprints: Set<UInt64> = [
        // Visa ("VSDC CA Public Test Keys").
        0xE6D4_D34B_C574_9862,  // 92
        0x7883_8FCD_2979_AC59,  // 94
        0xC81C_11B0_9502_B6B4,  // 95
        0xEBEB_51C3_6A9E_CC6C,  // 99
        // Mastercard (EFTlab, "List of CA public keys"; also the file ca-public-keys.txt of binaryfoo/emv-bertlv).
        0xE9F7_176F_9485_E7DA,  // EF
        0x55B3_B7A4_B2C9_7F3D,  // F0
        0xA02D_460B_8332_1111,  // F1
        0x31B0_9F38_1FA5_4CC7,  // F3
        0x80FD_8050_9DE2_BDA6,  // F5
        0xD43B_06E4_02C1_D04D,  // F6
        0x3B9B_C216_86B1_363F,  // F7
        0x7DAF_8310_B4B0_BAD6,  // F8 and 05
        0x0F70_B4DE_D751_A504,  // F9 and 02
        0x6D6A_A1E9_A05F_19BE,  // FA of 1,152 bits
        0xBF1B_DD75_ED1E_94EF,  // FA of 1,280 bits and 00
        0x4D71_9EE8_07BC_E03A,  // FE
    ]

    /// The fingerprint of Mastercard's test key 01, whose modulus was Visa's live key 01 until the end of 2009.
    private static let sharedFingerprint: UInt64 = 0xFE14_F4BC_0301_A2A4

    /// Whether a modulus is that of a published test key.
    /// - Parameters:
    ///   - modulus: the modulus, the highest byte first, without leading zeros.
    ///   - provider: the registered application provider identifier of the key; nil if it is not known.
    /// - Returns: whether it is.
    /// - Throws: ``CryptographyError`` with code `library`.
    static func contains(_ modulus: [UInt8], of provider: [UInt8]?) throws(CryptographyError) -> Bool {
        let hash = try MessageDigest.sha1(of: modulus.span)
        let fingerprint = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return fingerprints.contains(fingerprint) || fingerprint == sharedFingerprint && provider == mastercard
    }
}
