import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// Noise that fills a part of the band of the tones, before a signal and around it.
struct FSKBandNoiseTests {
    /// Noise of a telephone's band, 300 to 3,400 Hz, as dense there as white noise of a deviation.
    private static func noise(_ count: Int, deviation: Double, sampleRate: Double, seed: UInt64) -> [Float] {
        var noise = GaussianNoise(seed: seed)
        var low = SteepButterworthFilter(.highPass, turns: 300 / sampleRate)
        var high = SteepButterworthFilter(.lowPass, turns: 3_400 / sampleRate)
        return (0..<count).map { _ in high.filter(low.filter(Float(deviation * noise.next()))) }
    }

    /// Short bursts at 13 dB, after so much noise that the decoder passes over most of it.
    @Test(arguments: [
        FrequencyShift.bell202, .init(baud: 2_400, mark: 1_800, space: 3_800),
        .init(baud: 4_800, mark: 3_000, space: 7_000),
    ])
    func burstsAreReadAfterALotOfNoise(shift: FrequencyShift) throws {
        let sampleRate = 48_000.0
        var sound = [Float](repeating: 0, count: Int(6_000 * sampleRate / shift.baud))
        var sent: [UInt8] = []
        for burst in 0..<8 {
            let bytes = (0..<12).map { UInt8(truncatingIfNeeded: 37 * $0 + 101 * burst + 5) }
            sent += bytes
            sound += try FSKBench.samples(bytes, shift, sampleRate: sampleRate)
            sound += [Float](repeating: 0, count: Int(700 * sampleRate / shift.baud))
        }
        let ratio = Numerics.amplitude(decibels: 13 + 6)
        let deviation = (sampleRate / shift.baud / 4).squareRoot() / ratio
        let noise = Self.noise(sound.count, deviation: deviation, sampleRate: sampleRate, seed: 41)
        let read = FSKBench.bytes(
            try FSKBench.events(zip(sound, noise).map { $0 + $1 }, shift, sampleRate: sampleRate))
        #expect(FSKBench.common(sent, read) >= 93)
    }

    /// A regression: characters that were found in the noise after a burst at 10 dB kept the decoder locked, and it read
    /// about one in eleven bits.
    @Test(arguments: UInt64(1)...4) func aBurstEndsInNoise(seed: UInt64) throws {
        let (sampleRate, bits) = (48_000.0, 10_000.0)
        let shift = FrequencyShift(baud: 2_400, mark: 1_800, space: 3_800)
        let sent = (0..<24).map { UInt8(truncatingIfNeeded: 37 * $0 + 5) }
        var sound = [Float](repeating: 0, count: Int(2_000 * sampleRate / shift.baud))
        sound += try FSKBench.samples(sent, shift, sampleRate: sampleRate)
        sound += [Float](repeating: 0, count: Int(bits * sampleRate / shift.baud))
        let deviation = (sampleRate / shift.baud / 4).squareRoot() / Numerics.amplitude(decibels: 10 + 6)
        let noise = Self.noise(sound.count, deviation: deviation, sampleRate: sampleRate, seed: seed)
        let read = FSKBench.bytes(
            try FSKBench.events(zip(sound, noise).map { $0 + $1 }, shift, sampleRate: sampleRate))
        #expect(FSKBench.common(sent, read) >= 20)
        #expect(read.count < sent.count + Int(bits / 100))
    }

    private static let noise = Failures.Sound(strength: 1.5, power: 0.02)

    /// The failures after some stretches of the same noise, and the searches in them.
    private static func failures(
        after stretches: Int
    ) -> (failures: Failures, nominal: Int, others: Int) {
        var result = (failures: Failures(), nominal: 0, others: 0)
        for _ in 0..<stretches {
            switch result.failures.choose(noise) {
            case .pass: break
            case .search: result.nominal += 1
            case .settle:
                result.others += 1
                result.failures.note(noise, isSignal: false)
            }
        }
        return result
    }

    @Test func moreAndMoreOfTheSameNoiseIsPassedOver() {
        // Three failures are free; pauses of 4, 12, 28 and 60 stretches follow the next ones, the first two with
        // searches: the sixth failure is that of stretch 3 + 1 + 4 + 1 + 12 + 1.
        #expect(Self.failures(after: 3).others == 3)
        let some = Self.failures(after: 22)
        #expect(some.others == 6)
        #expect(some.nominal == 4 + 12)
        let many = Self.failures(after: 1_000)
        #expect(many.nominal == some.nominal)
        #expect(many.others < 25)
    }

    @Test func otherSoundIsSearched() {
        let failures = Self.failures(after: 30).failures
        func choice(_ strength: Float, _ power: Float) -> Failures.Choice {
            var copy = failures
            return copy.choose(.init(strength: strength, power: power))
        }
        #expect(choice(1.5, 0.02) == .pass)
        #expect(choice(1.5, 0.03) == .search)
        #expect(choice(1.5, 0.01) == .search)
        #expect(choice(0.8, 0.02) == .search)
        #expect(choice(2.3, 0.02) == .settle)
    }

    @Test func aSignalAndALongClosedSquelchEndThePause() {
        var failures = Self.failures(after: 30).failures
        for _ in 0..<4 { failures.noteNoise() }
        #expect(failures.choose(Self.noise) == .settle)
        failures = Self.failures(after: 30).failures
        failures.note(.init(strength: 4, power: 0.02), isSignal: true)
        #expect(failures.choose(Self.noise) == .settle)
    }
}
