/// Puts bits into bytes, the first one into the most significant place.
struct BitPacker {
    private var byte: UInt8 = 0
    private var count = 0

    /// Takes a bit.
    /// - Returns: the byte that it completes.
    mutating func add(_ bit: UInt8) -> UInt8? {
        byte = byte << 1 | bit & 1
        count += 1
        return count == UInt8.bitWidth ? take() : nil
    }

    /// The byte that was begun, with zeros behind its bits; nil where there is none.
    mutating func finish() -> UInt8? {
        guard count > 0 else { return nil }
        byte <<= UInt8(UInt8.bitWidth - count)
        return take()
    }

    private mutating func take() -> UInt8 {
        defer { (byte, count) = (0, 0) }
        return byte
    }
}
