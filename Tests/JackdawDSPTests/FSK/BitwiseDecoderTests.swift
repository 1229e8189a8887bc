import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// The fast tier, in place: what it takes, what it leaves to the other one, and what it measures.
@Suite struct BitwiseDecoderTests {
    private static let everyByte = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 181) }
    private static let quick = FrequencyShift(baud: 9_600, mark: 5_400, space: 13_400)

    private static func read(
        _ shift: FrequencyShift, sampleRate: Double, bitEnergyToNoise: Double? = nil, seed: UInt64 = 1
    ) throws -> [LineEvent] {
        var samples = try FSKBench.samples(Self.everyByte, shift, sampleRate: sampleRate)
        if let ratio = bitEnergyToNoise {
            FSKBench.addNoise(&samples, bitEnergyToNoise: ratio, shift, sampleRate: sampleRate, seed: seed)
        }
        return try FSKBench.events(samples, shift, sampleRate: sampleRate)
    }

    /// Only where the carrier starts and stops there is doubt.
    @Test(
        arguments: [(FrequencyShift, Double)]([
            (.bell103, 48_000), (.bell202, 48_000), (.bell202, 44_100), (.bell202, 11_025), (.v23, 22_050),
            (quick, 48_000), (quick, 96_000), (quick, 192_000),
            (FrequencyShift(baud: 50, mark: 1_200, space: 1_000), 8_000),
        ]))
    func clearSoundIsReadBitByBit(shift: FrequencyShift, sampleRate: Double) throws {
        for ratio in [nil, 25.0] {
            let events = try Self.read(shift, sampleRate: sampleRate, bitEnergyToNoise: ratio)
            #expect(FSKBench.bytes(events) == Self.everyByte)
            let fast = FSKBench.characters(events).count { $0.tier == .fast }
            #expect(fast >= 220)
        }
    }

    @Test(arguments: [(FrequencyShift, Double)]([(.bell202, 48_000), (quick, 48_000)]))
    func noisySoundIsLeftToTheSearch(shift: FrequencyShift, sampleRate: Double) throws {
        let events = try Self.read(shift, sampleRate: sampleRate, bitEnergyToNoise: 9)
        #expect(FSKBench.characters(events).count > 240)
        #expect(FSKBench.characters(events).allSatisfy { $0.tier == .strong })
    }

    /// Between the two some stretches are clear and others are not: no byte is lost where they meet.
    @Test(arguments: [14, 14.5, 15]) func tiersTakeTurns(ratio: Double) throws {
        var fast = 0
        for seed in [UInt64](1...4) {
            let events = try Self.read(.bell202, sampleRate: 48_000, bitEnergyToNoise: ratio, seed: seed)
            #expect(FSKBench.bytes(events) == Self.everyByte)
            fast += FSKBench.characters(events).count { $0.tier == .fast }
        }
        // Some of both, but for what the carrier's beginning and end leave to the search.
        #expect((1..<900).contains(fast))
    }

    @Test func likelihoodsAreThoseOfTheNoise() throws {
        let events = try Self.read(.bell202, sampleRate: 48_000, bitEnergyToNoise: 20)
        let burst = try #require(FSKBench.bursts(events).first)
        // 20 dB in a bit of 40 samples, whose sine has half the power of its amplitude's square: 7 dB a sample.
        #expect(abs(burst.signalToNoise - 7) < 1)
        #expect(abs(burst.level + 6) < 0.2)
        #expect(FSKBench.characters(events).filter { $0.tier == .fast }.allSatisfy { $0.confidence == 1 })
    }

    private static let soft = FrequencyShift(baud: 1_225, mark: 7_350, space: 4_900)

    /// Some bytes on a line that is never silent: all of it is clear.
    private static func soundWithoutSilence(_ bytes: [UInt8] = Array(everyByte.prefix(60))) throws -> [Float] {
        var encoder = try FSKEncoder(soft, sampleRate: 48_000)
        var samples: [Float] = []
        encoder.idle(seconds: 0.3, into: &samples)
        encoder.encode(bytes.span, into: &samples)
        encoder.idle(seconds: 0.3, into: &samples)
        return samples
    }

    /// The noise is what there is of the other tone, however little that is beside a tone.
    @Test(arguments: [60.0, 70, 80]) func noiseFarBelowTheTonesIsMeasured(ratio: Double) throws {
        var samples = try Self.soundWithoutSilence()
        // In a bit of 39 samples, 12.9 dB more than in one.
        FSKBench.addNoise(&samples, bitEnergyToNoise: ratio + 12.9, Self.soft, sampleRate: 48_000, seed: 1)
        let burst = try #require(
            FSKBench.bursts(try FSKBench.events(samples, Self.soft, sampleRate: 48_000)).first)
        #expect(abs(burst.signalToNoise - ratio) < 2)
    }

    /// In this byte no bit is like the one before it: what leaks from one to the next counts for noise, which is so
    /// little that the noise is all there is.
    @Test func noiseIsMeasuredWithoutRuns() throws {
        var samples = try Self.soundWithoutSilence([UInt8](repeating: 0x55, count: 60))
        FSKBench.addNoise(&samples, bitEnergyToNoise: 20 + 12.9, Self.soft, sampleRate: 48_000, seed: 1)
        let burst = try #require(
            FSKBench.bursts(try FSKBench.events(samples, Self.soft, sampleRate: 48_000)).first)
        #expect(abs(burst.signalToNoise - 20) < 2)
    }

    /// Of a recording without any other noise: steps of 2^-15 against a sine of -6 dBFS.
    @Test func noiseOfSixteenBitsIsMeasured() throws {
        let whole = try Self.soundWithoutSilence().map { Int16(($0 * 32_768).rounded()) }
        var decoder = try FSKDecoder(Self.soft, sampleRate: 48_000)
        let burst = try #require(FSKBench.bursts(decoder.receive(whole.span) + decoder.finish()).first)
        #expect(abs(burst.signalToNoise - 92) < 2)
    }

    @Test(arguments: [-40.0, -15, 15, 40]) func tonesAreMeasuredByTheirPhases(offset: Double) throws {
        let sent = FrequencyShift(baud: 1_200, mark: 1_200 + offset, space: 2_200 - offset)
        let samples = try FSKBench.samples(Self.everyByte, sent, sampleRate: 48_000)
        let events = try FSKBench.events(samples, .bell202, sampleRate: 48_000)
        #expect(FSKBench.bytes(events) == Self.everyByte)
        let tones = try #require(FSKBench.bursts(events).first?.tones)
        #expect(abs(tones.mark - sent.mark) < 2)
        #expect(abs(tones.space - sent.space) < 2)
    }

    @Test(arguments: [0.99, 1.01]) func theClockIsFollowed(clock: Double) throws {
        let sent = FrequencyShift(baud: 1_200 * clock, mark: 1_200, space: 2_200)
        let samples = try FSKBench.samples(Self.everyByte, sent, sampleRate: 48_000)
        let events = try FSKBench.events(samples, .bell202, sampleRate: 48_000)
        #expect(FSKBench.bytes(events) == Self.everyByte)
        #expect(FSKBench.characters(events).count { $0.tier == .fast } > 200)
        let baud = try #require(FSKBench.bursts(events).first?.baud)
        #expect(abs(baud / sent.baud - 1) < 0.002)
    }

    /// What begins in the middle of a character has no beginning that is known: any space would do for a start bit.
    @Test func aBurstThatBeginsWithinACharacterIsDecodedByTheStrongTier() throws {
        var encoder = try FSKEncoder(.bell202, sampleRate: 48_000)
        var samples: [Float] = []
        encoder.encode(Self.everyByte.span, into: &samples)
        let events = try FSKBench.events(Array(samples[180...]), .bell202, sampleRate: 48_000)
        let first = try #require(FSKBench.characters(events).first)
        #expect(first.tier == .strong)
        #expect(FSKBench.common(FSKBench.bytes(events), Self.everyByte) >= 250)
    }

    /// A recording may end anywhere: before, within and after a stretch.
    @Test(arguments: [(FrequencyShift, Double)]([(quick, 48_000), (.bell202, 8_000)]))
    func aRecordingMayEndAnywhere(shift: FrequencyShift, sampleRate: Double) throws {
        let samples = try FSKBench.samples(Array(Self.everyByte[..<40]), shift, sampleRate: sampleRate)
        for end in stride(from: 0, to: samples.count, by: 61) {
            let events = try FSKBench.events(Array(samples[..<end]), shift, sampleRate: sampleRate)
            let bytes = FSKBench.bytes(events)
            // The last one may be cut off.
            #expect(bytes.dropLast(1).elementsEqual(Self.everyByte.prefix(max(0, bytes.count - 1))))
        }
    }

    @Test(arguments: [(0.025, 0.0458, 40), (0.1125, 0.2792, 5), (0.05, 0.0667, 36)])
    func filtersAreBlindToTheOtherTone(mark: Double, space: Double, length: Int) throws {
        let filters = try #require(ToneFilters(mark: mark, space: space, length: length))
        for phase in stride(from: 0.0, to: 1, by: 0.13) {
            for (bit, turns) in [(1, mark), (0, space)] {
                let sound = (0..<filters.reach).map { index in
                    Float(0.25 + 0.5 * Numerics.sineAndCosine(turns: phase + turns * Double(index)).cosine)
                }
                let measure = unsafe sound.withUnsafeBufferPointer {
                    unsafe filters.measure($0.baseAddress!, mean: 0.25)
                }
                let (own, other) =
                    bit == 1 ? (measure.powers.x, measure.powers.y) : (measure.powers.y, measure.powers.x)
                #expect(abs(own - 0.25) < 1e-4)
                #expect(other < 1e-6)
            }
        }
    }

    @Test func filtersNeedEnoughSamples() {
        #expect(ToneFilters(mark: 0.1125, space: 0.2792, length: 3) == nil)
        #expect(ToneFilters(mark: 0.1, space: 0.1001, length: 40) == nil)
    }
}
