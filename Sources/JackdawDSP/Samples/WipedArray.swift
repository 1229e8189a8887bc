import JackdawBytes

/// Storage for secrets (samples of a swipe, bits, characters) that is overwritten before its memory is freed.
///
/// A reference type on purpose: results travel through arrays and streams, and every holder shares one copy, so no
/// second copy remains in memory. The content never changes after initialisation.
public final class WipedArray<Element: BitwiseCopyable & Sendable>: Sendable, CustomStringConvertible {
    private let storage: SecretBuffer<Element>

    /// Number of elements in the array.
    public var count: Int { storage.count }

    private init(storage: consuming SecretBuffer<Element>) { self.storage = storage }

    /// Copies a sequence's elements. The caller must wipe its own copy.
    public convenience init(_ elements: some Collection<Element>) {
        self.init(storage: SecretBuffer(copying: elements))
    }

    /// Runs a body over the elements. The caller must wipe anything that the body copies out.
    public borrowing func withElements<Result: ~Copyable, Failure: Error>(
        _ body: (Span<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withElements(body)
    }

    /// The number of elements, without their values.
    public var description: String { "\(count) wiped elements" }
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
