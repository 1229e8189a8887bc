import Glibc

/// Bytes of a frame that has only begun, which may be card data: a single owner, that overwrites them.
@safe
struct FrameBuffer: ~Copyable {
    private var storage: UnsafeMutableBufferPointer<UInt8>
    /// Where the bytes begin that are kept.
    private var first = 0
    private(set) var count = 0

    init() { unsafe storage = UnsafeMutableBufferPointer(start: nil, count: 0) }

    deinit {
        unsafe Self.wipe(storage)
        unsafe storage.deallocate()
    }

    /// Runs a body over what is kept.
    borrowing func withBytes<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) -> Result {
        guard let start = unsafe storage.baseAddress else { return body(Span()) }
        return body(unsafe Span(_unsafeElements: UnsafeBufferPointer(start: start + first, count: count)))
    }

    mutating func append(_ bytes: Span<UInt8>) {
        let isFull = unsafe first + count + bytes.count > storage.count
        if isFull { makeRoom(for: count + bytes.count) }
        unsafe bytes.withUnsafeBufferPointer { bytes in
            _ = unsafe storage[(first + count)...].update(fromContentsOf: bytes)
        }
        count += bytes.count
    }

    mutating func removeFirst(_ gone: Int) {
        unsafe Self.wipe(UnsafeMutableBufferPointer(rebasing: storage[first..<first + gone]))
        count -= gone
        first = count > 0 ? first + gone : 0
    }

    mutating func removeAll() { removeFirst(count) }

    /// Moves what is kept to the front, of larger memory where half of this would be full: each byte moves seldom.
    private mutating func makeRoom(for least: Int) {
        guard unsafe 2 * least > storage.count else {
            _ = unsafe storage.update(fromContentsOf: storage[first..<first + count])
            unsafe Self.wipe(UnsafeMutableBufferPointer(rebasing: storage[count..<first + count]))
            first = 0
            return
        }
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(2 * least, 64))
        unsafe larger.initialize(repeating: 0)
        _ = unsafe larger.update(fromContentsOf: storage[first..<first + count])
        unsafe Self.wipe(storage)
        unsafe storage.deallocate()
        unsafe storage = larger
        first = 0
    }

    /// Overwrites, which the compiler may not leave out.
    private static func wipe(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        unsafe explicit_bzero(start, bytes.count)
    }
}
