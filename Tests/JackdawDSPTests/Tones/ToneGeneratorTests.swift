import Foundation
import JackdawDSP
import JackdawTestSupport
import Testing

@Suite struct ToneGeneratorTests {
    /// The sine, by the C library, with the phase as an exact remainder.
    @Test(arguments: toneRates) func sinesAreSines(rate: Double) throws {
        for frequency in [440.0, 1_000, 3_999] {
            let channels = [Tone.Channel(level: -3), .silent, Tone.Channel(level: -20, phase: 0.25)]
            var generator = try ToneGenerator(Tone(frequency, channels: channels), sampleRate: rate, ramp: .none)
            var samples: [Float] = []
            generator.append(frames: 30_000, to: &samples)
            var worst = 0.0
            for frame in 0..<30_000 {
                let turns = Double(frame * Int(frequency) % Int(rate)) / rate
                let expected = [
                    pow(10, -3 / 20.0) * sin(2 * .pi * turns), 0, pow(10, -20 / 20.0) * cos(2 * .pi * turns),
                ]
                for channel in 0..<3 {
                    worst = max(worst, abs(Double(samples[3 * frame + channel]) - expected[channel]))
                }
            }
            // Half a step of 24 bits is 6e-8.
            #expect(worst < 1e-7)
        }
    }

    @Test(arguments: [1, 7, 240], ToneWaveform.allCases)
    func blockSizeMakesNoDifference(size: Int, waveform: ToneWaveform) throws {
        // Start, glide, a change asked for during another, stop, and start again.
        func render(_ size: Int) throws -> [Float] {
            let tone = Tone(1_234.5, waveform, channels: .antiphase(level: -1))
            var generator = try ToneGenerator(tone, sampleRate: 44_100, ramp: ToneRamp(.linear, seconds: 0.01))
            var result: [Float] = []
            func go(_ frames: Int) {
                result += inBlocks(of: size, frames: frames, channels: 2) { generator.render(into: &$0) }
            }
            go(1_000)
            try generator.change(to: Tone(2_345.6, .sine, channels: .inPhase(level: -9)))
            go(100)
            try generator.change(to: Tone(2_000, waveform, channels: .inPhase(level: 0), isWholeFrames: true))
            go(1_000)
            try generator.stop()
            go(500)
            try generator.change(to: tone, ramp: .none)
            go(500)
            return result
        }
        let whole = try render(.max)
        #expect(whole.count == 2 * 3_100)
        #expect(try render(size) == whole)
    }

    @Test func appendedAndRenderedFramesAreTheSame() throws {
        let generator = try ToneGenerator(PowerToneProfile.uDynamoSine.holding, sampleRate: 48_000)
        var (first, second) = (generator, generator)
        var appended: [Float] = []
        for count in [0, 1, 500, 3] { first.append(frames: count, to: &appended) }
        #expect(appended == inBlocks(of: 504, frames: 504, channels: 2) { second.render(into: &$0) })
        second.reset()
        #expect(appended == inBlocks(of: 9, frames: 504, channels: 2) { second.render(into: &$0) })
    }

    @Test(arguments: toneRates, ToneWaveform.allCases)
    func antiphaseChannelsAddUpToNothing(rate: Double, waveform: ToneWaveform) throws {
        for isWholeFrames in [false, true] {
            let tone = Tone(1_770, waveform, channels: .antiphase(level: 0), isWholeFrames: isWholeFrames)
            var generator = try ToneGenerator(tone, sampleRate: rate, ramp: ToneRamp(.linear, seconds: 0.01))
            var samples: [Float] = []
            generator.append(frames: 4_000, to: &samples)
            let sums = zip(channel(0, of: samples, count: 2), channel(1, of: samples, count: 2)).map { abs($0 + $1) }
            #expect(sums.max() ?? 1 < 1e-6)
            #expect(samples.contains { abs($0) > 0.5 })
        }
    }

    /// As the frames of a period demand: both halves equal, full level, and 0 between them where the number is odd.
    @Test(arguments: [(48_000.0, 2_000.0, 24), (24_000, 3_400, 7), (44_100, 3_400, 13), (8_000, 4_000, 2)])
    func squaresOfWholeFrames(rate: Double, frequency: Double, frames: Int) throws {
        let tone = Tone(frequency, .steppedSquare, channels: [.init(level: 0)], isWholeFrames: true)
        #expect(abs(tone.frequency(atSampleRate: rate) - rate / Double(frames)) < 1e-9)
        var generator = try ToneGenerator(tone, sampleRate: rate, ramp: .none)
        var samples: [Float] = []
        generator.append(periods: 5_000, to: &samples)
        let half = [Float](repeating: 1, count: frames / 2)
        let period = half + [Float](repeating: 0, count: frames % 2) + half.map { -$0 }
        #expect(samples == (0..<5_000).flatMap { _ in period })
        #expect(generator.isAtPeriodStart)
    }

