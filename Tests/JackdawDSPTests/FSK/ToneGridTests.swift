import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// The correlations of a stretch, compared with sums over its samples, and the levels that are measured from them.
@Suite struct ToneGridTests {
    private static let fast = FrequencyShift(baud: 9_600, mark: 5_400, space: 13_400)
    private static let wide = FrequencyShift(baud: 1_225, mark: 7_350, space: 4_900)

    private static func tones(
        _ samples: [Float], _ shift: FrequencyShift, sampleRate: Double, stopSteps: Int = 6
    ) -> ToneCorrelations {
        var energy = SoundEnergy(shift, sampleRate: sampleRate)
        energy.load(samples.span)
        var tones = ToneCorrelations()
        tones.load(
            samples.span, energy, from: 0.25, turns: SIMD2(shift.space, shift.mark) / sampleRate,
            samplesPerBit: sampleRate / shift.baud, stopSteps: stopSteps)
        return tones
    }

    private static func noise(_ count: Int, seed: UInt64) -> [Float] {
        var noise = GaussianNoise(seed: seed)
        return (0..<count).map { _ in Float(0.1 * noise.next()) }
    }

    /// The sum over the samples of a window, with the phase of the tone zero at its start; a sample that is partly in the
    /// window counts by that part.
    private static func correlation(
        _ samples: [Float], turns: Double, from start: Double, length: Double
    ) -> SIMD2<Double> {
        var sum = SIMD2<Double>.zero
        for index in samples.indices {
            let share = min(start + length, Double(index) + 1) - max(start, Double(index))
            guard share > 0 else { continue }
            let (sine, cosine) = Numerics.sineAndCosine(turns: turns * (Double(index) + 0.5 - start))
            sum += SIMD2(cosine, -sine) * Double(samples[index]) * share
        }
        return sum
    }

    @Test(
        arguments: [(FrequencyShift, Double)]([
            (.bell103, 8_000), (.bell202, 48_000), (fast, 48_000), (fast, 192_000), (wide, 44_100),
        ]))
    func windowsAreSumsOverSamples(shift: FrequencyShift, sampleRate: Double) {
        let samplesPerBit = sampleRate / shift.baud
        for tone in 0..<2 {
            let turns = [shift.space, shift.mark][tone] / sampleRate
            // A tone of any phase, with a little noise.
            let noise = Self.noise(Int(30 * samplesPerBit), seed: 7)
            let samples = noise.enumerated().map { index, noise in
                noise * 0.1 + Float(Numerics.sineAndCosine(turns: turns * Double(index) + 0.3).cosine)
            }
            let tones = Self.tones(samples, shift, sampleRate: sampleRate)
            #expect(tones.count > 20 * 8)
            for step in stride(from: 0, to: tones.count, by: 13) {
                let start = 0.25 + Double(step) * samplesPerBit / 8
                let expected = Self.correlation(samples, turns: turns, from: start, length: samplesPerBit)
                let error = SIMD2<Double>(tones.bits[tone][step]) - expected
                #expect((error * error).sum().squareRoot() < 0.03 * samplesPerBit)
            }
        }
    }

    /// Windows that are added up from shorter ones, and others, with one grid for both tones and with two. In a window
    /// of one step, the parts of samples at its edges are a large share.
    @Test(arguments: [(FrequencyShift, Double)]([(.bell202, 48_000), (wide, 44_100)]), 1...ToneGrid.longestWindow)
    func windowsOfAnyLengthAreSumsOverSamples(line: (FrequencyShift, Double), steps: Int) {
        let (shift, sampleRate) = line
        let turns = SIMD2(shift.space, shift.mark) / sampleRate
        for tone in 0..<2 {
            let samples = Self.noise(1_000, seed: 9).enumerated().map { index, noise in
                noise + Float(Numerics.sineAndCosine(turns: turns[tone] * Double(index) + 0.1).cosine)
            }
            let tones = Self.tones(samples, shift, sampleRate: sampleRate, stopSteps: ToneGrid.longestWindow)
            let length = Double(steps) * tones.stepLength
            var row: [SIMD2<Float>] = []
            tones.correlate(tone: tone, window: steps, into: &row)
            for step in Array(stride(from: 0, to: tones.count, by: 7)) + (tones.count - 8..<tones.count) {
                let start = 0.25 + Double(step) * tones.stepLength
                let expected = Self.correlation(samples, turns: turns[tone], from: start, length: length)
                let error = SIMD2<Double>(row[step]) - expected
                #expect((error * error).sum().squareRoot() < 0.05 * length)
            }
        }
    }

    /// The energy in the band, and that of all sound, are those of white noise; a carrier counts once.
    @Test(arguments: [(FrequencyShift, Double)]([(.bell103, 48_000), (.bell202, 48_000), (wide, 44_100)]))
    func noiseIsAsDenseInTheBand(shift: FrequencyShift, sampleRate: Double) {
        let samples = Self.noise(Int(400 * sampleRate / shift.baud), seed: 8)
        let tones = Self.tones(samples, shift, sampleRate: sampleRate)
        let steps = 0..<tones.count
        let length = Float(Double(tones.count) * tones.stepLength)
        let white = tones.noise(in: steps, beside: 0, isWhite: true) / length
        let band = tones.noise(in: steps, beside: 0, isWhite: false) / length
        #expect(abs(white - 0.01) < 0.001)
        #expect(band < 0.0125)
        let carrier = samples.indices.map { index in
            samples[index] + Float(Numerics.sineAndCosine(turns: shift.mark / sampleRate * Double(index)).sine)
        }
        let loud = Self.tones(carrier, shift, sampleRate: sampleRate)
        #expect(loud.noise(in: steps, beside: 0.5 * length, isWhite: false) / length < 0.05)
    }

