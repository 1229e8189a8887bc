import Glibc

/// Bytes that may be card data or a key: they do not change, are shared and not copied, and are overwritten when nobody has
/// them any more.
@safe
final class WipedBytes: @unchecked Sendable, Hashable, ExpressibleByArrayLiteral {
    let count: Int
    private let storage: UnsafeMutableRawBufferPointer

    /// - Parameters:
    ///   - capacity: bytes that there is room for.
    ///   - fill: writes bytes and returns their number.
    init(capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        unsafe storage = .allocate(byteCount: capacity, alignment: 1)
        count = unsafe fill(storage)
    }

    /// - Parameter bytes: what is copied, and stays as it is.
    convenience init(_ bytes: some Collection<UInt8>) {
        unsafe self.init(capacity: bytes.count) { buffer in
            unsafe buffer.copyBytes(from: bytes)
            return buffer.count
        }
    }

    convenience init(arrayLiteral bytes: UInt8...) { self.init(bytes) }

    deinit {
        if let start = unsafe storage.baseAddress { unsafe explicit_bzero(start, storage.count) }
        unsafe storage.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// A copy, which is not overwritten.
    var array: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

    /// Lends the bytes.
    func withBytes(_ body: (Span<UInt8>) -> Void) {
        unsafe withUnsafeBytes { bytes in unsafe bytes.withMemoryRebound(to: UInt8.self) { unsafe body($0.span) } }
    }

    /// Lends the bytes to a function of C.
    func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        unsafe body(UnsafeRawBufferPointer(rebasing: storage[..<count]))
    }

    static func == (left: WipedBytes, right: WipedBytes) -> Bool {
        unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in unsafe left.elementsEqual(right) }
        }
    }

    func hash(into hasher: inout Hasher) { unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
}