    @Test(arguments: toneRates, ToneWaveform.allCases)
    func noSampleIsAboveTheLevel(rate: Double, waveform: ToneWaveform) throws {
        var random = SeededRandom(seed: 4)
        for _ in 0..<40 {
            let frequency = Double.random(in: 20...rate / 2, using: &random)
            var generator = try ToneGenerator(
                Tone(frequency, waveform, channels: [.init(level: 0)]), sampleRate: rate, ramp: .none)
            var samples: [Float] = []
            generator.append(frames: 2_000, to: &samples)
            #expect(samples.allSatisfy { abs($0) <= 1 })
        }
    }

    /// The largest step between samples of a sine at full level is 2 sin(pi f / rate); a click would be larger.
    @Test(arguments: toneRates, [ToneRamp.Shape.linear, .raisedCosine])
    func aToneStartsChangesAndStopsWithoutAClick(rate: Double, shape: ToneRamp.Shape) throws {
        let ramp = ToneRamp(shape, seconds: 0.02)
        func tone(_ frequency: Double, _ channel: Tone.Channel) -> Tone { Tone(frequency, channels: [channel]) }
        var generator = try ToneGenerator(tone(700, .init(level: 0, phase: 0.3)), sampleRate: rate, ramp: ramp)
        var samples: [Float] = [0]
        let part = Int(rate / 20)
        generator.append(frames: part, to: &samples)
        #expect(!generator.isSilent)
        try generator.change(to: tone(1_000, .init(level: -6, phase: -0.4)), ramp: ramp)
        #expect(!generator.isSteady)
        generator.append(frames: part, to: &samples)
        #expect(generator.isSteady)
        try generator.stop(ramp: ramp)
        generator.append(frames: part, to: &samples)
        #expect(generator.isSilent)
        // A ramp adds no more than its steepest slope: pi / 2 over its length.
        let allowed = Float(2 * sin(.pi * 1_000 / rate) + 1.6 / (0.02 * rate))
        #expect(largestStep(samples) <= allowed)
        #expect(samples.suffix(part / 2).allSatisfy { $0 == 0 })
        #expect(abs(samples[1]) < 2 / Float(0.02 * rate))
    }

    /// What is heard goes with the soft ramp, nothing is heard for the time that is asked for,
    /// and then the ramp begins.
    @Test(arguments: [1, 7, 240, .max], [false, true]) func aToneComesOutOfSilence(size: Int, isHeard: Bool) throws {
        let tone = Tone(1_000, channels: [.init(level: 0)], isWholeFrames: true)
        var generator = try ToneGenerator(tone, sampleRate: 48_000, ramp: .none)
        if !isHeard {
            try generator.stop(ramp: .none)
            var none: [Float] = []
            generator.append(frames: 48, to: &none)
        }
        // A stop that has not begun is not lost.
        try generator.stop()
        try generator.change(to: tone, ramp: ToneRamp(.linear, seconds: 1), silence: 0.1)
        #expect(!generator.isSilent)
        let samples = inBlocks(of: size, frames: 24_000, channels: 1) { generator.render(into: &$0) }
        // Zeros of a sine are alone: where two follow each other, nothing is heard.
        let silent = samples.indices.dropLast().filter { samples[$0] == 0 && samples[$0 + 1] == 0 }
        let first = try #require(silent.first)
        #expect(isHeard == (first > 0))
        // The tone begins at the next start of a period.
        #expect((4_799...4_799 + 48).contains(silent.count))
        #expect(silent == Array(first..<first + silent.count))
        let end = first + silent.count
        #expect(samples[end + 13] > 0 && samples[end + 13] < 0.001)
        #expect(abs(samples[end + 12_013] - 0.25) < 0.005)
    }

    @Test(arguments: [-0.1, 10.1, .nan, .infinity]) func silencesHaveTheirRange(seconds: Double) throws {
        let tone = Tone(1_000, channels: [.init(level: 0)])
        var generator = try ToneGenerator(tone, sampleRate: 48_000)
        #expect(throws: LineCodeError.self) { try generator.change(to: tone, silence: seconds) }
    }

