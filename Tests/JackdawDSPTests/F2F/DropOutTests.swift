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
        /// The factor by which the sound is then amplified, into the rails.
        var gain: Float = 1
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

    /// In clipped sound, the pulses in a drop-out look as high as the others.
    private static let clippedPairs = [
        Pair(characters: [12, 11], offset: 0.354, reach: 1.836, depth: 0.086, noise: 0.042, gain: 3.083),
        Pair(characters: [32, 9], offset: 3.806, reach: 2.357, depth: 0.095, noise: 0.049, gain: 3.041),
        Pair(characters: [36, 37], offset: 1.071, reach: 2.108, depth: 0.032, noise: 0.027, gain: 3.926),
        Pair(characters: [18, 32], offset: 1.46, reach: 2.755, depth: 0.033, noise: 0.053, gain: 7.879),
        Pair(characters: [12, 11], offset: 3.864, reach: 1.787, depth: 0.039, noise: 0.005, gain: 4.216),
        Pair(characters: [18, 13], offset: 1.033, reach: 3.317, depth: 0.037, noise: 0.054, gain: 5.98),
        Pair(characters: [2, 6], offset: 1.081, reach: 1.618, depth: 0.036, noise: 0.054, gain: 8.1),
        Pair(characters: [3, 5], offset: 1.487, reach: 3.107, depth: 0.032, noise: 0.019, gain: 5.187),
    ]

    /// No look is certain of the message, but looks of two kinds find it and none finds another.
    private static let doubtfulPairs = [
        Pair(characters: [9, 32], offset: 3.982, reach: 2.225, depth: 0.103, noise: 0.0352, gain: 5.562),
        Pair(characters: [30, 29], offset: 1.686, reach: 2.751, depth: 0.122, noise: 0.0402),
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
            let noise = (0..<12).reduce(Float(0)) { sum, _ in sum + Float.random(in: -0.5...0.5, using: &random) }
            return min(max((sample + pair.noise * noise) * pair.gain, -1), 1)
        }
    }

    /// The same bits hidden in two characters leave parity and LRC as they were.
    @Test(arguments: pairs + clippedPairs)
    func noWrongTextIsAcceptedIfTwoDropOutsHideTheSameBits(pair: Pair) throws {
        let texts = SwipeBench.texts(try SwipeBench.events(Self.samples(pair), sampleRate: Self.sampleRate))
        #expect(texts.isEmpty || texts == [Self.text])
    }

    @Test(arguments: doubtfulPairs) func aMessageFoundByLooksOfTwoKindsIsAccepted(pair: Pair) throws {
        let texts = SwipeBench.texts(try SwipeBench.events(Self.samples(pair), sampleRate: Self.sampleRate))
        #expect(texts == [Self.text])
    }

    /// The code says what one drop-out hides.
    @Test func readsThroughOne() throws {
        let one = Pair(characters: [18], offset: 1.5, reach: 1.5, depth: 0.1, noise: 0.01)
        let texts = SwipeBench.texts(try SwipeBench.events(Self.samples(one), sampleRate: Self.sampleRate))
        #expect(texts == [Self.text])
    }
}
