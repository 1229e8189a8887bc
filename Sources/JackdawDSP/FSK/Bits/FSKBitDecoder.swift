/// Turns frequency shift keying without start and stop bits into a stream of bits.
///
/// Each ``LineEvent/character(_:)`` holds one bit, a value of 0 or 1. A burst begins and ends with its carrier, and no
/// bit in it is left out: where the carrier fades for less than forty bits, what was most likely is given, with little
/// confidence. Works from 50 to 9,600 baud at 8 to 192 kHz, whatever the number of samples a bit; finds the clock and the
/// tones of a burst where they are up to 5 % off. Phases have to be continuous.
public struct FSKBitDecoder: LineDecoder, CustomReflectable {
    /// The tones and the baud.
    public let shift: FrequencyShift
    /// Samples per second (Hz).
    public let sampleRate: Double

    private(set) var box: WipedBox<FSKBitReceiver>

    /// A decoder at the start of a recording.
    /// - Parameters:
    ///   - shift: tones and baud.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(_ shift: FrequencyShift, sampleRate: Double) throws(LineCodeError) {
        try shift.validate(sampleRate: sampleRate)
        self.shift = shift
        self.sampleRate = sampleRate
        box = WipedBox(FSKBitReceiver(shift, sampleRate: sampleRate))
    }

    /// Takes the next samples, full scale -1 to 1, and appends what they completed. A sample that is not a number, or is
    /// beyond any scale, counts as 0.
    public mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.receive(samples, into: &events)
    }

    /// Takes the next 16-bit samples and appends what they completed; the same events as for `Float` input.
    public mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.receive(samples, into: &events)
    }

    /// Ends the recording: appends what is still open and overwrites all sound.
    public mutating func finish(into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.finish(into: &events)
    }

    /// Forgets the past, overwrites all sound and starts a new recording.
    public mutating func reset() {
        WipedBox.makeUnique(&box)
        box.content.reset()
    }

    /// Reflection shows nothing of the bits.
    public var customMirror: Mirror {
        Mirror(self, children: ["shift": shift, "sampleRate": sampleRate], displayStyle: .struct)
    }
}
