/// Keys that everybody knows, because standards, manuals and sample code print them.
enum PublishedTestKey {
    private static let all: [[UInt8]] = [
        // X9.24-1's example, and MagTek's, ID TECH's and IPS's readers for tests.
        [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10],
        // The initial key of it, for the KSN of X9.24-1's example.
        [0x6A, 0xC2, 0x92, 0xFA, 0xA1, 0x31, 0x5B, 0x4D, 0x85, 0x8A, 0xB3, 0xA3, 0xD7, 0xD5, 0x93, 0x3A],
        // X9.24-3's example; repeated for longer keys.
        [0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1],
        // IPS's second one.
        [0x53, 0xEF, 0x0E, 0x3B, 0x07, 0x84, 0xCB, 0x17, 0xAC, 0x40, 0xC7, 0xBD, 0xC8, 0x99, 0x21, 0xDF],
    ]

    /// Whether a key is one of them, or one of them repeated.
    /// - Parameters:
    ///   - key: its bytes.
    ///   - ignoringParity: whether the lowest bit of every byte means nothing, as with triple DES.
    /// - Returns: whether it is; in a time that does not depend on where it differs.
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
