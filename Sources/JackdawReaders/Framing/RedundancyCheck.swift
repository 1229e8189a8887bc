/// The check sums of readers' frames.
enum RedundancyCheck {
    /// LRC: the XOR of all bytes.
    static func longitudinal(_ bytes: Span<UInt8>) -> UInt8 {
        var eight: UInt64 = 0
        var index = 0
        while index + 8 <= bytes.count {
            eight ^= unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        eight ^= eight >> 32
        eight ^= eight >> 16
        var sum = UInt8(truncatingIfNeeded: eight ^ eight >> 8)
        while index < bytes.count {
            sum ^= bytes[index]
            index += 1
        }
        return sum
    }

    /// The sum of all bytes, modulo 256.
    static func sum(_ bytes: Span<UInt8>) -> UInt8 {
        var sum: UInt8 = 0
        for index in bytes.indices { sum &+= bytes[index] }
        return sum
    }

    /// CRC-16/CCITT-FALSE: polynomial 1021, from FFFF, not reflected.
    static func crc16(_ bytes: Span<UInt8>) -> UInt16 {
        let tables = tables16.span
        var crc: UInt16 = 0xFFFF
        var index = 0
        while index + 8 <= bytes.count {
            let high = tables[7 << 8 | Int(bytes[index] ^ UInt8(crc >> 8))]
            let low = tables[6 << 8 | Int(bytes[index + 1] ^ UInt8(crc & 255))]
            crc = high ^ low ^ tables[5 << 8 | Int(bytes[index + 2])] ^ tables[4 << 8 | Int(bytes[index + 3])]
            crc ^= tables[3 << 8 | Int(bytes[index + 4])] ^ tables[2 << 8 | Int(bytes[index + 5])]
            crc ^= tables[1 << 8 | Int(bytes[index + 6])] ^ tables[Int(bytes[index + 7])]
            index += 8
        }
        while index < bytes.count {
            crc = crc << 8 ^ tables[Int(UInt8(crc >> 8) ^ bytes[index])]
            index += 1
        }
        return crc
    }

    /// CRC-8: polynomial 07, from 0, not reflected. Over the bytes and their CRC it is 0.
    static func crc8(_ bytes: Span<UInt8>) -> UInt8 {
        let tables = tables8.span
        var crc: UInt8 = 0
        var index = 0
        while index + 8 <= bytes.count {
            crc = tables[7 << 8 | Int(bytes[index] ^ crc)] ^ tables[6 << 8 | Int(bytes[index + 1])]
            crc ^= tables[5 << 8 | Int(bytes[index + 2])] ^ tables[4 << 8 | Int(bytes[index + 3])]
            crc ^= tables[3 << 8 | Int(bytes[index + 4])] ^ tables[2 << 8 | Int(bytes[index + 5])]
            crc ^= tables[1 << 8 | Int(bytes[index + 6])] ^ tables[Int(bytes[index + 7])]
            index += 8
        }
        while index < bytes.count {
            crc = tables[Int(crc ^ bytes[index])]
            index += 1
        }
        return crc
    }

    /// The contribution of a byte that 0 to 7 others follow, 256 entries each, as the loops process eight bytes a step.
    private static let tables16 = tables(from: { UInt16($0) << 8 }, polynomial: 0x1021)
    private static let tables8 = tables(from: { UInt8($0) }, polynomial: 0x07)

    private static func tables<Sum: FixedWidthInteger & UnsignedInteger>(
        from first: (Int) -> Sum, polynomial: Sum
    ) -> [Sum] {
        var sums = (0..<256).map(first)
        var tables: [Sum] = []
        for _ in 0..<8 {
            sums = sums.map { sum in
                (0..<8).reduce(sum) { sum, _ in sum << 1 ^ (sum.leadingZeroBitCount == 0 ? polynomial : 0) }
            }
            tables += sums
        }
        return tables
    }
}
