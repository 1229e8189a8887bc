import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// Blocks of any size, and sound that is none.
@Suite struct FSKStreamTests {
    private static let text = Array("Drip, drip, drop.".utf8)

    /// A keying, its rate and framing, clean or at a noise where nearly all is read, twice with a pause between.
    private static let lines: [(FrequencyShift, CharacterFraming, Double)] = [
        (.bell103, .eightNoneOne, 8_000),
        (.v23, .init(dataBits: 7, parity: .even, stopBits: .two), 11_025),
        (.init(baud: 9_600, mark: 5_400, space: 13_400), .eightNoneOne, 44_100),
        (.init(baud: 4_800, mark: 7_000, space: 3_000), .init(dataBits: 5, stopBits: .onePointFive), 48_000),
    ]

    private func sound(_ line: (FrequencyShift, CharacterFraming, Double), noise: Double?) throws -> [Float] {
        let (shift, framing, sampleRate) = line
        var samples = try FSKBench.samples(Self.text, shift, framing: framing, sampleRate: sampleRate)
        samples += samples
        if let noise {
            FSKBench.addNoise(&samples, bitEnergyToNoise: noise, shift, sampleRate: sampleRate, seed: 8)
        }
        return samples
    }

    @Test(arguments: lines.indices, [Double?.none, 11]) func blocksMakeNoDifference(index: Int, noise: Double?) throws {
        let line = Self.lines[index]
        let (shift, framing, sampleRate) = line
        let samples = try sound(line, noise: noise)
        let whole = try FSKBench.events(samples, shift, framing: framing, sampleRate: sampleRate)
        #expect(FSKBench.characters(whole).count >= 2 * Self.text.count)
        #expect(FSKBench.bursts(whole).count >= 2)
        for block in [1, 7, 240] {
            let parts = try FSKBench.events(
                samples, shift, framing: framing, sampleRate: sampleRate, block: block)
            #expect(parts.map(Self.trace) == whole.map(Self.trace), "blocks of \(block)")
            #expect(FSKBench.characters(parts) == FSKBench.characters(whole))
            #expect(FSKBench.bursts(parts) == FSKBench.bursts(whole))
        }
    }

    /// Which kind of event it is, for their order.
    private static func trace(_ event: LineEvent) -> Character {
        switch event {
        case .character: "c"
        case .burst: "b"
        }
    }

    /// Sixteen bits and floating point, through all block sizes.
    @Test(arguments: [1, 7, 240, .max]) func wholeNumbersInBlocksMakeNoDifference(block: Int) throws {
        let whole = try sound(Self.lines[1], noise: 11).map { Int16(($0 * 16_384).rounded()) }
        let (shift, framing, sampleRate) = Self.lines[1]
        let expected = try FSKBench.events(
            whole.map { Float($0) / 32_768 }, shift, framing: framing, sampleRate: sampleRate)
        var decoder = try FSKDecoder(shift, framing: framing, sampleRate: sampleRate)
        var events: [LineEvent] = []
        var start = 0
        while start < whole.count {
            let end = start + min(block, whole.count - start)
            decoder.receive(whole.span.extracting(start..<end), into: &events)
            start = end
        }
        decoder.finish(into: &events)
        #expect(FSKBench.characters(events) == FSKBench.characters(expected))
        #expect(FSKBench.bursts(events) == FSKBench.bursts(expected))
    }

