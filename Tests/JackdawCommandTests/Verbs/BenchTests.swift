import JackdawTestSupport
import Testing

@testable import jackdaw_cli

@Suite struct BenchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func aTableHasARowAFileAndOneForAll() {
        let files = ["a.wav", "b.wav"].map { folder($0) }
        for file in files {
            #expect(CommandRun("synth", "-o", file, "--track1", "test", "--track2", "test").status == 0)
        }
        let run = CommandRun(["bench"] + files)
        #expect(run.status == 0)
        #expect(run.lines.count == 4)
        #expect(run.lines[0].hasPrefix("file"))
        #expect(run.lines[3].hasPrefix("all"))
        // Two channels of one track each.
        #expect(run.lines[1].split(separator: " ").dropFirst(3).first == "2")
        #expect(run.lines[3].split(separator: " ").dropFirst(3).first == "4")
    }

    @Test func objectsHaveNumbersAProgramCanUse() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let run = CommandRun("bench", "--json", folder("a.wav"))
        let object = try jsonObject(try #require(run.lines.first))
        #expect(object["tracks"] as? Int == 1)
        #expect(object["failures"] as? Int == 0)
        #expect(try #require(object["million_samples_per_cpu_second"] as? Double) > 0)
        #expect(try #require(object["times_real_time"] as? Double) > 0)
    }

    @Test func unreadableFilesEndTheCommand() {
        let run = CommandRun("bench", folder("none.wav"))
        #expect(run.status == 66)
        #expect(run.output.isEmpty)
    }

    @Test func syntheticSwipesReplaceMissingCaptures() throws {
        var paths: [String] = []
        do {
            let made = try MadeSwipes.make()
            paths = made.files
            #expect(paths.count == 12)
            let run = CommandRun(["decode", "--json"] + paths)
            #expect(run.status == 0)
            #expect(run.lines.count == paths.count)
        }
        #expect(CommandRun(["decode"] + paths).status == 66, "gone with their owner")
    }

    @Test func capturesAreTheSoundFilesOfAFolder() throws {
        for name in ["b.wav", "a.flac", "README.md", "c.wav.txt"] { _ = try folder.write([], to: name) }
        #expect(SoundFolder.files(in: folder.path) == [folder("a.flac"), folder("b.wav")])
        #expect(SoundFolder.files(in: folder("none")).isEmpty)
    }

    @Test func valuesAreSeparatedByCommas() {
        let name = folder("a,\"b\".wav")
        #expect(CommandRun("synth", "-o", name).status == 0)
        let lines = CommandRun("bench", "--csv", name).lines
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("file,seconds,samples,tracks,failures,"))
        #expect(lines[1].hasPrefix("\"\(folder.path)/a,\"\"b\"\".wav\","))
        #expect(lines[1].split(separator: ",").suffix(4).first == "1")
    }

    /// An earlier output with other tracks or another speed.
    private func baseline(_ file: String, tracks: Int, rate: Double) throws -> String {
        let line = """
            {"file":"\(file)","samples":1000,"tracks":\(tracks),"million_samples_per_cpu_second":\(rate)}

            """
        return try folder.write(Array(line.utf8), to: "old.json")
    }

    @Test(arguments: [(1, 1e-6, 0), (2, 1e-6, 1), (0, 1e-6, 0), (1, 1e6, 1)])
    func lostTracksAndLostSpeedEndTheCommandWithOne(tracks: Int, rate: Double, status: Int32) throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let old = try baseline(folder("a.wav"), tracks: tracks, rate: rate)
        #expect(CommandRun("bench", "--baseline", old, folder("a.wav")).status == status)
    }

    @Test func anOutputIsItsOwnBaseline() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let output = CommandRun("bench", "--json", folder("a.wav")).output
        let old = try folder.write(Array(output.utf8), to: "old.json")
        #expect(CommandRun("bench", "--baseline", old, "--tolerance", "99", folder("a.wav")).status == 0)
    }

    @Test(arguments: ["", "no object\n", "{\"file\":\"a.wav\"}\n", "[1]\n"])
    func aBaselineHasTheObjectsOfBench(content: String) throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let old = try folder.write(Array(content.utf8), to: "old.json")
        let status = CommandRun("bench", "--baseline", old, folder("a.wav")).status
        #expect(status == (content.isEmpty ? 1 : 65))
        #expect(CommandRun("bench", "--baseline", folder("none.json"), folder("a.wav")).status == 66)
    }
}
