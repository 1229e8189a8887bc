#if Command
import ArgumentParser

struct Bench: Verb {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure the speed and accuracy of decoding on this machine.",
        discussion: """
            Each file is read and decoded repeatedly, for at least a tenth of a second of processor time. Without \
            files, bench takes the sound files in ./captures, or, if there are none, synthetic swipes of a test card. \
            Threads that work at once slow each other down: give --jobs 1 for exact figures.

            With --baseline, bench ends with 1 if a file has fewer tracks than before, or if the speed of all files is \
            lower by more than --tolerance.

            EXAMPLES
              jackdaw bench
              jackdaw bench --json captures/*.wav > old.json
              jackdaw bench --baseline old.json --jobs 1 captures/*.wav
            """)

    @Argument(
        help: ArgumentHelp("Sound files, or folders of them; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["wav", "flac"]))
    var files: [String] = []

    @Flag(help: "Print one JSON object for each file.")
    var json = false

    @Flag(help: "Print comma-separated values, with their names in the first line.")
    var csv = false

    @Option(
        help: ArgumentHelp("Compare with this output of an earlier bench --json.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var baseline: String?

    @Option(help: ArgumentHelp("By how much the speed may be lower than that of --baseline.", valueName: "percent"))
    var tolerance = 10.0

    @OptionGroup var jobs: JobOptions

    func validate() throws {
        guard !json || !csv else { throw ValidationError("Choose one of --json and --csv.") }
        guard (0..<100).contains(tolerance) else { throw ValidationError("--tolerance must be 0 to 100.") }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        guard files.isEmpty else {
            let (files, status) = jobs.files(files, isRaw: false, console)
            return try measure(files, status, console, environment)
        }
        let captures = SoundFolder.files(in: "captures")
        guard captures.isEmpty else { return try measure(captures, .done, console, environment) }
        let made = try MadeSwipes.make()
        return try measure(made.files, .done, console, environment)
    }

    private func measure(
        _ files: [String], _ status: ExitStatus, _ console: Console, _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitStatus {
        let baseline = try baseline.map { (path) throws(CommandError) in try BenchBaseline(path) }
        if csv { console.result(BenchRow.names.joined(separator: ",")) }
        var rows: [BenchRow] = []
        var worst = status
        try FileJobs(jobs.count, for: files).run(files, on: console) { [json, csv] in
            BenchWorker(print: { json ? $1.result($0.json) : csv ? $1.result($0.csv) : () }, files.count, environment)
        } finish: { outcome in
            worst = max(worst, outcome.status)
            if let row = outcome.row { rows.append(row) }
        }
        if !json && !csv && !rows.isEmpty { BenchRow.table(rows).lines.forEach(console.result) }
        let comparison = baseline?.compare(rows, tolerance: tolerance / 100)
        comparison?.lines.forEach(console.message)
        guard worst == .done else { return worst }
        return rows.contains { $0.tracks > 0 } && comparison?.isWorse != true ? .done : .nothingFound
    }
}

/// The result of a file.
private struct MeasuredFile: Sendable {
    let status: ExitStatus
    let row: BenchRow?
}

/// Measures files, each in its thread's processor time.
private struct BenchWorker: FileWorker, ~Copyable {
    private var scanner = SwipeScanner()
    private let print: (BenchRow, Console) -> Void
    private let fileCount: Int
    private let environment: CommandEnvironment
    private var progress: Progress?

    init(print: @escaping (BenchRow, Console) -> Void, _ fileCount: Int, _ environment: CommandEnvironment) {
        self.print = print
        self.fileCount = fileCount
        self.environment = environment
    }

    mutating func work(on file: String, index: Int, _ console: Console) throws(CommandError) -> MeasuredFile {
        var progress = progress ?? Progress(console)
        progress.update(file, fraction: Double(index) / Double(fileCount))
        self.progress = progress
        do throws(CommandError) {
            let row = try BenchRow(measuring: file, &scanner, environment)
            row.complaints.forEach(console.message)
            print(row, console)
            return MeasuredFile(status: row.isCutShort && row.tracks == 0 ? .badData : .done, row: row)
        } catch {
            guard error.status != .interrupted else { throw error }
            console.message(error.message)
            return MeasuredFile(status: error.status, row: nil)
        }
    }
}
#endif
