import JackdawAudioFile
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

@Suite struct SynthTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func theWrittenFileIsDescribed() throws {
        let run = CommandRun(
            "synth", "--json", "--rate", "48000", "--track1", "test", "--track3", "test", "-o", folder("a.wav"))
        #expect(run.status == 0)
        let object = try jsonObject(try #require(run.lines.first))
        #expect(object["tracks"] as? [Int] == [1, 3])
        #expect(object["channels"] as? Int == 2)
        #expect(object["sample_rate"] as? Double == 48_000)
        let reader = try AudioFileReader(path: folder("a.wav"))
        #expect(reader.format.channels == 2)
        #expect(reader.format.sampleRate == 48_000)
        #expect(reader.frames == object["frames"] as? Int)
    }

    /// A value that begins with a dash is not parsed as an option.
    @Test(arguments: ["--noise", "--hum"])
    func levelsMayBeNegative(option: String) throws {
        #expect(CommandRun("synth", "-o", folder("a.wav"), option, "-2").status == 0)
        #expect(CommandRun("synth", "-o", folder("b.wav"), "\(option)=-2").status == 0)
        #expect(try folder.read("a.wav") == folder.read("b.wav"))
    }

    @Test func theSameSeedGivesTheSameFile() throws {
        for (name, seed) in [("a", 1), ("b", 1), ("c", 2)] {
            #expect(CommandRun("synth", "-o", folder("\(name).wav"), "--noise", "10", "--seed", "\(seed)").status == 0)
        }
        #expect(try folder.read("a.wav") == folder.read("b.wav"))
        #expect(try folder.read("a.wav") != folder.read("c.wav"))
    }

    @Test(arguments: [
        "4111111111111111=2912101", ";4111111111111111=2912101", ";4111111111111111=2912101?", "@card.txt",
    ])
    func textComesWithOrWithoutSentinelsOrFromAFile(text: String) throws {
        _ = try folder.write(Array(";4111111111111111=2912101?\r\n".utf8), to: "card.txt")
        let argument = text == "@card.txt" ? "@\(folder("card.txt"))" : text
        #expect(CommandRun("synth", "-o", folder("a.wav"), "--track2", argument).status == 0)
        #expect(
            CommandRun("decode", "--json", "--reveal", folder("a.wav")).output.contains(
                "\"text\":\";4111111111111111=2912101?\""))
    }

    @Test(arguments: [
        (["--noise", "12"], "noise"), (["--hum", "0"], "hum"), (["--clip", "10"], "clip"),
        (["--acceleration", "5"], "acceleration"), (["--reverse"], "reverse"), (["--speed", "4"], "speed"),
    ])
    func everyOptionChangesTheSoundAndItStaysReadable(options: [String], name: String) throws {
        #expect(CommandRun("synth", "-o", folder("plain.wav")).status == 0)
        #expect(CommandRun(["synth", "-o", folder("a.wav")] + options).status == 0)
        #expect(try folder.read("a.wav") != folder.read("plain.wav"))
        let run = CommandRun("decode", "--json", "--reveal", folder("a.wav"))
        #expect(run.status == 0, "\(name)")
        #expect(run.output.contains("\"pan\":\"4111111111111111\""))
    }

    @Test(arguments: [
        (["--track2", "12A4"], "track 2: character 3 is not in the numeric code"),
        (["--track1", "abc"], "track 1: character 1 is not in the alphanumeric code"),
        (["--speed", "0"], "speed 0.0 is out of range"), (["--acceleration", "0"], "acceleration ratio"),
        (["--rate", "100"], "sample rate 100.0 is out of range"), (["--clip", "0"], "clipping 0.0 is out of range"),
    ])
    func impossibleSwipesAreUsageErrors(options: [String], message: String) {
        let run = CommandRun(["synth", "-o", folder("a.wav")] + options)
        #expect(run.status == 64)
        #expect(run.messages.contains(message), "\(run.messages)")
        #expect(folder.names.isEmpty)
    }

    @Test func filesThatCannotBeUsedAreNamed() throws {
        #expect(CommandRun("synth").status == 64)
        #expect(CommandRun("synth", "-o", folder("a.mp3")).status == 64)
        #expect(CommandRun("synth", "-o", folder("none/a.wav")).status == 74)
        #expect(CommandRun("synth", "-o", folder("a.wav"), "--track2", "@\(folder("none"))").status == 66)
        let two = try folder.write(Array("1\n2\n".utf8), to: "two")
        #expect(CommandRun("synth", "-o", folder("a.wav"), "--track2", "@\(two)").status == 65)
        let large = try folder.write(repeatElement(UInt8(ascii: "1"), count: 10_000), to: "large")
        #expect(CommandRun("synth", "-o", folder("a.wav"), "--track2", "@\(large)").status == 65)
        #expect(CommandRun("synth", "-o", "-", "--json").status == 64)
        #expect(folder.names == ["large", "two"])
    }
}
