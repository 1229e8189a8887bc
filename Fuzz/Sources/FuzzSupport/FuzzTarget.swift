/// Chooses the target by the first two bytes of an input, a hash of the target's name: a new target changes the number
/// of no other one, so that corpus and finds stay valid.
public enum FuzzTarget {
    /// The number of a name (FNV-1a, folded to 16 bits).
    public static func key(of name: String) -> UInt16 {
        let hash = name.utf8.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return UInt16(truncatingIfNeeded: hash ^ hash >> 16)
    }

    /// The number that an input begins with; zeros stand for missing bytes.
    public static func key(_ bytes: [UInt8]) -> UInt16 {
        bytes.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
    }

    /// The two bytes of a number.
    public static func bytes(of key: UInt16) -> [UInt8] { [UInt8(key >> 8), UInt8(key & 0xFF)] }

    /// The index of the key that is nearest on the circle of numbers; of two equal ones, the first.
    /// - Parameters:
    ///   - key: the number to find.
    ///   - keys: at least one.
    /// - Returns: an index of `keys`.
    public static func nearest(_ key: UInt16, in keys: [UInt16]) -> Int {
        keys.indices.min { min(key &- keys[$0], keys[$0] &- key) < min(key &- keys[$1], keys[$1] &- key) } ?? 0
    }
}
