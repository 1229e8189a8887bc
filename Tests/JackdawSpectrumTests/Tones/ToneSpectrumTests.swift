import JackdawDSP
import JackdawSpectrum
import Testing

/// What the tone generators put out, seen by its spectrum.
@Suite struct ToneSpectrumTests {
    static let rates = [8_000.0, 24_000, 44_100, 48_000, 96_000, 192_000]

    private func render(_ tone: Tone, rate: Double, frames: Int) throws -> [Float] {
        var generator = try ToneGenerator(tone, sampleRate: rate, ramp: .none)
        var samples: [Float] = []
        generator.append(frames: frames, to: &samples)
        return samples
    }

    /// Frequencies in Hz below half a sample rate, some of them with no simple ratio to it.
    private func frequencies(_ rate: Double) -> [Double] {
        [100, 440.1, 1_000, 2_000, 3_333.333, 0.1234567 * rate, 0.2345 * rate, 0.3718 * rate, 0.4871 * rate]
    }

    @Test(arguments: rates) func sinesArePureAndTrue(rate: Double) throws {
        for frequency in frequencies(rate) {
            let samples = try render(Tone(frequency, channels: [.init(level: 0)]), rate: rate, frames: 1 << 16)
            let measured = ToneSpectrum.frequency(samples, count: 1 << 15, sampleRate: rate)
            #expect(abs(measured / frequency - 1) < 1e-6, "\(frequency) Hz")
            let spectrum = ToneSpectrum(samples, count: 1 << 16, sampleRate: rate)
            // As far down as the window shows.
            #expect(spectrum.worstSpurious() < -90, "\(frequency) Hz")
        }
    }

    /// The same at 16 bits, as sound cards take them.
    @Test(arguments: rates) func sinesArePureAt16Bits(rate: Double) throws {
        for frequency in frequencies(rate) {
            let samples = try render(Tone(frequency, channels: [.init(level: -6)]), rate: rate, frames: 1 << 15)
            let rounded = samples.map { ($0 * 32_767).rounded() / 32_767 }
            let spectrum = ToneSpectrum(rounded, count: 1 << 15, sampleRate: rate)
            #expect(spectrum.worstSpurious() < -60, "\(frequency) Hz")
        }
    }

    @Test(arguments: rates) func squaresHaveOddPartialsOnly(rate: Double) throws {
        for frequency in frequencies(rate) {
            let samples = try render(Tone(frequency, .square, channels: [.init(level: 0)]), rate: rate, frames: 1 << 16)
            let measured = ToneSpectrum.frequency(samples, count: 1 << 15, sampleRate: rate)
            #expect(abs(measured / frequency - 1) < 1e-6, "\(frequency) Hz")
            let partials = stride(from: frequency, to: rate / 2, by: 2 * frequency)
            let spectrum = ToneSpectrum(samples, count: 1 << 16, sampleRate: rate)
            #expect(spectrum.worstSpurious(beside: Array(partials)) < -90, "\(frequency) Hz")
        }
    }

    /// The squares of UniMag's profile: whole frames, hence no line but odd partials though edges are steps.
    @Test(arguments: rates) func steppedSquaresOfWholeFramesAreClean(rate: Double) throws {
        for frequency in [1_000.0, 2_000, 2_400] {
            let tone = Tone(frequency, .steppedSquare, channels: [.init(level: 0)], isWholeFrames: true)
            let heard = tone.frequency(atSampleRate: rate)
            let samples = try render(tone, rate: rate, frames: 1 << 16)
            let measured = ToneSpectrum.frequency(samples, count: 1 << 15, sampleRate: rate)
            #expect(abs(measured / heard - 1) < 1e-6)
            let partials = stride(from: heard, through: rate / 2, by: 2 * heard)
            let spectrum = ToneSpectrum(samples, count: 1 << 16, sampleRate: rate)
            #expect(spectrum.worstSpurious(beside: Array(partials)) < -90, "\(frequency) Hz")
        }
    }

    @Test func channelsAreOutOfPhaseAsAsked() throws {
        for phase in [0, 0.125, 0.5, -0.3] {
            let channels = [Tone.Channel(level: -1), Tone.Channel(level: -7, phase: phase)]
            let samples = try render(Tone(1_234.5, channels: channels), rate: 44_100, frames: 1 << 15)
            let parts = (0..<2).map { part in stride(from: part, to: samples.count, by: 2).map { samples[$0] } }
            let turns = parts.map {
                ToneSpectrum($0, count: 1 << 15, sampleRate: 44_100).turns(at: 0, frequency: 1_234.5)
            }
            let missed = turns[1] - turns[0] - phase
            #expect(abs(missed - missed.rounded()) < 1e-5)
            let powers = parts.map { $0.reduce(0.0) { $0 + Double($1) * Double($1) } }
            #expect(isNear(Decibels.ratio(powers[1] / powers[0]), -6, 0.01))
        }
    }
}
