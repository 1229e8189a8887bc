import JackdawTestSupport
import Testing

@testable import JackdawDSP

struct NibbleLineTests {
    private static let version: [UInt8] = [0x02, 0x52, 0x22, 0x03, 0x71]

    private static func encoder(
        _ line: NibbleLine = .uniMag, rate: Double = 48_000, clock: Double = 1, inverted: Bool = false
    ) throws -> NibbleLineEncoder {
        var line = line
        line.chipRate *= clock
        return try NibbleLineEncoder(line, sampleRate: rate, level: -26.0206, isInverted: inverted)
    }

    @Test func aNibbleIsTenChips() {
        // Start, 1 0 1 0 with the least significant bit first, stop.
        #expect(NibbleChips.levels(0x5) == [1, 1, -1, -1, 1, 1, -1, -1, 1, -1])
        #expect(NibbleChips.levels(0x6) == [1, -1, 1, 1, -1, 1, -1, -1, 1, -1])
    }

    /// Five samples a chip: each stands for itself.
    @Test func theEncoderSendsPreambleSyncAndHighNibblesFirst() throws {
        var encoder = try NibbleLineEncoder(sampleRate: 48_000, level: 0)
        var samples: [Float] = []
        encoder.encode([0x02 as UInt8].span, into: &samples)
        let sent = Array(repeating: UInt8(5), count: 28) + [6, 6, 0, 2]
        let expected = sent.flatMap(NibbleChips.levels).flatMap { [Float](repeating: $0, count: 5) }
        #expect(samples == expected)
    }

    @Test func encodingInPartsSoundsTheSame() throws {
        let bytes = BasebandBench.random(40, seed: 1)
        var whole = try Self.encoder(rate: 44_100)
        var parts = whole
        var one: [Float] = []
        var other: [Float] = []
        whole.encode(bytes.span, into: &one)
        for byte in bytes { parts.encode([byte].span, into: &other) }
        #expect(one == other)
    }

    @Test(arguments: [22_050.0, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000], [0.95, 0.97, 1, 1.03, 1.05])
    func readsEveryRateAndClock(rate: Double, clock: Double) throws {
        let bytes = BasebandBench.random(60, seed: UInt64(rate))
        for line in [NibbleLine.uniMag, .uniMag4800, .uniMag2400] {
            for inverted in [false, true] {
                let samples = BasebandBench.samples(
                    bytes, try Self.encoder(line, rate: rate, clock: clock, inverted: inverted))
                let reading = BasebandBench.receive(samples, try NibbleLineDecoder(line, sampleRate: rate))
                #expect(reading.bytes == bytes, "\(line.chipRate) \(inverted)")
                let burst = try #require(reading.bursts.first)
                #expect(reading.bursts.count == 1)
                #expect(abs(burst.baud / (line.chipRate * clock) - 1) < 0.001)
                #expect(abs(burst.level + 23.01) < 1)
                #expect(burst.framingErrors == 0)
                #expect(burst.confidence > 0.99)
            }
        }
    }

    @Test(arguments: [(8_000.0, NibbleLine.uniMag2400), (16_000, .uniMag4800), (11_025, .uniMag2400)])
    func readsLowRates(rate: Double, line: NibbleLine) throws {
        let bytes = BasebandBench.random(40, seed: 2)
        let samples = BasebandBench.samples(bytes, try Self.encoder(line, rate: rate))
        #expect(BasebandBench.receive(samples, try NibbleLineDecoder(line, sampleRate: rate)).bytes == bytes)
    }

