import JackdawBytes

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

/// A ``SoundReceiver`` of any line code. A base class in place of a protocol's value, which Embedded Swift does not have;
/// calls go through the class's table, once a block of samples.
class AnyReceiver: @unchecked Sendable {
    fileprivate init() {}

    func receive(_ samples: Span<Float>, into events: inout [LineEvent]) { fatalError("a subclass overrides it") }
    func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) { fatalError("a subclass overrides it") }
    func finish(into events: inout [LineEvent]) { fatalError("a subclass overrides it") }
    func reset() { fatalError("a subclass overrides it") }

    /// A second box with the same content.
    fileprivate func copy() -> AnyReceiver { fatalError("a subclass overrides it") }

    static func makeUnique(_ receiver: inout AnyReceiver) {
        if !isKnownUniquelyReferenced(&receiver) { receiver = receiver.copy() }
    }
}

/// A box for a state that holds card data, which is overwritten when its last holder releases it. Copies share it; a
/// holder calls `makeUnique` before it changes the content.
final class WipedBox<Content: SoundReceiver>: AnyReceiver, @unchecked Sendable {
    /// Changed only by a sole holder.
    var content: Content

    init(_ content: Content) { self.content = content }

    deinit { content.wipe() }

    override func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        content.receive(samples, into: &events)
    }
    override func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        content.receive(samples, into: &events)
    }
    override func finish(into events: inout [LineEvent]) { content.finish(into: &events) }
    override func reset() { content.reset() }
    override fileprivate func copy() -> AnyReceiver { WipedBox(content) }

    static func makeUnique(_ box: inout WipedBox) {
        if !isKnownUniquelyReferenced(&box) { box = WipedBox(box.content) }
    }
}

/// A ``LineEncoder`` of any line code, as ``AnyReceiver`` is a receiver of any.
class AnyEncoder: @unchecked Sendable {
    fileprivate init() {}

    func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) { fatalError("a subclass overrides it") }
    func finish(into samples: inout [Float]) { fatalError("a subclass overrides it") }
    func idle(seconds: Double, into samples: inout [Float]) { fatalError("a subclass overrides it") }
    func reset() { fatalError("a subclass overrides it") }

    /// A second box with the same encoder.
    fileprivate func copy() -> AnyEncoder { fatalError("a subclass overrides it") }

    static func makeUnique(_ encoder: inout AnyEncoder) {
        if !isKnownUniquelyReferenced(&encoder) { encoder = encoder.copy() }
    }
}

/// A box for an encoder. Copies share it; a holder calls `makeUnique` before it changes the encoder.
final class EncoderBox<Encoder: LineEncoder>: AnyEncoder, @unchecked Sendable {
    /// Changed only by a sole holder.
    private var encoder: Encoder

    init(_ encoder: Encoder) { self.encoder = encoder }

    override func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) { encoder.encode(bytes, into: &samples) }
    override func finish(into samples: inout [Float]) { encoder.finish(into: &samples) }
    override func idle(seconds: Double, into samples: inout [Float]) { encoder.idle(seconds: seconds, into: &samples) }
    override func reset() { encoder.reset() }
    override fileprivate func copy() -> AnyEncoder { EncoderBox(encoder) }
}
