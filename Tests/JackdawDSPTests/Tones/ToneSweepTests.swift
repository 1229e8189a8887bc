import Foundation
import JackdawDSP
import Testing

@Suite struct ToneSweepTests {
    @Test(arguments: [1, 7, 240], ToneSweep.Course.allCases)
    func blockSizeMakesNoDifference(size: Int, course: ToneSweep.Course) throws {
        for waveform in ToneWaveform.allCases {
            let sweep = try ToneSweep(
                from: 100, to: 20_000, seconds: 0.1, course, waveform: waveform, channels: .antiphase(level: -3),
                sampleRate: 44_100)
            var (blocks, appended) = (sweep, sweep)
            var whole: [Float] = []
            appended.append(to: &whole)
            #expect(whole.count == 2 * 4_410)
            #expect(appended.isFinished)
            let rendered = inBlocks(of: size, frames: 4_500, channels: 2) { blocks.render(into: &$0) }
            #expect(rendered == whole + [Float](repeating: 0, count: 180))
            #expect(blocks.isFinished)
        }
    }

    /// The phase, by adding up the frequency in steps of a fiftieth of a frame.
    @Test(arguments: ToneSweep.Course.allCases, [(200.0, 3_900.0), (3_000, 50), (1_000, 1_000.1), (1_000, 1_700)])
    func phaseIsTheIntegralOfTheFrequency(course: ToneSweep.Course, ends: (Double, Double)) throws {
        var sweep = try ToneSweep(
            from: ends.0, to: ends.1, seconds: 0.5, course, channels: [.init(level: 0)], sampleRate: 8_000, ramp: .none)
        var samples: [Float] = []
        sweep.append(to: &samples)
        func frequency(_ share: Double) -> Double {
            course == .linear ? ends.0 + (ends.1 - ends.0) * share : ends.0 * pow(ends.1 / ends.0, share)
        }
        var turns = 0.0
        var worst = 0.0
        for frame in 0..<4_000 {
            worst = max(worst, abs(Double(samples[frame]) - sin(2 * .pi * turns)))
            for part in 0..<50 {
                let share = (Double(frame) + (Double(part) + 0.5) / 50) / 4_000
                turns += frequency(share) / 8_000 / 50
            }
        }
        #expect(worst < 1e-4)
        #expect(abs(sweep.frequency(atFrame: 0) - ends.0) < 1e-9)
        #expect(abs(sweep.frequency(atFrame: sweep.frameCount) - ends.1) < 1e-6)
    }

    @Test func comesAndGoesWithoutAClick() throws {
        var sweep = try ToneSweep(
            from: 300, to: 400, seconds: 1, channels: [.init(level: 0, phase: 0.25)], sampleRate: 48_000,
            ramp: ToneRamp(.raisedCosine, seconds: 0.1))
        var samples: [Float] = [0]
        sweep.append(to: &samples)
        samples.append(0)
        let allowed: Float = 2 * .pi * 400 / 48_000 + 1.6 / 4_800
        #expect(largestStep(samples) < allowed)
        sweep.reset()
        var again: [Float] = [0]
        for count in [100, 0, 1_000_000] { sweep.append(frames: count, to: &again) }
        #expect(again + [0] == samples)
    }

    @Test func refusesValuesOutOfRange() {
        func refuses(
            _ start: Double, _ end: Double, _ seconds: Double, rate: Double = 48_000, level: Double = -6,
            ramp: Double = 0
        ) {
            let error = #expect(throws: LineCodeError.self) {
                try ToneSweep(
                    from: start, to: end, seconds: seconds, channels: [.init(level: level)], sampleRate: rate,
                    ramp: ToneRamp(.linear, seconds: ramp))
            }
            #expect(error?.code == .outOfRange)
        }
        for frequency in [0, -5, 24_001, .nan, .infinity] {
            refuses(frequency, 1_000, 1)
            refuses(1_000, frequency, 1)
        }
        for seconds in [0, -1, 601, .nan] { refuses(100, 200, seconds) }
        refuses(100, 200, 1, rate: .nan)
        refuses(100, 200, 1, level: .nan)
        for ramp in [-1, 0.6, .nan] { refuses(100, 200, 1, ramp: ramp) }
    }
}
