/// Which key a reader used, as X9.24-1 writes it for triple DES: 59 bits that name the initial key, 21 of a counter.
package struct KeySerialNumber: Sendable, Hashable, CustomStringConvertible {
    /// Ten bytes.
    package let bytes: [UInt8]

    /// Reads a serial number.
    /// - Parameter bytes: ten, or eight, which FF FF is put before.
    /// - Throws: ``DecryptionError`` with code `length`.
    package init(_ bytes: Span<UInt8>) throws(DecryptionError) {
        guard bytes.count == 10 || bytes.count == 8 else {
            throw DecryptionError(.length, "a KSN of \(bytes.count) bytes, where one has 10 or 8")
        }
        let padding = [UInt8](repeating: 0xFF, count: 10 - bytes.count)
        self.bytes = padding + bytes.indices.map { bytes[$0] }
    }

    /// Reads a serial number from hexadecimal digits.
    /// - Throws: ``DecryptionError`` with code `digit` or `length`.
    package init(hexadecimal text: String) throws(DecryptionError) {
        let digits = Array(text.utf8)
        let bytes = try HexadecimalDigits.bytes(of: digits.span)
        try self.init(bytes.span)
    }

    /// How often the reader has taken a new key.
    package var counter: TransactionCounter {
        .tripleDES(bytes[7...].reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The serial number of the next transaction.
    /// - Throws: ``DecryptionError`` with code `exhausted` where there is none.
    package func next() throws(DecryptionError) -> KeySerialNumber { with(try counter.next().value) }

    /// The last eight bytes, with another counter.
    func register(_ counter: UInt32) -> [UInt8] { Array(with(counter).bytes[2...]) }

    /// The first eight bytes without the counter, which name the initial key.
    var initialKeyName: [UInt8] { Array(with(0).bytes[..<8]) }

    private func with(_ counter: UInt32) -> KeySerialNumber {
        var bytes = bytes
        bytes[7] = bytes[7] & 0xE0 | UInt8(counter >> 16)
        bytes[8] = UInt8(counter >> 8 & 255)
        bytes[9] = UInt8(counter & 255)
        return KeySerialNumber(unchecked: bytes)
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// 20 hexadecimal digits.
    package var description: String { HexadecimalDigits.text(of: bytes) }
}

/// How often a reader has taken a new key from the one that was put into it (DUKPT). Only counters with few ones are used, so
/// that no key takes many steps.
package struct TransactionCounter: Sendable, Hashable {
    /// The number, from 1 for the first transaction.
    package let value: UInt32
    /// Bits of the number.
    package let width: Int
    /// Ones that a counter in use has at most.
    package let mostOnes: Int

    /// The counter of X9.24-1, for triple DES: 21 bits, ten of them ones.
    static func tripleDES(_ value: UInt32) -> TransactionCounter {
        TransactionCounter(value: value & 0x1F_FFFF, width: 21, mostOnes: 10)
    }

    /// The counter of X9.24-3, for AES: 32 bits, 16 of them ones.
    static func aes(_ value: UInt32) -> TransactionCounter { TransactionCounter(value: value, width: 32, mostOnes: 16) }

    /// Whether a transaction may have it.
    package var isUsable: Bool { value != 0 && value.nonzeroBitCount <= mostOnes }

    /// Whether it is behind the last that a transaction may have.
    package var isExhausted: Bool { value > last }

    /// The last that a transaction may have: all its ones on the left.
    private var last: UInt32 { (UInt32(1) << mostOnes - 1) << (width - mostOnes) }

    /// The next one that a transaction may have.
    /// - Throws: ``DecryptionError`` with code `exhausted` where there is none.
    package func next() throws(DecryptionError) -> TransactionCounter {
        guard value < last else {
            throw DecryptionError(.exhausted, "the reader has used its last key: it needs a new initial key")
        }
        var next = value + 1
        // Between a number and the one that its lowest one carries to, all have as many ones or more.
        while next.nonzeroBitCount > mostOnes { next += next & ~(next - 1) }
        return TransactionCounter(value: next, width: width, mostOnes: mostOnes)
    }

    /// The ones of the number, from the left, each with those before it.
    var steps: [UInt32] {
        (0..<width).reversed().filter { value >> $0 & 1 == 1 }.map { value & (UInt32.max << $0) }
    }

    func checkUse() throws(DecryptionError) {
        guard !isExhausted else {
            throw DecryptionError(.exhausted, "no key has the counter \(value): the last one is \(last)")
        }
        guard isUsable else {
            let reason =
                value == 0 ? "it begins with 1" : "\(value.nonzeroBitCount) ones, where \(mostOnes) are the most"
            throw DecryptionError(.counter, "no transaction has the counter \(value): \(reason)")
        }
    }
}
