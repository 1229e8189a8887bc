import JackdawCards

/// Bytes of two digits of four bits each, the first one in the high bits, as cards and PIN blocks have them.
extension SecretBytes {
    /// Packs digits.
    /// - Parameters:
    ///   - count: the number of digits, even.
    ///   - digit: returns a digit by its position, 0 to 15.
    init(packing count: Int, _ digit: (Int) -> UInt8) {
        self.init(count: count / 2) { bytes in
            for index in bytes.indices { bytes[index] = digit(2 * index) << 4 | digit(2 * index + 1) }
        }
    }

    /// The bytes XOR others; of the others, as many as there are.
    borrowing func xor(_ other: Span<UInt8>) -> SecretBytes {
        withBytes { bytes in
            SecretBytes(count: bytes.count) { target in
                for index in bytes.indices { target[index] = bytes[index] ^ (index < other.count ? other[index] : 0) }
            }
        }
    }
}

extension Span<UInt8> {
    /// A digit by its position.
    func digit(_ index: Int) -> UInt8 {
        index.isMultiple(of: 2) ? self[index / 2] >> 4 : self[index / 2] & 15
    }

    /// Decimal digits of hexadecimal ones: first all that are decimal, in their order, then the others less ten, until
    /// there are enough. The rule is that of card verification values, PIN verification values and EMV's option B.
    /// - Parameters:
    ///   - count: the number of digits wanted, at most two a byte.
    ///   - offset: added to each digit, such as 0x30 for ASCII.
    /// - Returns: the digits, one a byte.
    func decimalDigits(_ count: Int, offset: UInt8 = 0) -> SecretBytes {
        SecretBytes(count: count) { digits in
            var found = 0
            for isDecimal in [true, false] {
                for index in 0..<2 * self.count where found < count && (digit(index) < 10) == isDecimal {
                    digits[found] = digit(index) % 10 + offset
                    found += 1
                }
            }
        }
    }
}
