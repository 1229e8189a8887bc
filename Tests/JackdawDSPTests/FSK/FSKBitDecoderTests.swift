import JackdawTestSupport
import Testing

@testable import JackdawDSP

@Suite struct FSKBitDecoderTests {
    private static let highRate = FrequencyShift(baud: 9_600, mark: 5_400, space: 13_400)

    /// All bits of a burst and no other, at any number of samples a bit, whichever tone is the higher one.
    @Test(arguments: [
        (FrequencyShift.bell202, 8_000.0), (.bell202, 44_100), (.bell202, 192_000), (.bell103, 8_000), (.v21, 11_025),
        (.v23, 22_050), (.init(baud: 50, mark: 1_000, space: 1_200), 8_000), (highRate, 44_100), (highRate, 48_000),
        (.init(baud: 2_400, mark: 1_800, space: 3_800), 16_000),
        (.init(baud: 4_800, mark: 7_000, space: 3_000), 44_100),
        (.init(baud: 1_225, mark: 7_350, space: 4_900), 44_100), (.init(baud: 126, mark: 1_764, space: 882), 48_000),
    ]) func allBitsAreReadAgain(shift: FrequencyShift, sampleRate: Double) throws {
        for (index, count) in [48, 64, 200, 1_000].enumerated() {
            let bits = FSKBitBench.bits(count, seed: UInt64(20 + index))
            let samples = try FSKBitBench.samples(bits, shift, sampleRate: sampleRate)
            let events = try FSKBitBench.events(samples, shift, sampleRate: sampleRate)
            #expect(FSKBench.bytes(events) == bits)
            let burst = try #require(FSKBench.bursts(events).first)
            #expect(FSKBench.bursts(events).count == 1)
            #expect(burst.characters == count)
            #expect(abs(burst.baud / shift.baud - 1) < 0.01)
            let start = 50.3 * sampleRate / shift.baud
            #expect(abs(Double(burst.span.startSample) - start) < 0.3 * sampleRate / shift.baud)
            #expect(abs(burst.level + 6) < 1)
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func noiseOfTenDecibelsCostsNextToNothing(seed: UInt64) throws {
        let bits = FSKBitBench.bits(3_000, seed: seed)
        let read = try FSKBitBench.read(
            bits, sent: .bell202, read: .bell202, sampleRate: 48_000, noise: 10, seed: seed)
        #expect(FSKBitBench.errors(bits, read) <= 6)
    }

    @Test(
        arguments: [
            (FrequencyShift.bell202, 48_000.0), (.bell202, 8_000), (.bell103, 8_000), (highRate, 44_100),
            (.init(baud: 2_400, mark: 1_800, space: 3_800), 22_050),
        ], [30.0, 10]) func clockAndTonesMayBeOff(line: (FrequencyShift, Double), noise: Double) throws
    {
        let (shift, sampleRate) = line
        for (clock, tones) in [(0.97, 1.0), (1.03, 1), (1, 0.97), (1, 1.03), (0.97, 0.97), (1.03, 1.03)] {
            // No more than 9,600 baud can be sent.
            guard shift.baud * clock <= 9_600 else { continue }
            let sent = FrequencyShift(baud: shift.baud * clock, mark: shift.mark * tones, space: shift.space * tones)
            let bits = FSKBitBench.bits(3_000, seed: 12)
            let read = try FSKBitBench.read(
                bits, sent: sent, read: shift, sampleRate: sampleRate, noise: noise, seed: 5)
            let most = noise == 30 ? 0 : 6
            #expect(FSKBitBench.errors(bits, read) <= most, "clock \(clock), tones \(tones)")
        }
    }

    @Test(arguments: [0.95, 1.05]) func clockAndTonesMayBeOffByFivePercentEach(share: Double) throws {
        for (clock, tones) in [(share, 1), (1, share), (share, share)] {
            for shift in [FrequencyShift.bell202, .bell103] {
                let sent = FrequencyShift(
                    baud: shift.baud * clock, mark: shift.mark * tones, space: shift.space * tones)
                let bits = FSKBitBench.bits(1_000, seed: 3)
                let read = try FSKBitBench.read(bits, sent: sent, read: shift, sampleRate: 16_000, noise: 30)
                #expect(read == bits, "clock \(clock), tones \(tones), \(shift.baud) baud")
            }
        }
    }

    /// Only the clock shows the length of a run of one tone.
    @Test(arguments: [nil, 14.0]) func runsKeepTheirLength(noise: Double?) throws {
        for shift in [FrequencyShift.bell202, .bell103, .init(baud: 4_800, mark: 3_000, space: 7_000)] {
            var bits: [UInt8] = []
            for (index, run) in [40, 39, 41, 40, 80].enumerated() {
                bits += FSKBitBench.bits(40, seed: UInt64(index)) + [UInt8](repeating: UInt8(index & 1), count: run)
            }
            bits += FSKBitBench.bits(40, seed: 9)
            let read = try FSKBitBench.read(
                bits, sent: shift, read: shift, sampleRate: 48_000, noise: noise, seed: 4)
            #expect(read == bits, "\(shift.baud) baud")
        }
    }

    @Test(arguments: [UInt8(0), 1]) func runsAtTheEdgesAreRead(bit: UInt8) throws {
        for run in [40, 64] {
            let edge = [UInt8](repeating: bit, count: run)
            let bits = edge + FSKBitBench.bits(64, seed: 1) + edge
            let all = try FSKBitBench.read(bits, sent: .bell202, read: .bell202, sampleRate: 48_000)
            #expect(all.count == bits.count)
            #expect(all == bits)
            // If nothing else is sent, nothing shows where in its bits it begins.
            let read = try FSKBitBench.read(edge, sent: .bell202, read: .bell202, sampleRate: 48_000)
            #expect(abs(read.count - run) <= 1)
            #expect(read.allSatisfy { $0 == bit })
        }
    }

    @Test func burstsAreSeparated() throws {
        let parts = (0..<3).map { FSKBitBench.bits(80 + 40 * $0, seed: UInt64($0)) }
        let samples = try parts.flatMap { try FSKBitBench.samples($0, .bell202, sampleRate: 44_100) }
        let bursts = FSKBench.bursts(try FSKBitBench.events(samples, .bell202, sampleRate: 44_100))
        #expect(bursts.map(\.characters) == parts.map(\.count))
    }

    /// A carrier that is gone for some bits comes back with all bits in their places.
    @Test func aShortFadeMovesNoBit() throws {
        let bits = FSKBitBench.bits(600, seed: 2)
        var samples = try FSKBitBench.samples(bits, .bell202, sampleRate: 48_000)
        for index in 12_000..<12_000 + 15 * 40 { samples[index] *= 0.1 }
        FSKBench.addNoise(&samples, bitEnergyToNoise: 16, .bell202, sampleRate: 48_000, seed: 3)
        let read = FSKBench.bytes(try FSKBitBench.events(samples, .bell202, sampleRate: 48_000))
        // Counted from the end: in noise the first bit may be missing.
        let missing = bits.count - read.count
        try #require((0...1).contains(missing))
        let faded = 12_000 / 40 - 52..<12_000 / 40 - 50 + 17
        #expect(read.indices.allSatisfy { faded.contains($0 + missing) || read[$0] == bits[$0 + missing] })
    }

    @Test func bitsNeverShow() throws {
        let bits = FSKBitBench.bits(160, seed: 6)
        let samples = try FSKBitBench.samples(bits, .bell202, sampleRate: 16_000)
        var decoder = try FSKBitDecoder(.bell202, sampleRate: 16_000)
        // In the middle of a burst the decoder holds sound and bits.
        let events = decoder.receive(samples.span.extracting(0..<samples.count - 500))
        #expect(!events.isEmpty)
        var shown = ""
        dump(events, to: &shown)
        #expect(!shown.contains("value"))
        for character in FSKBench.characters(events) { #expect(!"\(character)".contains("value")) }
        var held = ""
        dump(decoder, to: &held)
        #expect(held.split(separator: "\n").allSatisfy { !$0.contains("bit") && !$0.contains("value") })
    }

    @Test func valuesOutOfRangeAreRefused() {
        #expect(throws: LineCodeError.self) { try FSKBitDecoder(.bell202, sampleRate: 4_000) }
        #expect(throws: LineCodeError.self) { try FSKBitDecoder(.bell202, sampleRate: .nan) }
        #expect(throws: LineCodeError.self) {
            try FSKBitDecoder(.init(baud: 20, mark: 1_000, space: 2_000), sampleRate: 8_000)
        }
        #expect(throws: LineCodeError.self) { try FSKBitEncoder(.bell202, sampleRate: 8_000, level: 3) }
    }
}
