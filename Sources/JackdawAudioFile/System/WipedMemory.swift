import Glibc

/// Memory for samples, taken when first needed and overwritten before it is given back: recordings of swipes are card
/// data.
@safe
struct WipedMemory<Sample: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    private let count: Int
    private var storage: UnsafeMutableBufferPointer<Sample>?

    /// - Parameter count: number of samples, 1 or more.
    init(count: Int) { self.count = count }

    deinit {
        guard let storage = unsafe storage else { return }
        unsafe wipe(UnsafeMutableRawBufferPointer(storage))
        unsafe storage.deallocate()
    }

    /// The memory, zeroed at first.
    mutating func buffer() -> UnsafeMutableBufferPointer<Sample> {
        if let storage = unsafe storage { return unsafe storage }
        let new = UnsafeMutableBufferPointer<Sample>.allocate(capacity: count)
        unsafe wipe(UnsafeMutableRawBufferPointer(new))
        unsafe storage = new
        return unsafe new
    }
}

/// Zeroes memory in a way that the compiler does not take for superfluous. The corresponding C function is
/// `explicit_bzero`.
func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    if let base = bytes.baseAddress { unsafe explicit_bzero(base, bytes.count) }
}
