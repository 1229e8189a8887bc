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
