extension Array where Element: BitwiseCopyable {
    /// Removes the last elements, which may be card data, overwrites them and keeps the capacity. The array must not be
    /// shared.
    mutating func removeWiping(from start: Int = 0) {
        unsafe withUnsafeMutableBytes { bytes in
            let removed = unsafe bytes[(start * MemoryLayout<Element>.stride)...]
            unsafe overwrite(UnsafeMutableRawBufferPointer(rebasing: removed))
        }
        removeLast(count - start)
    }

    /// Reserves capacity; the memory that the elements leave is overwritten.
    mutating func growWiping(by added: Int) {
        guard capacity < count + added else { return }
        var larger: [Element] = []
        larger.reserveCapacity(Swift.max(count + added, 2 * capacity))
        larger.append(contentsOf: self)
        removeWiping()
        self = larger
    }
}

/// Zeroes memory and passes it to an opaque call, so that the compiler cannot drop the stores as dead.
@inline(never)
private func overwrite(_ bytes: UnsafeMutableRawBufferPointer) {
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe escape(bytes)
}

@inline(never)
@_optimize(none)
private func escape(_ bytes: UnsafeMutableRawBufferPointer) {}
