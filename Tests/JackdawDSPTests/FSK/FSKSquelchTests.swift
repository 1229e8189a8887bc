import Glibc
import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// What the squelch keeps back, and what comes without it.
struct FSKSquelchTests {
    private static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 40) }
    }

    /// Bytes in noise of three decibels: of forty bits the squelch asks a little more.
    private static func weakSound(_ bytes: [UInt8], _ shift: FrequencyShift, _ sampleRate: Double, seed: UInt64) throws
        -> [Float]
    {
        var samples = try FSKBench.samples(bytes, shift, sampleRate: sampleRate)
        FSKBench.addNoise(&samples, bitEnergyToNoise: 3, shift, sampleRate: sampleRate, seed: seed)
        return samples
    }

    @Test(arguments: [(FrequencyShift.bell202, 8_000.0), (.bell103, 8_000), (.v23, 48_000)], [0.3, 0.001])
    func noiseGivesCharactersWithoutIt(line: (FrequencyShift, Double), level: Double) throws {
        let (shift, sampleRate) = line
        var noise = GaussianNoise(seed: 17)
        let samples = (0..<Int(10 * sampleRate)).map { _ in Float(level * noise.next()) }
        let kept = try FSKBench.events(samples, shift, sampleRate: sampleRate)
        #expect(kept.isEmpty)
        let all = FSKBench.characters(try FSKBench.events(samples, shift, sampleRate: sampleRate, isSquelched: false))
        // All the time: in each second at least half of those that there is time for.
        for second in 0..<10 {
            let count = all.count { Int($0.startSample / sampleRate) == second }
            #expect(Double(count) > shift.baud / 20, "second \(second)")
        }
    }

    @Test(
        arguments: [(FrequencyShift.bell202, 8_000.0), (.bell103, 8_000), (.bell202, 48_000)],
        1...3 as ClosedRange<UInt64>)
    func aWeakSignalIsReadBetterWithoutIt(line: (FrequencyShift, Double), seed: UInt64) throws {
        let (shift, sampleRate) = line
        let bytes = Self.bytes(300, seed: seed)
        let samples = try Self.weakSound(bytes, shift, sampleRate, seed: seed)
        let kept = FSKBench.bytes(try FSKBench.events(samples, shift, sampleRate: sampleRate))
        let all = FSKBench.bytes(try FSKBench.events(samples, shift, sampleRate: sampleRate, isSquelched: false))
        let right = FSKBench.common(bytes, all)
        #expect(right > bytes.count / 2)
        #expect(right > FSKBench.common(bytes, kept) + bytes.count / 10)
    }

    @Test(arguments: [1, 7, 240]) func blocksMakeNoDifferenceWithoutIt(block: Int) throws {
        let samples = try Self.weakSound(Self.bytes(60, seed: 5), .bell202, 8_000, seed: 5)
        let whole = try FSKBench.events(samples, .bell202, sampleRate: 8_000, isSquelched: false)
        let parts = try FSKBench.events(samples, .bell202, sampleRate: 8_000, isSquelched: false, block: block)
        #expect(FSKBench.characters(parts) == FSKBench.characters(whole))
        #expect(FSKBench.bursts(parts) == FSKBench.bursts(whole))
        #expect(FSKBench.characters(whole).count > 50)
    }

    /// A low-pass of first order at 3 kHz weakens both tones and smears the bits; a third of the bytes went missing.
    @Test func bitsThatALowPassSmearsAreRead() throws {
        let shift = FrequencyShift(baud: 9_600, mark: 5_400, space: 13_400)
        let share = Float(1 - exp(-2 * Double.pi * 3_000 / 48_000))
        var missing = 0
        for seed in 4...6 as ClosedRange<UInt64> {
            let bytes = Self.bytes(1_000, seed: seed)
            var last: Float = 0
            var samples = try FSKBench.samples(bytes, shift, sampleRate: 48_000).map { sample in
                last += share * (sample - last)
                return last
            }
            FSKBench.addNoise(&samples, bitEnergyToNoise: 14, shift, sampleRate: 48_000, seed: seed)
            let read = FSKBench.bytes(try FSKBench.events(samples, shift, sampleRate: 48_000))
            missing += bytes.count - FSKBench.common(bytes, read)
        }
        #expect(missing < 270)
    }

    /// What is clear is the same either way, but for what the silence around it is read as.
    @Test func aClearSignalIsReadTheSameWithoutIt() throws {
        let bytes = Self.bytes(100, seed: 9)
        let samples = try FSKBench.samples(bytes, .bell202, sampleRate: 48_000)
        let all = FSKBench.bytes(try FSKBench.events(samples, .bell202, sampleRate: 48_000, isSquelched: false))
        #expect(FSKBench.common(bytes, all) == bytes.count)
    }
}
