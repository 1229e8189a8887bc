import JackdawDSP
import JackdawTestSupport
import Testing

/// Each in a process of its own: what is counted is all that a process has.
struct SwipeMemoryTests {

    private static let silence = [Float](repeating: 0, count: 24_000)

    /// What the fast tier reads, what only the strong one reads, and what is given up, and silence after each.
    private static func sounds(sampleRate: Double) throws -> [[Float]] {
        try [30.0, 4, -8].map { signalToNoise in
            try SwipeBench.samples(
                .two, configuration: .init(sampleRate: sampleRate, signalToNoise: signalToNoise, seed: 5)) + silence
        }
    }

    @Test func memoryDoesNotGrowWithTheSwipes() async {
        await #expect(processExitsWith: .success) {
            let sounds = try Self.sounds(sampleRate: 16_000)
            var decoder = try SwipeDecoder(configuration: .init(sampleRate: 16_000))
            var inUse: [Int] = []
            for _ in 0..<8 {
                for sound in sounds { _ = decoder.receive(sound.span) }
                inUse.append(try heapInUse())
            }
            // glibc keeps up to seven freed blocks of each of 64 small sizes for the thread, 236 KB in all, and counts
            // them as in use. Of 21 swipes, each of 100 KB of sound and more, less than that may be left.
            #expect(inUse[7] - inUse[0] < 236 * 1_024, "\(inUse) bytes in use")
        }
    }

    /// Of three seconds: 3.5 MB for the states of a search, 2.5 for its scores and 1.5 for the filters before them, 5
    /// for the sound at all rates, 2.5 for the windows of the clearest looks; the rest is what lies free between them.
    @Test func theHardestSegmentTakesABoundedAmount() async {
        await #expect(processExitsWith: .success) {
            var random = SeededRandom(seed: 3)
            let noise = (0..<120_000).map { index in
                let level: Float = index / 6_000 % 2 == 0 ? 0.5 : 0.3
                return level * Float.random(in: -1...1, using: &random)
            }
            let sound = noise + Self.silence
            var decoder = try SwipeDecoder(configuration: .init(sampleRate: 48_000))
            let before = try restartPeakMemory()
            _ = decoder.receive(sound.span)
            let taken = try peakMemory() - before
            #expect(taken <= 16 * 1_024, "\(taken) KB")
        }
    }
}
