import JackdawTestSupport
import Testing

@testable import JackdawDSP

@Suite struct CodeTrellisTests {
    /// Evidence for bits as a clean equaliser gives it: each place in favour of what is there by `strength` nats.
    private static func evidence(_ bits: [UInt8], strength: Float = 4) -> CellEvidence {
        let levels = CellEqualiser.levels(bits: bits, startSign: 0)
        func pair(_ level: Float) -> [Float] { [(level - 0.5) * strength, (-level - 0.5) * strength] }
        return CellEvidence(
            count: bits.count,
            boundaries: stride(from: 0, to: levels.count, by: 2).flatMap { pair(levels[$0]) },
            middles: stride(from: 1, to: levels.count, by: 2).flatMap { pair(levels[$0]) })
    }

    private static func bits(_ text: String, code: CharacterCode) throws -> [UInt8] {
        let message = try TrackMessage(text, code: code)
        let bits = message.bits.withElements { bits in bits.indices.map { bits[$0] } }
        let zeros = [UInt8](repeating: 0, count: 15)
        return zeros + bits + zeros
    }

    private static func best(_ evidence: CellEvidence, code: CharacterCode) -> CodeTrellis.Reading? {
        let trellis = CodeTrellis(evidence: evidence, code: code)
        return trellis.lanes().compactMap { trellis.bestReading(in: $0) }.max { $0.score < $1.score }
    }

    private static func text(_ reading: CodeTrellis.Reading?) -> String? {
        reading.map { reading in
            String(decoding: reading.values.dropLast().map { reading.code.ascii($0) }, as: UTF8.self)
        }
    }

    @Test(arguments: [
        (";4111111111111111=2912101?", CharacterCode.numeric), ("%B4111111111111111^DOE/J^2912101?", .alphanumeric),
    ])
    func readsCleanEvidence(text: String, code: CharacterCode) throws {
        let reading = Self.best(Self.evidence(try Self.bits(text, code: code)), code: code)
        #expect(Self.text(reading) == text)
        #expect(reading?.startCell == 15)
        #expect((reading?.margin ?? 0) > 8)
    }

    @Test func noLaneScoresAboveItsBound() throws {
        var random = SeededRandom(seed: 4)
        let bits = (0..<150).map { _ in UInt8.random(in: 0...1, using: &random) }
        let evidence = Self.evidence(bits, strength: 1)
        for code in CharacterCode.allCases {
            let trellis = CodeTrellis(evidence: evidence, code: code)
            for lane in trellis.lanes() {
                guard let reading = trellis.bestReading(in: lane) else { continue }
                #expect(reading.score <= lane.bound + 1e-2)
                #expect(reading.margin >= -1e-2)
            }
        }
    }

    /// A search for messages with a margin ends early; it finds those that a whole search finds.
    @Test func theLeastMarginLeavesMessagesWithAtLeastThatMarginAsTheyAre() throws {
        var random = SeededRandom(seed: 6)
        let bits = try Self.bits(";4111111111111111=2912101?", code: .numeric)
        var kept = 0
        for _ in 0..<60 {
            var evidence = Self.evidence(bits, strength: 3)
            for index in evidence.boundaries.indices {
                evidence.boundaries[index] += Float.random(in: -2.5...2.5, using: &random)
            }
            for index in evidence.middles.indices {
                evidence.middles[index] += Float.random(in: -2.5...2.5, using: &random)
            }
            let all = try #require(MessageSearch.bestMessage(evidence))
            let some = MessageSearch.bestMessage(evidence, leastMargin: 4)
            guard all.message.margin >= 4 else {
                #expect(some == nil)
                continue
            }
            kept += 1
            #expect(some?.message.values == all.message.values)
            #expect(some?.message.margin == all.message.margin)
        }
        #expect((5...55).contains(kept), "\(kept) of 60 have the margin")
    }

    @Test func everyReadingFitsTheCode() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<20 {
            let bits = (0..<120).map { _ in UInt8.random(in: 0...1, using: &random) }
            for code in CharacterCode.allCases {
                guard let reading = Self.best(Self.evidence(bits, strength: 2), code: code) else { continue }
                #expect(reading.values.first == code.startSentinel)
                #expect(reading.values.dropLast().last == code.endSentinel)
                #expect(reading.values.reduce(0, ^) == 0)
                #expect(reading.endCell <= bits.count)
            }
        }
    }

    @Test func parityRepairsOneUncertainBit() throws {
        let text = ";4111111111111111=2912101?"
        let clean = try Self.bits(text, code: .numeric)
        for cell in stride(from: 20, to: clean.count - 20, by: 7) {
            var evidence = Self.evidence(clean)
            for sign in 0..<2 { evidence.middles[2 * cell + sign] = 0 }
            #expect(Self.text(Self.best(evidence, code: .numeric)) == text, "cell \(cell)")
        }
    }

    @Test func reversedEvidenceReadsBackwards() throws {
        let bits = try Self.bits(";4111111111111111=2912101?", code: .numeric)
        let reversed = Self.evidence(bits.reversed()).reversed()
        #expect(Self.text(Self.best(reversed, code: .numeric)) == ";4111111111111111=2912101?")
    }
}
