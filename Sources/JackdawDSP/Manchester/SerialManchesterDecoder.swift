/// Turns the sound of a Manchester UART into characters, each found by itself among the ones around it.
///
/// Either polarity and a clock up to 5 % off are found. A character whose parity is wrong is given as not framed.
public struct SerialManchesterDecoder: LineDecoder, CustomReflectable {
    /// The line.
    public let line: SerialManchesterLine
    /// Samples per second (Hz).
    public let sampleRate: Double

    private var receiver: WipedBox<SerialManchesterReceiver>

    /// A decoder at the start of a recording.
    /// - Parameters:
    ///   - line: rates and idle bits.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz, and 4 for a bit at least.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(_ line: SerialManchesterLine = .hiJack, sampleRate: Double) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        self.line = line
        self.sampleRate = sampleRate
        receiver = WipedBox(SerialManchesterReceiver(line: line, sampleRate: sampleRate))
    }

    /// Takes the next samples, full scale -1 to 1, and appends the characters that they completed.
    public mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&receiver)
        receiver.content.receive(samples, into: &events) { $0.magnitude < 1e6 ? $0 : 0 }
    }

    /// Takes the next 16-bit samples and appends the characters that they completed.
    public mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&receiver)
        receiver.content.receive(samples, into: &events) { Float($0) * (1 / 32_768) }
    }

    /// Ends the recording: appends what is still open and overwrites all sound.
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
