import Glibc

/// Bytes of a frame that has only begun, which may be card data: a single owner, that overwrites them.
@safe
struct FrameBuffer: ~Copyable {
    private var storage: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init() { unsafe storage = UnsafeMutableBufferPointer(start: nil, count: 0) }

    deinit {
        unsafe Self.wipe(storage, count)
        unsafe storage.deallocate()
    }

    /// Runs a body over what is kept.
    borrowing func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(unsafe Span(_unsafeElements: UnsafeBufferPointer(start: storage.baseAddress, count: count)))
    }

    mutating func append(_ bytes: Span<UInt8>) {
        if unsafe count + bytes.count > storage.count { grow(to: count + bytes.count) }
        for index in bytes.indices { unsafe storage[count + index] = bytes[index] }
        count += bytes.count
    }

    mutating func removeFirst(_ gone: Int) {
        guard gone > 0 else { return }
        for index in gone..<count { unsafe storage[index - gone] = storage[index] }
        let left = count - gone
        unsafe Self.wipe(UnsafeMutableBufferPointer(rebasing: storage[left..<count]), gone)
        count = left
    }

    mutating func removeAll() { removeFirst(count) }

    private mutating func grow(to least: Int) {
        let size = unsafe max(least, 2 * storage.count, 64)
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: size)
        unsafe larger.initialize(repeating: 0)
        for index in 0..<count { unsafe larger[index] = storage[index] }
        unsafe Self.wipe(storage, count)
        unsafe storage.deallocate()
        unsafe storage = larger
    }

    /// Overwrites, which the compiler may not leave out.
    private static func wipe(_ bytes: UnsafeMutableBufferPointer<UInt8>, _ count: Int) {
        guard let first = bytes.baseAddress else { return }
        unsafe explicit_bzero(first, count)
    }
}
