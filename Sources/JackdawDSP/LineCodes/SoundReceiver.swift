/// The state of a decoder of a line code. It holds card data.
protocol SoundReceiver: Sendable, Wipeable {
    /// Processes samples, full scale -1 to 1, and appends the events that they complete.
    mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent])
    /// Processes 16-bit samples and appends the events that they complete.
    mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent])
    /// Ends the recording: appends the pending events and overwrites all sound.
    mutating func finish(into events: inout [LineEvent])
    /// Overwrites all sound and starts a new recording.
    mutating func reset()
}

/// A box for a state that holds card data, which is overwritten when its last holder releases it. Copies share it; a
/// holder calls `makeUnique` before it changes the content.
final class WipedBox<Content: SoundReceiver>: @unchecked Sendable {
    /// Changed only by a sole holder.
    var content: Content

    init(_ content: Content) { self.content = content }

    deinit { content.wipe() }

    /// A second box with the same content.
    func copy() -> WipedBox { WipedBox(content) }

    static func makeUnique(_ box: inout WipedBox) {
        if !isKnownUniquelyReferenced(&box) { box = box.copy() }
    }
}
