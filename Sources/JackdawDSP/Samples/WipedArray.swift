/// Storage for secrets (samples of a swipe, bits, characters): overwritten before its memory is given back.
///
/// A reference type on purpose: results travel through arrays and streams, and every holder shares the one copy,
/// so no second copy is left behind. The content never changes after initialisation.
@safe
public final class WipedArray<Element: BitwiseCopyable & Sendable>: @unchecked Sendable, CustomStringConvertible,
    CustomReflectable
{
    private let storage: UnsafeMutableBufferPointer<Element>

    /// Number of elements.
    public var count: Int { unsafe storage.count }

    /// A copy of a sequence's elements. The caller's own copy is the caller's to wipe.
    public init(_ elements: some Collection<Element>) {
        unsafe storage = .allocate(capacity: elements.count)
        _ = unsafe storage.initialize(fromContentsOf: elements)
    }

    deinit {
        let bytes = unsafe UnsafeMutableRawBufferPointer(storage)
        unsafe overwrite(bytes)
        unsafe storage.deallocate()
    }

    /// Runs a body over the elements; what it copies out is the caller's to wipe.
    public borrowing func withElements<Result: ~Copyable, Failure: Error>(
        _ body: (Span<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeElements: UnsafeBufferPointer(storage)))
    }

    /// Says how much is held, never what.
    public var description: String { "\(count) wiped elements" }

    /// Reflection shows nothing of the content.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}

/// Zeroes memory and hands it to an opaque call, so that the compiler cannot drop the stores as dead.
@inline(never)
func overwrite(_ bytes: UnsafeMutableRawBufferPointer) {
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe escape(bytes)
}

@inline(never)
@_optimize(none)
private func escape(_ bytes: UnsafeMutableRawBufferPointer) {}

extension Array where Element: BitwiseCopyable {
    /// Removes the elements and overwrites them (the array must not be shared), and keeps the capacity.
    package mutating func wipe() {
        zero(first: count)
        removeAll(keepingCapacity: true)
    }

    /// Removes the elements and overwrites them and all that others left behind them (the array must not be shared), and
    /// keeps the capacity.
    mutating func wipeCapacity() {
        zeroCapacity()
        removeAll(keepingCapacity: true)
    }

    /// Makes room; what the elements leave behind where they move is overwritten.
    package mutating func growWiping(toHold needed: Int) {
        if capacity < needed { moveWiping(to: Swift.max(needed, 2 * capacity)) }
    }

    /// Appends an element; what the others leave behind where they move is overwritten.
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

    /// Zeroes the elements and all that others left behind them; the array must not be shared.
    @inline(never)
    mutating func zeroCapacity() {
        // A shared array becomes another one, with a capacity of its own.
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

/// An array of card data (sound, bits, characters) on its way through the decoder: overwritten when its last holder goes.
///
/// Copies share one array until one of them is changed. What takes the array out of it must not outlive it.
@propertyWrapper
struct Wiped<Element: BitwiseCopyable & Sendable>: Sendable, CustomReflectable {
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

    /// Reflection shows nothing of the content.
    var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Changed by a sole holder alone.
    private final class Storage: @unchecked Sendable {
        var elements: [Element]

        init(_ elements: [Element]) { self.elements = elements }

        deinit { elements.wipe() }
    }
}

/// Holds card data on their way and can overwrite them.
protocol Wipeable {
    /// Overwrites all card data.
    mutating func wipe()
}

/// A place for a state that holds card data: overwritten when its last holder goes. Copies share it; who changes it makes
/// it his own first, by ``makeUnique(_:)``.
final class WipedBox<Content: Wipeable & Sendable>: @unchecked Sendable {
    /// Changed by a sole holder alone.
    var content: Content

    init(_ content: Content) { self.content = content }

    deinit { content.wipe() }

    static func makeUnique(_ box: inout WipedBox) {
        if !isKnownUniquelyReferenced(&box) { box = WipedBox(box.content) }
    }
}

/// Takes an array out of its place, without a copy: what else is in its owner can then be looked at while it is changed.
@inline(__always)
func move<Element>(_ array: inout [Element]) -> [Element] {
    var moved: [Element] = []
    swap(&moved, &array)
    return moved
}