    /// A frame whose exclusive or and sum are wrong came out as if nothing were amiss.
    @Test func saysHowTheCheckCameOut() throws {
        let card = BasebandBench.random(40, seed: 20)
        let sums = [card.reduce(0, ^), card.reduce(0, &+)]
        let text = Array("%B9999990000000001^TEST/CARD^3012101?\r".utf8)
        let frames: [([UInt8], LineBurst.Check?)] = [
            ([0x02, 40, 0] + card + sums + [0x03], .intact),
            ([0x02, 40, 0] + card + sums.map { $0 ^ 0x5A } + [0x03], .broken),
            // What has no check is neither.
            (text, nil), (card, nil),
        ]
        for (frame, check) in frames {
            let samples = BasebandBench.samples(frame, try Self.encoder())
            let reading = BasebandBench.receive(samples, try NibbleLineDecoder(sampleRate: 48_000))
            #expect(reading.bytes == frame)
            let burst = try #require(reading.bursts.first)
            #expect(burst.check == check)
            #expect(burst.repairedBits == 0)
            #expect(check == .broken ? burst.confidence <= 0.5 : burst.confidence > 0.99)
            #expect(reading.characters.allSatisfy { ($0.confidence <= 0.5) == (check == .broken) })
        }
    }

    @Test func charactersHaveTheirStartInTheSound() throws {
        let samples = BasebandBench.samples(Self.version, try Self.encoder())
        let reading = BasebandBench.receive(samples, try NibbleLineDecoder(sampleRate: 48_000))
        for (index, character) in reading.characters.enumerated() {
            // Silence, fifteen bytes of preamble and sync, then a hundred samples a byte.
            #expect(abs(character.startSample - Double(1_440 + 1_500 + 100 * index)) < 1)
        }
        let span = try #require(reading.bursts.first).span
        #expect(abs(span.startSample - 2_940) <= 1)
        #expect(abs(span.endSample - 3_440) <= 1)
    }

    @Test func burstsFollowEachOther() throws {
        var encoder = try Self.encoder()
        var samples: [Float] = []
        let frames = (0..<5).map { BasebandBench.random(10 + 30 * $0, seed: UInt64($0)) }
        for frame in frames {
            encoder.encode(frame.span, into: &samples)
            encoder.idle(seconds: 0.01, into: &samples)
        }
        let reading = BasebandBench.receive(samples, try NibbleLineDecoder(sampleRate: 48_000))
        #expect(reading.bytes == frames.flatMap { $0 })
        #expect(reading.bursts.map(\.characters) == frames.map(\.count))
    }

    @Test(arguments: [1, 7, 240, 1_000_000]) func blocksOfAnySizeGiveTheSame(block: Int) throws {
        let clean = BasebandBench.samples(BasebandBench.random(30, seed: 4), try Self.encoder(rate: 44_100))
        let samples = BasebandBench.spoil(
            clean + clean, sampleRate: 44_100,
            .init(hum: 1, noise: BasebandBench.deviation(ebn0: 9, samplesPerChip: 44_100 / 9_600), seed: 5))
        let decoder = try NibbleLineDecoder(sampleRate: 44_100)
        let expected = BasebandBench.receive(samples, decoder)
        #expect(expected.bytes.count == 60)
        #expect(BasebandBench.receive(samples, decoder, block: block) == expected)
    }

    @Test func integersAndFloatsGiveTheSame() throws {
        let samples = BasebandBench.samples(BasebandBench.random(30, seed: 6), try Self.encoder())
        let integers = samples.map { Int16($0 * 32_768) }
        let floats = integers.map { Float($0) / 32_768 }
        let decoder = try NibbleLineDecoder(sampleRate: 48_000)
        let reading = BasebandBench.receive(integers, decoder)
        #expect(reading.bytes.count == 30)
        #expect(reading == BasebandBench.receive(floats, decoder))
    }

    @Test(arguments: [NibbleLine.uniMag, .uniMag2400]) func anOffsetAndHumCostNothing(line: NibbleLine) throws {
        let bytes = BasebandBench.random(100, seed: 7)
        let clean = BasebandBench.samples(bytes, try Self.encoder(line))
        let noise = BasebandBench.deviation(ebn0: 14, samplesPerChip: 48_000 / line.chipRate)
        for spoiling in [
            BasebandBench.Spoiling(offset: 10, hum: 2, noise: noise), .init(offset: -10, noise: noise),
            .init(hum: 2, noise: noise, seed: 3),
        ] {
            let samples = BasebandBench.spoil(clean, sampleRate: 48_000, spoiling)
            let reading = BasebandBench.receive(samples, try NibbleLineDecoder(line, sampleRate: 48_000))
            #expect(reading.bytes == bytes)
            let burst = try #require(reading.bursts.first)
            #expect(burst.framingErrors == 0)
            // Eb/N0 less the samples that share a bit's energy.
            let expected = 14 - 10 * 0.434_294_5 * Numerics.logarithm(2 * 48_000 / line.chipRate / 2)
            #expect(abs(burst.signalToNoise - expected) < 1.5)
        }
    }

