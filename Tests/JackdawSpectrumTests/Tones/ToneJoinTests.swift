import JackdawDSP
import JackdawSpectrum
import Testing

/// Joins of tones: the phase before one, followed up to it, is the phase after it, followed back.
@Suite struct ToneJoinTests {
    private static let rates = ToneSpectrumTests.rates
    private static let count = 1 << 14

    /// The phase at a place by the stretch before it less that by the stretch after it, in turns.
    private func jump(_ samples: [Float], at join: Double, from first: Double, to second: Double, rate: Double)
        -> Double
    {
        // The stretches keep clear of the join, to a sample.
        let (end, start) = (Int(join) - 1, Int(join) + 2)
        let before = ToneSpectrum(samples, from: end - Self.count, count: Self.count, sampleRate: rate)
            .turns(at: join - Double(end - Self.count), frequency: first)
        let after = ToneSpectrum(samples, from: start, count: Self.count, sampleRate: rate)
            .turns(at: join - Double(start), frequency: second)
        return after - before - (after - before).rounded()
    }

    /// The frequency changes at once, at the end of a period, which lies between samples.
    @Test(arguments: rates, [false, true]) func tonesFollowEachOther(rate: Double, isWholeFrames: Bool) throws {
        func tone(_ frequency: Double) -> Tone {
            Tone(frequency, channels: [.init(level: 0)], isWholeFrames: isWholeFrames)
        }
        var generator = try ToneGenerator(tone(2_400), sampleRate: rate, ramp: .none)
        let (first, second) = (tone(2_400).frequency(atSampleRate: rate), tone(2_000).frequency(atSampleRate: rate))
        var samples: [Float] = []
        generator.append(frames: Self.count + 1_001, to: &samples)
        let periods = (Double(samples.count) * first / rate).rounded(.up)
        try generator.change(to: tone(2_000), ramp: .none)
        generator.append(frames: Self.count + 1_000, to: &samples)
        let missed = jump(samples, at: periods / first * rate, from: first, to: second, rate: rate)
        #expect(abs(missed) < 1e-5)
    }

    /// A glide: the phase moves on by the mean of both frequencies.
    @Test(arguments: rates) func glidesKeepThePhase(rate: Double) throws {
        func tone(_ frequency: Double) -> Tone { Tone(frequency, channels: [.init(level: 0)]) }
        var generator = try ToneGenerator(tone(1_000), sampleRate: rate, ramp: .none)
        var samples: [Float] = []
        generator.append(frames: 2 * Self.count, to: &samples)
        let start = (Double(samples.count) * 1_000 / rate).rounded(.up) / 1_000 * rate
        try generator.change(to: tone(1_500), ramp: ToneRamp(.linear, seconds: 0.1))
        let length = (0.1 * rate).rounded()
        generator.append(frames: Int(length) + 2 * Self.count, to: &samples)
        let before = ToneSpectrum(samples, from: 0, count: Self.count, sampleRate: rate)
            .turns(at: start.rounded(.up), frequency: 1_000)
        let behind = Int(start.rounded(.up) + length) + 10
        let after = ToneSpectrum(samples, from: behind, count: Self.count, sampleRate: rate)
            .turns(at: -10, frequency: 1_500)
        // Of so many steps the first is of the old frequency and the last just short of the new one.
        let glided = length * 1_250 / rate - 500 / rate / 2
        let missed = after - before - glided
        #expect(abs(missed - missed.rounded()) < 1e-5)
    }

    /// A command of whole periods of the power tone's own frequency cannot be distinguished from the tone: one line, no
    /// join.
    @Test(arguments: rates) func insertedPeriodsOfTheSameToneAreNoJoin(rate: Double) throws {
        let tone = Tone(2_000, channels: .antiphase(level: 0), isWholeFrames: true)
        var line = try PoweredLine(tone, sampleRate: rate, ramp: .none)
        var command: [Float] = []
        var generator = try ToneGenerator(tone, sampleRate: rate, ramp: .none)
        generator.append(periods: 101, to: &command)
        var samples: [Float] = []
        for frames in [10_001, 20_003, 50_007] {
            line.append(frames: frames, to: &samples)
            try line.enqueue(command, .inserted)
        }
        line.append(frames: 60_000, to: &samples)
        let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        let spectrum = ToneSpectrum(left, count: 1 << 17, sampleRate: rate)
        #expect(spectrum.worstSpurious() < -90)
    }

    /// UniMag's command, as sines to see its joins: the power tone's phase before, at every join of symbols, and after.
    @Test(arguments: [24_000.0, 44_100, 48_000, 96_000, 192_000], [false, true])
    func commandsJoinThePowerTone(rate: Double, isWholeFrames: Bool) throws {
        // Symbols long enough to see their phase, with ends between samples where periods are not whole frames.
        let shift = FourToneShift(periodsPerSymbol: 1_000, waveform: .sine, isWholeFrames: isWholeFrames)
        let profile = UniMagCommandProfile(shift: shift, leadingPeriods: 15_000, preamble: [], trailingPeriods: 15_000)
        var encoder = try FourToneEncoder(profile: profile, sampleRate: rate)
        var samples: [Float] = []
        encoder.encodeCommand([0b11_11_11_11, 0b01_01_01_01].span, into: &samples)

        let power = Tone(2_000, isWholeFrames: isWholeFrames).frequency(atSampleRate: rate)
        var (place, last) = (15_000 / power * rate, power)
        for (value, periods) in [(3, 4_000.0), (1, 4_000)] {
            let frequency = shift.frequency(of: value, atSampleRate: rate)
            #expect(abs(jump(samples, at: place, from: last, to: frequency, rate: rate)) < 1e-5)
            place += periods / frequency * rate
            last = frequency
        }
        #expect(abs(jump(samples, at: place, from: last, to: power, rate: rate)) < 1e-5)
    }
}
