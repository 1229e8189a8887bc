/// Turns the sound of a MagTek audio-jack reader into the data of its packets, or into whole packets.
///
/// Each nibble's chips are followed and decided together as on a ``NibbleLine``, which its UART frame makes it one of. Nothing
/// is given of a packet whose identifier, number and length do not fit; one whose checksum fails is given as it was heard, to
/// be asked for again.
public struct DynamoDecoder: LineDecoder, CustomReflectable {
    /// The line.
    public let line: DynamoLine
    /// Samples per second (Hz).
    public let sampleRate: Double

    private var receiver: WipedBox<NibbleReceiver<DynamoLine>>

    /// A decoder at the start of a recording.
    /// - Parameters:
    ///   - line: rates and identifiers.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz, and 2.1 for a line bit at least.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(_ line: DynamoLine = .reader, sampleRate: Double) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        self.line = line
        self.sampleRate = sampleRate
        receiver = WipedBox(NibbleReceiver(format: line, sampleRate: sampleRate))
    }

    /// Takes the next samples, full scale -1 to 1, and appends the packets that they completed.
    public mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&receiver)
        receiver.content.receive(samples, into: &events) { $0.magnitude < 1e6 ? $0 : 0 }
    }

    /// Takes the next 16-bit samples and appends the packets that they completed.
    public mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&receiver)
        receiver.content.receive(samples, into: &events) { Float($0) * (1 / 32_768) }
    }

    /// Ends the recording: appends a packet that is still open and overwrites all sound.
    public mutating func finish(into events: inout [LineEvent]) {
        WipedBox.makeUnique(&receiver)
        receiver.content.finish(into: &events)
    }

    /// Forgets the past and starts a new recording.
    public mutating func reset() {
        WipedBox.makeUnique(&receiver)
        receiver.content.reset()
    }

    /// Reflection shows nothing of the sound.
    public var customMirror: Mirror {
        Mirror(self, children: ["line": line, "sampleRate": sampleRate], displayStyle: .struct)
    }
}
