/// A continuous tone: frequency, waveform, and the level and phase of each channel.
public struct Tone: Sendable, Hashable {
    /// Sample rates at which tones can be generated, in Hz.
    static let sampleRates = 8_000.0...192_000.0

    /// One channel of a tone.
    public struct Channel: Sendable, Hashable {
        /// Level in dBFS, -120 to 0, which no sample exceeds; nil for silence.
        public var level: Double?
        /// Turns by which the channel is ahead, -1 to 1: a half is antiphase.
        public var phase: Double

        /// Creates a channel; by default at -6 dBFS and in phase.
        /// - Parameters:
        ///   - level: level in dBFS, -120 to 0; nil for silence.
        ///   - phase: turns by which the channel is ahead, -1 to 1.
        public init(level: Double? = -6, phase: Double = 0) {
            self.level = level
            self.phase = phase
        }

        /// A channel without sound.
        public static let silent = Channel(level: nil)
    }

    /// Frequency in Hz, 1 to half the sample rate (at which a sine that begins at 0 stays at 0).
    public var frequency: Double
    /// The waveform of a period; default: a sine.
    public var waveform: ToneWaveform
    /// The channels in the order of a frame, 1 to 8.
    public var channels: [Channel]
    /// Whether the period is rounded to a whole number of frames, which changes the frequency.
    public var isWholeFrames: Bool

    /// Creates a tone; generators check its range.
    /// - Parameters:
    ///   - frequency: frequency in Hz, 1 to half the sample rate.
    ///   - waveform: the waveform of a period.
    ///   - channels: 1 to 8 channels in the order of a frame; default: one at -6 dBFS.
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

    /// The actual frequency of the tone.
    /// - Parameter sampleRate: frames per second (Hz).
    /// - Returns: the frequency in Hz, which differs from `frequency` if the period is rounded to whole frames.
    public func frequency(atSampleRate sampleRate: Double) -> Double {
        isWholeFrames ? sampleRate / (sampleRate / frequency).rounded() : frequency
    }
}

extension [Tone.Channel] {
    /// Two channels with the same sound.
    /// - Parameter level: level in dBFS, -120 to 0.
    /// - Returns: left and right.
    public static func inPhase(level: Double) -> Self { Self(repeating: Tone.Channel(level: level), count: 2) }

    /// Two channels, the right one inverted: twice the voltage between them.
    /// - Parameter level: level in dBFS, -120 to 0.
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

    /// The phase at the start of a period.
    func phase(sampleRate: Double) -> TonePhase {
        TonePhase(frequency: frequency, sampleRate: sampleRate, isWholeFrames: isWholeFrames)
    }
}

/// The sound of a tone at any phase: its waveform, and the amplitude and phase of each channel.
struct ToneShape: Sendable {
    private struct Channel: Sendable {
        var amplitude: Double
        var turns: Double
    }

    private let waveform: ToneWaveform
    /// Stored inline, with room for 8 channels, the most of a tone: a change during playback does not allocate.
    /// Channels that the tone does not have are silent.
    private var channels = InlineArray<8, Channel>(repeating: Channel(amplitude: 0, turns: 0))

    /// Creates the shape of a tone.
    init(_ tone: Tone) { self.init(tone.waveform, tone.channels) }

    /// Creates a shape from a waveform and channels.
    init(_ waveform: ToneWaveform, _ channels: [Tone.Channel]) {
        self.waveform = waveform
        for index in channels.indices {
            let channel = channels[index]
            self.channels[index] = Channel(
                amplitude: channel.level.map { Numerics.amplitude(decibels: $0) } ?? 0, turns: channel.phase)
        }
    }

    /// Creates a silent shape.
    init() { waveform = .sine }

    /// Whether all channels are silent.
    var isSilent: Bool {
        for index in channels.indices where channels[index].amplitude > 0 { return false }
        return true
    }

    /// A channel's sample.
    /// - Parameters:
    ///   - index: the channel.
    ///   - turns: position in the period.
    ///   - step: turns from one frame to the next.
    /// - Returns: the sample, -1 to 1.
    @inline(__always)
    func value(channel index: Int, turns: Double, step: Double) -> Double {
        let channel = channels[index]
        guard channel.amplitude > 0 else { return 0 }
        return channel.amplitude * waveform.value(turns: turns + channel.turns, step: step)
    }
}
