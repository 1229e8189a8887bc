import JackdawTestSupport
import Testing

@testable import JackdawDSP

@Suite struct SteadyNoiseTests {
    /// Energies of hops of 256 white samples, some of them louder.
    private static func energies(hops: Int, louder: Range<Int> = 0..<0, by gain: Float = 1, seed: UInt64) -> [Float] {
        var random = SeededRandom(seed: seed)
        return (0..<hops).map { hop in
            let sum = (0..<256).reduce(Float(0)) { sum, _ in
                // Three uniform deviates make a nearly normal one; its square is the sample's energy.
                let sample = (0..<3).reduce(Float(0)) { value, _ in value + Float.random(in: -1...1, using: &random) }
                return sum + sample * sample
            }
            return louder.contains(hop) ? sum * gain : sum
        }
    }

    @Test(arguments: UInt64(1)...20) func whiteNoiseIsSteady(seed: UInt64) {
        #expect(SteadyNoise.isSteady(Self.energies(hops: 300, seed: seed), hopSamples: 256))
    }

    @Test(arguments: UInt64(1)...20) func aSwipeAsStrongAsTheNoiseIsNot(seed: UInt64) {
        let energies = Self.energies(hops: 300, louder: 100..<136, by: 2, seed: seed)
        #expect(!SteadyNoise.isSteady(energies, hopSamples: 256))
    }

    @Test func tooFewHopsAreNotSteadyNoise() {
        #expect(!SteadyNoise.isSteady(Self.energies(hops: 90, seed: 1), hopSamples: 256))
        #expect(!SteadyNoise.isSteady([], hopSamples: 256))
        #expect(!SteadyNoise.isSteady([Float](repeating: 0, count: 300), hopSamples: 256))
    }

    private static let rate = 48_000.0
    private static let hop = 272
    private static let delay = 8

    /// Three seconds of noise of a telephone's band.
    private static func telephone(seed: UInt64, louder: Range<Double> = 0..<0, by gain: Float = 1) -> [Float] {
        var noise = GaussianNoise(seed: seed)
        var low = SteepButterworthFilter(.highPass, turns: 300 / rate)
        var high = SteepButterworthFilter(.lowPass, turns: 3_400 / rate)
        return (0..<Int(3 * rate)).map { index in
            let sample = 0.1 * high.filter(low.filter(Float(noise.next())))
            return louder.contains(Double(index) / rate) ? gain * sample : sample
        }
    }

    /// Energies of the hops after the comb filter.
    private static func energies(_ samples: [Float]) -> [Float] {
        stride(from: delay, through: samples.count - hop, by: hop).map { start in
            (start..<start + hop).reduce(Float(0)) { sum, index in
                let change = samples[index] - samples[index - delay]
                return sum + change * change
            }
        }
    }

    private static func isNoise(_ samples: [Float], energies: [Float]? = nil) -> Bool {
        SteadyNoise.isBandNoise(energies ?? self.energies(samples), samples.span, delay: delay, hopSamples: hop)
    }

    @Test(arguments: UInt64(1)...5) func noiseOfATelephoneIsNoise(seed: UInt64) {
        let samples = Self.telephone(seed: seed)
        let isNoise = Self.isNoise(samples)
        #expect(isNoise)
        #expect(!SteadyNoise.isSteady(Self.energies(samples), hopSamples: Self.hop))
    }

    /// The swipe has half of the noise's power, for 0.4 seconds; no decoder reads it at three times as much.
    @Test(arguments: UInt64(1)...5) func aSwipeFarBelowItIsNot(seed: UInt64) {
        let isNoise = Self.isNoise(Self.telephone(seed: seed, louder: 1..<1.4, by: 1.225))
        #expect(!isNoise)
    }

    /// The level of an endless stripe's clocking zeros is as even as that of white noise. If it is not, they are no noise
    /// of a band, either.
    @Test(arguments: [120.0, 400, 2_000], [10.0, 30])
    func endlessBitCellsAreNot(cells: Double, ratio: Double) throws {
        let zeros = [UInt8](repeating: 0, count: Int(3.2 * cells))
        let stripe = try FluxStripe(bits: zeros.span, bitsPerInch: 210)
        let samples = try SwipeSynthesizer(
            configuration: .init(sampleRate: Self.rate, speed: cells / 210, signalToNoise: ratio)
        ).render(stripe)
        let start = samples.count / 2 - Int(1.4 * Self.rate)
        let middle = Array(samples[start..<start + Int(2.8 * Self.rate)])
        let isSteady = SteadyNoise.isSteady(Self.energies(middle), hopSamples: Self.hop)
        let isNoise = Self.isNoise(middle)
        #expect(!isNoise || isSteady)
    }

    @Test func tooLittleSoundIsNotNoise() {
        let energies = Self.energies(Self.telephone(seed: 1))
        let silence = [Float](repeating: 0, count: 140_000)
        #expect(!Self.isNoise([0, 0.1], energies: energies))
        #expect(!Self.isNoise(silence, energies: energies))
        #expect(!Self.isNoise(silence, energies: []))
    }

    /// Both tiers read swipes in noise that the decoder otherwise drops, with as much of it before them.
    @Test(arguments: [14.0, 30], UInt64(1)...2)
    func aSwipeInNoiseOfATelephoneIsRead(ratio: Double, seed: UInt64) throws {
        var samples = Self.telephone(seed: seed)
        let swipe = try SwipeBench.samples(.two, configuration: .init(sampleRate: Self.rate, speed: 12))
        let level = Self.level(swipe) / Self.level(samples) * Numerics.exponential(-ratio / 20 * 2.302_585)
        for index in samples.indices { samples[index] *= Float(level) }
        let start = Int(1.2 * Self.rate)
        for (index, sample) in swipe.enumerated() { samples[start + index] += sample }
        let events = try SwipeBench.events(samples, sampleRate: Self.rate)
        #expect(SwipeBench.texts(events) == [SwipeBench.texts[.two]])
    }

    /// The root of the mean square.
    private static func level(_ samples: [Float]) -> Double {
        (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)).squareRoot()
    }
}
