import JackdawTestSupport
import Testing

@testable import JackdawDSP

struct SoftRepairTests {
    private static let card = BasebandBench.random(60, seed: 1)

    private static func encrypted(_ data: [UInt8]) -> [UInt8] {
        let exclusiveOr = data.reduce(0, ^)
        let sum = data.reduce(0, &+)
        return [0x02, UInt8(data.count & 255), UInt8(data.count >> 8)] + data + [exclusiveOr, sum, 0x03]
    }

    /// Flips bits of a frame and corrects it; `doubts` are more reliable than these bits, and all other bits are
    /// certain.
    private static func correct(
        _ frame: [UInt8], flips: [Int], doubts: [Int] = [], checks: [FrameCheck] = [.uniMagEncrypted]
    ) -> (outcome: FrameCheck.Outcome, bytes: [UInt8], repaired: [Int]) {
        var bytes = frame
        var reliabilities = [Float](repeating: 20, count: 8 * frame.count)
        for (order, bit) in flips.enumerated() { reliabilities[bit] = 0.5 + Float(order) / 10 }
        for (order, bit) in doubts.enumerated() { reliabilities[bit] = 3 + Float(order) / 2 }
        for bit in flips { bytes[bit / 8] ^= 1 << UInt8(bit % 8) }
        var repaired: [Int] = []
        let outcome = SoftRepair.correct(&bytes, reliabilities: reliabilities, checks: checks) { repaired.append($0) }
        return (outcome, bytes, repaired)
    }

    @Test func leavesAWholeFrameAlone() {
        let frame = Self.encrypted(Self.card)
        let corrected = Self.correct(frame, flips: [], doubts: [30, 40, 50])
        #expect(corrected.outcome == .whole)
        #expect(corrected.bytes == frame)
        #expect(corrected.repaired.isEmpty)
    }

    @Test(arguments: [[100], [3], [100, 200], [13, 400], [29, 30]]) func correctsOneOrTwoWeakBits(flips: [Int]) {
        let frame = Self.encrypted(Self.card)
        // A doubtful bit of the same place and value as a wrong one would explain the sums as well.
        let corrected = Self.correct(frame, flips: flips, doubts: [57, 73, 143, 215, 337])
        #expect(corrected.outcome == .whole)
        #expect(corrected.bytes == frame)
        #expect(corrected.repaired.sorted() == flips.map { $0 / 8 }.sorted())
    }

    @Test func leavesThreeWrongBitsAlone() {
        let corrected = Self.correct(Self.encrypted(Self.card), flips: [100, 200, 301])
        #expect(corrected.outcome == .broken)
        #expect(corrected.repaired.isEmpty)
    }

    @Test func turnsNoBitOverThatIsSure() {
        let frame = Self.encrypted(Self.card)
        var bytes = frame
        bytes[20] ^= 4
        var reliabilities = [Float](repeating: 1, count: 8 * frame.count)
        reliabilities[162] = 20
        var repaired = 0
        let outcome = SoftRepair.correct(&bytes, reliabilities: reliabilities, checks: [.uniMagEncrypted]) { _ in
            repaired += 1
        }
        #expect(outcome == .broken)
        #expect(repaired == 0)
    }

    /// A check of eight bits is passed by one in 256 of all ways: what is repaired must be far
    /// likelier than they are together.
    @Test func aShortCheckRepairsOnlyUnambiguousErrors() {
        let packet: [UInt8] = [0x99, 0, 40] + Self.card.prefix(40)
        let frame = packet + [0 &- packet.reduce(0, &+)]
        let checks = [FrameCheck.packet(identifiers: [0x99])]
        let plain = Self.correct(frame, flips: [100], checks: checks)
        #expect(plain.outcome == .whole)
        #expect(plain.bytes == frame)
        // A bit of the same weight elsewhere explains the sum as well.
        let doubtful = Self.correct(frame, flips: [100], doubts: [28, 36, 44, 52, 60, 68, 76, 84, 92], checks: checks)
        #expect(doubtful.outcome == .broken)
        #expect(doubtful.repaired.isEmpty)
    }

    /// Where all bits are sure, the sender or a drop-out has broken the frame.
    @Test func leavesAFrameOfSureBitsAlone() {
        for flip in 24..<504 {
            var frame = Self.encrypted(Self.card)
            frame[flip / 8] ^= 1 << UInt8(flip % 8)
            let corrected = Self.correct(frame, flips: [])
            #expect(corrected.outcome == .broken)
            #expect(corrected.repaired.isEmpty)
        }
    }

