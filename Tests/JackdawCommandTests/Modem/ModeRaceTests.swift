import Testing

@testable import JackdawDSP
@testable import jackdaw_cli

/// A decoder that says at certain samples what it was told to say.
private struct ScriptedDecoder: LineDecoder {
    let script: [(sample: Int, event: LineEvent)]
    private var position = 0

    init(_ script: [(sample: Int, event: LineEvent)]) { self.script = script }

    private mutating func advance(by count: Int, into events: inout [LineEvent]) {
        let range = position..<position + count
        events += script.filter { range.contains($0.sample) }.map(\.event)
        position += count
    }

    mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        advance(by: samples.count, into: &events)
    }

    mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        advance(by: samples.count, into: &events)
    }

    mutating func finish(into events: inout [LineEvent]) {
        events += script.filter { $0.sample >= position }.map(\.event)
    }

    mutating func reset() { position = 0 }
}

@Suite struct ModeRaceTests {
    private static let rate = 8_000.0

    /// A burst of characters, each told a tenth of a second after it began.
    private func burst(
        _ text: String, at start: Double, confidence: Float = 0.9, isFramed: Bool = true, spacing: Double = 0.1,
        tones: LineBurst.Tones? = nil
    ) -> [(sample: Int, event: LineEvent)] {
        let samples = text.utf8.indices.enumerated().map { Int((start + Double($0.offset) * spacing) * Self.rate) }
        let length = Int(spacing * Self.rate)
        let characters = zip(samples, text.utf8).map { sample, byte in
            let character = LineCharacter(
                value: UInt16(byte), startSample: Double(sample), confidence: confidence, isFramed: isFramed,
                tier: .fast)
            return (sample: sample + length, event: LineEvent.character(character))
        }
        let end = samples[samples.count - 1] + length
        let span = SwipeSpan(startSample: samples[0], endSample: end, sampleRate: Self.rate)
        let measured = LineBurst(
            span: span, characters: samples.count, framingErrors: 0, repairedBits: 0, confidence: confidence, baud: 300,
            tones: tones, level: -6, signalToNoise: 20)
        return characters + [(sample: end + 100, event: .burst(measured))]
    }

    /// What comes of decoders after so many seconds, with a `|` for each end of a burst and the mode in front.
    private func outcome(
        _ scripts: [[(sample: Int, event: LineEvent)]], seconds: Double, block: Int = 333, isEnded: Bool = true
    ) -> String {
        let decoders = zip(LineMode.all, scripts).map { ($0, ScriptedDecoder($1) as any LineDecoder) }
        var race = ModeRace(decoders, sampleRate: Self.rate)
        var text = ""
        let note = { (event: LineEvent, mode: LineMode) in
            switch event {
            case .character(let character):
                if text.last.map({ $0 == "|" }) ?? true { text += "\(mode.name):" }
                text += String(UnicodeScalar(UInt8(character.value)))
            case .burst:
                text += "|"
            }
        }
        let samples = [Int16](repeating: 0, count: Int(seconds * Self.rate))
        for start in stride(from: 0, to: samples.count, by: block) {
            race.receive(samples.span.extracting(start..<min(start + block, samples.count)), note)
        }
        if isEnded { race.finish(note) }
        return text
    }

    private let first = LineMode.all[0].name
    private let second = LineMode.all[1].name

    @Test func theMostAndSurestCharactersWin() {
        #expect(
            outcome([burst("ab", at: 1), burst("abcd", at: 0.9)], seconds: 4) == "\(second):abcd|")
        #expect(
            outcome([burst("ab", at: 1), burst("abcd", at: 1, confidence: 0.2)], seconds: 4) == "\(first):ab|")
        #expect(
            outcome([burst("ab", at: 1), burst("abcd", at: 1, isFramed: false)], seconds: 4) == "\(first):ab|")
        // Twice the characters in the same time are no more.
        #expect(
            outcome([burst("abcd", at: 1, confidence: 0.8, spacing: 0.05), burst("ab", at: 1)], seconds: 4)
                == "\(second):ab|")
        // Of equals the first in the list.
        #expect(outcome([burst("ab", at: 1), burst("ab", at: 1)], seconds: 4) == "\(first):ab|")
    }

    /// Neighbouring modes read each other's sound.
    @Test func ofEqualsTheOneWhoseTonesTheseAreWins() throws {
        let shift = try #require(LineMode.all[1].keying.shift)
        let tones = LineBurst.Tones(mark: shift.mark * 1.02, space: shift.space * 1.02)
        let scripts = [burst("ab", at: 1, tones: tones), burst("ab", at: 1, tones: tones)]
        #expect(outcome(scripts, seconds: 4) == "\(second):ab|")
    }

    @Test func burstsInDifferentPlacesAllCount() {
        let scripts = [
            burst("ab", at: 1) + burst("x", at: 3), burst("y", at: 1) + burst("cdef", at: 3) + burst("gh", at: 4),
        ]
        #expect(outcome(scripts, seconds: 6) == "\(first):ab|\(second):cdef|\(second):gh|")
    }

    @Test func aBurstIsGivenSoonAfterItsEnd() {
        let scripts = [burst("ab", at: 1), burst("x", at: 1)]
        #expect(outcome(scripts, seconds: 1.3, isEnded: false).isEmpty)
        #expect(outcome(scripts, seconds: 2.2, isEnded: false) == "\(first):ab|")
    }

    /// A decoder that goes on reading something keeps the others waiting, but not for ever.
    @Test func theLeaderOfALongBurstGivesItsCharactersAsTheyCome() {
        let long = String(repeating: "a", count: 200)
        let scripts = [burst("xy", at: 1) + burst("z", at: 10), burst(long, at: 1)]
        let early = outcome(scripts, seconds: 8, isEnded: false)
        #expect(early.hasPrefix("\(second):aaaa"))
        #expect(early.count > second.count + 60)
        #expect(outcome(scripts, seconds: 30) == "\(second):\(long)|")
    }

    /// A loser's burst that lasts beyond the winner's is not read from its middle on.
    @Test func losersStayOutUntilTheirBurstEnds() {
        let scripts = [
            burst(String(repeating: "a", count: 90), at: 1),
            burst(String(repeating: "b", count: 120), at: 1, confidence: 0.3) + burst("cd", at: 20),
        ]
        let won = "\(first):\(String(repeating: "a", count: 90))|"
        #expect(outcome(scripts, seconds: 25) == "\(won)\(second):cd|")
    }

    @Test(arguments: [1, 7, 1_024, 100_000])
    func blocksMakeNoDifference(block: Int) {
        let scripts = [
            burst("ab", at: 1) + burst(String(repeating: "c", count: 90), at: 3),
            burst("abc", at: 1) + burst("d", at: 3) + burst("efg", at: 14),
        ]
        #expect(outcome(scripts, seconds: 18, block: block) == outcome(scripts, seconds: 18))
    }

    /// A mode that the sample rate does not hold is left out, and where none is left that is an error.
    @Test func modesThatDoNotFitAreLeftOut() throws {
        let wide = LineMode(
            name: "wide", summary: "",
            code: .frequencyShift(.init(baud: 1_225, mark: 7_350, space: 4_900), .eightNoneOne))
        _ = try ModeRace([wide, LineMode(named: "bell202")], sampleRate: 8_000)
        #expect(throws: LineCodeError.self) { try ModeRace([wide], sampleRate: 8_000) }
    }
}
