import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// What is encoded is decoded, over the whole range of bauds, sample rates, tones and framings.
@Suite struct FSKGridTests {
    private static let bauds = [50, 75, 110, 300, 455, 1_200, 2_400, 4_800, 7_350, 9_600.0]
    private static let rates = [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000.0]
    /// Distances of the tones in multiples of the baud: Bell 103, Bell 202, one and two periods a bit.
    private static let spacings = [2.0 / 3, 5.0 / 6, 1, 2]

    /// All framings there are.
    private static let framings: [CharacterFraming] = (5...9).flatMap { dataBits in
        CharacterFraming.Parity.allCases.flatMap { parity in
            CharacterFraming.StopBits.allCases.flatMap { stopBits in
                CharacterFraming.BitOrder.allCases.map { order in
                    CharacterFraming(dataBits: dataBits, parity: parity, stopBits: stopBits, bitOrder: order)
                }
            }
        }
    }

    /// A keying whose tones lie well under half the sample rate; nil where there is none of that baud and spacing. The
    /// mark is the lower tone in one of two.
    private static func shift(_ baud: Double, spacing: Double, sampleRate: Double, isMarkLow: Bool) -> FrequencyShift? {
        let low = max(0.56 * baud, 600 + 0.1 * baud)
        let high = low + spacing * baud
        guard high + baud / 2 < 0.49 * sampleRate else { return nil }
        return FrequencyShift(baud: baud, mark: isMarkLow ? low : high, space: isMarkLow ? high : low)
    }

    private func characters(
        _ values: [UInt16], _ shift: FrequencyShift, _ framing: CharacterFraming, sampleRate: Double
    ) throws -> [LineCharacter] {
        var encoder = try FSKEncoder(shift, framing: framing, sampleRate: sampleRate, level: -20)
        var samples = [Float](repeating: 0, count: Int(10 * sampleRate / shift.baud))
        encoder.idle(seconds: 25 / shift.baud, into: &samples)
        for value in values { encoder.encode(value, into: &samples) }
        encoder.idle(seconds: 15 / shift.baud, into: &samples)
        samples += [Float](repeating: 0, count: Int(30 * sampleRate / shift.baud))
        return FSKBench.characters(
            try FSKBench.events(samples, shift, framing: framing, sampleRate: sampleRate))
    }

    /// Each baud at each rate with each spacing, and with them the framings in turn.
    @Test(arguments: bauds.indices, rates) func everyPointOfTheGridIsRead(place: Int, sampleRate: Double) throws {
        let baud = Self.bauds[place]
        for (number, spacing) in Self.spacings.enumerated() {
            let index = 4 * (place * Self.rates.count + Int(sampleRate) % 97) + number
            guard
                let shift = Self.shift(
                    baud, spacing: spacing, sampleRate: sampleRate, isMarkLow: index.isMultiple(of: 3))
            else { continue }
            let framing = Self.framings[index * 37 % Self.framings.count]
            var random = SeededRandom(seed: UInt64(index))
            let values = (0..<(baud < 200 ? 8 : 30)).map { _ in
                UInt16.random(in: 0..<1 << UInt16(framing.dataBits), using: &random)
            }
            let read = try characters(values, shift, framing, sampleRate: sampleRate)
            let name = "spacing \(spacing), \(framing)"
            #expect(read.map(\.value) == values, "\(name)")
            #expect(read.allSatisfy { $0.isFramed && $0.repairedBits == 0 }, "\(name)")
        }
    }

    /// Every framing at a number of samples a bit that is not whole: 12.08 and 4.59.
    @Test(arguments: framings.indices) func everyFramingIsReadWithFractionalSamplesABit(index: Int) throws {
        let framing = Self.framings[index]
        let (shift, sampleRate) =
            index.isMultiple(of: 2)
            ? (FrequencyShift(baud: 1_825, mark: 3_300, space: 1_700), 22_050.0)
            : (FrequencyShift(baud: 9_600, mark: 5_400, space: 13_400), 44_100.0)
        let values = (0..<24).map { UInt16($0 * 181 % (1 << framing.dataBits)) }
        let read = try characters(values, shift, framing, sampleRate: sampleRate)
        #expect(read.map(\.value) == values)
        #expect(read.allSatisfy { $0.isFramed })
    }

    /// The whole range of levels that 16 bits hold.
    @Test(arguments: [0.0, -30, -60]) func theLevelIsNoMatter(level: Double) throws {
        let bytes = Array("Loud and quiet.".utf8)
        let samples = try FSKBench.samples(bytes, .bell202, sampleRate: 44_100, level: level)
        let whole = samples.map { Int16(max(-32_768, min(32_767, ($0 * 32_768).rounded()))) }
        var decoder = try FSKDecoder(.bell202, sampleRate: 44_100)
        let events = decoder.receive(whole.span) + decoder.finish()
        #expect(FSKBench.bytes(events) == bytes)
        let burst = try #require(FSKBench.bursts(events).first)
        #expect(abs(burst.level - level) < 0.6)
    }
}
