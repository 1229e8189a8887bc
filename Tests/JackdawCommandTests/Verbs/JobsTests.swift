import Foundation
import JackdawAudioFile
import JackdawConsole
import JackdawDSP
import JackdawSwipe
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// Many files at once, and folders of files.
@Suite struct JobsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Swipes, modem sound, silence and files that fail, in an order in which the slow ones come first.
    private func files() throws -> [String] {
        var files = [folder("none.wav"), try folder.write(Array("no sound".utf8), to: "text.wav")]
        for index in 0..<12 {
            let swipe = folder("\(index).wav")
            let noise = index % 3 == 0 ? "4" : "30"
            let track = index % 3 + 1
            #expect(CommandRun("synth", "-o", swipe, "--track\(track)", "test", "--noise", noise).status == 0)
            files.append(swipe)
        }
        let sound = try folder.read("1.wav")
        files.append(try folder.write(sound.prefix(sound.count / 2), to: "cut.wav"))
        return files
    }

    @Test(arguments: [
        ["decode"], ["decode", "--json", "--failures", "--track", "2"], ["demodulate", "--mode", "bell202"],
        ["demodulate", "--json"], ["inspect"], ["inspect", "--json"],
    ])
    func manyJobsPrintTheSameBytesAsOne(verb: [String]) throws {
        let files = try files()
        let one = CommandRun(verb + ["--jobs", "1"] + files)
        #expect(one.status == 66 && !one.messages.isEmpty)
        for count in ["2", "5", "64"] {
            let many = CommandRun(verb + ["--jobs", count] + files)
            #expect(many.output == one.output)
            #expect(many.messages == one.messages)
            #expect(many.status == one.status)
        }
    }

    /// Swipes with silence between them, the hardest first.
    private static func swipes(_ count: Int) throws -> [Float] {
        try (0..<count).flatMap { index in
            let swipe = try SwipeSound.render(
                ";4111111111111111=29121010000012300000?", .two,
                .init(sampleRate: 44_100, signalToNoise: [2, 30, 6][index % 3], seed: UInt64(index)))
            return swipe + [Float](repeating: 0, count: 22_050)
        }
    }

    /// One recording with many segments, on one channel and on two.
    @Test(arguments: [1, 2]) func manyJobsDecodeOneFileAsOneJobDoes(channels: Int) throws {
        let long = folder("long.wav")
        let sound = try Self.swipes(12)
        try SwipeSound.write(
            Array([sound, [Float](repeating: 0, count: 3_000) + sound].prefix(channels)), to: long, sampleRate: 44_100)
        let verb = ["decode", "--json", "--failures", "--reveal", "--bits"]
        let one = CommandRun(verb + ["--jobs", "1", long])
        #expect(one.status == 0 && one.lines.count >= 12)
        for count in ["2", "16"] {
            let many = CommandRun(verb + ["--jobs", count, long])
            #expect(many.output == one.output)
            #expect(many.messages == one.messages)
        }
    }

    /// Counts the steps of a scan, and interrupts it after the last one.
    private struct StepCounter: ScanObserver {
        let lastStep: Int
        private(set) var steps = 0
        private(set) var events = 0

        init(lastStep: Int = .max) { self.lastStep = lastStep }

        mutating func begin(_ format: AudioFormat) {}
        mutating func receive(_ event: HeadEvent) { events += 1 }
        mutating func advance(to frame: Int, of total: Int?) throws(CommandError) {
            guard steps < lastStep else { throw .interrupted }
            steps += 1
        }
    }

    @Test func anInterruptionEndsTheSearchOfWaitingSound() throws {
        let long = folder("long.wav")
        try SwipeSound.write([try Self.swipes(12)], to: long, sampleRate: 44_100)
        var (one, many) = (StepCounter(), StepCounter())
        var scanner = SwipeScanner()
        _ = try scanner.scan(long, &one)
        scanner = SwipeScanner(jobs: 2)
        _ = try scanner.scan(long, &many)
        #expect(many.events == one.events)
        #expect(many.steps > one.steps)
        var ended = StepCounter(lastStep: one.steps)
        do throws(CommandError) {
            _ = try scanner.scan(long, &ended)
            Issue.record("the scan was not interrupted")
        } catch {
            #expect(error.status == .interrupted)
        }
        #expect(ended.events < one.events)
        _ = try scanner.scan(long, &one)
        #expect(one.events == 2 * many.events)
    }

    @Test func benchKeepsTheOrderOfItsFiles() throws {
        let files = try files().dropFirst(2)
        let rows = try CommandRun(["bench", "--json", "--jobs", "3"] + files).lines.map(jsonObject)
        #expect(rows.map { $0["file"] as? String } == files.map { $0 })
    }

    @Test func aFolderStandsForItsSoundFiles() throws {
        for name in ["b", "a"] { #expect(CommandRun("synth", "-o", folder("\(name).WAV")).status == 0) }
        try FileManager.default.createDirectory(atPath: folder("in/deep"), withIntermediateDirectories: true)
        #expect(CommandRun("synth", "-o", folder("in/deep/c.flac")).status == 0)
        // A link to a folder above would never end.
        try FileManager.default.createSymbolicLink(atPath: folder("in/up"), withDestinationPath: folder.path)
        func read(_ arguments: String...) throws -> [String?] {
            try CommandRun(["decode", "--json"] + arguments).lines.map(jsonObject).map { $0["file"] as? String }
        }
        #expect(try read(folder.path) == [folder("a.WAV"), folder("b.WAV")])
        #expect(try read("--recursive", folder.path) == [folder("a.WAV"), folder("b.WAV"), folder("in/deep/c.flac")])
        #expect(CommandRun("decode", folder("in")).status == 66)
    }

    @Test func rawFilesOfAFolderNeedTheirFormat() throws {
        _ = try folder.write([UInt8](repeating: 0, count: 4_000), to: "silence.raw")
        #expect(CommandRun("decode", folder.path).status == 66)
        #expect(CommandRun("decode", "--raw", "8000,s16,1", folder.path).status == 1)
    }

    @Test func aPictureIsOfOneFile() throws {
        for name in ["a.wav", "b.wav"] { #expect(CommandRun("synth", "-o", folder(name)).status == 0) }
        #expect(CommandRun("inspect", "--plot", folder("p.svg"), folder.path).status == 64)
    }

    @Test(arguments: ["0", "-1", "1025", "many"]) func jobsAreCounted(argument: String) {
        #expect(CommandRun("decode", "--jobs", argument, "a.wav").status == 64)
    }

    private struct Printer: FileWorker, ~Copyable {
        let begun: Lock<[Int]>
        let size: Int
        /// The file that ends the verb.
        let failing: Int

        mutating func work(on file: String, index: Int, _ console: Console) throws(CommandError) -> Int {
            begun.withLock { $0.append(index) }
            guard index != failing else { throw .interrupted }
            for line in 0..<size {
                console.result("\(file) \(line)")
                console.message("\(file) \(line)")
            }
            return index
        }
    }

    @Test func outputThatIsNotPrintedYetIsBounded() throws {
        let files = (0..<200).map(String.init)
        let recorder = ConsoleRecorder()
        let begun = Lock<[Int]>([])
        var finished: [Int] = []
        try FileJobs(3, for: files).run(files, on: recorder.console) {
            Printer(begun: begun, size: 2_000, failing: -1)
        } finish: { index in
            finished.append(index)
            // The places of three threads with eight files each.
            #expect(begun.withLock { $0.max() ?? 0 } <= index + 24)
        }
        #expect(finished == Array(files.indices))
        let lines = recorder.output.split(separator: "\n").map(String.init)
        #expect(lines == files.flatMap { file in (0..<2_000).map { "\(file) \($0)" } })
    }

    @Test func anErrorEndsAllThreads() throws {
        let files = (0..<500).map(String.init)
        let recorder = ConsoleRecorder()
        let begun = Lock<[Int]>([])
        var finished: [Int] = []
        let status = recorder.console.status { () throws(CommandError) in
            try FileJobs(4, for: files).run(files, on: recorder.console) {
                Printer(begun: begun, size: 10_000, failing: 40)
            } finish: {
                finished.append($0)
            }
            return .done
        }
        #expect(status == .interrupted)
        #expect(finished == Array(0..<40))
        #expect(begun.withLock { $0.count } < 100)
    }
}
