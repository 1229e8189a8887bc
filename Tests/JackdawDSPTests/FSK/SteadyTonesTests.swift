import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// Steady tones are taken out of a band; noise and what is keyed stay in it.
@Suite struct SteadyTonesTests {
    private static let sampleRate = 48_000.0
    private static let count = 8_800

    /// Finds them in the band of Bell 202.
    private static func removed(from sound: [Float]) -> [Float] {
        var left = sound
        var tones = SteadyTones(
            band: 0...3_400 / sampleRate, keyed: SIMD2(2_200, 1_200) / sampleRate,
            clearance: SIMD2(repeating: 300 / sampleRate))
        tones.remove(from: &left)
        return left
    }

    private static func tone(_ frequency: Double, amplitude: Double) -> [Float] {
        (0..<count).map { index in
            let turns = frequency * Double(index) / sampleRate + 0.1
            return Float(amplitude * Numerics.sineAndCosine(turns: turns).sine)
        }
    }

    private static func noise(deviation: Double, seed: UInt64) -> [Float] {
        var noise = GaussianNoise(seed: seed)
        return (0..<count).map { _ in Float(deviation * noise.next()) }
    }

    private static func power(_ sound: [Float]) -> Float { sound.reduce(0) { $0 + $1 * $1 } / Float(sound.count) }

    private static func sum(_ sounds: [[Float]]) -> [Float] {
        sounds.dropFirst().reduce(sounds[0]) { sum, sound in zip(sum, sound).map(+) }
    }

    /// Hum, one of its overtones and two whistles, one of them where the filters of the band end.
    @Test func onlyNoiseIsLeft() {
        let noise = Self.noise(deviation: 0.05, seed: 41)
        let tones = [(50, 0.8), (103.7, 0.4), (710.3, 0.2), (3_401, 0.5)].map { Self.tone($0.0, amplitude: $0.1) }
        let left = Self.removed(from: Self.sum(tones + [noise]))
        let error = zip(left, noise).map { $0.0 - $0.1 }
        #expect(Self.power(error) < 0.02 * Self.power(noise))
    }

    /// Neither is what is a tone's own taken for another one's: at 0 Hz the spectrum goes on as its mirror image.
    @Test(arguments: [45.0, 400, 1_690, 1_710, 3_000]) func aToneIsRemovedOnce(frequency: Double) {
        let left = Self.removed(from: Self.tone(frequency, amplitude: 0.5))
        #expect(Self.power(left) < 0.001 * 0.125)
    }

    @Test(arguments: 1...5) func noiseStaysAsItIs(seed: Int) {
        let white = Self.noise(deviation: 0.1, seed: UInt64(seed))
        #expect(Self.removed(from: white) == white)
        // Loud in a part of the band.
        var (low, high) = (
            SteepButterworthFilter(.highPass, turns: 1_400 / Self.sampleRate),
            SteepButterworthFilter(.lowPass, turns: 2_200 / Self.sampleRate)
        )
        let narrow = white.map { high.filter(low.filter($0)) + 0.0001 * $0 }
        #expect(Self.power(Self.removed(from: narrow)) > 0.97 * Self.power(narrow))
    }

    @Test(arguments: [1_200.0, 2_200, 1_290, 2_000]) func restingLinesStay(frequency: Double) {
        let sound = Self.sum([Self.tone(frequency, amplitude: 0.5), Self.noise(deviation: 0.05, seed: 42)])
        #expect(Self.removed(from: sound) == sound)
    }

    @Test func soundOfAnyKindIsTaken() {
        for value in [0, 1, -1e30, .greatestFiniteMagnitude, .infinity, .nan] as [Float] {
            for count in [0, 1, 6, 500, 8_800] {
                var sound = [Float](repeating: value, count: count)
                if count > 4 { sound[4] = 0.5 }
                #expect(Self.removed(from: sound).count == count)
            }
        }
    }
}
