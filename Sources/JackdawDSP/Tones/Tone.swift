/// A tone that lasts: frequency, form, and the level and phase of each channel.
public struct Tone: Sendable, Hashable {
    /// Sample rates at which tones are made, in Hz.
    static let sampleRates = 8_000.0...192_000.0

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
        try LineCodeError.check("sample rate", sampleRate, Self.sampleRates, "Hz")
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

/// What a tone sounds like at any phase: its form, and the amplitude and phase of each channel.
struct ToneShape: Sendable {
    private struct Channel: Sendable {
        var amplitude: Double
        var turns: Double
    }

    private let waveform: ToneWaveform
    /// Within the shape, as many as a tone may have: a change that is asked for while it plays takes no memory.
    private var channels = InlineArray<8, Channel>(repeating: Channel(amplitude: 0, turns: 0))

    /// The sound of a tone.
    init(_ tone: Tone) { self.init(tone.waveform, tone.channels) }

    /// The sound of some channels.
    init(_ waveform: ToneWaveform, _ channels: [Tone.Channel]) {
        self.waveform = waveform
        for index in channels.indices {
            let channel = channels[index]
            self.channels[index] = Channel(
                amplitude: channel.level.map { Numerics.amplitude(decibels: $0) } ?? 0, turns: channel.phase)
        }
    }

    /// Silence.
    init() { waveform = .sine }

    /// Whether no channel has sound.
    var isSilent: Bool {
        for index in channels.indices where channels[index].amplitude > 0 { return false }
        return true
    }

    /// A channel's sample.
    /// - Parameters:
    ///   - index: the channel.
    ///   - turns: place in the period.
    ///   - step: turns from one frame to the next.
    /// - Returns: -1 to 1.
    @inline(__always)
    func value(channel index: Int, turns: Double, step: Double) -> Double {
        let channel = channels[index]
        guard channel.amplitude > 0 else { return 0 }
        return channel.amplitude * waveform.value(turns: turns + channel.turns, step: step)
    }
}
