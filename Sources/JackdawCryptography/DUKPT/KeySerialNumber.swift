import JackdawBytes

/// The key serial number of triple DES DUKPT (X9.24-1): 59 bits for the initial key, 21 for the counter.
package struct KeySerialNumber: Sendable, Hashable, CustomStringConvertible {
    /// The serial number, ten bytes.
    package let bytes: [UInt8]

    /// Parses a serial number.
    /// - Parameter bytes: ten bytes, or eight, which are padded with FF FF at the front.
    /// - Throws: ``CryptographyError`` with code `length` for another number of bytes.
    package init(_ bytes: Span<UInt8>) throws(CryptographyError) {
        guard bytes.count == 10 || bytes.count == 8 else {
            throw CryptographyError(.length, "a KSN of \(bytes.count) bytes; a KSN has 10 or 8")
        }
        let padding = [UInt8](repeating: 0xFF, count: 10 - bytes.count)
        self.bytes = padding + bytes.indices.map { bytes[$0] }
    }

    /// Parses a serial number from hexadecimal digits.
    /// - Throws: ``CryptographyError`` with code `digit` or `length`.
    package init(hexadecimal text: String) throws(CryptographyError) {
        let digits = Array(text.utf8)
        let bytes = try HexadecimalDigits.bytes(of: digits.span)
        try self.init(bytes.span)
    }

    /// The transaction counter: the number of keys that the reader has taken since its initial key.
    package var counter: TransactionCounter {
        .tripleDES(bytes[7...].reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The serial number of the next transaction.
    /// - Throws: ``CryptographyError`` with code `exhausted` if there is none.
    package func next() throws(CryptographyError) -> KeySerialNumber { with(try counter.next().value) }

    /// The last eight bytes, with another counter.
    func register(_ counter: UInt32) -> UInt64 {
        bytes[2...].reduce(0) { $0 << 8 | UInt64($1) } & ~0x1F_FFFF | UInt64(counter)
    }

    /// The first eight bytes with a zero counter, which identify the initial key.
    var initialKeyName: UInt64 { bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) } & ~0x1F }

    private func with(_ counter: UInt32) -> KeySerialNumber {
        var bytes = bytes
        bytes[7] = bytes[7] & 0xE0 | UInt8(counter >> 16)
        bytes[8] = UInt8(counter >> 8 & 255)
        bytes[9] = UInt8(counter & 255)
        return KeySerialNumber(unchecked: bytes)
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// The serial number as 20 hexadecimal digits.
    package var description: String { bytes.hexadecimal }
}

/// The transaction counter of DUKPT: the number of keys that a reader has taken since its initial key. Only counters
/// with few one bits are used, which limits the derivation steps of each key.
package struct TransactionCounter: Sendable, Hashable {
    /// The number, from 1 for the first transaction.
    package let value: UInt32
    /// The number of bits in the counter.
    package let width: Int
    /// The maximum number of one bits in a valid counter.
    package let maxOneBits: Int

    /// The counter of X9.24-1, for triple DES: 21 bits, at most ten of them ones.
    static func tripleDES(_ value: UInt32) -> TransactionCounter {
        TransactionCounter(value: value & 0x1F_FFFF, width: 21, maxOneBits: 10)
    }

    /// The counter of X9.24-3, for AES: 32 bits, at most 16 of them ones.
    static func aes(_ value: UInt32) -> TransactionCounter {
        TransactionCounter(value: value, width: 32, maxOneBits: 16)
    }

    /// Whether the counter is valid for a transaction.
    package var isUsable: Bool { value != 0 && value.nonzeroBitCount <= maxOneBits }

    /// Whether the counter is greater than the last valid one.
    package var isExhausted: Bool { value > last }

    /// The last valid counter: the highest bits are ones.
    private var last: UInt32 { (UInt32(1) << maxOneBits - 1) << (width - maxOneBits) }

    /// The next valid counter.
    /// - Throws: ``CryptographyError`` with code `exhausted` if there is none.
    package func next() throws(CryptographyError) -> TransactionCounter {
        guard value < last else {
            throw CryptographyError(.exhausted, "the reader has used its last key: it needs a new initial key")
        }
        var next = value + 1
        // All numbers skipped by this addition have at least as many ones as this one.
        while next.nonzeroBitCount > maxOneBits { next += next & ~(next - 1) }
        return TransactionCounter(value: next, width: width, maxOneBits: maxOneBits)
    }

    /// The counter of the derivation step after another one. The first step has the highest one bit, each further step
    /// one more; nil after the last step, which has the counter itself.
    func step(after step: UInt32) -> UInt32? {
        let left = value & ~step
        return left == 0 ? nil : step | 1 << (31 - left.leadingZeroBitCount)
    }

    func checkUse() throws(CryptographyError) {
        guard !isExhausted else {
            throw CryptographyError(.exhausted, "no key has the counter \(value): the last one is \(last)")
        }
        guard isUsable else {
            let reason =
                value == 0 ? "the counter begins with 1" : "\(value.nonzeroBitCount) ones; the maximum is \(maxOneBits)"
            throw CryptographyError(.counter, "no transaction has the counter \(value): \(reason)")
        }
    }
}
