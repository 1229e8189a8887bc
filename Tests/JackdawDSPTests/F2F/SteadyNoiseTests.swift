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
}
