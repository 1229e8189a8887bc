import ArgumentParser
import Foundation

/// How well and how fast modems are read, beside other programs.
struct Modem: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures the modem over recordings with known bytes, beside minimodem and multimon-ng.",
        discussion: """
            Accuracy is that of the library, one recording after the other on as many threads as --jobs says. With \
            --speed whole processes are timed, one at a time and in turns, so that a busy machine slows all of them.
            """)

    @Argument(help: "Manifests of the corpus.") var manifests: [String] = []
    @Option(help: "Recordings at a time.") var jobs = 1
    @Option(help: ArgumentHelp("Only cells whose name matches.", valueName: "regex")) var only = ""
    @Flag(inversion: .prefixedNo, help: "Run the other programs on the same recordings, too.") var peers = true
    @Flag(help: "Count recordings whose bytes were not all read, instead of bytes.") var frames = false
    @Flag(inversion: .prefixedNo, help: "Keep back what noise may have made; without, both are measured.")
    var squelch = true
    @Flag(help: "Time whole processes instead.") var speed = false
    @Flag(help: "Time the library on a line at rest instead; no manifest is read.") var frontEnd = false
    @Option(help: "Runs of each process, of which the median counts.") var runs = 3
    @Option(help: ArgumentHelp("The command to time.", valueName: "path")) var jackdaw = "../.build/release/jackdaw"
    @Option(help: ArgumentHelp("Write the tables to this file, too.", valueName: "file")) var markdown: String?

    func validate() throws {
        guard (try? Regex(only)) != nil else { throw ValidationError("--only is not a regular expression.") }
        guard jobs > 0 && runs > 0 else { throw ValidationError("--jobs and --runs are 1 or more.") }
    }

    func run() async throws {
        if frontEnd {
            return try report(FrontEndSpeed.table(runs: runs))
        }
        let pattern = try Regex(only)
        let recordings = try manifests.flatMap { (path) throws(CorpusError) in try modemRecordings(ofManifest: path) }
            .filter { $0.cell.contains(pattern) }
        guard !recordings.isEmpty else { throw CorpusError(description: "no recording to read") }
        let (others, notes) = peers ? ModemReader.peers() : ([], [])
        for note in notes { FileHandle.standardError.write(Data("\(note)\n".utf8)) }
        let library: [ModemReader] = [.library(isSquelched: true)] + (squelch ? [] : [.library(isSquelched: false)])
        let tables =
            speed ? try speedTable(recordings, others) : try await accuracyTables(recordings, library + others)
        try report(tables)
    }

    private func report(_ tables: String) throws {
        print(tables, terminator: "")
        if let markdown { try Data(tables.utf8).write(to: URL(fileURLWithPath: markdown)) }
    }

    private func accuracyTables(_ recordings: [ModemRecording], _ readers: [ModemReader]) async throws -> String {
        let entries = try await concurrentMap(recordings, jobs: jobs) { recording in
            try readers.compactMap { reader -> ModemTables.Entry? in
                guard let outcome = try reader.read(recording) else { return nil }
                return ModemTables.Entry(
                    family: recording.family, condition: recording.condition, reader: reader.name,
                    seconds: Double(try Sound.frames(of: recording.path)) / recording.rate,
                    alignment: ByteAlignment(sent: recording.bytes, read: outcome.bytes),
                    words: recording.word.map { .init(of: $0, in: outcome.bytes, sent: recording.words) },
                    frames: frames ? .init(ofFrame: recording.bytes, in: outcome.bytes) : nil)
            }
        }
        return ModemTables(entries.flatMap(\.self)).markdown
    }

    /// M samples of each recording a second of processor time, and how many times as much as the first other program.
    private func speedTable(_ recordings: [ModemRecording], _ others: [ModemReader]) throws -> String {
        guard let path = ChildProgram.find(jackdaw) else {
            throw CorpusError(description: "\(jackdaw): no such program: make build in the main package")
        }
        // A limit of its own does not change minimodem's speed much, and its default is what users have.
        let readers = [.jackdaw(path)] + others.filter { $0.name != "minimodem -c 0.5" }
        var rows = [["recording"] + readers.map(\.name) + readers.dropFirst().map { "times \($0.name)" }]
        for recording in recordings {
            var rates = [[Double]](repeating: [], count: readers.count)
            // Otherwise the first reader would pay for reading the file from disk.
            _ = try contents(of: recording.path)
            for _ in 0..<runs {
                for (index, reader) in readers.enumerated() {
                    guard let outcome = try reader.read(recording) else { continue }
                    rates[index].append(Double(outcome.samples) / 1e6 / max(outcome.processorSeconds, 1e-4))
                }
            }
            let medians = rates.map { $0.isEmpty ? nil : $0.sorted()[$0.count / 2] }
            let ratios = medians.dropFirst().map { other in
                other.flatMap { other in medians[0].map { ($0 / other).formatted(decimals: 1) } } ?? "-"
            }
            rows.append([recording.cell] + medians.map { $0?.formatted(decimals: 1) ?? "-" } + ratios)
        }
        return "M samples a second of processor time, whole processes, median of \(runs) runs:\n\n"
            + ModemTables.markdown(rows)
    }
}
