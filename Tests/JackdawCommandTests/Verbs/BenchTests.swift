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
        #expect(CaptureFolder.soundFiles(in: folder.path) == [folder("a.flac"), folder("b.wav")])
        #expect(CaptureFolder.soundFiles(in: folder("none")).isEmpty)
    }
}
