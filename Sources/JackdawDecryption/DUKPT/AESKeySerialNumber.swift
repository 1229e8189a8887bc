/// Which key a reader used, as X9.24-3 writes it for AES: eight bytes that name the initial key, four of a counter.
public struct AESKeySerialNumber: Sendable, Hashable, CustomStringConvertible {
    /// Twelve bytes.
    public let bytes: [UInt8]

    /// Reads a serial number.
    /// - Parameter bytes: twelve.
    /// - Throws: ``DecryptionError`` with code `length`.
    public init(_ bytes: Span<UInt8>) throws(DecryptionError) {
        guard bytes.count == 12 else {
            throw DecryptionError(.length, "a KSN of \(bytes.count) bytes, where one of AES has 12")
        }
        self.bytes = bytes.indices.map { bytes[$0] }
    }

    /// Reads a serial number from hexadecimal digits.
    /// - Throws: ``DecryptionError`` with code `digit` or `length`.
    public init(hexadecimal text: String) throws(DecryptionError) {
        let digits = Array(text.utf8)
        let bytes = try HexadecimalDigits.bytes(of: digits.span)
        try self.init(bytes.span)
    }

    /// How often the reader has taken a new key.
    public var counter: TransactionCounter { .aes(bytes[8...].reduce(0) { $0 << 8 | UInt32($1) }) }

    /// The serial number of the next transaction.
    /// - Throws: ``DecryptionError`` with code `exhausted` where there is none.
    public func next() throws(DecryptionError) -> AESKeySerialNumber { with(try counter.next().value) }

    /// The eight bytes that name the initial key.
    var initialKeyName: [UInt8] { Array(bytes[..<8]) }

    /// The last four of those and another counter.
    func transaction(_ counter: UInt32) -> [UInt8] { Array(with(counter).bytes[4...]) }

    /// The same initial key's number with another counter.
    func with(_ counter: UInt32) -> AESKeySerialNumber {
        let digits = [24, 16, 8, 0].map { UInt8(counter >> $0 & 255) }
        return AESKeySerialNumber(unchecked: initialKeyName + digits)
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// 24 hexadecimal digits.
    public var description: String { HexadecimalDigits.text(of: bytes) }
}