    @Test func wrongFramesHardlyEverPass() {
        var random = SeededRandom(seed: 2)
        var passed = 0
        for _ in 0..<2_000 {
            var frame = Self.encrypted(Self.card)
            for _ in 0..<6 {
                frame[Int.random(in: 3..<63, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            }
            let flips = (0..<16).map { _ in Int.random(in: 24..<500, using: &random) }
            let corrected = Self.correct(frame, flips: [], doubts: flips)
            if corrected.outcome == .whole { passed += 1 }
        }
        // One in 480 by chance, were exclusive or and sum sixteen bits that know nothing of each other.
        #expect(passed < 20)
    }

    @Test func clearTextIsKnownAndNeverCorrected() {
        let text = Array("%B9999990000000001^TEST/CARD^3012101?\r".utf8)
        #expect(FrameCheck.uniMagClearText.outcome(text.span) == .whole)
        let corrected = Self.correct(text, flips: [7], checks: [.uniMagEncrypted, .uniMagClearText])
        #expect(corrected.outcome == .unknown)
        #expect(corrected.repaired.isEmpty)
    }

    /// ID TECH's commands as third parties report them, check byte last.
    @Test(
        arguments: [
            [0x02, 0x52, 0x22, 0x03, 0x71], [0x02, 0x52, 0x1F, 0x03, 0x4C], [0x02, 0x52, 0x4E, 0x03, 0x1D],
            [0x02, 0x52, 0x51, 0x03, 0x02], [0x02, 0x53, 0x4C, 0x01, 0x31, 0x03, 0x2E],
            [0x02, 0x53, 0x4C, 0x01, 0x32, 0x03, 0x2D], [0x02, 0x52, 0x20, 0x03, 0x73],
        ] as [[UInt8]])
    func commandsPassTheirCheck(command: [UInt8]) {
        #expect(FrameCheck.uniMagCommand.outcome(command.span) == .whole)
        for index in command.indices.dropFirst(2) {
            var wrong = command
            wrong[index] ^= 0x10
            #expect(FrameCheck.uniMagCommand.outcome(wrong.span) != .whole)
        }
    }

    @Test func trailersAreTheirPublishedValues() {
        let digits = Array("123456789".utf8)
        // CRC-16/CCITT-FALSE of these digits is 0x29B1; their sum is 0x1DD and their exclusive or 0x31.
        for (trailer, value) in [
            (FrameCheck.Trailer.crc16, [0x29, 0xB1]), (.sum, [0xDD]), (.exclusiveOr, [0x31]), (.twosComplement, [0x23]),
        ] as [(FrameCheck.Trailer, [UInt8])] {
            let frame = digits + value
            let check = FrameCheck.trailing(trailer, frameLength: 4...20)
            #expect(check.outcome(frame.span) == .whole)
            #expect(check.outcome(frame.span.extracting(first: 8)) == .broken)
            #expect(check.outcome(frame.span.extracting(first: 3)) == .unknown)
        }
    }

    @Test func everyLengthOfEveryCheckIsAnswered() {
        let checks: [FrameCheck] = [
            .uniMagEncrypted, .uniMagClearText, .uniMagCommand, .packet(identifiers: [0x99]),
            .trailing(.crc16, frameLength: 0...300), .trailing(.sum, frameLength: 0...300),
        ]
        for count in 0..<20 {
            for first in [0x02, 0x99, 0x25] as [UInt8] {
                let bytes = [UInt8](repeating: first, count: count)
                for check in checks { #expect(count > 2 || check.outcome(bytes.span) != .whole) }
                _ = Self.correct(bytes, flips: [], checks: checks)
            }
        }
    }

    /// At 8 dB one frame in three has a wrong bit; nearly all of those have but one or two.
    @Test func correctsNoisyFrames() throws {
        var repaired = 0
        var wronglyRepaired = 0
        var wrong = 0
        for index in 0..<100 {
            let frame = Self.encrypted(BasebandBench.random(244, seed: UInt64(index)))
            let clean = BasebandBench.samples(frame, try NibbleLineEncoder(sampleRate: 48_000, level: -26.0206))
            let noise = BasebandBench.deviation(ebn0: 8, samplesPerChip: 5)
            let samples = BasebandBench.spoil(clean, sampleRate: 48_000, .init(noise: noise, seed: UInt64(index)))
            let reading = BasebandBench.receive(samples, try NibbleLineDecoder(sampleRate: 48_000))
            let bits = reading.bursts.reduce(0) { $0 + $1.repairedBits }
            #expect(bits == reading.characters.reduce(0) { $0 + Int($1.repairedBits) })
            let check = reading.bursts.first?.check
            #expect((check == .repaired) == (bits > 0))
            if check == .repaired { repaired += 1 }
            guard reading.bytes != frame else { continue }
            wrong += 1
            if check == .repaired { wronglyRepaired += 1 } else { #expect(check != .intact) }
        }
        #expect(repaired >= 8)
        #expect(wronglyRepaired <= 1)
        #expect(wrong <= 25)
    }
}
