import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// Senders whose clock and tones are not quite what they should be.
@Suite struct FSKOffsetTests {
    private static let bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0 * 151 + 3) }

    private static let shifts: [FrequencyShift] = [
        .bell103, .bell202, .v23, .init(baud: 126, mark: 1_764, space: 882),
        .init(baud: 1_225, mark: 4_900, space: 2_450),
        .init(baud: 1_225, mark: 7_350, space: 4_900), .init(baud: 9_000, mark: 5_400, space: 13_400),
    ]

    /// After a mark so long that the first segments hold nothing else, and show nothing of the other tone.
    private func errors(
        _ shift: FrequencyShift, clock: Double, tones: Double, noise: Double?, sampleRate: Double = 48_000
    ) throws -> Int {
        let sent = FrequencyShift(baud: clock * shift.baud, mark: tones * shift.mark, space: tones * shift.space)
        var samples = [Float](repeating: 0, count: 4_800)
        var encoder = try FSKEncoder(sent, sampleRate: sampleRate)
        encoder.idle(seconds: max(0.05, 30 / shift.baud), into: &samples)
        encoder.encode(Self.bytes.span, into: &samples)
        encoder.idle(seconds: 20 / shift.baud, into: &samples)
        samples += [Float](repeating: 0, count: Int(100 * sampleRate / shift.baud))
        if let noise {
            FSKBench.addNoise(&samples, bitEnergyToNoise: noise, sent, sampleRate: sampleRate, seed: 12)
        }
        let read = FSKBench.bytes(try FSKBench.events(samples, shift, sampleRate: sampleRate))
        return Self.distance(read, Self.bytes)
    }

    /// Bytes that are wrong, missing or too many.
    private static func distance(_ read: [UInt8], _ sent: [UInt8]) -> Int {
        var row = Array(0...sent.count)
        for (index, byte) in read.enumerated() {
            var last = row[0]
            row[0] = index + 1
            for place in 1...sent.count {
                let next = min(row[place] + 1, row[place - 1] + 1, last + (byte == sent[place - 1] ? 0 : 1))
                last = row[place]
                row[place] = next
            }
        }
        return row[sent.count]
    }

    @Test(arguments: shifts, [(1, 0.95), (1, 1.05), (0.95, 1), (1.05, 1), (0.95, 0.95), (1.05, 1.05)])
    func clockAndTonesMayBeOffByFivePercent(shift: FrequencyShift, off: (clock: Double, tones: Double)) throws {
        #expect(try errors(shift, clock: off.clock, tones: off.tones, noise: nil) == 0)
        // At the start of a burst its first characters give the clock.
        #expect(try errors(shift, clock: off.clock, tones: off.tones, noise: 13) <= 5)
    }

    /// At 50 baud five percent of a tone are more than two turns a bit.
    @Test(arguments: [0.95, 0.97, 1.03, 1.05]) func tonesOfSlowSendersAreFound(tones: Double) throws {
        let shift = FrequencyShift(baud: 50, mark: 2_125, space: 2_295)
        #expect(try errors(shift, clock: 1, tones: tones, noise: nil, sampleRate: 16_000) == 0)
        #expect(try errors(shift, clock: 1, tones: tones, noise: 12, sampleRate: 16_000) <= 1)
    }

    /// Tones beyond what a sender's may be off by are brought back to there, each for itself: 6.5 % of the tone or 15 %
    /// of the shift, whichever is more, but 25 % of the tone at most.
    @Test func aLouderToneBesideTheOwnOnesIsNotFollowedFar() {
        let narrow = FSKSender.bounded(SIMD2(2_200, 862), .bell202)
        #expect(narrow.x == 2_200)
        #expect(abs(narrow.y - (1_200 - 0.15 * 1_000)) < 1e-9)
        let wide = FSKSender.bounded(SIMD2(19_000, 17_900), FrequencyShift(baud: 50, mark: 18_000, space: 17_830))
        #expect(abs(wide.x - 17_830 * 1.065) < 1e-9)
        #expect(wide.y == 17_900)
        let low = FSKSender.bounded(SIMD2(9_000, -300), FrequencyShift(baud: 1_200, mark: 600, space: 7_000))
        #expect(abs(low.x - 7_000 * (1 + 0.15 * 6_400 / 7_000)) < 1e-9)
        #expect(abs(low.y - 600 * 0.75) < 1e-9)
    }
}
