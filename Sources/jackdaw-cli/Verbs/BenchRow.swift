#if Command
import Glibc
import JackdawAudioFile
import JackdawDSP
import JackdawSwipe

/// The cost and the results of decoding one file, or of several together.
struct BenchRow: Sendable {
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

    init(file: String) { self.file = file }

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

    /// The names of the values in the objects and in the first line of the table of comma-separated values.
    static let names = [
        "file", "seconds", "samples", "tracks", "failures", "million_samples_per_cpu_second", "times_real_time",
    ]

    private var values: [String] {
        [
            fixed(seconds, 3), "\(samples)", "\(tracks)", "\(failures)", fixed(rate, 1), fixed(seconds / effort, 0),
        ]
    }

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

    /// A line of comma-separated values (RFC 4180).
    var csv: String {
        let isPlain = !file.contains { $0 == "," || $0 == "\"" || $0.isNewline }
        let name = isPlain ? file : "\"\(file.replacing("\"", with: "\"\""))\""
        return ([name] + values).joined(separator: ",")
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

/// Processor time that this thread has used, in seconds.
private func processorTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
#endif
