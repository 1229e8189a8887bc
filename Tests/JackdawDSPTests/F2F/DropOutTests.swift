import Foundation
import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// Places where dirt or a scratch lifted the head off the stripe.
@Suite struct DropOutTests {
    private static let text = ";9999998035553501=38081011001442317770?"
    private static let sampleRate = 44_100.0

    /// A drop-out in each of two equal characters.
    struct Pair: Sendable {
        let characters: [Int]
        /// Bit cells from the start of the character to the middle of the drop-out.
        let offset: Double
        /// Bit cells from its middle to its ends.
        let reach: Double
        /// Share of the level that is left in its middle.
        let depth: Double
        /// Noise, as a standard deviation.
        let noise: Float
    }

    private static let pairs = [
        Pair(characters: [18, 13], offset: 0.537, reach: 1.709, depth: 0.041, noise: 0.0061),
        Pair(characters: [12, 11], offset: 1.441, reach: 2.212, depth: 0.131, noise: 0.0186),
        Pair(characters: [5, 2], offset: 3.672, reach: 2.627, depth: 0.088, noise: 0.0154),
        Pair(characters: [3, 4], offset: 3.741, reach: 1.31, depth: 0.072, noise: 0.0146),
        Pair(characters: [32, 9], offset: 1.407, reach: 2.248, depth: 0.118, noise: 0.0431),
        Pair(characters: [3, 5], offset: 0.966, reach: 1.618, depth: 0.08, noise: 0.0374),
        Pair(characters: [11, 14], offset: 3.327, reach: 2.452, depth: 0.034, noise: 0.0117),
        Pair(characters: [3, 1], offset: 3.883, reach: 1.893, depth: 0.061, noise: 0.0114),
        Pair(characters: [18, 32], offset: 0.425, reach: 2.98, depth: 0.08, noise: 0.0216),
    ]

    /// The sound of a swipe with drop-outs in it.
    private static func samples(_ pair: Pair) throws -> [Float] {
        var samples = try SwipeBench.samples(.two, text: text, configuration: .init(sampleRate: sampleRate))
        let events = try SwipeBench.events(samples, sampleRate: sampleRate)
        let boundaries = try #require(SwipeBench.tracks(events).first).cellBoundaries
        for character in pair.characters {
            let cell = 5 * Double(character) + pair.offset
            let opens = boundaries[Int(cell)]
            let length = boundaries[Int(cell) + 1] - opens
            let middle = Double(opens) + (cell - cell.rounded(.down)) * Double(length)
            let reach = pair.reach * Double(length)
            for index in Int(middle - reach)...Int(middle + reach) {
                let shape = 0.5 + 0.5 * cos(.pi * (Double(index) - middle) / reach)
                samples[index] *= Float(1 - (1 - pair.depth) * min(1, 1.5 * shape))
            }
        }
        var random = SeededRandom(seed: 1)
        return samples.map { sample in
            // Twelve of them make a normal one.
            sample + pair.noise
                * (0..<12).reduce(Float(0)) { sum, _ in sum + Float.random(in: -0.5...0.5, using: &random) }
        }
    }

    /// The same bits hidden in two characters leave parity and LRC as they were.
    @Test(arguments: pairs)
    func noWrongTextIsAcceptedIfTwoDropOutsHideTheSameBits(pair: Pair) throws {
        let texts = SwipeBench.texts(try SwipeBench.events(Self.samples(pair), sampleRate: Self.sampleRate))
        #expect(texts.isEmpty || texts == [Self.text])
    }

    /// The code says what one drop-out hides.
    @Test func readsThroughOne() throws {
        let one = Pair(characters: [18], offset: 1.5, reach: 1.5, depth: 0.1, noise: 0.01)
        let texts = SwipeBench.texts(try SwipeBench.events(Self.samples(one), sampleRate: Self.sampleRate))
        #expect(texts == [Self.text])
    }
}
