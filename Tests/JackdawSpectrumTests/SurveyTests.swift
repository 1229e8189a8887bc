import Foundation
import JackdawSpectrum
import JackdawTestSupport
import Testing

@Suite("Survey")
struct SurveyTests {
    // MARK: - Levels

    @Test(arguments: [-1.0, -20, -60])
    func toneLevels(level: Double) throws {
        let report = try Signal(seconds: 1).tone(997, level).report()
        #expect(isNear(report.peakLevel, level, 0.01))
        #expect(isNear(report.rmsLevel, level, 0.01))
        #expect(isNear(report.dcOffset, 0, 1e-4))
        #expect(report.sampleCount == 44_100)
        #expect(report.duration == 1)
    }

    @Test func offset() throws {
        let report = try Signal(seconds: 1).noise(-60, seed: 1).offset(-0.3).report()
        #expect(isNear(report.dcOffset, -0.3, 1e-4))
        // The mean square of the DC, against that of a sine of full scale.
        #expect(isNear(report.rmsLevel, 20 * log10(0.3) + 3.01, 0.01))
        #expect(isNear(report.noiseFloor, -60, 0.5))
        #expect(report.carriers.isEmpty)
        #expect(report.usableBand == nil)
    }

    // MARK: - Clipping

    @Test func clippedRunsAreCountedExactly() throws {
        let top: Float = 32_767 / 32_768
        var samples = [Float](repeating: 0.1, count: 10_000)
        func put(_ values: [Float], at start: Int) {
            samples.replaceSubrange(start..<start + values.count, with: values)
        }
        put([1, 1], at: 100)
        put([1, 1, 1], at: 200)
        put([-1, -1, -1, -1], at: 300)
        put([1, 1, -1, -1], at: 400)
        put([1, 1, 1, -1, -1, -1], at: 500)
        put([top, top, top], at: 600)
        put([0.999, 0.999, 0.999], at: 700)
        put([2, 1.5, 1], at: 800)
        // Across the ends of the blocks of 441 samples.
        put([1, 1, 1], at: 881)
        put([-1, -1, -1, -1, -1], at: 9_995)
        for blockSize in [1, 7, 240, 10_000] {
            let report = try survey(samples, blockSize: blockSize)
            #expect(report.clippedRuns == 8)
            #expect(report.clippedShare == Double(3 + 4 + 3 + 3 + 3 + 3 + 3 + 5) / 10_000)
            #expect(report.fullScaleShare == Double(2 + 3 + 4 + 4 + 6 + 3 + 3 + 3 + 5) / 10_000)
        }
    }

    /// Two samples of each half wave are beyond full scale, so that there are no runs.
    @Test func clippingWithoutRunsShows() throws {
        let report = try survey(
            Signal(seconds: 1, sampleRate: 48_000).tone(11_900, 6).samples.map { min(max($0, -1), 1) })
        #expect(report.clippedRuns == 0)
        #expect(report.fullScaleShare > 0.5)
        let sine = try survey(Signal(seconds: 1, sampleRate: 48_000).tone(997, 0).samples)
        #expect(sine.fullScaleShare < 0.01)
    }

    /// A sine driven 20 dB over: 2 runs a period, each arc of the samples beyond full scale.
    @Test func clippedSine() throws {
        let signal = Signal(seconds: 1).tone(100, 20, phase: 0)
        let expected = signal.values.filter { abs($0) >= 1 }.count
        let report = try signal.clipped().sixteenBit().report()
        #expect(report.clippedRuns == 200)
        #expect(report.clippedShare == Double(expected) / 44_100)
        #expect(try Signal(seconds: 1).tone(100, -0.1).sixteenBit().report().clippedRuns == 0)
    }

    // MARK: - Noise floor

