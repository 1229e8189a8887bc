/// Storage for secrets (samples of a swipe, bits, characters) that is overwritten before its memory is freed.
///
/// A reference type on purpose: results travel through arrays and streams, and every holder shares one copy, so no
/// second copy remains in memory. The content never changes after initialisation.
@safe
public final class WipedArray<Element: BitwiseCopyable & Sendable>: @unchecked Sendable, CustomStringConvertible {
    private let storage: UnsafeMutableBufferPointer<Element>

    /// Number of elements in the array.
    public var count: Int { unsafe storage.count }

    private init(storage: UnsafeMutableBufferPointer<Element>) { unsafe self.storage = storage }

    /// Copies a sequence's elements. The caller must wipe its own copy.
    public convenience init(_ elements: some Collection<Element>) {
        let storage = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = unsafe storage.initialize(fromContentsOf: elements)
        unsafe self.init(storage: storage)
    }

    deinit {
        let bytes = unsafe UnsafeMutableRawBufferPointer(storage)
        unsafe overwrite(bytes)
        unsafe storage.deallocate()
    }

    /// Runs a body over the elements. The caller must wipe anything that the body copies out.
    public borrowing func withElements<Result: ~Copyable, Failure: Error>(
        _ body: (Span<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeElements: UnsafeBufferPointer(storage)))
    }

    /// The number of elements, without their values.
    public var description: String { "\(count) wiped elements" }
}

/// Zeroes memory and passes it to an opaque call, so that the compiler cannot remove the stores as dead.
@inline(never)
func overwrite(_ bytes: UnsafeMutableRawBufferPointer) {
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe escape(bytes)
}

@inline(never)
@_optimize(none)
private func escape(_ bytes: UnsafeMutableRawBufferPointer) {}

extension Array where Element: BitwiseCopyable {
    /// Removes the elements and overwrites them (the array must not be shared); the capacity stays.
    package mutating func wipe() {
        zero(first: count)
        removeAll(keepingCapacity: true)
    }

    /// Removes the elements and overwrites the whole capacity, including the memory of elements removed earlier (the
    /// array must not be shared); the capacity stays.
    mutating func wipeCapacity() {
        zeroCapacity()
        removeAll(keepingCapacity: true)
    }

    /// Reserves space; if the elements move, their old memory is overwritten.
    package mutating func growWiping(toHold needed: Int) {
        if capacity < needed { moveWiping(to: Swift.max(needed, 2 * capacity)) }
    }

    /// Appends an element; if the others move, their old memory is overwritten.
    @inline(__always)
    mutating func appendWiping(_ element: Element) {
        growWiping(toHold: count + 1)
        append(element)
    }

    @inline(never)
    private mutating func moveWiping(to capacity: Int) {
        var larger: [Element] = []
        larger.reserveCapacity(capacity)
        larger.append(contentsOf: self)
        zeroCapacity()
        self = larger
    }

    /// Zeroes the whole capacity, including the memory of elements removed earlier; the array must not be shared.
    @inline(never)
    mutating func zeroCapacity() {
        // A shared array is copied here, to one with its own capacity.
        reserveCapacity(count)
        let capacity = capacity
        unsafe withUnsafeMutableBytes { bytes in
            guard capacity > 0, let start = bytes.baseAddress else { return }
            unsafe overwrite(.init(start: start, count: capacity * MemoryLayout<Element>.stride))
        }
    }

    /// Zeroes the first elements in place; the array must not be shared.
    mutating func zero(first count: Int) {
        unsafe withUnsafeMutableBytes { bytes in
            unsafe overwrite(UnsafeMutableRawBufferPointer(rebasing: bytes[..<(count * MemoryLayout<Element>.stride)]))
        }
    }
}

/// An array of card data (sound, bits, characters) within the decoder that is overwritten when its last holder releases
/// it.
///
/// Copies share one array until one of them is changed. Code that copies the array out of the wrapper must not keep it
/// longer than the wrapper.
@propertyWrapper
struct Wiped<Element: BitwiseCopyable & Sendable>: Sendable {
    private var storage: Storage

    init(wrappedValue: [Element]) { storage = Storage(wrappedValue) }

    var wrappedValue: [Element] {
        get { storage.elements }
        set { storage = Storage(newValue) }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.elements) }
            yield &storage.elements
        }
    }

    /// Changed only by a sole holder.
    private final class Storage: @unchecked Sendable {
        var elements: [Element]

        init(_ elements: [Element]) { self.elements = elements }

        deinit { elements.wipe() }
    }
}

/// A type that holds card data temporarily and can overwrite it.
protocol Wipeable {
    /// Overwrites all card data in the value.
    mutating func wipe()
}

/// Moves an array out of its owner without a copy, so that the owner's other properties can be read while the array is
/// changed.
@inline(__always)
func move<Element>(_ array: inout [Element]) -> [Element] {
    var moved: [Element] = []
    swap(&moved, &array)
    return moved
}