    @Test func emptySoundHasNoEvents() throws {
        var decoder = try FSKDecoder(.bell202, sampleRate: 8_000)
        #expect(decoder.finish().isEmpty)
        let none: [Float] = []
        let noneWhole: [Int16] = []
        for _ in 0..<3 { #expect((decoder.receive(none.span) + decoder.receive(noneWhole.span)).isEmpty) }
        #expect(decoder.finish().isEmpty)
        #expect((decoder.receive(([0.5] as [Float]).span) + decoder.finish()).isEmpty)
    }

    /// Samples that are no numbers spoil what they touch and nothing after it.
    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e30])
    func burstsAfterSamplesThatAreNotNumbersAreRead(value: Float) throws {
        for (shift, sampleRate) in [(FrequencyShift.bell202, 44_100.0), (.bell103, 8_000)] {
            let clean = try FSKBench.samples(Self.text, shift, sampleRate: sampleRate)
            let spoilt = clean.enumerated().map { $0.offset % 97 == 0 ? value : $0.element }
            let all = spoilt + [Float](repeating: value, count: 20_000) + clean
            let events = try FSKBench.events(all, shift, sampleRate: sampleRate)
            #expect(FSKBench.bytes(events).suffix(Self.text.count) == Self.text[...])
            #expect(FSKBench.bursts(events).allSatisfy { $0.level.isFinite && $0.baud.isFinite })
        }
    }

    /// Square waves of full scale, at the tones, the baud, between and beside them.
    @Test(arguments: [
        50.0, 600, 1_000, 1_200, 1_685, 1_690, 1_695, 1_700, 1_705, 1_710, 1_720, 2_200, 5_000, 11_025, 22_050,
    ])
    func squareWavesOfFullScaleHaveNoBytes(frequency: Double) throws {
        for sampleRate in [44_100.0, 48_000] {
            let samples = (0..<Int(3 * sampleRate)).map { index -> Float in
                (2 * frequency * Double(index) / sampleRate).truncatingRemainder(dividingBy: 2) < 1 ? 1 : -1
            }
            let events = try FSKBench.events(samples, .bell202, sampleRate: sampleRate)
            #expect(events.isEmpty)
        }
    }

    /// A minute of noise of any level, and of silence, at each of the bauds; white, and of another colour now and then.
    @Test(arguments: [FrequencyShift.bell103, .bell202, .init(baud: 4_800, mark: 3_000, space: 7_000)], [0.0, 0.95])
    func longNoiseAndSilenceHaveNoBytes(shift: FrequencyShift, maxColour: Double) throws {
        var decoder = try FSKDecoder(shift, sampleRate: 16_000)
        var noise = GaussianNoise(seed: 6)
        var events: [LineEvent] = []
        var last = 0.0
        for second in 0..<60 {
            let level = [1.0, 0.1, 0.001, 0][second / 5 % 4]
            let colour = second % 5 < 2 ? maxColour : 0
            let samples = (0..<16_000).map { _ -> Float in
                last = colour * last + level * noise.next()
                return Float(min(max(last, -1), 1))
            }
            decoder.receive(samples.span, into: &events)
        }
        decoder.finish(into: &events)
        #expect(events.isEmpty)
    }

    /// With 3.3 samples a bit any path explains a good share of the noise, most of all near half the sample rate.
    @Test(arguments: 1...12 as ClosedRange<UInt64>) func noiseOfFewSamplesABitHasNoBytes(seed: UInt64) throws {
        var noise = GaussianNoise(seed: seed)
        let samples = (0..<20 * 16_000).map { _ in Float(min(max(noise.next(), -1), 1)) }
        let shift = FrequencyShift(baud: 4_800, mark: 3_000, space: 7_000)
        #expect(try FSKBench.events(samples, shift, sampleRate: 16_000).isEmpty)
    }

    /// Noise of which a low-pass has left the band of the tones.
    @Test(arguments: [FrequencyShift.bell103, .bell202]) func colouredNoiseHasNoBytes(shift: FrequencyShift) throws {
        var noise = GaussianNoise(seed: 22)
        var last = 0.0
        let samples = (0..<480_000).map { _ -> Float in
            last = 0.97 * last + noise.next()
            return Float(0.02 * last)
        }
        let events = try FSKBench.events(samples, shift, sampleRate: 48_000)
        #expect(events.isEmpty)
    }

    /// Half a minute of noise from a telephone: nothing below 300 Hz and nothing above 3,400 Hz. A gate for white noise
    /// would find thousands of bytes in it.
    @Test(arguments: [
        FrequencyShift.bell103, .bell202, .v23, .init(baud: 1_225, mark: 4_900, space: 2_450),
        .init(baud: 600, mark: 1_300, space: 1_700),
    ])
    func noiseFromATelephoneHasOneByteAtMost(shift: FrequencyShift) throws {
        var noise = GaussianNoise(seed: 23)
        var low = SteepButterworthFilter(.highPass, turns: 300 / 48_000)
        var high = SteepButterworthFilter(.lowPass, turns: 3_400 / 48_000)
        let samples = (0..<30 * 48_000).map { _ in high.filter(low.filter(Float(0.1 * noise.next()))) }
        let events = try FSKBench.events(samples, shift, sampleRate: 48_000)
        #expect(FSKBench.characters(events).count <= 1)
    }

    /// What is quiet does not vanish after what was loud.
    @Test(arguments: [(FrequencyShift.bell103, 1e-3), (.bell202, 3e-4)])
    func quietNoiseAfterALoudToneHasNoBytes(shift: FrequencyShift, level: Double) throws {
        var noise = GaussianNoise(seed: 7)
        let samples = (0..<10 * 96_000).map { index -> Float in
            let (sine, _) = Numerics.sineAndCosine(turns: 440 * Double(index) / 48_000)
            return Float(level * noise.next() + (index % 96_000 < 24_000 ? 0.95 * sine : 0))
        }
        let events = try FSKBench.events(samples, shift, sampleRate: 48_000)
        #expect(events.isEmpty)
    }

    /// Hum, its overtones and whistles in the band of the tones or right beside it, twice as loud as they are.
    /// A byte of noise where a burst begins is not what this is about.
    @Test(arguments: [
        (FrequencyShift.bell202, 50.0), (.bell202, 100), (.bell202, 150), (.bell202, 250), (.bell202, 3_000),
        (.bell202, 3_300), (.bell103, 700), (.bell103, 1_700),
    ])
    func steadyTonesDoNotCloseTheSquelch(shift: FrequencyShift, frequency: Double) throws {
        var samples = try sound((shift, .eightNoneOne, 48_000), noise: 18).map { $0 / 4 }
        for index in samples.indices {
            let (sine, _) = Numerics.sineAndCosine(turns: frequency * Double(index) / 48_000)
            samples[index] += Float(0.25 * sine)
        }
        let read = FSKBench.bytes(try FSKBench.events(samples, shift, sampleRate: 48_000))
        #expect(read.ranges(of: Self.text).count == 2)
        #expect(read.count <= 2 * Self.text.count + 2)
    }

    /// Two whistles near the tones are neither taken for them nor out of the noise.
    @Test func steadyTonesBesideTheKeyedOnesHaveNoBytes() throws {
        var noise = GaussianNoise(seed: 24)
        let samples = (0..<21_000).map { index in
            let tones = [1_359.0, 1_145].map { Numerics.sineAndCosine(turns: $0 * Double(index) / 8_000).sine }
            return Float(0.3 * tones[0] + 0.3 * tones[1] + 0.003 * noise.next())
        }
        #expect(try FSKBench.events(samples, .bell103, sampleRate: 8_000).isEmpty)
    }

    /// Both tones all the time are no keying, as loud or not, though in noise every bit has
    /// one that is a little louder.
    @Test(arguments: [(0.3, 0.3), (0.3, 0.2), (0.2, 0.3)], [0, 0.01, 0.1])
    func bothTonesAtOnceHaveNoBytes(levels: (mark: Double, space: Double), deviation: Double) throws {
        var noise = GaussianNoise(seed: 25)
        let samples = (0..<21_000).map { index in
            let tones = [1_270.0, 1_070].map { Numerics.sineAndCosine(turns: $0 * Double(index) / 8_000).sine }
            return Float(levels.mark * tones[0] + levels.space * tones[1] + deviation * noise.next())
        }
        #expect(try FSKBench.events(samples, .bell103, sampleRate: 8_000).isEmpty)
    }

    /// The other direction of a line that carries two, 12 dB louder.
    @Test func theOtherDirectionDoesNotCloseTheSquelch() throws {
        let other = FrequencyShift(baud: 300, mark: 2_225, space: 2_025)
        let samples = try sound((.bell103, .eightNoneOne, 48_000), noise: 20)
        var beside = try FSKBench.samples(Array(Self.text.reversed()), other, sampleRate: 48_000)
        while beside.count < samples.count { beside += beside }
        let mixed = samples.indices.map { 0.2 * samples[$0] + 0.8 * beside[$0] }
        let read = FSKBench.bytes(try FSKBench.events(mixed, .bell103, sampleRate: 48_000))
        #expect(read == Self.text + Self.text)
    }

    /// What was heard before, whatever it was, makes no difference after a reset.
    @Test func aResetForgetsEverything() throws {
        let clean = try FSKBench.samples(Self.text, .bell202, sampleRate: 22_050)
        let expected = try FSKBench.events(clean, .bell202, sampleRate: 22_050)
        var decoder = try FSKDecoder(.bell202, sampleRate: 22_050)
        let other = FrequencyShift(baud: 1_250, mark: 1_250, space: 2_290)
        let before = try FSKBench.samples(Self.text, other, sampleRate: 22_050).map { 0.1 * $0 + 0.4 }
        for length in [1, 500, before.count / 2, before.count] {
            _ = decoder.receive(before.span.extracting(0..<length))
            decoder.reset()
            let events = decoder.receive(clean.span) + decoder.finish()
            #expect(FSKBench.characters(events) == FSKBench.characters(expected))
            #expect(FSKBench.bursts(events) == FSKBench.bursts(expected))
        }
    }
}
