/// Turns the sound of a nibble line into characters: sync by correlation, then the best path through the burst.
///
/// Either polarity, a clock up to 5 % off, a standing offset and hum are found and followed. Characters come when their burst
/// is over, since its check may turn bits of them over.
public struct NibbleLineDecoder: LineDecoder, CustomReflectable {
    /// The line.
    public let line: NibbleLine
    /// Samples per second (Hz).
    public let sampleRate: Double

    private var receiver: WipedBox<NibbleReceiver<NibbleLine>>

    /// A decoder at the start of a recording.
    /// - Parameters:
    ///   - line: rates, sync and checks.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz, and 2.1 for a chip at least.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(_ line: NibbleLine = .uniMag, sampleRate: Double) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        self.line = line
        self.sampleRate = sampleRate
        receiver = WipedBox(NibbleReceiver(format: line, sampleRate: sampleRate))
    }

    /// Takes the next samples, full scale -1 to 1, and appends the bursts that they completed.
    public mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&receiver)
        receiver.content.receive(samples, into: &events) { $0.magnitude < 1e6 ? $0 : 0 }
    }

    /// Takes the next 16-bit samples and appends the bursts that they completed.
    public mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&receiver)
        receiver.content.receive(samples, into: &events) { Float($0) * (1 / 32_768) }
    }

    /// Ends the recording: appends a burst that is still open and overwrites all sound.
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
