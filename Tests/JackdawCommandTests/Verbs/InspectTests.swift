import Foundation
import JackdawTestSupport
import JackdawSystem
import Testing

@testable import JackdawAudioFile
@testable import JackdawDSP
@testable import jackdaw_cli

@Suite struct InspectTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func theObjectHasTheSwipesAndTheirCells() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav"), "--speed", "10").status == 0)
        let run = CommandRun("inspect", "--json", folder("a.wav"))
        #expect(run.status == 0)
        let object = try jsonObject(try #require(run.lines.first))
        let swipe = try #require((object["swipes"] as? [[String: Any]])?.first)
        // 36 characters and the LRC of 5 bits each.
        #expect(swipe["cells"] as? Int == 185)
        let mean = try #require(swipe["mean_cell"] as? Double)
        #expect(abs(mean * 75 * 10 - 1) < 0.01)
        let speed = try #require(swipe["speed"] as? Double)
        #expect(abs(speed - 10) < 0.1)
        let jitter = try #require(swipe["jitter"] as? Double)
        #expect(jitter < 1)
        let peak = try #require(swipe["peak"] as? Double)
        #expect(abs(peak + 6) < 0.2)
        #expect(swipe["text"] as? String == ";411111******1111=2912101**********?")
    }

    @Test func aPersonSeesTheRecordingAndItsSwipes() {
        #expect(CommandRun("synth", "-o", folder("a.wav"), "--clip", "2", "--noise", "40").status == 0)
        let run = CommandRun("inspect", folder("a.wav"))
        #expect(run.status == 0)
        #expect(run.lines.first?.contains("WAV, 16-bit, 44100 Hz, 1 channel") == true)
        for start in ["level", "noise", "hum", "clipping", "carriers", "band"] {
            #expect(run.lines.contains { $0.hasPrefix("  \(start) ") })
        }
        #expect(run.output.contains("level     0.0 dBFS peak"))
        #expect(!run.output.contains("clipping  none"))
        #expect(run.lines.last?.contains("track 2, forward") == true)
    }

    @Test func soundWithoutSwipesIsSurveyedToo() throws {
        let tone = (0..<8_000).map { index in 0.5 * Float(sin(2 * Double.pi * 50 * Double(index) / 8_000)) }
        try SwipeSound.write([tone, [Float](repeating: 0, count: tone.count)], to: folder("a.wav"), sampleRate: 8_000)
        let run = CommandRun("inspect", "--json", folder("a.wav"))
        #expect(run.lines.count == 2)
        let object = try jsonObject(try #require(run.lines.first))
        #expect(object["hum_frequency"] as? Double == 50)
        #expect(abs(try #require(object["peak"] as? Double) + 6.02) < 0.01)
        #expect(abs(try #require(object["hum"] as? Double) + 6.02) < 0.5)
        let silence = CommandRun("inspect", "--channel", "2", folder("a.wav"))
        #expect(silence.status == 1)
        #expect(silence.output.contains("digital silence"))
    }

    @Test func theSuffixOfThePictureIsItsKind() {
        #expect(CommandRun("inspect", "--plot", "a.gif", "a.wav").status == 64)
    }

    @Test(.enabled(if: hasGnuplot, "gnuplot is not installed"), arguments: [("svg", "<?xml"), ("png", "\u{89}PNG")])
    func gnuplotDrawsThePicture(kind: String, start: String) throws {
        #expect(CommandRun("synth", "-o", folder("it's.wav"), "--track1", "test").status == 0)
        let run = CommandRun("inspect", "--plot", folder("p.\(kind)"), folder("it's.wav"))
        #expect(run.status == 0, "\(run.messages)")
        let picture = try folder.read("p.\(kind)")
        #expect(picture.starts(with: start.unicodeScalars.map { UInt8($0.value) }))
        #expect(picture.count > 10_000)
        #expect(folder.names == ["it's.wav", "p.\(kind)"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder("p.\(kind)"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: [
        ["--swipe", "1"], ["--from", "1"], ["--to", "1"], ["--width", "900"], ["--dark"],
        ["--plot", "p.svg", "--swipe", "0"], ["--plot", "p.svg", "--width", "100"],
        ["--plot", "p.svg", "--from", "2", "--to", "1"], ["--plot", "p.svg", "--from=-1"],
    ])
    func choicesOfAPictureThatMakeNoSenseAreUsage(arguments: [String]) {
        #expect(CommandRun(["inspect"] + arguments + ["a.wav"]).status == 64)
    }

    /// Fourteen swipes at intervals of 1.5 s.
    private func manySwipes() throws -> String {
        let one = try SwipeSound.render(";4111111111111111=2912101?", .two, .init(sampleRate: 44_100))
        let pause = [Float](repeating: 0, count: max(0, 66_150 - one.count))
        let all = (0..<14).flatMap { _ in one + pause }
        try SwipeSound.write([all], to: folder("many.wav"), sampleRate: 44_100)
        return folder("many.wav")
    }

    @Test(.enabled(if: hasGnuplot, "gnuplot is not installed")) func aPictureOfAPartIsReported() throws {
        let file = try manySwipes()
        let plot = folder("p.svg")
        let all = CommandRun("inspect", "--plot", plot, file)
        #expect(all.status == 0)
        #expect(all.messages.contains("12 of 14 swipes"))
        let whole = try folder.read("p.svg").count
        for chosen in [["--swipe", "14"], ["--from", "19.4", "--to", "100"]] {
            let run = CommandRun(["inspect", "--plot", plot, file] + chosen)
            #expect(run.status == 0)
            #expect(run.messages.isEmpty)
            let picture = String(decoding: try folder.read("p.svg"), as: UTF8.self)
            #expect(picture.utf8.count < whole / 4)
            #expect(picture.contains("swipe 14"))
            #expect(!picture.contains("swipe 13"))
        }
        #expect(CommandRun("inspect", "--plot", plot, file, "--swipe", "15").status == 1)
        #expect(CommandRun("inspect", "--plot", plot, file, "--from", "1000").status == 1)
    }

    /// A part of a single sample, or between two points of the picture, also has an axis.
    @Test(
        .enabled(if: hasGnuplot, "gnuplot is not installed"),
        arguments: [(0.2, 0.20001), (0.2, 0.2000001), (0.2, 0.201), (0, 0.1321)])
    func aSmallPartOfASwipeIsDrawn(from: Double, to: Double) throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let run = CommandRun(
            "inspect", "--plot", folder("p.svg"), folder("a.wav"), "--from", "\(from)", "--to", "\(to)")
        #expect(run.status == 0, "\(run.messages)")
    }

    @Test(.enabled(if: hasGnuplot, "gnuplot is not installed")) func widthAndBackgroundAreChosen() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let run = CommandRun("inspect", "--plot", folder("p.svg"), folder("a.wav"), "--width", "900", "--dark")
        #expect(run.status == 0, "\(run.messages)")
        let picture = String(decoding: try folder.read("p.svg"), as: UTF8.self)
        #expect(picture.contains("width=\"900\""))
        #expect(picture.contains("#11161c"))
        #expect(!picture.contains("#ffffff"))
    }

    @Test func pictureThatCannotBeWrittenIsAnInputOutputError() {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        #expect(CommandRun("inspect", "--plot", folder("none/p.svg"), folder("a.wav")).status == 74)
    }

    /// A gnuplot that reports success and has drawn a part of the picture, as the real one does if the disk is full.
    @Test(arguments: [
        ("png", #"\211PNG\r\n\032\n\0\0\0\rIHDR"#), ("svg", "<?xml version=\"1.0\"?><svg><g>"), ("png", ""),
        ("svg", ""),
    ])
    func aPictureThatIsNotCompleteDoesNotReplaceAnother(kind: String, drawn: String) throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let old = try folder.write("the old picture".utf8, to: "p.\(kind)")
        let gnuplot = try folder.write("#!/bin/sh\ncat > /dev/null\nprintf '\(drawn)'\n".utf8, to: "gnuplot")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: gnuplot)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let run = try ChildProcess(
            ["inspect", "--plot", old, folder("a.wav")], environment: ["PATH": "\(folder.path):\(path)"])
        #expect(run.status == 74, "\(run.messages)")
        #expect(try folder.read("p.\(kind)") == Array("the old picture".utf8))
        #expect(folder.names == ["a.wav", "gnuplot", "p.\(kind)"])
    }

    /// The disk is a small file system in a namespace of its own.
    @Test(
        .enabled(if: hasGnuplot, "gnuplot is not installed"),
        .enabled(if: canMount, "no file system can be mounted here (unshare)"), arguments: ["png", "svg"])
    func aFullDiskLeavesTheOldPicture(kind: String) throws {
        #expect(CommandRun("synth", "-o", folder("a.wav"), "--track1", "test").status == 0)
        let disk = folder("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let script = """
            mount -t tmpfs -o size=64k none "$2" && echo old > "$2/p.\(kind)" &&
            { "$1" inspect --plot "$2/p.\(kind)" "$3"; echo "status $?"; cat "$2/p.\(kind)"; ls -A "$2"; }
            """
        let command = ["sh", "-c", script, "sh", ChildProcess.executable.path, disk, folder("a.wav")]
        let run = try ChildProcess(Self.ownNamespace + command, program: URL(fileURLWithPath: "/usr/bin/unshare"))
        let lines = String(decoding: run.output, as: UTF8.self).split(separator: "\n")
        #expect(lines.suffix(3) == ["status 74", "old", "p.\(kind)"], "\(run.messages)")
    }

    /// Names that begin with a quote, some with further quotes.
    @Test(.enabled(if: hasGnuplot, "gnuplot is not installed"), arguments: ["'a.wav", "''a'b.wav", "\"`id`.wav"])
    func namesWithQuotesAreDrawn(name: String) throws {
        #expect(CommandRun("synth", "-o", folder(name)).status == 0)
        // The argument is the name alone, without a folder.
        let script = "cd \"$3\" && \"$1\" inspect --plot p.svg \"$2\""
        let run = try ChildProcess(
            ["-c", script, "sh", ChildProcess.executable.path, name, folder.path],
            program: URL(fileURLWithPath: "/bin/sh"))
        #expect(run.status == 0, "\(run.messages)")
        let picture = String(decoding: try folder.read("p.svg"), as: UTF8.self)
        #expect(picture.contains("\(name), channel 1"))
    }

    private static let ownNamespace = ["--user", "--map-root-user", "--mount"]

    private static let canMount: Bool = {
        let mount = ownNamespace + ["sh", "-c", "mount -t tmpfs none /tmp"]
        return (try? ChildProcess(mount, program: URL(fileURLWithPath: "/usr/bin/unshare")))?.status == 0
    }()

    private static let hasGnuplot = ["/usr/bin", "/usr/local/bin", "/bin"].contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/gnuplot")
    }
}
