/// Which key a reader used, as X9.24-1 writes it for triple DES: 59 bits that name the initial key, 21 of a counter.
public struct KeySerialNumber: Sendable, Hashable, CustomStringConvertible {
    /// Ten bytes.
    public let bytes: [UInt8]

    /// Reads a serial number.
    /// - Parameter bytes: ten, or eight, which FF FF is put before.
    /// - Throws: ``DecryptionError`` with code `length`.
    public init(_ bytes: Span<UInt8>) throws(DecryptionError) {
        guard bytes.count == 10 || bytes.count == 8 else {
            throw DecryptionError(.length, "a KSN of \(bytes.count) bytes, where one has 10 or 8")
        }
        let padding = [UInt8](repeating: 0xFF, count: 10 - bytes.count)
        self.bytes = padding + bytes.indices.map { bytes[$0] }
    }

    /// Reads a serial number from hexadecimal digits.
    /// - Throws: ``DecryptionError`` with code `digit` or `length`.
    public init(hexadecimal text: String) throws(DecryptionError) {
        let digits = Array(text.utf8)
        let bytes = try HexadecimalDigits.bytes(of: digits.span)
        try self.init(bytes.span)
    }

    /// How often the reader has taken a new key.
    public var counter: TransactionCounter {
        .tripleDES(bytes[7...].reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The serial number of the next transaction.
    /// - Throws: ``DecryptionError`` with code `exhausted` where there is none.
    public func next() throws(DecryptionError) -> KeySerialNumber { with(try counter.next().value) }

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
    public var description: String { HexadecimalDigits.text(of: bytes) }
}