    @Test(arguments: [(ToneRamp.Shape.linear, 0.25), (.raisedCosine, 0.146_446_6)])
    func rampsHaveTheirShape(shape: ToneRamp.Shape, quarter: Double) throws {
        // A cosine at half the sample rate is the level itself, with a sign.
        let tone = Tone(24_000, channels: [.init(level: 0, phase: 0.25)])
        var generator = try ToneGenerator(tone, sampleRate: 48_000, ramp: ToneRamp(shape, seconds: 0.5))
        var samples: [Float] = []
        generator.append(frames: 30_000, to: &samples)
        let levels = samples.map { Double(abs($0)) }
        for (frame, level) in [
            (0, 0), (6_000, quarter), (12_000, 0.5), (18_000, 1 - quarter), (24_000, 1), (29_999, 1),
        ] {
            #expect(abs(levels[frame] - level) < 1e-5)
        }
    }

    /// UniMag's two power tones: the second one begins with a period, and no half period is cut short.
    @Test(arguments: [44_100.0, 48_000, 96_000])
    func wholePeriodsBeforeAndAfterAChange(rate: Double) throws {
        let profile = PowerToneProfile.uniMag
        var generator = try ToneGenerator(profile.connecting, sampleRate: rate, ramp: profile.ramp)
        var samples: [Float] = []
        generator.append(frames: 1_001, to: &samples)
        try generator.change(to: profile.holding, ramp: .none)
        generator.append(frames: 1_001, to: &samples)
        let left = channel(0, of: samples, count: 2)
        var edges: [Int] = []
        for frame in 1..<left.count where left[frame - 1] < 0 && left[frame] > 0 { edges.append(frame) }
        let periods = Set(zip(edges, edges.dropFirst()).map { $1 - $0 })
        #expect(periods == [Int((rate / 2_400).rounded()), Int((rate / 2_000).rounded())])
    }

    @Test func theLastOfSeveralChangesCounts() throws {
        var generator = try ToneGenerator(Tone(1_000), sampleRate: 48_000, ramp: ToneRamp(.linear, seconds: 0.1))
        var samples: [Float] = []
        for frequency in [2_000.0, 3_000, 4_000] { try generator.change(to: Tone(frequency)) }
        generator.append(frames: 48_000, to: &samples)
        #expect(generator.frequency == 4_000)
        #expect(generator.isSteady)
        #expect(zip(samples.suffix(1_200), samples.suffix(1_212)).allSatisfy { abs($0 - $1) < 1e-5 })
    }

    @Test func refusesValuesOutOfRange() {
        func refuses(_ tone: Tone, rate: Double = 48_000, ramp: ToneRamp = .soft) {
            let error = #expect(throws: LineCodeError.self) { try ToneGenerator(tone, sampleRate: rate, ramp: ramp) }
            #expect(error?.code == .outOfRange)
        }
        for frequency in [0, 0.99, -1, 24_001, .nan, .infinity] { refuses(Tone(frequency)) }
        for rate in [0, 7_999, 192_001, -Double.infinity, .nan] { refuses(Tone(1_000), rate: rate) }
        for level in [0.1, -121, .nan, .infinity] { refuses(Tone(1_000, channels: [.init(level: level)])) }
        for phase in [1.1, -1.1, .nan] { refuses(Tone(1_000, channels: [.init(phase: phase)])) }
        for count in [0, 9] { refuses(Tone(1_000, channels: [Tone.Channel](repeating: .silent, count: count))) }
        for seconds in [-1, 61, .nan] { refuses(Tone(1_000), ramp: ToneRamp(.linear, seconds: seconds)) }
    }

    @Test func refusesChangesOutOfRange() throws {
        var generator = try ToneGenerator(Tone(1_000), sampleRate: 48_000)
        #expect(throws: LineCodeError.self) { try generator.change(to: Tone(30_000)) }
        #expect(throws: LineCodeError.self) { try generator.change(to: Tone(1_000, channels: .inPhase(level: 0))) }
        #expect(throws: LineCodeError.self) { try generator.stop(ramp: ToneRamp(.linear, seconds: .nan)) }
        #expect(throws: LineCodeError.self) {
            try generator.change(to: Tone(1_000), ramp: ToneRamp(.linear, seconds: -1))
        }
        #expect(generator.frequency == 1_000)
    }
}
