import Foundation
import JackdawTestSupport
import Testing

@testable import JackdawDSP

@Suite struct StrongTierTests {
    /// The long one adds up to many times what 16 bits hold.
    @Test(arguments: [(60, Int16(64)), (6_000, 270)])
    func segmentalViterbiFindsCellsAndBits(count bitCount: Int, pulse: Int16) throws {
        var random = SeededRandom(seed: 1)
        let bits = (0..<bitCount).map { _ in UInt8.random(in: 0...1, using: &random) }
        let levels = CellEqualiser.levels(bits: bits, startSign: 0)
        let half = 8
        let count = levels.count * half + 200
        var positive = [Int16](repeating: -pulse / 2, count: count)
        var negative = positive
        for (index, level) in levels.enumerated() {
            positive[100 + index * half] += Int16(level) * pulse
            negative[100 + index * half] -= Int16(level) * pulse
        }
        let viterbi = SegmentalViterbi(lengths: Array(12..<24))
        #expect(pulse <= viterbi.scoreLimit)
        var scores = SegmentalViterbi.PulseScores(count: count, unit: Float(pulse), rows: 1)
        scores.setRow(0, positive: positive, negative: negative)
        let path = try #require(viterbi.bestPath(scores, rateCost: 20))
        #expect(path.bits == bits)
        #expect(path.boundaries == (0...bits.count).map { Float(100 + 2 * half * $0) })
        #expect(path.startSign == 0)
    }

    @Test func segmentalViterbiFindsNothingInSilence() {
        var scores = SegmentalViterbi.PulseScores(count: 500, unit: 64, rows: 1)
        let silence = [Int16](repeating: -32, count: 500)
        scores.setRow(0, positive: silence, negative: silence)
        #expect(SegmentalViterbi(lengths: Array(16..<24)).bestPath(scores, rateCost: 20) == nil)
    }

