import JackdawEMV

/// RSA and SHA-1 in plain Swift for tests. Slow, and not for secrets.
struct PlainPrimitives: AuthenticationPrimitives {
    func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]? {
        let modulus = BigNumber(key.modulus)
        guard block.count == key.modulus.count, !modulus.isZero, !(modulus < BigNumber(block)) else { return nil }
        return BigNumber(block).power(key.exponent, modulo: modulus).octets(key.modulus.count)
    }

    /// SHA-1 (FIPS 180-4, section 6.1).
    func sha1(_ octets: [UInt8]) -> [UInt8] {
        var message = octets + [0x80]
        while message.count % 64 != 56 { message.append(0) }
        message += (0..<8).map { UInt8(truncatingIfNeeded: (octets.count * 8) >> (56 - 8 * $0)) }
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for start in stride(from: 0, to: message.count, by: 64) {
            var words = [UInt32](repeating: 0, count: 80)
            for index in 0..<64 { words[index / 4] = words[index / 4] << 8 | UInt32(message[start + index]) }
            for index in 16..<80 {
                words[index] = Self.rotated(
                    words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
            }
            var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
            for index in 0..<80 {
                let (mixed, constant): (UInt32, UInt32) =
                    switch index {
                    case 0..<20: (b & c | ~b & d, 0x5A82_7999)
                    case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                    case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                let next = Self.rotated(a, 5) &+ mixed &+ e &+ constant &+ words[index]
                (e, d, c, b, a) = (d, c, Self.rotated(b, 30), a, next)
            }
            for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
}

/// A number of any size: limbs of 32 bits, the least significant first, without zeros at the end.
private struct BigNumber {
    private var limbs: [UInt32]

    init(_ octets: [UInt8]) {
        limbs = []
        for (place, octet) in octets.reversed().enumerated() {
            if place % 4 == 0 { limbs.append(0) }
            limbs[place / 4] |= UInt32(octet) << UInt32(8 * (place % 4))
        }
        trim()
    }

    var isZero: Bool { limbs.isEmpty }

    func octets(_ count: Int) -> [UInt8] {
        (0..<count).reversed().map { place in
            place / 4 < limbs.count ? UInt8(truncatingIfNeeded: limbs[place / 4] >> UInt32(8 * (place % 4))) : 0
        }
    }

    static func < (left: Self, right: Self) -> Bool {
        guard left.limbs.count == right.limbs.count else { return left.limbs.count < right.limbs.count }
        for (first, second) in zip(left.limbs, right.limbs).reversed() where first != second { return first < second }
        return false
    }

    /// Square and multiply, from the first bit of the exponent.
    func power(_ exponent: [UInt8], modulo modulus: Self) -> Self {
        var result = Self([1])
        for octet in exponent {
            for bit in (0..<8).reversed() {
                result = result.times(result, modulo: modulus)
                if octet >> UInt8(bit) & 1 == 1 { result = result.times(self, modulo: modulus) }
            }
        }
        return result
    }

    private func times(_ other: Self, modulo modulus: Self) -> Self {
        var product = [UInt32](repeating: 0, count: limbs.count + other.limbs.count)
        for (i, first) in limbs.enumerated() {
            var carry: UInt64 = 0
            for (j, second) in other.limbs.enumerated() {
                let sum = UInt64(first) * UInt64(second) + UInt64(product[i + j]) + carry
                product[i + j] = UInt32(truncatingIfNeeded: sum)
                carry = sum >> 32
            }
            product[i + other.limbs.count] = UInt32(carry)
        }
        var number = self
        number.limbs = product
        number.trim()
        return number.remainder(modulus)
    }

    /// Long division (Knuth, The Art of Computer Programming, 4.3.1, algorithm D), of which only the remainder is kept.
    private func remainder(_ divisor: Self) -> Self {
        guard !(self < divisor) else { return self }
        let shift = UInt32(divisor.limbs[divisor.limbs.count - 1].leadingZeroBitCount)
        var rest = shifted(shift) + [0]
        let parts = Array(divisor.shifted(shift).prefix(divisor.limbs.count))
        let count = parts.count
        let top = UInt64(parts[count - 1])
        let second = count > 1 ? UInt64(parts[count - 2]) : 0
        for place in (0...(rest.count - count - 1)).reversed() {
            let head = UInt64(rest[place + count]) << 32 | UInt64(rest[place + count - 1])
            var (estimate, left) = head.quotientAndRemainder(dividingBy: top)
            let third = count > 1 ? UInt64(rest[place + count - 2]) : 0
            while estimate >> 32 != 0 || estimate * second > left << 32 | third {
                estimate -= 1
                left += top
                if left >> 32 != 0 { break }
            }
            var borrow: Int64 = 0
            var carry: UInt64 = 0
            for index in 0..<count {
                let product = estimate * UInt64(parts[index]) + carry
                carry = product >> 32
                let value = Int64(rest[place + index]) - borrow - Int64(product & 0xFFFF_FFFF)
                rest[place + index] = UInt32(truncatingIfNeeded: value)
                borrow = value < 0 ? 1 : 0
            }
            let value = Int64(rest[place + count]) - borrow - Int64(carry)
            rest[place + count] = UInt32(truncatingIfNeeded: value)
            if value < 0 {
                var carry: UInt64 = 0
                for index in 0..<count {
                    let sum = UInt64(rest[place + index]) + UInt64(parts[index]) + carry
                    rest[place + index] = UInt32(truncatingIfNeeded: sum)
                    carry = sum >> 32
                }
                rest[place + count] &+= UInt32(carry)
            }
        }
        var result = self
        result.limbs = (0..<count).map { index in
            shift == 0 ? rest[index] : rest[index] >> shift | (rest[index + 1] << (32 - shift))
        }
        result.trim()
        return result
    }

    /// The limbs, shifted to the left by fewer than 32 bits, with one more limb.
    private func shifted(_ count: UInt32) -> [UInt32] {
        var shifted: [UInt32] = []
        var carry: UInt32 = 0
        for limb in limbs {
            shifted.append(limb << count | carry)
            carry = count == 0 ? 0 : limb >> (32 - count)
        }
        return shifted + [carry]
    }

    private mutating func trim() { while limbs.last == 0 { limbs.removeLast() } }
}
