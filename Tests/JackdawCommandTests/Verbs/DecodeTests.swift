import JackdawDSP
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

@Suite struct DecodeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a synthetic swipe and returns its path.
    private func swipe(_ name: String, _ options: String...) -> String {
        let run = CommandRun(["synth", "-o", folder(name)] + options)
        #expect(run.status == 0, "\(run.messages)")
        return folder(name)
    }

    @Test(arguments: [1, 2, 3], ["wav", "flac"])
    func soundOfSynthIsRead(track: Int, container: String) throws {
        let file = swipe("a.\(container)", "--track\(track)", "test")
        let run = CommandRun("decode", "--json", "--reveal", file)
        #expect(run.status == 0)
        #expect(run.messages.isEmpty)
        #expect(run.lines.count == 1)
        let object = try jsonObject(try #require(run.lines.first))
        #expect(object["text"] as? String == TestCard.text(try #require(TrackNumber(rawValue: track))))
        #expect(object["track"] as? Int == track)
        #expect(object["pan"] as? String == "4111111111111111")
        #expect(object["direction"] as? String == "forward")
    }

    @Test func theFieldsOfTheObjectKeepTheirOrder() throws {
        let run = CommandRun("decode", "--json", swipe("a.wav", "--reverse"))
        #expect(
            fieldNames(try #require(run.lines.first)) == [
                "file", "channel", "swipe", "track", "direction", "start", "end", "text", "masked", "parity", "lrc",
                "repaired", "confidence", "speed", "tier", "pan", "name", "expiry", "service_code", "format",
                "brand", "source", "tracks", "track", "form", "text", "format", "time",
            ])
        let object = try jsonObject(try #require(run.lines.first))
        #expect(object["direction"] as? String == "reverse")
        #expect(object["masked"] as? Bool == true)
        #expect(object["pan"] as? String == "411111******1111")
    }

    @Test func aPersonSeesTheCardAndItsTracks() {
        let run = CommandRun("decode", swipe("a.wav", "--track1", "test", "--track2", "test"))
        let fields = "411111******1111, visa, ***/****, expires 12/29, service code 101, source sound"
        #expect(run.lines.first?.hasSuffix(fields) == true)
        #expect(run.lines.count { $0.hasPrefix("  track") } == 2)
    }

    @Test func tracksAndChannelsCanBeChosen() {
        let file = swipe("a.wav", "--track1", "test", "--track2", "test")
        #expect(CommandRun("decode", "--json", file).lines.count == 2)
        let second = CommandRun("decode", "--json", "--track", "2", file).lines
        #expect(second.count == 1 && second[0].contains("\"track\":2"))
        let first = CommandRun("decode", "--json", "--channel", "1", file).lines
        #expect(first.count == 1 && first[0].contains("\"channel\":1"))
        #expect(CommandRun("decode", "--json", "--channel", "2", "--track", "1", file).status == 1)
        let run = CommandRun("decode", "--channel", "3", file)
        #expect(run.status == 64)
        #expect(run.messages.contains("there is no channel 3: it has 2 channels"))
    }

    @Test func swipesOfOtherTracksAreCounted() {
        let two = swipe("a.wav", "--track1", "test", "--track2", "test")
        let second = swipe("b.wav", "--track2", "test")
        #expect(CommandRun("decode", two, second).messages.isEmpty)
        #expect(CommandRun("decode", "--track", "1", two, second).messages.contains("left out: 2 swipes of track 2"))
        let all = CommandRun("decode", "--json", "--track", "3", two, second)
        #expect(all.status == 1)
        #expect(all.output.isEmpty)
        #expect(all.messages.contains("left out: 1 swipe of track 1, 2 swipes of track 2"))
    }

    @Test func headerlessSamplesAreRead() throws {
        let file = swipe("a.wav")
        // The header that libsndfile writes for 16-bit WAV ends with the size of the samples.
        let bytes = try folder.read("a.wav")
        let marker = Array("data".utf8)
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: marker) }) + 8
        let raw = try folder.write(bytes[start...], to: "a.raw")
        let run = CommandRun("decode", "--raw", "44100,s16,1", "--json", raw)
        #expect(run.status == 0)
        #expect(run.output == CommandRun("decode", "--json", file).output.replacing("a.wav", with: "a.raw"))
    }

    @Test func allFilesAreTriedAndTheWorstStatusIsReturned() throws {
        let good = swipe("a.wav")
        let notSound = try folder.write(Array("hello".utf8), to: "b.wav")
        let run = CommandRun("decode", folder("missing.wav"), good, notSound, folder.path)
        #expect(run.status == 66)
        #expect(run.output.contains("411111******1111"))
        #expect(run.messages.split(separator: "\n").count == 3)
        #expect(CommandRun("decode", notSound, good).status == 65)
        #expect(CommandRun("decode", good, good).status == 0)
    }

    @Test func silenceIsNothingDecoded() throws {
        let file = folder("silence.wav")
        try SwipeSound.write([[Float](repeating: 0, count: 44_100)], to: file, sampleRate: 44_100)
        let run = CommandRun("decode", "--json", file)
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.messages == "jackdaw: nothing decoded in 1 file\n")
    }

    @Test func truncatedFilesAreReported() throws {
        _ = swipe("a.wav")
        let bytes = try folder.read("a.wav")
        let most = try folder.write(bytes.prefix(bytes.count - 2_000), to: "most.wav")
        let run = CommandRun("decode", most)
        #expect(run.status == 0)
        #expect(run.messages.contains("cut short"))
        let start = try folder.write(bytes.prefix(1_000), to: "start.wav")
        #expect(CommandRun("decode", start).status == 65)
    }

    @Test func failuresArePrintedIfRequested() throws {
        // Without its last fifth a swipe has no end sentinel.
        _ = swipe("a.wav", "--speed", "5")
        let bytes = try folder.read("a.wav")
        var samples = Array(bytes.prefix(bytes.count * 3 / 5))
        samples += [UInt8](repeating: 0, count: bytes.count - samples.count)
        let file = try folder.write(samples, to: "cut.wav")

        let quiet = CommandRun("decode", "--json", file)
        #expect(quiet.status == 1)
        #expect(quiet.output.isEmpty)
        #expect(quiet.messages.contains("cut.wav: channel 1, swipe 1, "))

        let loud = CommandRun("decode", "--json", "--failures", file)
        #expect(loud.status == 1)
        #expect(
            Array(fieldNames(try #require(loud.lines.first)).prefix(7))
                == ["file", "channel", "swipe", "failure", "message", "start", "end"])
        #expect(loud.messages == "jackdaw: nothing decoded in 1 file\n")

        let bits = CommandRun("decode", "--json", "--failures", "--reveal", "--bits", file)
        #expect(fieldNames(try #require(bits.lines.first)).suffix(2) == ["bits", "partial"])
    }

    @Test func manyFilesShareOneScanner() {
        // Different rates, channels and encodings: the state of one file must not reach the next.
        let files = [
            swipe("a.wav"), swipe("b.wav", "--rate", "96000", "--track1", "test", "--track2", "test"),
            swipe("c.flac", "--rate", "8000", "--speed", "8"), swipe("d.wav", "--reverse"),
        ]
        let single = files.map { CommandRun("decode", "--json", $0).output }.joined()
        let many = CommandRun(["decode", "--json"] + files + files)
        #expect(many.output == single + single)
        #expect(CommandRun(["decode", "--json"] + Array(repeating: files[0], count: 200)).lines.count == 200)
    }

    @Test(arguments: [
        ["decode"], ["decode", "--track", "4", "a.wav"], ["decode", "--channel", "0", "a.wav"],
        ["decode", "--channel", "x", "a.wav"], ["decode", "--raw", "44100", "a.wav"],
        ["decode", "--raw", "1,s16,1", "a.wav"], ["decode", "--bits", "a.wav"], ["decode", "--unknown", "a.wav"],
    ])
    func nonsenseIsAUsageError(arguments: [String]) {
        let run = CommandRun(arguments)
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
        #expect(!run.messages.isEmpty)
    }

    @Test func usageErrorsHideAccountNumbers() {
        let run = CommandRun("decode", "--track", ";4111111111111111=2912?", "a.wav")
        #expect(run.status == 64)
        #expect(run.messages.contains("411111******1111"))
        #expect(!run.messages.contains("4111111111111111"))
    }
}