    @Test(arguments: [7, 33])
    func filterSystemFindsTheTapsThatMadeASound(taps: Int) {
        var random = SeededRandom(seed: 2)
        let wanted = (0..<taps).map { _ in Float.random(in: -1...1, using: &random) }
        let samples = (0..<600).map { _ in Float.random(in: -1...1, using: &random) }
        let output = FilterSystem.apply(wanted, to: samples)
        let reach = taps / 2
        for centre in reach..<samples.count - reach {
            let sum = zip(wanted, samples[(centre - reach)...]).reduce(Float(0)) { $0 + $1.0 * $1.1 }
            #expect(abs(output[centre] - sum) < 1e-4)
        }
        var system = FilterSystem(taps: taps)
        for centre in reach..<samples.count - reach - FilterSystem.margin {
            system.accumulate(samples, from: centre - reach, target: output[centre], weight: 1)
        }
        for (tap, found) in zip(wanted, system.solve(ridge: 0)) { #expect(abs(tap - found) < 1e-3) }
    }

    @Test func slidingMediansAreThoseOfEachWindow() {
        var random = SeededRandom(seed: 4)
        let values = (0..<200).map { _ in Float(Int.random(in: 0..<20, using: &random)) }
        func reach(_ index: Int) -> Int { min(9, max(2, min(index, values.count - 1 - index))) }
        let medians = values.slidingMedians(reach: reach)
        for index in values.indices {
            let near = values[max(0, index - reach(index))..<min(values.count, index + reach(index) + 1)].sorted()
            #expect(medians[index] == near[near.count / 2])
        }
    }

    /// The same two neighbouring bits wrong in two characters pass every check of the code.
    @Test(arguments: [(TrackNumber.one, -2.0, 22), (.two, -6.5, 21), (.two, -6.5, 44), (.three, -1.5, 48)])
    func acceptsNoWrongTextAtTheNoiseLimit(track: TrackNumber, signalToNoise: Double, seed: UInt64) throws {
        let samples = try SwipeBench.samples(
            track, configuration: .init(sampleRate: 44_100, signalToNoise: signalToNoise, seed: seed))
        let texts = SwipeBench.texts(try SwipeBench.events(samples, sampleRate: 44_100))
        #expect(texts.isEmpty || texts == [SwipeBench.texts[track]])
    }

    @Test func readsASwipeAfterALotOfSoundThatIsNone() throws {
        var decoder = StrongDecoder()
        // Short, for time's sake: what counts is how many there are.
        let tones = (0..<800).map { index in
            let level: Float = index / 700 % 2 == 0 ? 0.5 : -0.4
            return level * Float(sin(0.3 * Double(index)))
        }
        for _ in 0..<10 {
            guard case .failure = decoder.decode(tones, sampleRate: 16_000) else {
                Issue.record("a tone was read as a card")
                return
            }
        }
        let swipe = try SwipeBench.samples(.two, configuration: .init(sampleRate: 16_000, signalToNoise: 4, seed: 2))
        var fresh = decoder
        #expect(fresh.patience.fruitlessSearches > 8, "the tones did not look like swipes, or its patience is not over")
        fresh.reset()
        #expect(fresh.patience.fruitlessSearches == 0)
        let reading = try decoder.decode(swipe, sampleRate: 16_000).get()
        let text = String(decoding: reading.values.dropLast().map { reading.code.ascii($0) }, as: UTF8.self)
        #expect(text == SwipeBench.texts[.two])
    }

    @Test func symmetricSystemSolvesLeastSquares() {
        var system = SymmetricSystem(unknowns: 3)
        var random = SeededRandom(seed: 2)
        for _ in 0..<50 {
            let row = (0..<3).map { _ in Double.random(in: -1...1, using: &random) }
            system.accumulate(row, target: 2 * row[0] - 3 * row[1] + 0.5 * row[2])
        }
        let solution = system.solve(ridge: 0)
        for (found, wanted) in zip(solution, [2, -3, 0.5]) { #expect(abs(found - wanted) < 1e-9) }
    }

    @Test(arguments: [50.0, 60]) func humIsRemovedAndNoiseIsNot(mains: Double) {
        var random = SeededRandom(seed: 3)
        let noise = (0..<8_000).map { _ in Float.random(in: -0.1...0.1, using: &random) }
        var loud = noise.indices.map { noise[$0] + 0.5 * Float(sin(2 * Double.pi * mains * Double($0) / 16_000 + 1)) }
        #expect(HumCanceller.removeHum(from: &loud, sampleRate: 16_000).isEmpty)
        let rest = zip(loud, noise).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
        #expect(rest < 0.03)
        var untouched = noise
        _ = HumCanceller.removeHum(from: &untouched, sampleRate: 16_000)
        #expect(untouched == noise)
    }

    @Test func ladderKeepsATone() {
        let tone = (0..<2_000).map { Float(sin(2 * Double.pi * 0.05 * Double($0))) }
        var ladder = RateLadder()
        ladder.load(tone, lost: [])
        let doubled = ladder.sound(at: 1).samples
        let halved = ladder.sound(at: -1).samples
        for index in 200..<1_800 {
            let between = Float(sin(2 * Double.pi * 0.05 * (Double(index) + 0.5)))
            #expect(abs(doubled[2 * index + 1] - between) < 1e-3)
        }
        for index in 100..<900 { #expect(abs(halved[index] - tone[2 * index]) < 1e-3) }
    }

    @Test func whiteningFlattensARollOff() {
        var random = SeededRandom(seed: 6)
        var state: Float = 0
        let coloured = (0..<20_000).map { _ in
            state = 0.95 * state + Float.random(in: -1...1, using: &random)
            return state
        }
        let white = Whitener.whiten(coloured, order: 4)
        let power = white.reduce(Float(0)) { $0 + $1 * $1 }
        let neighbour = zip(white, white.dropFirst()).reduce(Float(0)) { $0 + $1.0 * $1.1 }
        #expect(abs(neighbour / power) < 0.03)
    }

    @Test func numericsAgreeWithTheSystem() {
        for step in -2_000...2_000 {
            let value = Double(step) / 137
            let (sine, cosine) = Numerics.sineAndCosine(turns: value)
            #expect(abs(sine - sin(2 * Double.pi * value)) < 1e-12)
            #expect(abs(cosine - cos(2 * Double.pi * value)) < 1e-12)
            #expect(abs(Numerics.exponential(value) / exp(value) - 1) < 1e-12)
            if step > 0 { #expect(abs(Numerics.logarithm(value) - log(value)) < 1e-12) }
        }
        #expect(Numerics.exponential(-1_000) == 0)
        #expect(Numerics.exponential(1_000) == .infinity)
    }
}
