import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// Blocks of any size, and sound that is none, for bits without start and stop.
@Suite struct FSKBitStreamTests {
    private static let lines: [(FrequencyShift, Double)] = [
        (.bell202, 48_000), (.bell103, 8_000), (.init(baud: 9_600, mark: 5_400, space: 13_400), 44_100),
    ]

    @Test(arguments: lines.indices, [Double?.none, 11]) func blocksMakeNoDifference(index: Int, noise: Double?) throws {
        let (shift, sampleRate) = Self.lines[index]
        let bits = FSKBitBench.bits(400, seed: 4)
        var samples = try FSKBitBench.samples(bits, shift, sampleRate: sampleRate)
        samples += samples
        if let noise {
            FSKBench.addNoise(&samples, bitEnergyToNoise: noise, shift, sampleRate: sampleRate, seed: 8)
        }
        let whole = try FSKBitBench.events(samples, shift, sampleRate: sampleRate)
        #expect(FSKBench.bursts(whole).count == 2)
        for block in [1, 7, 240] {
            let parts = try FSKBitBench.events(samples, shift, sampleRate: sampleRate, block: block)
            #expect(parts.map(\.isBurst) == whole.map(\.isBurst))
            #expect(FSKBench.characters(parts) == FSKBench.characters(whole))
            #expect(FSKBench.bursts(parts) == FSKBench.bursts(whole))
        }
    }

    @Test func wholeNumbersMakeNoDifference() throws {
        let bits = FSKBitBench.bits(400, seed: 5)
        let whole = try FSKBitBench.samples(bits, .bell202, sampleRate: 22_050).map { Int16(($0 * 16_384).rounded()) }
        let expected = try FSKBitBench.events(whole.map { Float($0) / 32_768 }, .bell202, sampleRate: 22_050)
        var decoder = try FSKBitDecoder(.bell202, sampleRate: 22_050)
        let events = decoder.receive(whole.span) + decoder.finish()
        #expect(FSKBench.characters(events) == FSKBench.characters(expected))
        #expect(FSKBench.bursts(events) == FSKBench.bursts(expected))
        #expect(FSKBench.bytes(events) == bits)
    }

    @Test func emptySoundHasNoEvents() throws {
        for (shift, sampleRate) in Self.lines {
            var decoder = try FSKBitDecoder(shift, sampleRate: sampleRate)
            #expect(decoder.finish().isEmpty)
            let none: [Float] = []
            let noneWhole: [Int16] = []
            #expect((decoder.receive(none.span) + decoder.receive(noneWhole.span)).isEmpty)
            #expect((decoder.receive(([0.5] as [Float]).span) + decoder.finish()).isEmpty)
            for count in [10, 1_000, 100_000] {
                let samples = [Float](repeating: 0.3, count: count)
                #expect((decoder.receive(samples.span) + decoder.finish()).isEmpty)
            }
        }
    }

    /// Samples that are no numbers spoil what they touch and nothing after it.
    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e30])
    func burstsAfterSamplesThatAreNotNumbersAreRead(value: Float) throws {
        let bits = FSKBitBench.bits(160, seed: 7)
        for (shift, sampleRate) in Self.lines {
            let clean = try FSKBitBench.samples(bits, shift, sampleRate: sampleRate)
            let spoilt = clean.enumerated().map { $0.offset % 97 == 0 ? value : $0.element }
            let all = spoilt + [Float](repeating: value, count: 20_000) + clean
            let events = try FSKBitBench.events(all, shift, sampleRate: sampleRate)
            #expect(FSKBench.bytes(events).suffix(bits.count) == bits[...])
            #expect(FSKBench.bursts(events).allSatisfy { $0.level.isFinite && $0.baud.isFinite })
        }
    }

    /// Two minutes of white noise for each line.
    @Test(arguments: lines.indices) func whiteNoiseHasNoBits(index: Int) throws {
        let (shift, sampleRate) = Self.lines[index]
        var decoder = try FSKBitDecoder(shift, sampleRate: sampleRate)
        var noise = GaussianNoise(seed: 16)
        var events: [LineEvent] = []
        for second in 0..<120 {
            let level = [0.3, 0.1, 0.001][second / 40]
            let samples = (0..<Int(sampleRate)).map { _ in Float(level * noise.next()) }
            decoder.receive(samples.span, into: &events)
        }
        decoder.finish(into: &events)
        #expect(events.isEmpty)
    }

    @Test func aToneBetweenTheTwoHasNoBits() throws {
        let samples = (0..<96_000).map { index in
            Float(0.5 * Numerics.sineAndCosine(turns: 1_700.0 * Double(index) / 48_000).sine)
        }
        #expect(try FSKBitBench.events(samples, .bell202, sampleRate: 48_000).isEmpty)
    }

    /// What was heard before makes no difference after a reset.
    /// A plug that is put in: half a turn of the lower tone has much of a step's sound after the high-pass.
    @Test(arguments: [0.1, 0.9] as [Float])
    func aStepHasNoBits(height: Float) throws {
        let shift = FrequencyShift(baud: 1_200, mark: 600, space: 7_000)
        let sound = [Float](repeating: 0, count: 4_600) + [Float](repeating: height, count: 4_600)
        let swapped = FrequencyShift(baud: shift.baud, mark: shift.space, space: shift.mark)
        #expect(try FSKBitBench.events(sound, shift, sampleRate: 48_000).isEmpty)
        #expect(try FSKBitBench.events(sound, swapped, sampleRate: 48_000).isEmpty)
    }

    @Test func aResetForgetsEverything() throws {
        let bits = FSKBitBench.bits(240, seed: 8)
        let clean = try FSKBitBench.samples(bits, .bell202, sampleRate: 22_050)
        let expected = try FSKBitBench.events(clean, .bell202, sampleRate: 22_050)
        let other = FrequencyShift(baud: 1_250, mark: 1_250, space: 2_290)
        let before = try FSKBitBench.samples(bits, other, sampleRate: 22_050).map { 0.1 * $0 + 0.4 }
        var decoder = try FSKBitDecoder(.bell202, sampleRate: 22_050)
        for length in [1, 500, before.count / 2, before.count] {
            _ = decoder.receive(before.span.extracting(0..<length))
            decoder.reset()
            let events = decoder.receive(clean.span) + decoder.finish()
            #expect(FSKBench.characters(events) == FSKBench.characters(expected))
            #expect(FSKBench.bursts(events) == FSKBench.bursts(expected))
        }
    }
}

extension LineEvent {
    fileprivate var isBurst: Bool {
        if case .burst = self { true } else { false }
    }
}
