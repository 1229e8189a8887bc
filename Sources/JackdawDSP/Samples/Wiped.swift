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
