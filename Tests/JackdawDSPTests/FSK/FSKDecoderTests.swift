import JackdawTestSupport
import Testing

@testable import JackdawDSP

@Suite struct FSKDecoderTests {
    private static let everyByte = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 181) }
    private static let fast = FrequencyShift(baud: 9_600, mark: 5_400, space: 13_400)
    private static let short = Array("The quick brown fox jumps over the lazy dog.".utf8)

    @Test(arguments: [FrequencyShift.bell103, .bell202, .v21, .v23], [8_000.0, 11_025, 44_100, 48_000, 96_000])
    func textIsReadAgainAtEveryRate(shift: FrequencyShift, sampleRate: Double) throws {
        let samples = try FSKBench.samples(Self.short, shift, sampleRate: sampleRate)
        let events = try FSKBench.events(samples, shift, sampleRate: sampleRate)
        #expect(FSKBench.bytes(events) == Self.short)
        #expect(FSKBench.characters(events).allSatisfy { $0.isFramed && $0.confidence > 0.9 })
    }

    @Test(
        arguments: [(FrequencyShift, Double)]([
            (FrequencyShift(baud: 50, mark: 1_200, space: 1_000), 8_000.0),
            (FrequencyShift(baud: 2_400, mark: 1_800, space: 3_800), 22_050),
            (FrequencyShift(baud: 4_800, mark: 3_000, space: 7_000), 44_100),
            (FSKDecoderTests.fast, 44_100), (FSKDecoderTests.fast, 48_000), (FSKDecoderTests.fast, 192_000),
            (FrequencyShift(baud: 1_225, mark: 7_350, space: 4_900), 44_100),
        ]))
    func everyByteIsReadAgainAtEveryBaud(shift: FrequencyShift, sampleRate: Double) throws {
        let bytes = shift.baud < 100 ? Self.short : Self.everyByte
        let samples = try FSKBench.samples(bytes, shift, sampleRate: sampleRate)
        let events = try FSKBench.events(samples, shift, sampleRate: sampleRate)
        #expect(FSKBench.bytes(events) == bytes)
    }

    /// Tones that are low for the sample rate, without noise and with some.
    @Test(arguments: [nil, 12] as [Double?])
    func theLowestTonesAreReadAtTheHighestRate(bitEnergyToNoise: Double?) throws {
        let shift = FrequencyShift(baud: 50, mark: 75, space: 50)
        var samples = try FSKBench.samples(Self.short, shift, sampleRate: 192_000)
        if let bitEnergyToNoise {
            FSKBench.addNoise(
                &samples, bitEnergyToNoise: bitEnergyToNoise, shift, sampleRate: 192_000, seed: 4)
        }
        // An offset is kept out of it.
        for index in samples.indices { samples[index] += 0.25 }
        let events = try FSKBench.events(samples, shift, sampleRate: 192_000)
        #expect(FSKBench.bytes(events) == Self.short)
    }

    @Test(arguments: [5, 6, 7, 8, 9], CharacterFraming.Parity.allCases)
    func everyFramingIsReadAgain(dataBits: Int, parity: CharacterFraming.Parity) throws {
        let framings = CharacterFraming.StopBits.allCases.flatMap { stopBits in
            CharacterFraming.BitOrder.allCases.map { order in
                CharacterFraming(dataBits: dataBits, parity: parity, stopBits: stopBits, bitOrder: order)
            }
        }
        for framing in framings {
            var encoder = try FSKEncoder(.bell202, framing: framing, sampleRate: 16_000)
            var samples: [Float] = []
            encoder.idle(seconds: 0.05, into: &samples)
            let values = (0..<40).map { UInt16($0 * 37 % (1 << dataBits)) }
            for value in values { encoder.encode(value, into: &samples) }
            encoder.idle(seconds: 0.05, into: &samples)
            let events = try FSKBench.events(samples, .bell202, framing: framing, sampleRate: 16_000)
            let characters = FSKBench.characters(events)
            #expect(characters.map(\.value) == values)
            #expect(characters.allSatisfy { $0.isFramed })
        }
    }

    @Test(arguments: [1, 7, 240]) func blocksOfAnySizeMakeTheSameEvents(block: Int) throws {
        var samples = try FSKBench.samples(Self.short, .bell202, sampleRate: 22_050)
        FSKBench.addNoise(&samples, bitEnergyToNoise: 9, .bell202, sampleRate: 22_050, seed: 4)
        let whole = try FSKBench.events(samples, .bell202, sampleRate: 22_050)
        let parts = try FSKBench.events(samples, .bell202, sampleRate: 22_050, block: block)
        #expect(FSKBench.characters(whole).count > 40)
        #expect(FSKBench.characters(parts) == FSKBench.characters(whole))
        #expect(FSKBench.bursts(parts) == FSKBench.bursts(whole))
    }

    @Test func wholeNumbersAndFloatsMakeTheSameEvents() throws {
        let whole = try FSKBench.samples(Self.short, .bell202, sampleRate: 48_000).map {
            Int16(($0 * 32_768).rounded())
        }
        let floats = whole.map { Float($0) / 32_768 }
        var decoder = try FSKDecoder(.bell202, sampleRate: 48_000)
        let fromWhole = decoder.receive(whole.span) + decoder.finish()
        decoder.reset()
        let fromFloats = decoder.receive(floats.span) + decoder.finish()
        #expect(FSKBench.bytes(fromWhole) == Self.short)
        #expect(FSKBench.characters(fromWhole) == FSKBench.characters(fromFloats))
        #expect(FSKBench.bursts(fromWhole) == FSKBench.bursts(fromFloats))
    }

    /// A byte in 3,000 is lost at 10 dB; one in 25 is far from that.
    @Test(arguments: [(FrequencyShift, Double)]([(.bell202, 48_000), (fast, 48_000), (fast, 44_100)]))
    func noiseIsSurvived(shift: FrequencyShift, sampleRate: Double) throws {
        var samples = try FSKBench.samples(Self.everyByte, shift, sampleRate: sampleRate)
        FSKBench.addNoise(&samples, bitEnergyToNoise: 10, shift, sampleRate: sampleRate, seed: 1)
        let bytes = FSKBench.bytes(try FSKBench.events(samples, shift, sampleRate: sampleRate))
        #expect(abs(bytes.count - 256) <= 2)
        #expect(FSKBench.common(bytes, Self.everyByte) >= 246)
    }

    @Test(arguments: [-0.05, -0.03, 0.03, 0.05]) func aClockAndTonesThatAreOffAreFound(error: Double) throws {
        for (clock, tones) in [(1 + error, 1), (1, 1 + error), (1 + error, 1 + error)] {
            let sent = FrequencyShift(baud: 1_200 * clock, mark: 1_200 * tones, space: 2_200 * tones)
            let samples = try FSKBench.samples(Self.everyByte, sent, sampleRate: 44_100)
            let events = try FSKBench.events(samples, .bell202, sampleRate: 44_100)
            #expect(FSKBench.bytes(events) == Self.everyByte)
            let burst = try #require(FSKBench.bursts(events).first)
            #expect(abs(burst.baud / sent.baud - 1) < 0.015)
            let tones = try #require(burst.tones)
            #expect(abs(tones.mark / sent.mark - 1) < 0.01)
            #expect(abs(tones.space / sent.space - 1) < 0.01)
        }
    }

    /// The tones of V.23 are 100 Hz off those of Bell 202: on the idle line that is detected before there are
    /// characters.
    @Test func anIdleLineOfOtherTonesHoldsNoCharacters() throws {
        var encoder = try FSKEncoder(.v23, sampleRate: 44_100)
        var samples = [Float](repeating: 0, count: 4_410)
        encoder.idle(seconds: 0.3, into: &samples)
        encoder.encode(Self.short.span, into: &samples)
        encoder.idle(seconds: 0.1, into: &samples)
        let events = try FSKBench.events(samples, .bell202, sampleRate: 44_100)
        #expect(FSKBench.bytes(events) == Self.short)
    }

    @Test func offsetHumAndClippingAreNoMatter() throws {
        let clean = try FSKBench.samples(Self.everyByte, .bell202, sampleRate: 44_100, level: -20)
        let spoilt = clean.enumerated().map { index, sample in
            let hum = Float(Numerics.sineAndCosine(turns: 50 * Double(index) / 44_100).sine)
            return sample * 0.5 + 0.2 * hum + 0.5
        }
        let clipped = clean.map { min(max($0 * 100, -1), 1) }
        for samples in [spoilt, clipped] {
            let events = try FSKBench.events(samples, .bell202, sampleRate: 44_100)
            #expect(FSKBench.bytes(events) == Self.everyByte)
        }
    }

    @Test func aBurstIsMeasured() throws {
        var samples = try FSKBench.samples(Self.everyByte, .bell202, sampleRate: 48_000, level: -6)
        FSKBench.addNoise(&samples, bitEnergyToNoise: 20, .bell202, sampleRate: 48_000, seed: 2)
        let bursts = FSKBench.bursts(try FSKBench.events(samples, .bell202, sampleRate: 48_000))
        let burst = try #require(bursts.first)
        #expect(bursts.count == 1)
        #expect(burst.characters == 256)
        #expect(burst.framingErrors == 0)
        #expect(abs(burst.level + 6) < 0.5)
        // 20 dB, less the 20 bits at the bandwidth of a bit that half the sample rate holds.
        #expect(abs(burst.signalToNoise - 7) < 0.7)
        #expect(abs(burst.span.startSample - 2_000) < 10)
        #expect(abs(burst.span.endSample - (2_000 + 2_560 * 40)) < 20)
    }

    @Test(arguments: [FrequencyShift.bell103, .bell202, FSKDecoderTests.fast]) func noiseHasNoBytes(
        shift: FrequencyShift
    ) throws {
        var noise = GaussianNoise(seed: 3)
        let samples = (0..<400_000).map { _ in Float(0.1 * noise.next()) }
        let events = try FSKBench.events(samples, shift, sampleRate: 48_000)
        #expect(events.isEmpty)
    }

    @Test func silenceHumAndTonesHaveNoBytes() throws {
        func tone(_ frequency: Double) -> [Float] {
            (0..<100_000).map { Float(0.5 * Numerics.sineAndCosine(turns: frequency * Double($0) / 48_000).sine) }
        }
        for samples in [
            [Float](repeating: 0, count: 100_000), tone(50), tone(1_200), tone(2_200), tone(1_700), tone(440),
        ] {
            let events = try FSKBench.events(samples, .bell202, sampleRate: 48_000)
            #expect(events.isEmpty)
        }
    }

    @Test func hostileSoundIsSurvived() throws {
        var random = SeededRandom(seed: 5)
        let values: [Float] = [0, 1, -1, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, 1e-30, 1e5]
        for length in [0, 1, 2, 100, 30_000] {
            let samples = (0..<length).map { _ in values.randomElement(using: &random) ?? 0 }
            _ = try FSKBench.events(samples, .bell202, sampleRate: 8_000)
            _ = try FSKBench.events(samples, Self.fast, sampleRate: 48_000)
        }
    }

    @Test func aDecoderCanBeUsedAgain() throws {
        let samples = try FSKBench.samples(Self.short, .bell202, sampleRate: 44_100)
        var decoder = try FSKDecoder(.bell202, sampleRate: 44_100)
        _ = decoder.receive(samples.span.extracting(0..<samples.count / 2))
        decoder.reset()
        for _ in 0..<2 { #expect(FSKBench.bytes(decoder.receive(samples.span) + decoder.finish()) == Self.short) }
    }

    @Test(
        arguments: [(FrequencyShift, Double, String)]([
            (FrequencyShift(baud: 49, mark: 1_200, space: 2_200), 44_100.0, "baud"),
            (FrequencyShift(baud: .nan, mark: 1_200, space: 2_200), 44_100, "baud"),
            (FrequencyShift(baud: 1_200, mark: 1_200, space: 4_100), 8_000, "space"),
            (FrequencyShift(baud: 1_200, mark: 0, space: 2_200), 8_000, "mark"),
            (FrequencyShift(baud: 9_600, mark: 1, space: 9_600), 192_000, "mark"),
            (FrequencyShift(baud: 9_600, mark: 9_600, space: 4_700), 48_000, "space"),
            (FrequencyShift(baud: 50, mark: 75, space: 46), 192_000, "space"),
            (FrequencyShift(baud: 1_200, mark: 1_200, space: 1_210), 8_000, "shift"),
            (FrequencyShift.bell202, 7_999, "sample rate"), (FrequencyShift.bell202, .infinity, "sample rate"),
        ]))
    func impossibleKeyingsAreErrors(shift: FrequencyShift, sampleRate: Double, name: String) {
        let error = #expect(throws: LineCodeError.self) { _ = try FSKDecoder(shift, sampleRate: sampleRate) }
        #expect(error?.code == .outOfRange)
        #expect(error?.message.hasPrefix(name) == true)
        #expect(throws: LineCodeError.self) { _ = try FSKEncoder(shift, sampleRate: sampleRate) }
    }

    @Test func charactersHideTheirValue() throws {
        let samples = try FSKBench.samples([0x34], .bell202, sampleRate: 44_100)
        let character = try #require(
            FSKBench.characters(try FSKBench.events(samples, .bell202, sampleRate: 44_100)).first)
        #expect(character.value == 0x34)
        var dumped = ""
        dump(character, to: &dumped)
        #expect(!dumped.contains("value"))
        #expect(!"\(character)".contains("52"))
    }
}
