/// A tone of whole periods, for about a given time.
public struct TimedTone: Sendable, Hashable {
    /// The tone.
    public var tone: Tone
    /// How long it lasts in seconds, 0 to 600, rounded to whole periods.
    public var seconds: Double

    /// A tone and its time.
    /// - Parameters:
    ///   - tone: the tone.
    ///   - seconds: how long it lasts, 0 to 600.
    public init(_ tone: Tone, seconds: Double) {
        self.tone = tone
        self.seconds = seconds
    }

    /// Appends the tone, full scale -1 to 1, channels interleaved; from the start of a period to the end of one.
    /// - Parameters:
    ///   - samples: what is appended to.
    ///   - sampleRate: frames per second, 8,000 to 192,000 Hz.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public func append(to samples: inout [Float], sampleRate: Double) throws(LineCodeError) {
        try LineCodeError.check("duration", seconds, 0...600, "s")
        var generator = try ToneGenerator(tone, sampleRate: sampleRate, ramp: .none)
        generator.append(periods: Int((seconds * generator.frequency).rounded()), to: &samples)
    }
}
