/// Memory for secrets (keys, card data, the sound of a swipe), which is overwritten before it is freed.
///
/// It has one owner and cannot be copied. Types that share or parse secrets, such as `SecretBytes` and
/// `WipedArray`, keep them in it.
@safe
@usableFromInline
package struct SecretBuffer<Element: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    /// The elements, valid while the buffer exists.
    @unsafe @usableFromInline package let elements: UnsafeMutableBufferPointer<Element>

    /// The number of elements, 0 or more.
    @inlinable package var count: Int { unsafe elements.count }

    /// Allocates memory and sets all its bytes to 0. An empty buffer allocates nothing.
    /// - Parameter count: number of elements, 0 or more. An element of zero bytes must be valid.
    @inlinable
    package init(zeroed count: Int) {
        unsafe elements = count == 0 ? UnsafeMutableBufferPointer(start: nil, count: 0) : .allocate(capacity: count)
        unsafe overwrite(UnsafeMutableRawBufferPointer(elements))
    }

    /// Copies elements. The caller overwrites the original.
    @inlinable
    package init(copying source: some Collection<Element>) {
        unsafe elements = .allocate(capacity: source.count)
        _ = unsafe elements.initialize(fromContentsOf: source)
    }

    @inlinable
    deinit {
        unsafe overwrite(UnsafeMutableRawBufferPointer(elements))
        unsafe elements.deallocate()
    }

    /// Runs a body over the elements. The caller overwrites any copy that the body makes.
    @inlinable
    package borrowing func withElements<Result: ~Copyable, Failure: Error>(
        _ body: (Span<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let elements = unsafe UnsafeBufferPointer(elements)
        return try body(unsafe Span(_unsafeElements: elements))
    }

    /// Runs a body that writes the elements. The caller overwrites any copy that the body makes.
    @inlinable
    package mutating func withMutableElements<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let elements = unsafe elements
        var span = unsafe MutableSpan(_unsafeElements: elements)
        return try body(&span)
    }

    /// Overwrites some of the elements.
    @inlinable
    package borrowing func wipe(_ range: Range<Int>) {
        unsafe overwrite(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: elements[range])))
    }
}

/// Zeroes memory and passes it to an opaque call, so that the compiler cannot remove the stores as dead.
@inlinable
package func overwrite(_ bytes: UnsafeMutableRawBufferPointer) {
    guard unsafe !bytes.isEmpty else { return }
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe escape(bytes)
}

@inline(never)
@_optimize(none)
@usableFromInline
func escape(_ bytes: UnsafeMutableRawBufferPointer) {}

// Inlinable, so that other modules specialise them.
extension Array where Element: BitwiseCopyable {
    /// Removes the last elements and overwrites them (the array must not be shared); the capacity stays.
    /// - Parameter start: index of the first element to remove. Default: 0, all of them.
    @inlinable
    package mutating func wipe(from start: Int = 0) {
        let first = start * MemoryLayout<Element>.stride
        unsafe withUnsafeMutableBytes { bytes in
            unsafe overwrite(UnsafeMutableRawBufferPointer(rebasing: bytes[first...]))
        }
        removeLast(count - start)
    }

    /// Removes the elements and overwrites the whole capacity, including the memory of elements removed earlier (the
    /// array must not be shared); the capacity stays.
    @inlinable
    package mutating func wipeCapacity() {
        zeroCapacity()
        removeAll(keepingCapacity: true)
    }

    /// Reserves space; if the elements move, their old memory is overwritten.
    @inlinable
    package mutating func growWiping(toHold needed: Int) {
        if capacity < needed { moveWiping(to: Swift.max(needed, 2 * capacity)) }
    }

    /// Appends an element; if the others move, their old memory is overwritten.
    @inlinable
    @inline(__always)
    package mutating func appendWiping(_ element: Element) {
        growWiping(toHold: count + 1)
        append(element)
    }

    @inline(never)
    @inlinable
    package mutating func moveWiping(to capacity: Int) {
        var larger: [Element] = []
        larger.reserveCapacity(capacity)
        larger.append(contentsOf: self)
        zeroCapacity()
        self = larger
    }

    /// Zeroes the whole capacity, including the memory of elements removed earlier; the array must not be shared.
    @inline(never)
    @inlinable
    package mutating func zeroCapacity() {
        // A shared array is copied here, to one with its own capacity.
        reserveCapacity(count)
        let capacity = capacity
        unsafe withUnsafeMutableBytes { bytes in
            guard capacity > 0, let start = bytes.baseAddress else { return }
            unsafe overwrite(.init(start: start, count: capacity * MemoryLayout<Element>.stride))
        }
    }

    /// Zeroes the first elements in place; the array must not be shared.
    @inlinable
    package mutating func zero(first count: Int) {
        let end = count * MemoryLayout<Element>.stride
        unsafe withUnsafeMutableBytes { bytes in
            unsafe overwrite(UnsafeMutableRawBufferPointer(rebasing: bytes[..<end]))
        }
    }
}
