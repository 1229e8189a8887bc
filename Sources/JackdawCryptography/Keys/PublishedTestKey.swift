/// The test keys that standards, manuals and sample code publish.
enum PublishedTestKey {
    private static let all: [[UInt8]] = [
        // The example of X9.24-1, and the test readers of MagTek, ID TECH and IPS.
        [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10],
        // The initial key derived from it, for the KSN of X9.24-1's example.
        [0x6A, 0xC2, 0x92, 0xFA, 0xA1, 0x31, 0x5B, 0x4D, 0x85, 0x8A, 0xB3, 0xA3, 0xD7, 0xD5, 0x93, 0x3A],
        // The example of X9.24-3; repeated for longer keys.
        [0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1],
        // The second test key of IPS.
        [0x53, 0xEF, 0x0E, 0x3B, 0x07, 0x84, 0xCB, 0x17, 0xAC, 0x40, 0xC7, 0xBD, 0xC8, 0x99, 0x21, 0xDF],
    ]

    /// Whether a key is one of the test keys, or a repetition of one.
    /// - Parameters:
    ///   - key: the bytes of the key.
    ///   - ignoringParity: whether to ignore the lowest bit of every byte, as for triple DES.
    /// - Returns: whether it is; the time does not depend on the position of a difference.
    static func contains(_ key: Span<UInt8>, ignoringParity: Bool) -> Bool {
        let meant: UInt8 = ignoringParity ? 0xFE : 0xFF
        return all.contains { known in
            guard key.count >= known.count else { return false }
            var difference: UInt8 = 0
            for index in key.indices { difference |= (key[index] ^ known[index % known.count]) & meant }
            return difference == 0
        }
    }
}