    @Test(arguments: [8_000.0, 11_025, 44_100, 192_000], [-20.0, -50, -90])
    func whiteNoise(sampleRate: Double, level: Double) throws {
        for seed in UInt64(1)...3 {
            let report = try Signal(seconds: 1.5, sampleRate: sampleRate).noise(level, seed: seed).report()
            #expect(isNear(report.noiseFloor, level, 0.5), "\(report.noiseFloor)")
            #expect(isNear(report.rmsLevel, level, 0.2))
            #expect(report.carriers.isEmpty)
            #expect(report.hum == nil)
            #expect(report.usableBand == nil)
        }
    }

    /// A loud signal nine tenths of the time, DC and silence leave the floor alone.
    @Test func floorUnderASignal() throws {
        let signal = Signal(seconds: 4).noise(-60, seed: 5).tone(3_000, -10, in: 0.5..<4).offset(0.2)
        #expect(try isNear(signal.report().noiseFloor, -60, 0.5))
        let padded = Signal(seconds: 4).noise(-60, seed: 6, in: 1..<3)
        #expect(try isNear(padded.report().noiseFloor, -60, 0.5))
    }

    @Test func silence() throws {
        for samples in [[], [0], [Float](repeating: 0, count: 100_000), [Float](repeating: 0.25, count: 100_000)] {
            let report = try survey(samples)
            #expect(report.noiseFloor == Decibels.silence)
            #expect(report.hum == nil)
            #expect(report.carriers.isEmpty)
            #expect(report.usableBand == nil)
            #expect(report.sampleCount == samples.count)
        }
        #expect(try survey([]).peakLevel == Decibels.silence)
        #expect(try survey([]).dcOffset == 0)
    }

    // MARK: - Hum