    /// At 10 dB a bit is wrong in 250,000, and 1.5 % of 250-byte frames at least have one.
    @Test func noiseCostsFewFrames() throws {
        var wrong = 0
        for index in 0..<40 {
            let bytes = BasebandBench.random(250, seed: UInt64(100 + index))
            let clean = BasebandBench.samples(
                bytes, try Self.encoder(clock: index % 2 == 0 ? 0.97 : 1.03, inverted: index % 4 < 2))
            let noise = BasebandBench.deviation(ebn0: 10, samplesPerChip: 5)
            let samples = BasebandBench.spoil(clean, sampleRate: 48_000, .init(noise: noise, seed: UInt64(index)))
            let reading = BasebandBench.receive(samples, try NibbleLineDecoder(sampleRate: 48_000))
            if reading.bytes != bytes { wrong += 1 }
        }
        #expect(wrong <= 6)
    }

    /// What start and stop chips are is known: noise that turns one over, as it does one bit in 5,000 at 8
    /// dB, makes no framing error.
    @Test func noiseMakesNoFramingErrors() throws {
        var framingErrors = 0
        for index in 0..<40 {
            let clean = BasebandBench.samples(BasebandBench.random(250, seed: UInt64(index)), try Self.encoder())
            let noise = BasebandBench.deviation(ebn0: 8, samplesPerChip: 5)
            let samples = BasebandBench.spoil(clean, sampleRate: 48_000, .init(noise: noise, seed: UInt64(index)))
            let reading = BasebandBench.receive(samples, try NibbleLineDecoder(sampleRate: 48_000))
            framingErrors += reading.bursts.reduce(0) { $0 + $1.framingErrors }
        }
        #expect(framingErrors == 0)
    }

    @Test func noiseSilenceHumAndOtherModemsGiveNothing() throws {
        var noise = GaussianNoise(seed: 8)
        let decoder = try NibbleLineDecoder(sampleRate: 48_000)
        var sounds: [[Float]] = [
            (0..<960_000).map { _ in 0.2 * Float(noise.next()) },
            [Float](repeating: 0, count: 480_000), [Float](repeating: 0.9, count: 480_000),
            // What is left of noise where the recording ends is not heard either.
            [0.3, -0.2, 0.1],
            (0..<480_000).map { Float(Numerics.sineAndCosine(turns: 50 * Double($0) / 48_000).sine) },
        ]
        for frequency in [960.0, 1_920, 2_000, 2_400, 2_880, 4_800] {
            sounds.append((0..<96_000).map { Int(2 * frequency * Double($0) / 48_000) % 2 == 0 ? 0.5 : -0.5 })
            sounds.append(
                (0..<96_000).map { Float(Numerics.sineAndCosine(turns: frequency * Double($0) / 48_000).sine) })
        }
        let data = BasebandBench.random(500, seed: 9) + [UInt8](repeating: 0x55, count: 500)
        for shift in [
            FrequencyShift.bell202, .init(baud: 2_450, mark: 7_350, space: 4_900),
            .init(baud: 9_600, mark: 5_400, space: 13_400),
        ] {
            sounds.append(BasebandBench.samples(data, try FSKEncoder(shift, sampleRate: 48_000)))
        }
        for (index, sound) in sounds.enumerated() {
            #expect(BasebandBench.receive(sound, decoder).bursts.isEmpty, "sound \(index)")
        }
    }

    @Test func aPreambleWithoutSyncGivesNothing() throws {
        var line = NibbleLine.uniMag
        line.syncNibble = 0x9
        let samples = BasebandBench.samples([UInt8](repeating: 0x55, count: 40), try Self.encoder(line))
        #expect(BasebandBench.receive(samples, try NibbleLineDecoder(sampleRate: 48_000)) == .init())
    }