    private static func strength(_ samples: [Float], _ shift: FrequencyShift, sampleRate: Double) -> Float {
        var search = CharacterSearch(shift, framing: .eightNoneOne, sampleRate: sampleRate)
        search.load(samples.span)
        return search.strength(samples.span, from: 0, FSKSender(shift), range: 0.05).strength
    }

    @Test(
        arguments: [(FrequencyShift, Double)]([
            (.bell103, 48_000), (.bell202, 48_000), (.bell202, 8_000), (fast, 48_000), (wide, 44_100),
            (.init(baud: 315, mark: 3_150, space: 1_575), 44_100), (.init(baud: 126, mark: 1_764, space: 882), 44_100),
        ]), [0.95, 1, 1.05])
    func theSquelchOpensForSignalsOnly(line: (shift: FrequencyShift, sampleRate: Double), tones: Double) throws {
        let (shift, sampleRate) = line
        let length = Int(220 * sampleRate / shift.baud)
        var opened = 0
        for seed in 1...10 as ClosedRange<UInt64> {
            if Self.strength(Self.noise(length, seed: seed), shift, sampleRate: sampleRate) >= 1 { opened += 1 }
        }
        #expect(opened <= 1)
        let sent = FrequencyShift(baud: shift.baud, mark: shift.mark * tones, space: shift.space * tones)
        let bytes = (0..<24).map { UInt8(truncatingIfNeeded: $0 * 73) }
        var samples = try FSKBench.samples(bytes, sent, sampleRate: sampleRate)
        FSKBench.addNoise(&samples, bitEnergyToNoise: 8, sent, sampleRate: sampleRate, seed: 9)
        #expect(Self.strength(Array(samples.prefix(length)), shift, sampleRate: sampleRate) >= 1)
    }

    /// Signals at the threshold and above it, from a clock and tones that are off: the rough measure is that of the
    /// correlations, and lets all pass for which the squelch opens.
    @Test(
        arguments: [(FrequencyShift, Double)]([
            (.bell103, 8_000), (.bell202, 48_000), (.v23, 44_100), (wide, 44_100),
            (.init(baud: 315, mark: 3_150, space: 1_575), 44_100),
            (.init(baud: 2_450, mark: 7_350, space: 4_900), 48_000),
        ]), [0.95, 1, 1.05])
    func theRoughMeasureLosesNothing(line: (shift: FrequencyShift, sampleRate: Double), scale: Double) throws {
        let (shift, sampleRate) = line
        var search = CharacterSearch(shift, framing: .eightNoneOne, sampleRate: sampleRate)
        var levels = SignalLevels()
        var coarse = try #require(CoarseLevels(shift, sampleRate: sampleRate, isPhaseKept: search.isPhaseKept))
        let sent = FrequencyShift(baud: shift.baud * scale, mark: shift.mark * scale, space: shift.space)
        for seed in 1...10 as ClosedRange<UInt64> {
            let bytes = (0..<24).map { UInt8(truncatingIfNeeded: $0 * 73 + Int(seed)) }
            var samples = try FSKBench.samples(bytes, sent, sampleRate: sampleRate)
            FSKBench.addNoise(
                &samples, bitEnergyToNoise: Double(seed) - 3, sent, sampleRate: sampleRate, seed: seed)
            samples.removeLast(max(0, samples.count - Int(220 * sampleRate / shift.baud)))
            search.load(samples.span)
            search.correlate(samples.span, from: 0.5, FSKSender(shift))
            levels.measure(
                search.tones, CarrierTurns(turnsPerBit: SIMD2(shift.space, shift.mark) / shift.baud, stopSteps: 6),
                isPhaseKept: search.isPhaseKept)
            coarse.load(samples.span, from: 0.5)
            let rough = coarse.strength(turns: SIMD2(shift.space, shift.mark) / sampleRate)
            #expect(rough >= 1 || levels.strength < 1)
            #expect(abs(rough / levels.strength - 1.12) < 0.25)
        }
    }

    @Test(arguments: [0.0001, 0.01, 0.2]) func samplesAreFilteredInGroupsAsOneByOne(turns: Double) {
        let samples = Self.noise(1_001, seed: 10)
        var single = ButterworthFilter(.highPass, turns: turns)
        let expected = samples.map { single.filter($0) }
        var pairs = ButterworthFilter(.highPass, turns: turns)
        var filtered: [Float] = []
        for range in [0..<1, 1..<500, 500..<500, 500..<503, 503..<1_001] {
            pairs.filter(samples.span, in: range, into: &filtered)
        }
        #expect(filtered.count == expected.count)
        for (first, second) in zip(filtered, expected) { #expect(abs(first - second) < 1e-5) }
    }
}
