/// The sums that readers' frames are checked by.
enum RedundancyCheck {
    /// LRC: all bytes, one XOR the next.
    static func longitudinal(_ bytes: Span<UInt8>) -> UInt8 {
        var sum: UInt8 = 0
        for index in bytes.indices { sum ^= bytes[index] }
        return sum
    }

    /// All bytes added, modulo 256.
    static func sum(_ bytes: Span<UInt8>) -> UInt8 {
        var sum: UInt8 = 0
        for index in bytes.indices { sum &+= bytes[index] }
        return sum
    }

    /// CRC-16/CCITT-FALSE: polynomial 1021, from FFFF, not reflected.
    static func crc16(_ bytes: Span<UInt8>) -> UInt16 {
        var crc: UInt16 = 0xFFFF
        for index in bytes.indices { crc = crc << 8 ^ table16[Int(UInt8(crc >> 8) ^ bytes[index])] }
        return crc
    }

    /// CRC-8: polynomial 07, from 0, not reflected. With the sum behind the bytes it is 0.
    static func crc8(_ bytes: Span<UInt8>) -> UInt8 {
        var crc: UInt8 = 0
        for index in bytes.indices { crc = table8[Int(crc ^ bytes[index])] }
        return crc
    }

    private static let table16 = (0..<256).map { value in
        (0..<8).reduce(UInt16(value) << 8) { crc, _ in crc << 1 ^ (crc & 0x8000 == 0 ? 0 : 0x1021) }
    }

    private static let table8 = (0..<256).map { value in
        (0..<8).reduce(UInt8(value)) { crc, _ in crc << 1 ^ (crc & 0x80 == 0 ? 0 : 0x07) }
    }
}
