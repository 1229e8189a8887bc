/// A tone that lasts: frequency, form, and the level and phase of each channel.
public struct Tone: Sendable, Hashable {
    /// One channel of a tone.
    public struct Channel: Sendable, Hashable {
        /// Level in dBFS, -120 to 0, which no sample exceeds; nil for silence.
        public var level: Double?
        /// Turns by which the channel is ahead, -1 to 1: a half is antiphase.
        public var phase: Double

        /// A channel; by default at -6 dBFS and in phase.
        /// - Parameters:
        ///   - level: in dBFS, -120 to 0; nil for silence.
        ///   - phase: turns by which the channel is ahead, -1 to 1.
        public init(level: Double? = -6, phase: Double = 0) {
            self.level = level
            self.phase = phase
        }

        /// A channel without sound.
        public static let silent = Channel(level: nil)
    }

    /// Frequency in Hz, 1 to half the sample rate (where a sine that begins at 0 stays there).
    public var frequency: Double
    /// The form of a period.
    public var waveform: ToneWaveform
    /// The channels in the order of a frame, 1 to 8.
    public var channels: [Channel]
    /// Whether the period is rounded to a whole number of frames, which changes the frequency.
    public var isWholeFrames: Bool

    /// A tone.
    /// - Parameters:
    ///   - frequency: in Hz, 1 to half the sample rate.
    ///   - waveform: the form of a period.
    ///   - channels: 1 to 8 channels in the order of a frame; one at -6 dBFS unless told.
    ///   - isWholeFrames: whether the period is rounded to a whole number of frames.
    public init(
        _ frequency: Double, _ waveform: ToneWaveform = .sine, channels: [Channel] = [Channel()],
        isWholeFrames: Bool = false
    ) {
        self.frequency = frequency
        self.waveform = waveform
        self.channels = channels
        self.isWholeFrames = isWholeFrames
    }

    /// The frequency that is heard.
    /// - Parameter sampleRate: frames per second (Hz).
    /// - Returns: Hz; another frequency than asked for where the period is rounded to whole frames.
    public func frequency(atSampleRate sampleRate: Double) -> Double {
        isWholeFrames ? sampleRate / (sampleRate / frequency).rounded() : frequency
    }
}

extension [Tone.Channel] {
    /// Two channels with the same sound.
    /// - Parameter level: in dBFS, -120 to 0.
    /// - Returns: left and right.
    public static func inPhase(level: Double) -> Self { Self(repeating: Tone.Channel(level: level), count: 2) }

    /// Two channels, the right one upside down: twice the voltage between them.
    /// - Parameter level: in dBFS, -120 to 0.
    /// - Returns: left and right.
    public static func antiphase(level: Double) -> Self {
        [Tone.Channel(level: level), Tone.Channel(level: level, phase: 0.5)]
    }
}

extension Tone {
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate(sampleRate: Double) throws(LineCodeError) {
        try LineCodeError.check("sample rate", sampleRate, FrequencyShift.sampleRates, "Hz")
        try LineCodeError.check("frequency", frequency, 1...sampleRate / 2, "Hz at this sample rate")
        try LineCodeError.check("number of channels", Double(channels.count), 1...8, "")
        for channel in channels {
            try LineCodeError.check("level", channel.level ?? 0, -120...0, "dBFS")
            try LineCodeError.check("phase", channel.phase, -1...1, "turns")
        }
    }

    /// The start of its period.
    func phase(sampleRate: Double) -> TonePhase {
        TonePhase(frequency: frequency, sampleRate: sampleRate, isWholeFrames: isWholeFrames)
    }
}