    @Test(arguments: [50.0, 60], [8_000.0, 44_100, 96_000])
    func hum(mains: Double, sampleRate: Double) throws {
        let signal = Signal(seconds: 3, sampleRate: sampleRate).noise(-70, seed: 7)
            .tone(mains, -30).tone(2 * mains, -45).tone(3 * mains, -40)
        let hum = try #require(signal.report().hum)
        #expect(hum.mainsFrequency == mains)
        #expect(hum.lines.map(\.harmonic) == [1, 2, 3])
        for (line, level) in zip(hum.lines, [-30.0, -45, -40]) { #expect(isNear(line.level, level, 0.2), "\(line)") }
        let total = 10 * log10(pow(10, -3) + pow(10, -4.5) + pow(10, -4))
        #expect(isNear(hum.level, total, 0.2))
        #expect(try signal.report().carriers.isEmpty)
    }

    /// Mains that is slow or fast, and a recording of half a second.
    @Test(arguments: [(50.0, 49.6), (50, 50.4), (60, 59.8), (60, 60.2)])
    func humOffItsFrequency(mains: Double, frequency: Double) throws {
        for seconds in [0.5, 3] {
            let signal = Signal(seconds: seconds).noise(-60, seed: 8).tone(frequency, -25).tone(3 * frequency, -35)
            let hum = try #require(signal.report().hum)
            #expect(hum.mainsFrequency == mains)
            #expect(isNear(hum.lines[0].level, -25, 0.2), "\(hum)")
        }
    }

    /// Rectified mains: twice the frequency without the frequency itself; the common harmonic decides nothing.
    @Test func rectifiedHum() throws {
        let fifty = Signal(seconds: 3).noise(-70, seed: 9).tone(100, -50).tone(300, -30)
        #expect(try fifty.report().hum?.mainsFrequency == 50)
        let sixty = Signal(seconds: 3).noise(-70, seed: 9).tone(120, -50).tone(300, -30)
        #expect(try sixty.report().hum?.mainsFrequency == 60)
    }

    @Test func tonesThatAreNoHum() throws {
        for frequency in [75.0, 90, 300, 400, 440, 1_000] {
            let report = try Signal(seconds: 3).noise(-70, seed: 10).tone(frequency, -20).report()
            #expect(report.hum == nil, "\(frequency)")
        }
        // Too short to distinguish 50 Hz from 60 Hz.
        #expect(try Signal(seconds: 0.1).tone(50, -20).report().hum == nil)
    }

    // MARK: - Carriers

    @Test(arguments: [8_000.0, 44_100, 48_000, 192_000])
    func twoCarriers(sampleRate: Double) throws {
        let signal = Signal(seconds: 2, sampleRate: sampleRate).noise(-60, seed: 11)
            .tone(1_203.7, -12).tone(2_201.2, -26)
        let carriers = try signal.sixteenBit().report().carriers
        #expect(carriers.count == 2)
        for (carrier, (frequency, level)) in zip(carriers, [(1_203.7, -12.0), (2_201.2, -26)]) {
            #expect(isNear(carrier.frequency, frequency, 1), "\(carrier)")
            #expect(isNear(carrier.level, level, 0.2), "\(carrier)")
            #expect(carrier.width < 30)
            // The noise in one bin lies under the noise in all by the number of bins.
            let bins = 10 * log10(sampleRate / 2 / 12)
            #expect(isNear(carrier.heightOverFloor, level + 60 + bins, 6), "\(carrier)")
        }
    }

    /// Without noise, the leakage of the window must not pass for carriers.
    @Test func oneToneAlone() throws {
        for frequency in [130.0, 1_000, 1_005.4, 10_000, 20_000] {
            let tone = Signal(seconds: 1).tone(frequency, -1)
            for signal in [tone, tone.sixteenBit()] {
                let carriers = try signal.report().carriers
                #expect(carriers.count == 1)
                #expect(isNear(carriers.first?.frequency ?? 0, frequency, 1))
                #expect(isNear(carriers.first?.level ?? 0, -1, 0.2))
            }
        }
    }

    @Test func atMostEightCarriers() throws {
        var signal = Signal(seconds: 1).noise(-70, seed: 12)
        for line in 1...12 { signal = signal.tone(Double(line) * 1_000, -20 - Double(line)) }
        let carriers = try signal.report().carriers
        #expect(carriers.map { ($0.frequency / 1_000).rounded() } == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    /// Mark and space keyed at random at 100 baud: with whole periods a symbol a line stands on each carrier, else not.
    @Test(arguments: [(1_200.0, 2_200.0), (1_227, 2_183)])
    func keyedCarriers(mark: Double, space: Double) throws {
        var signal = Signal(seconds: 4).noise(-60, seed: 13)
        var random = SeededRandom(seed: 14)
        var phase = 0.0
        var frequency = mark
        for index in signal.values.indices {
            if index % 441 == 0 { frequency = Bool.random(using: &random) ? mark : space }
            phase += 2 * .pi * frequency / 44_100
            signal.values[index] += 0.1 * sin(phase)
        }
        let carriers = try signal.report().carriers
        #expect(carriers.count == 2)
        let frequencies = carriers.map(\.frequency).sorted()
        #expect(isNear(frequencies.first ?? 0, mark, 30) && isNear(frequencies.last ?? 0, space, 30), "\(carriers)")
        // Together they have the power of the tone of amplitude 0.1 that is keyed.
        let power = carriers.reduce(0) { $0 + pow(10, $1.level / 10) }
        #expect(isNear(10 * log10(power), -20, 0.5))
    }

    /// A carrier whose amplitude is noise of 100 Hz is one broad line, not a row of random peaks.
    @Test func fadingCarrier() throws {
        var signal = Signal(seconds: 4).noise(-20, seed: 22)
        var amplitude = 0.0
        for index in signal.values.indices {
            amplitude += (signal.values[index] - amplitude) * 2 * .pi * 100 / 44_100
            signal.values[index] = amplitude * sin(2 * .pi * 5_000 * Double(index) / 44_100)
        }
        let carriers = try signal.report().carriers
        #expect(carriers.count == 1)
        #expect(isNear(carriers.first?.frequency ?? 0, 5_000, 30))
        // A filter of the first order is half as high 100 Hz to either side.
        #expect(isNear(carriers.first?.width ?? 0, 200, 80), "\(carriers)")
    }

    // MARK: - Usable band

    @Test func bandOfALoudPart() throws {
        let signal = Signal(seconds: 2).noise(-60, seed: 15).band(1_000...6_000, -20, seed: 16, in: 0.8..<1.6)
        let band = try #require(signal.report().usableBand)
        // Smoothing widens each edge by up to eight bins of 10.8 Hz and the width of a line.
        #expect(isNear(band.lowerBound, 1_000, 150), "\(band)")
        #expect(isNear(band.upperBound, 6_000, 150), "\(band)")
    }

    /// What is there all the time is noise where there are louder parts.
    @Test func bandOverColouredNoise() throws {
        let signal = Signal(seconds: 2).noise(-60, seed: 23).band(12_000...15_000, -40, seed: 24)
            .band(1_000...6_000, -20, seed: 25, in: 0.8..<1.6)
        let band = try #require(signal.report().usableBand)
        #expect(isNear(band.lowerBound, 1_000, 150), "\(band)")
        #expect(isNear(band.upperBound, 6_000, 150), "\(band)")
    }

    @Test func bandOfAnEvenRecording() throws {
        let signal = Signal(seconds: 2).noise(-70, seed: 17).band(500...9_000, -20, seed: 18)
        let band = try #require(signal.report().usableBand)
        #expect(isNear(band.lowerBound, 500, 150), "\(band)")
        #expect(isNear(band.upperBound, 9_000, 150), "\(band)")
    }

    // MARK: - Streams

    @Test func blockSizeMakesNoDifference() throws {
        let samples = Signal(seconds: 1).noise(-40, seed: 19).tone(50, -30).tone(5_000, -10, in: 0.3..<0.6)
            .scaled(4).clipped().samples
        let whole = try survey(samples)
        for blockSize in [1, 7, 240, 441, 44_099] { #expect(try survey(samples, blockSize: blockSize) == whole) }
    }

    /// Samples that are no numbers, or no samples, count as 0.
    @Test func hostileSamples() throws {
        var samples = Signal(seconds: 1).noise(-40, seed: 20).samples
        for (place, value) in [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -3e38, 1e7].enumerated() {
            samples[1_000 * (place + 1)] = 0
            let clean = try survey(samples)
            samples[1_000 * (place + 1)] = value
            #expect(try survey(samples) == clean)
            samples[1_000 * (place + 1)] = 0
        }
        let absurd = try survey([Float](repeating: .nan, count: 50_000))
        #expect(absurd.peakLevel == Decibels.silence && absurd.noiseFloor == Decibels.silence)
        let loud = try survey((0..<50_000).map { Float($0 % 2 == 0 ? 1e6 : -1e6) })
        #expect(isNear(loud.peakLevel, 120, 0.01))
    }

    /// Any length gives a report, and every number in it is one.
    @Test(arguments: [0.0, 7_999, 192_001, .infinity, .nan]) func refusesOtherRates(sampleRate: Double) {
        let error = #expect(throws: SpectrumError.self) { _ = try RecordingSurvey(sampleRate: sampleRate) }
        #expect(error?.code == .unsupportedSampleRate)
    }

    @Test func shortRecordings() throws {
        let samples = Signal(seconds: 0.3).noise(-40, seed: 21).tone(3_000, -10).samples
        for count in [1, 2, 3, 10, 440, 441, 442, 4_095, 4_096, 4_097, 13_230] {
            let report = try survey(Array(samples.prefix(count)))
            #expect(report.sampleCount == count)
            let levels = [report.peakLevel, report.rmsLevel, report.dcOffset, report.noiseFloor, report.clippedShare]
            let lines = report.carriers.flatMap { [$0.frequency, $0.level, $0.width, $0.heightOverFloor] }
            #expect((levels + lines).filter { !$0.isFinite } == [])
        }
        let carrier = try survey(samples).carriers.first
        #expect(isNear(carrier?.frequency ?? 0, 3_000, 2) && isNear(carrier?.level ?? 0, -10, 0.2))
    }
}
