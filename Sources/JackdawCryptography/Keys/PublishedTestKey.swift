/// Test keys that standards, manuals and sample code publish: those listed here, and no others.
enum PublishedTestKey {
    /// Each as two numbers of 64 bits.
    private static let all: [(UInt64, UInt64)] = [
        // The example of X9.24-1, and the test readers of MagTek, ID TECH and IPS.
        (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210),
        // The initial key derived from it, for the KSN of X9.24-1's example.
        (0x6AC2_92FA_A131_5B4D, 0x858A_B3A3_D7D5_933A),
        // The example of X9.24-3; repeated for longer keys.
        (0xFEDC_BA98_7654_3210, 0xF1F1_F1F1_F1F1_F1F1),
        // The second test key of IPS.
        (0x53EF_0E3B_0784_CB17, 0xAC40_C7BD_C899_21DF),
        // Mastercard's issuer master keys for M/TIP tests (EFTlab, "List of issuer EMV test keys"):
        // cryptograms, integrity and confidentiality.
        (0x9E15_2043_13F7_318A, 0xCB79_B90B_D986_AD29), (0x4664_942F_E615_FB02, 0xE5D5_7F29_2AA2_B3B6),
        (0xCE29_3B8C_C12A_9773, 0x79EF_256D_7610_9492),
        // Visa's issuer master key for ADVT tests (the same list), for all three purposes.
        (0x2315_208C_9110_AD40, 0x2315_208C_9110_AD40),
    ]

    /// Whether a key is one of the test keys, or a repetition of one.
    /// - Parameters:
    ///   - key: the bytes of the key, a multiple of 8.
    ///   - ignoringParity: whether to ignore the lowest bit of every byte, as for triple DES.
    /// - Returns: whether it is; the time does not depend on the position of a difference.
    static func contains(_ key: Span<UInt8>, ignoringParity: Bool) -> Bool {
        guard key.count >= 16 else { return false }
        let mask: UInt64 = ignoringParity ? 0xFEFE_FEFE_FEFE_FEFE : .max
        return all.contains { known in
            var difference: UInt64 = 0
            for word in 0..<key.count / 8 {
                var value: UInt64 = 0
                for index in 8 * word..<8 * word + 8 { value = value << 8 | UInt64(key[index]) }
                difference |= (value ^ (word.isMultiple(of: 2) ? known.0 : known.1)) & mask
            }
            return difference == 0
        }
    }
}
