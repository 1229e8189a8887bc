/// A tone of whole periods, of about a given duration.
public struct TimedTone: Sendable, Hashable {
    /// The tone, with its level and channels.
    public var tone: Tone
    /// Duration in seconds, 0 to 600, rounded to whole periods.
    public var seconds: Double

    /// Creates a tone with a duration.
    /// - Parameters:
    ///   - tone: the tone.
    ///   - seconds: duration in seconds, 0 to 600.
    public init(_ tone: Tone, seconds: Double) {
        self.tone = tone
        self.seconds = seconds
    }

    /// Appends the tone, full scale -1 to 1, channels interleaved; from the start of a period to the end of one.
    /// - Parameters:
    ///   - samples: the array to append to.
    ///   - sampleRate: frames per second, 8,000 to 192,000 Hz.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public func append(to samples: inout [Float], sampleRate: Double) throws(LineCodeError) {
        try LineCodeError.check("duration", seconds, 0...600, "s")
        var generator = try ToneGenerator(tone, sampleRate: sampleRate, ramp: .none)
        generator.append(periods: Int((seconds * generator.frequency).rounded()), to: &samples)
    }
}
