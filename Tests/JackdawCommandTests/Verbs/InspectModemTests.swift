import Foundation
import JackdawAudioFile
import JackdawBytes
import JackdawDSP
import JackdawSpectrum
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// `jackdaw inspect` with modem sound.
@Suite struct InspectModemTests {
    private let folder: TemporaryFolder
    private static let text = "Jackdaw hears 4111111111111111 twice."

    init() throws { folder = try TemporaryFolder() }

    /// A text twice in Bell 202, a quarter of a second of near silence around it.
    private func sound(_ sampleRate: Double = 44_100) throws -> [Float] {
        var random = SeededRandom(seed: 7)
        var encoder = try FSKEncoder(.bell202, sampleRate: sampleRate)
        var samples = [Float](repeating: 0, count: Int(sampleRate / 4))
        encoder.idle(seconds: 0.05, into: &samples)
        let bytes = Array((Self.text + Self.text).utf8)
        encoder.encode(bytes.span, into: &samples)
        samples += [Float](repeating: 0, count: Int(sampleRate / 4))
        return samples.map { $0 + .random(in: -0.001...0.001, using: &random) }
    }

    @Test func theObjectHasModeAndMeasurements() throws {
        try SwipeSound.write([try sound()], to: folder("a.wav"), sampleRate: 44_100)
        let run = CommandRun("inspect", "--json", folder("a.wav"))
        #expect(run.status == 0)
        let object = try jsonObject(try #require(run.lines.first))
        let modems = try #require(object["modems"] as? [[String: Any]])
        #expect(modems.count == 1)
        let modem = try #require(modems.first)
        #expect(modem["mode"] as? String == "bell202")
        let values = modem.compactMapValues { $0 as? Double }
        #expect(abs(values["baud", default: 0] - 1_200) < 3)
        #expect(abs(values["mark", default: 0] - 1_200) < 12)
        #expect(abs(values["space", default: 0] - 2_200) < 22)
        #expect(values["fit", default: 0] > 0.95)
        #expect(values["regularity", default: 0] > 0.95)
        #expect(abs(values["start", default: 0] - 0.25) < 0.05)
        #expect(abs(values["end", default: 0] - 0.92) < 0.05)
        // Modem sound is no failed swipe.
        #expect((object["swipes"] as? [Any])?.isEmpty == true)
    }

    @Test func aPersonReadsTheMode() throws {
        try SwipeSound.write([try sound()], to: folder("a.wav"), sampleRate: 44_100)
        let run = CommandRun("inspect", folder("a.wav"))
        #expect(run.status == 0)
        #expect(run.lines.contains { $0.hasPrefix("  modem     bell202, 1200 baud, mark 1") })
        #expect(run.lines.last == "  swipes    none")
    }

    /// A regression: tones of no known mode were reported as a failed swipe over the whole file.
    @Test(arguments: [
        FrequencyShift(baud: 2_400, mark: 1_800, space: 3_800), .init(baud: 2_400, mark: 3_800, space: 1_800),
        .init(baud: 4_800, mark: 3_000, space: 7_000), .init(baud: 150, mark: 600, space: 900),
    ])
    func unknownTonesAreMeasured(shift: FrequencyShift) throws {
        let rate = 48_000.0
        var encoder = try FSKEncoder(shift, sampleRate: rate)
        var samples: [Float] = []
        encoder.idle(seconds: 0.2, into: &samples)
        var random = SeededRandom(seed: 11)
        let bytes = (0..<Int(3 * shift.baud / 10)).map { _ in UInt8(truncatingIfNeeded: random.next() >> 30) }
        encoder.encode(bytes.span, into: &samples)
        try SwipeSound.write([samples], to: folder("a.wav"), sampleRate: rate)
        let object = try jsonObject(try #require(CommandRun("inspect", "--json", folder("a.wav")).lines.first))
        #expect((object["swipes"] as? [Any])?.isEmpty == true)
        let modems = try #require(object["modems"] as? [[String: Any]])
        #expect(modems.count == 1)
        let modem = try #require(modems.first)
        #expect(modem["mode"] as? String == LineGuess.unnamed)
        let values = modem.compactMapValues { $0 as? Double }
        #expect(abs(values["baud", default: 0] / shift.baud - 1) < 0.01)
        #expect(abs(values["mark", default: 0] / shift.mark - 1) < 0.03)
        #expect(abs(values["space", default: 0] / shift.space - 1) < 0.03)
        #expect(values["start", default: 1] < 0.1)
        #expect(values["end", default: 0] > 3)
        let lines = CommandRun("inspect", folder("a.wav")).lines
        #expect(lines.contains { $0.hasPrefix("  modem     unknown tones, ") && !$0.contains("fit") })
        #expect(lines.last == "  swipes    none")
    }

    @Test func swipesAndNoiseAreNoModem() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav"), "--acceleration", "3").status == 0)
        let swipe = try jsonObject(try #require(CommandRun("inspect", "--json", folder("a.wav")).lines.first))
        #expect((swipe["modems"] as? [Any])?.isEmpty == true)
        #expect((swipe["swipes"] as? [Any])?.count == 1)
        var random = SeededRandom(seed: 3)
        let noise = (0..<44_100).map { _ in Float.random(in: -0.1...0.1, using: &random) }
        try SwipeSound.write([noise], to: folder("b.wav"), sampleRate: 44_100)
        let run = CommandRun("inspect", folder("b.wav"))
        #expect(run.lines.contains("  modem     none"))
    }

    private func inspection(isRevealed: Bool) throws -> LineInspection {
        let record = try ChannelRecord(try format())
        let samples = try sound()
        record.receive(samples.span)
        let lines = try record.finishLines(isRevealed: isRevealed)
        #expect(lines.count == 1)
        return try #require(lines.first)
    }

    private func format() throws -> AudioFormat {
        try SwipeSound.write([[0]], to: folder("format.wav"), sampleRate: 44_100)
        let reader = try AudioFileReader(path: folder("format.wav"))
        return reader.format
    }

    @Test func bytesAreDecodedAtTheirPlaces() throws {
        let line = try inspection(isRevealed: true)
        #expect(line.characters.map(\.text).joined() == Self.text + Self.text)
        #expect(line.characters.allSatisfy { !$0.isDoubtful && $0.edges.count == 11 && $0.bits.count == 10 })
        let first = try #require(line.characters.first)
        #expect(first.label == "4A")
        #expect(first.bits == [0, 0, 1, 0, 1, 0, 0, 1, 0, 1])
        // A quarter of a second of silence and 0.05 s of mark precede it.
        #expect(abs((first.edges.first ?? 0) / 44_100 - 0.3) < 0.0004)
    }

    /// Chips without tones have no bits in the picture, but bytes at their places.
    @Test func bytesOfChipsAreDecodedToo() throws {
        var encoder = try LineMode(named: "unimag").encoder(sampleRate: 44_100)
        var samples = [Float](repeating: 0, count: 11_025)
        let bytes = Array(";4111111111111111=2912101?\r".utf8)
        encoder.encode(bytes.span, into: &samples)
        samples += [Float](repeating: 0, count: 11_025)
        let record = try ChannelRecord(try format())
        record.receive(samples.span)
        let line = try #require(try record.finishLines(isRevealed: true).first)
        #expect(line.guess.modeName == "unimag")
        #expect(line.guess.title == "unimag, 9600 baud")
        let labels = line.characters.map(\.label)
        #expect(labels.count >= bytes.count)
        #expect(labels.suffix(bytes.count).first == "3B")
        #expect(line.characters.allSatisfy { $0.edges.count == 21 && $0.bits.isEmpty })
    }

    /// Chips look like a failed swipe; sound with too even a speed for a hand is not listed as one.
    @Test func chipsAreNoFailedSwipe() throws {
        var encoder = try LineMode(named: "unimag").encoder(sampleRate: 48_000)
        var samples = [Float](repeating: 0, count: 4_800)
        let bytes = (0..<120).map { UInt8(truncatingIfNeeded: 37 &* $0) }
        encoder.encode(bytes.span, into: &samples)
        samples += [Float](repeating: 0, count: 4_800)
        try SwipeSound.write([samples], to: folder("u.wav"), sampleRate: 48_000)
        let object = try jsonObject(try #require(CommandRun("inspect", "--json", folder("u.wav")).lines.first))
        let modems = try #require(object["modems"] as? [[String: Any]])
        #expect(modems.map { $0["mode"] as? String } == ["unimag"])
        #expect(modems.first?["mark"] == nil)
        #expect((object["swipes"] as? [Any])?.isEmpty == true)
    }

    /// A regression: the sound of a Manchester UART was reported as a swipe without bit cells.
    @Test(arguments: ["hijack", "flojack"], [44_100.0, 48_000])
    func aManchesterUARTIsNoFailedSwipe(mode: String, sampleRate: Double) throws {
        var encoder = try LineMode(named: mode).encoder(sampleRate: sampleRate)
        let silence = [Float](repeating: 0, count: Int(sampleRate / 4))
        var samples = silence
        let bytes = Array("Jackdaw hears 4111111111111111.".utf8)
        encoder.encode(bytes.span, into: &samples)
        try SwipeSound.write([samples + silence], to: folder("a.wav"), sampleRate: sampleRate)
        let object = try jsonObject(try #require(CommandRun("inspect", "--json", folder("a.wav")).lines.first))
        let modems = try #require(object["modems"] as? [[String: Any]])
        #expect(modems.map { $0["mode"] as? String } == [mode])
        #expect((object["swipes"] as? [Any])?.isEmpty == true)
        let lines = CommandRun("inspect", folder("a.wav")).lines
        #expect(lines.contains { $0.hasPrefix("  modem     \(mode), ") })
        #expect(lines.last == "  swipes    none")
        let record = try ChannelRecord(try format())
        if sampleRate == 44_100 {
            record.receive((samples + silence).span)
            let line = try #require(try record.finishLines(isRevealed: true).first)
            // Only the first seconds of a long line are decoded.
            let text = line.characters.map(\.text).joined()
            #expect(text.utf8.count > 16)
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(text))
            #expect(line.characters.allSatisfy { $0.edges.count == 12 && $0.bits.count == 11 && !$0.isDoubtful })
        }
    }

    /// Bytes may be card data: without `--reveal` neither they nor their bits show.
    @Test func bytesAreHidden() throws {
        let line = try inspection(isRevealed: false)
        #expect(line.characters.count == 2 * Self.text.count)
        #expect(line.characters.allSatisfy { $0.label == "**" && $0.text.isEmpty && $0.bits.isEmpty })
        #expect(line.summary(isRevealed: false) == "\(2 * Self.text.count) bytes, hidden without --reveal")
        let script = try LinePicture.script(
            [("a", line.summary(isRevealed: false), line)], PictureStyle(isVector: true)
        ).commands
        let labels = script.split(separator: "\n").filter { $0.hasPrefix("set label '") }
        #expect(!labels.isEmpty)
        #expect(labels.allSatisfy { $0.hasPrefix("set label '**'") })
    }

    @Test func rowsHoldWholeCharactersInOrder() throws {
        let line = try inspection(isRevealed: true)
        let rows = LinePicture.rows(of: line)
        #expect(rows.flatMap { Array($0) } == Array(line.characters.indices))
        #expect(rows.allSatisfy { $0.count <= 6 })
        let script = try LinePicture.script([("it's", "x", line)], PictureStyle(isVector: true)).commands
        #expect(script.contains("'it''s'"))
        #expect(script.contains("'4A  J'"))
    }

    /// A part of the picture has the bytes that are sent in it, also long after the beginning.
    @Test(
        .enabled(if: hasGnuplot, "gnuplot is not installed"),
        arguments: [[], ["--from", "9.5"], ["--from", "9.5", "--to", "9.52"], ["--to", "0.5"], ["--from", "11.6"]])
    func aPartOfALongLineIsDrawn(choice: [String]) throws {
        let text = (0..<1_400).map { UInt8(ascii: "a") + UInt8($0 / 60) }
        try ModemSound.write(text, "bell202", to: folder("a.wav"))
        let run = CommandRun(
            ["inspect", "--reveal", "--plot", folder("p.svg"), folder("a.wav"), "--width", "1000"] + choice)
        #expect(run.status == 0, "\(run.messages)")
        let picture = String(decoding: try folder.read("p.svg"), as: UTF8.self)
        let from = choice.first == "--from" ? try #require(Double(choice[1])) : 0.3
        // The carrier begins after a tenth of a second, the bytes after another.
        let byte = text[min(text.count - 1, Int((from + 0.01 - 0.2) * 120))]
        #expect(picture.contains("\(byte.hexadecimal)  "), "\(byte)")
    }

    @Test(.enabled(if: hasGnuplot, "gnuplot is not installed"), arguments: [("svg", "<?xml"), ("png", "\u{89}PNG")])
    func gnuplotDrawsThePicture(kind: String, start: String) throws {
        try SwipeSound.write([try sound()], to: folder("a.wav"), sampleRate: 44_100)
        let run = CommandRun("inspect", "--plot", folder("p.\(kind)"), folder("a.wav"))
        #expect(run.status == 0, "\(run.messages)")
        let picture = try folder.read("p.\(kind)")
        #expect(picture.starts(with: start.unicodeScalars.map { UInt8($0.value) }))
        #expect(picture.count > 10_000)
    }

    private static let hasGnuplot = ["/usr/bin", "/usr/local/bin", "/bin"].contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/gnuplot")
    }

    /// Recordings of real phones, which the project may not distribute.
    @Test(arguments: [
        ("softmodem-1225-whole-word", "softmodem-1225"), ("softmodem-315-whole-word", "softmodem-315"),
        ("webjack-10x", "webjack"), ("webjack-10x-nexus5-clipped", "webjack"),
        ("webjack-broken-expect-none", "webjack"),
    ])
    func realRecordings(name: String, mode: String) throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "shared/captures/fsk/\(name).wav").path
        guard FileManager.default.fileExists(atPath: path) else {
            print("skipped: \(name).wav is not on this machine")
            return
        }
        let run = CommandRun("inspect", "--json", path)
        let object = try jsonObject(try #require(run.lines.first))
        let modems = try #require(object["modems"] as? [[String: Any]])
        #expect(modems.map { $0["mode"] as? String } == [mode])
        let carriers = try #require(object["carriers"] as? [[String: Any]]).compactMap { $0["frequency"] as? Double }
        for tone in ["mark", "space"] {
            let frequency = try #require(modems.first?[tone] as? Double)
            #expect(carriers.contains { abs($0 / frequency - 1) < 0.03 }, "\(tone) \(frequency) Hz")
        }
    }
}
