#if Command
import ArgumentParser
import Glibc
import JackdawAudioFile
import JackdawDSP
import JackdawSwipe

struct Bench: Verb {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure the speed and accuracy of decoding on this machine.",
        discussion: """
            Each file is read and decoded repeatedly, for at least a tenth of a second of processor time. Without \
            files, bench takes the sound files in ./captures, or, if there are none, synthetic swipes of a test card.

            EXAMPLES
              jackdaw bench
              jackdaw bench --json captures/*.wav
            """)

    @Argument(
        help: ArgumentHelp("Sound files; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["wav", "flac"]))
    var files: [String] = []

    @Flag(help: "Print one JSON object for each file.")
    var json = false

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        guard files.isEmpty else { return try measure(Operands.unpack(files), console, environment) }
        let captures = CaptureFolder.soundFiles(in: "captures")
        guard captures.isEmpty else { return try measure(captures, console, environment) }
        let made = try MadeSwipes.make()
        return try measure(made.files, console, environment)
    }

    private func measure(
        _ files: [String], _ console: Console, _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitStatus {
        var scanner = SwipeScanner()
        var progress = Progress(console)
        var rows: [BenchRow] = []
        var worst = ExitStatus.done
        for (index, file) in files.enumerated() {
            progress.update(file, fraction: Double(index) / Double(files.count))
            do throws(CommandError) {
                let row = try BenchRow(measuring: file, &scanner, environment)
                rows.append(row)
                row.complaints.forEach(console.message)
                if row.isCutShort && row.tracks == 0 { worst = max(worst, .badData) }
                if json { console.result(row.json) }
            } catch {
                guard error.status != .interrupted else { throw error }
                console.message(error.message)
                worst = max(worst, error.status)
            }
        }
        if !json && !rows.isEmpty { BenchRow.table(rows).lines.forEach(console.result) }
        guard worst == .done else { return worst }
        return rows.contains { $0.tracks > 0 } ? .done : .nothingFound
    }
}

/// The cost and the results of decoding one file, or of several together.
private struct BenchRow {
    let file: String
    var seconds = 0.0
    var samples = 0
    var tracks = 0
    var failures = 0
    /// Processor time to decode the file once (s).
    var effort = 0.0
    private(set) var isCutShort = false
    /// The faults of the file, one line each.
    private(set) var complaints: [String] = []

    private init(file: String) { self.file = file }

    init(
        measuring file: String, _ scanner: inout SwipeScanner, _ environment: CommandEnvironment
    ) throws(CommandError) {
        self.init(file: file)
        var counter = EventCounter(environment)
        let start = processorTime()
        let outcome = try scanner.scan(file, &counter)
        isCutShort = outcome.isTruncated
        complaints = outcome.complaints(about: file)
        tracks = counter.tracks
        failures = counter.failures
        samples = outcome.frames * outcome.format.channels
        seconds = Double(outcome.frames) / outcome.format.sampleRate
        var runs = 1.0
        // Standard input can be read only once.
        while processorTime() - start < 0.1, file != "-" {
            try environment.checkInterruption()
            _ = try scanner.scan(file, &counter)
            runs += 1
        }
        effort = (processorTime() - start) / runs
    }

    var rate: Double { Double(samples) / effort / 1e6 }

    var json: JSONObject {
        var object = JSONObject()
        object.add("file", file)
        object.add("seconds", seconds, decimals: 3)
        object.add("samples", samples)
        object.add("tracks", tracks)
        object.add("failures", failures)
        object.add("million_samples_per_cpu_second", rate, decimals: 1)
        object.add("times_real_time", seconds / effort, decimals: 0)
        return object
    }

    static func table(_ rows: [BenchRow]) -> Table {
        var table = Table(
            .text("file"), .number("seconds"), .number("samples"), .number("tracks"), .number("failures"),
            .number("M samples/CPU s"), .number("times real time"))
        var total = BenchRow(file: "all")
        for row in rows {
            total.seconds += row.seconds
            total.samples += row.samples
            total.tracks += row.tracks
            total.failures += row.failures
            total.effort += row.effort
        }
        for row in rows.count > 1 ? rows + [total] : rows {
            table.add(
                row.file, fixed(row.seconds, 2), "\(row.samples)", "\(row.tracks)", "\(row.failures)",
                fixed(row.rate, 1), fixed(row.seconds / row.effort, 0))
        }
        return table
    }
}

/// Counts tracks and failures.
private struct EventCounter: ScanObserver {
    private(set) var tracks = 0
    private(set) var failures = 0
    private let environment: CommandEnvironment

    init(_ environment: CommandEnvironment) { self.environment = environment }

    mutating func begin(_ format: AudioFormat) {}

    mutating func receive(_ event: HeadEvent) {
        switch event {
        case .track: tracks += 1
        case .failure: failures += 1
        case .card: break
        }
    }

    mutating func advance(to frame: Int, of total: Int?) throws(CommandError) {
        try environment.checkInterruption()
    }
}

/// Processor time that this process has used, in seconds.
private func processorTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
#endif
