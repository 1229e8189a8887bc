import Testing

@testable import JackdawDSP
@testable import jackdaw_cli

/// A decoder that reports given events at given samples.
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

@Suite struct ModeDetectorTests {
    private static let rate = 8_000.0

    /// A burst of characters, each reported one spacing after its start, by default a tenth of a second.
    private func burst(
        _ text: String, at start: Double, confidence: Float = 1, isFramed: Bool = true, spacing: Double = 0.1,
        tones: LineBurst.Tones? = nil, signalToNoise: Double = 20
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
            span: span, characters: samples.count, framingErrors: 0, repairedBits: 0, check: nil,
            confidence: confidence,
            baud: 300, tones: tones, level: -6, signalToNoise: signalToNoise)
        return characters + [(sample: end + 100, event: .burst(measured))]
    }

    /// The characters that the detector reports, with the mode before each burst and a `|` after it.
    private func outcome(
        _ scripts: [[(sample: Int, event: LineEvent)]], seconds: Double, block: Int = 333, isEnded: Bool = true,
        sound: [Float] = []
    ) throws -> String {
        let decoders = zip(LineMode.all, scripts).map { ($0, ScriptedDecoder($1) as any LineDecoder) }
        var race = try ModeDetector(decoders, sampleRate: Self.rate)
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
        let silence = Int(seconds * Self.rate) - sound.count
        let samples = sound + [Float](repeating: 0, count: silence)
        for start in stride(from: 0, to: samples.count, by: block) {
            race.receive(samples.span.extracting(start..<min(start + block, samples.count)), note)
        }
        if isEnded { race.finish(note) }
        return text
    }

    private let first = LineMode.all[0].name
    private let second = LineMode.all[1].name

    @Test func theMostAndSurestCharactersWin() throws {
        #expect(
            try outcome([burst("ab", at: 1), burst("abcd", at: 0.9)], seconds: 4) == "\(second):abcd|")
        #expect(
            try outcome([burst("ab", at: 1), burst("abcd", at: 1, confidence: 0.2)], seconds: 4) == "\(first):ab|")
        #expect(
            try outcome([burst("ab", at: 1), burst("abcd", at: 1, isFramed: false)], seconds: 4) == "\(first):ab|")
        // Characters at twice the rate do not count twice.
        #expect(
            try outcome([burst("abcd", at: 1, confidence: 0.8, spacing: 0.05), burst("ab", at: 1)], seconds: 4)
                == "\(second):ab|")
        // Of equal bursts, the mode that is first in the list wins.
        #expect(try outcome([burst("ab", at: 1), burst("ab", at: 1)], seconds: 4) == "\(first):ab|")
    }

    @Test func modesThatExplainLittleOfThePowerLose() throws {
        let scripts = [burst("abcdef", at: 1, signalToNoise: -9), burst("xyz", at: 1.1, signalToNoise: 5)]
        #expect(try outcome(scripts, seconds: 4) == "\(second):xyz|")
    }

    /// Modes with similar tones decode each other's sound.
    @Test func ofEqualBurstsTheOneWithTheMeasuredTonesWins() throws {
        let shift = try #require(LineMode.all[1].keying.shift)
        let tones = LineBurst.Tones(mark: shift.mark * 1.02, space: shift.space * 1.02)
        let scripts = [burst("ab", at: 1, tones: tones), burst("ab", at: 1, tones: tones)]
        #expect(try outcome(scripts, seconds: 4) == "\(second):ab|")
    }

    /// Half a second of Bell 103 after one second, with silence around it.
    private func sound() throws -> [Float] {
        let text = Array("fifteen letters".utf8)
        return [Float](repeating: 0, count: 7_200)
            + (try ModemSound.samples(text, LineMode(named: "bell103"), sampleRate: Self.rate, silence: 0))
    }

    /// A longer burst loses if the sound does not have the tones of its mode.
    @Test func aBurstWithoutTheTonesOfItsModeLoses() throws {
        let scripts = [burst("abcde", at: 1), burst("vwxyz", at: 0.99)]
        #expect(try outcome(scripts, seconds: 4) == "\(second):vwxyz|")
        #expect(try outcome(scripts, seconds: 4, sound: sound()) == "\(first):abcde|")
    }

    /// A burst whose sound has the tones of its mode was read: from then on, a few characters in another mode are
    /// noise.
    @Test func fewCharactersInOtherModesAreNoise() throws {
        let sure = burst("abcde", at: 1)
        let many = String(repeating: "c", count: 20)
        for (others, given) in [
            (burst("x", at: 0.8, spacing: 0.05), ""), (burst("xy", at: 1.7), ""), (burst("xyz", at: 6), ""),
            (burst(many, at: 6), "\(second):\(many)|"),
        ] {
            #expect(try outcome([sure, others], seconds: 12, sound: sound()) == "\(first):abcde|\(given)")
        }
        #expect(try outcome([sure, burst("xyz", at: 6)], seconds: 12) == "\(first):abcde|\(second):xyz|")
    }

    /// Two successive bursts of one mode win against a burst of another mode that overlaps both.
    @Test func twoBurstsWinAgainstOneThatOverlapsBoth() throws {
        let scripts = [burst("ab", at: 1) + burst("cd", at: 1.3), burst("xyz", at: 1.1)]
        #expect(try outcome(scripts, seconds: 4) == "\(first):ab|\(first):cd|")
    }

    /// A slow decoder reports a burst within one that has already been reported: it is dropped.
    @Test func burstsWithinAReportedBurstAreDropped() throws {
        let late = burst("xy", at: 10).map { (sample: $0.sample + 16_000, event: $0.event) }
        let scripts = [burst(String(repeating: "a", count: 100), at: 1), late]
        #expect(try outcome(scripts, seconds: 20) == "\(first):\(String(repeating: "a", count: 100))|")
    }

    @Test func burstsInDifferentPlacesAllCount() throws {
        let scripts = [
            burst("ab", at: 1) + burst("x", at: 3), burst("y", at: 1) + burst("cdef", at: 3) + burst("gh", at: 4),
        ]
        #expect(try outcome(scripts, seconds: 6) == "\(first):ab|\(second):cdef|\(second):gh|")
    }

    @Test func aBurstIsGivenSoonAfterItsEnd() throws {
        let scripts = [burst("ab", at: 1), burst("x", at: 1)]
        #expect(try outcome(scripts, seconds: 1.3, isEnded: false).isEmpty)
        #expect(try outcome(scripts, seconds: 2.5, isEnded: false) == "\(first):ab|")
    }

    /// The detector waits for the end of a burst, but only for a limited time.
    @Test func theLeaderOfALongBurstGivesItsCharactersAsTheyCome() throws {
        let long = String(repeating: "a", count: 200)
        let scripts = [burst("xy", at: 1) + burst("z", at: 10), burst(long, at: 1)]
        let early = try outcome(scripts, seconds: 8, isEnded: false)
        #expect(early.hasPrefix("\(second):aaaa"))
        #expect(early.count > second.count + 60)
        #expect(try outcome(scripts, seconds: 30) == "\(second):\(long)|")
    }

    /// The rest of a loser's burst after the end of the winner's is not reported.
    @Test func losersStayOutUntilTheirBurstEnds() throws {
        let scripts = [
            burst(String(repeating: "a", count: 90), at: 1),
            burst(String(repeating: "b", count: 120), at: 1, confidence: 0.3) + burst("cd", at: 20),
        ]
        let won = "\(first):\(String(repeating: "a", count: 90))|"
        #expect(try outcome(scripts, seconds: 25) == "\(won)\(second):cd|")
    }

    @Test(arguments: [1, 7, 1_024, 100_000])
    func blocksMakeNoDifference(block: Int) throws {
        let scripts = [
            burst("ab", at: 1) + burst(String(repeating: "c", count: 90), at: 3),
            burst("abc", at: 1) + burst("d", at: 3) + burst("efg", at: 14),
        ]
        #expect(try outcome(scripts, seconds: 18, block: block) == outcome(scripts, seconds: 18))
    }

    /// A mode whose tones are too high for the sample rate is left out; if none is left, that is an error.
    @Test func modesThatDoNotFitAreLeftOut() throws {
        let wide = LineMode(
            name: "wide", summary: "",
            code: .frequencyShift(.init(baud: 1_225, mark: 7_350, space: 4_900), .eightNoneOne))
        _ = try ModeDetector([wide, LineMode(named: "bell202")], sampleRate: 8_000)
        #expect(throws: LineCodeError.self) { try ModeDetector([wide], sampleRate: 8_000) }
    }
}
