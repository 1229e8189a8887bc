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
