package import JackdawBytes

/// The owner of secret bytes. It cannot be copied implicitly, and overwrites its memory before releasing it.
///
/// ``description`` shows none of the content; a noncopyable value cannot be reflected or dumped either.
public struct SecretBytes: ~Copyable, Sendable {
    private var buffer: SecretBuffer<UInt8>

    /// Number of bytes it holds.
    public var count: Int { buffer.count }

    /// Copies bytes. The caller wipes the original.
    public init(copying bytes: Span<UInt8>) {
        self.init(count: bytes.count) { target in
            for index in bytes.indices { target[index] = bytes[index] }
        }
    }

    /// Allocates zeroed memory, and lets `fill` write the content.
    /// - Parameters:
    ///   - count: number of bytes, not negative.
    ///   - fill: writes the content; it receives exactly `count` bytes. If it throws, the bytes are overwritten.
    /// - Throws: the error of `fill`.
    public init<Failure: Error>(
        count: Int, fill: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var memory = SecretBuffer<UInt8>(zeroed: count)
        try memory.withMutableElements(fill)
        buffer = memory
    }

    /// Decodes hexadecimal digits.
    /// - Parameter digits: ASCII characters of either case, two a byte.
    /// - Throws: `HexadecimalError` if there is another character, or half a byte.
    package init(hexadecimal digits: Span<UInt8>) throws(HexadecimalError) {
        try self.init(count: digits.count / 2) { (bytes) throws(HexadecimalError) in
            var next = 0
            try digits.decodeHexadecimal {
                bytes[next] = $0
                next += 1
            }
        }
    }

    /// Runs a body over the bytes. The caller wipes any copy that the body makes.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try buffer.withElements(body)
    }

    /// Runs a body that may change the bytes. The caller wipes any copy that the body makes.
    package mutating func withMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try buffer.withMutableElements(body)
    }

    /// A second owner of the same content. Copying is always explicit, as there is no other way.
    public borrowing func clone() -> SecretBytes {
        withBytes { SecretBytes(copying: $0) }
    }

    /// Whether both hold the same bytes; the time taken depends only on the lengths.
    public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        withBytes { own in other.withBytes { isEqualInConstantTime(own, $0) } }
    }

    /// The number of bytes, and none of their content.
    public var description: String { "\(count) secret bytes" }
}

/// Compares without stopping at the first difference, so that the time does not reveal its place.
@inline(never)
func isEqualInConstantTime(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}