    @Test func hostileSoundDoesNotTrap() throws {
        var random = SeededRandom(seed: 10)
        for rate in [22_050.0, 48_000, 192_000] {
            let decoder = try NibbleLineDecoder(sampleRate: rate)
            #expect(BasebandBench.receive([Float](), decoder) == .init())
            let wild: [Float] = [.nan, .infinity, -.infinity, 1, -1, 0, 3e38, 1e-30, 9e5]
            _ = BasebandBench.receive((0..<200_000).map { _ in wild[Int.random(in: 0..<9, using: &random)] }, decoder)
            let extremes: [Int16] = [.min, .max]
            _ = BasebandBench.receive(
                (0..<200_000).map { _ in extremes[Int.random(in: 0..<2, using: &random)] }, decoder)
        }
    }

    @Test func aBurstWithoutEndIsCut() throws {
        let bytes = BasebandBench.random(20_000, seed: 11)
        let samples = BasebandBench.samples(bytes, try Self.encoder(rate: 24_000))
        let reading = BasebandBench.receive(samples, try NibbleLineDecoder(sampleRate: 24_000))
        #expect(reading.bytes == bytes)
        #expect(reading.bursts.map(\.characters) == [8_192, 8_192, 3_616])
    }

    @Test func endsWithTheRecording() throws {
        let samples = BasebandBench.samples(Self.version, try Self.encoder(), quiet: 0)
        #expect(BasebandBench.receive(samples, try NibbleLineDecoder(sampleRate: 48_000)).bytes == Self.version)
    }

    @Test func resetForgetsABurst() throws {
        let samples = BasebandBench.samples(BasebandBench.random(50, seed: 12), try Self.encoder())
        var decoder = try NibbleLineDecoder(sampleRate: 48_000)
        _ = decoder.receive(samples.span.extracting(first: samples.count / 2))
        decoder.reset()
        #expect(BasebandBench.receive(samples, decoder).bytes.count == 50)
        #expect(decoder.finish().isEmpty)
    }

    @Test func copiesOfADecoderAreIndependent() throws {
        let samples = BasebandBench.samples(BasebandBench.random(50, seed: 13), try Self.encoder())
        var one = try NibbleLineDecoder(sampleRate: 48_000)
        let half = samples.count / 2
        var events = one.receive(samples.span.extracting(first: half))
        var other = one
        other.reset()
        events += one.receive(samples.span.extracting(half..<samples.count)) + one.finish()
        #expect(BasebandBench.reading(events).bytes.count == 50)
        #expect(BasebandBench.receive(samples, other).bytes.count == 50)
    }

    @Test func reflectionShowsNoSound() throws {
        var decoder = try NibbleLineDecoder(sampleRate: 48_000)
        _ = decoder.receive(BasebandBench.samples(Self.version, try Self.encoder()).span)
        var shown = ""
        dump(decoder, to: &shown)
        #expect(shown.contains("48000"))
        #expect(shown.utf8.count < 2_000)
    }

    @Test func ratesAndParametersThatDoNotFitAreRefused() {
        #expect(throws: LineCodeError.self) { try NibbleLineDecoder(sampleRate: 16_000) }
        #expect(throws: LineCodeError.self) { try NibbleLineDecoder(sampleRate: .nan) }
        #expect(throws: LineCodeError.self) { try NibbleLineEncoder(sampleRate: 48_000, level: 1) }
        #expect(throws: LineCodeError.self) {
            try NibbleLineDecoder(NibbleLine(chipRate: 9_600, syncNibble: 0x4), sampleRate: 48_000)
        }
    }

    @Test(arguments: ["unimag", "unimag-4800", "unimag-2400"]) func modesHaveNames(name: String) throws {
        let mode = try LineMode(named: name)
        let samples = BasebandBench.samples(Self.version, try mode.encoder(sampleRate: 48_000))
        #expect(BasebandBench.receive(samples, try mode.decoder(sampleRate: 48_000)).bytes == Self.version)
    }
}
