#if Command
import ArgumentParser
import JackdawAudioFile
import JackdawDSP
import JackdawSwipe

struct Decode: Verb {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Read card swipes in sound files.",
        discussion: """
            Each track that passes all its checks is printed. A swipe that cannot be decoded prints one line with the \
            position and the reason on standard error. Formats: WAV, FLAC, AIFF, AU, W64, CAF and Ogg. Account numbers \
            and names are masked; expiry and service code stay visible.

            EXIT CODES
              0   at least one track was decoded, and every file was read
              1   nothing was decoded
              64  usage; no such channel
              65  not a sound file, or cut short and without a track
              66  missing, or not readable
              74  I/O error
            If several files fail, the highest code counts.

            EXAMPLES
              jackdaw decode swipe.wav
              arecord -f S16_LE -r 48000 -t raw -d 10 | jackdaw decode --raw 48000,s16,1 -
              jackdaw decode --json --failures captures/*.wav
            """)

    @Argument(
        help: ArgumentHelp("Sound files, or folders of them; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["wav", "flac", "aiff", "au", "w64", "caf", "ogg", "raw"]))
    var files: [String]

    @Option(help: "Track to report: any, 1, 2 or 3.")
    var track: TrackChoice = .any

    @Option(help: "Channel to decode: a number from 1, or all.")
    var channel: ChannelChoice = .all

    @Flag(help: "Print account numbers, names and track data in clear.")
    var reveal = false

    @OptionGroup var headerless: HeaderlessOptions

    @OptionGroup var jobs: JobOptions

    @Flag(help: "Print one JSON object for each track.")
    var json = false

    @Flag(help: "Report failed swipes on standard output, between the tracks.")
    var failures = false

    @Flag(help: "Add the bits and characters of failures. They are card data and need --reveal.")
    var bits = false

    func validate() throws {
        guard reveal || !bits else {
            throw ValidationError("Give --reveal with --bits: they show card data in clear.")
        }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        let (files, status) = jobs.files(files, isRaw: headerless.raw != nil, console)
        let options = DecodePrinter.Options(
            tracks: track.tracks, isJSON: json, showsFailures: failures, isRevealed: reveal, showsBits: bits,
            fileCount: files.count)
        var worst = status
        var trackCount = 0
        var others = OtherTracks()
        let fileJobs = FileJobs(jobs.count, for: files)
        try fileJobs.run(files, on: console) { [channel, headerless] in
            let scanner = SwipeScanner(
                channel: channel.index, raw: headerless.raw, tracks: options.tracks, jobs: fileJobs.segmentJobs)
            return DecodeWorker(scanner, options, environment)
        } finish: { outcome in
            worst = max(worst, outcome.status)
            trackCount += outcome.trackCount
            others.add(outcome.others)
        }
        if let message = others.message { console.message(message) }
        guard worst == .done else { return worst }
        guard trackCount > 0 else {
            console.message("nothing decoded in \(counted(files.count, "file"))")
            return .nothingFound
        }
        return .done
    }
}

/// The result of a file.
private struct DecodedFile: Sendable {
    let status: ExitStatus
    let trackCount: Int
    let others: OtherTracks
}

/// Decodes recordings and prints their tracks.
private struct DecodeWorker: FileWorker, ~Copyable {
    private var scanner: SwipeScanner
    private let options: DecodePrinter.Options
    private let environment: CommandEnvironment
    private var progress: Progress?

    init(_ scanner: consuming SwipeScanner, _ options: DecodePrinter.Options, _ environment: CommandEnvironment) {
        self.scanner = scanner
        self.options = options
        self.environment = environment
    }

    mutating func work(on file: String, index: Int, _ console: Console) throws(CommandError) -> DecodedFile {
        var printer = DecodePrinter(file, index, options, progress ?? Progress(console), console, environment)
        defer { progress = printer.progress }
        var status: ExitStatus
        do throws(CommandError) {
            let outcome = try scanner.scan(file, &printer)
            status = printer.finish(outcome)
        } catch {
            printer.abandon()
            guard error.status != .interrupted else { throw error }
            console.message(error.message)
            status = error.status
        }
        return DecodedFile(status: status, trackCount: printer.trackCount, others: printer.others)
    }
}

/// Prints the events of a recording.
private struct DecodePrinter: ScanObserver {
    struct Options: Sendable {
        /// The tracks that are printed.
        let tracks: Set<TrackNumber>
        let isJSON: Bool
        /// Whether failures go to standard output.
        let showsFailures: Bool
        let isRevealed: Bool
        /// Whether failures are printed with their bits.
        let showsBits: Bool
        let fileCount: Int
    }

    private let options: Options
    private let console: Console
    private let environment: CommandEnvironment
    private(set) var progress: Progress
    private var cards: CardPrinter
    private let file: String
    private let index: Int
    private(set) var trackCount = 0
    /// The swipes of each track that `--track` leaves out.
    private(set) var others = OtherTracks()

    init(
        _ file: String, _ index: Int, _ options: Options, _ progress: Progress, _ console: Console,
        _ environment: CommandEnvironment
    ) {
        self.file = file
        self.index = index
        self.options = options
        self.console = console
        self.environment = environment
        self.progress = progress
        cards = CardPrinter(showsFailures: options.showsFailures, console)
    }

    mutating func begin(_ format: AudioFormat) {}

    mutating func receive(_ event: HeadEvent) {
        switch event {
        case .track(let track):
            guard options.tracks.contains(track.decoded.track) else {
                return others.add(track.decoded.track)
            }
            trackCount += 1
            if options.isJSON {
                console.result(TrackReport(track, file: file, isRevealed: options.isRevealed).json)
            } else {
                cards.expectCard()
            }
        case .card(let card):
            if !options.isJSON { cards.print(card, file: file, isRevealed: options.isRevealed) }
        case .failure(let failure, let channel):
            let report = FailureReport(
                file: file, channel: channel + 1, failure: failure, showsBits: options.showsBits)
            if options.showsFailures && options.isJSON {
                console.result(report.json)
            } else {
                cards.print(report)
            }
        }
    }

    mutating func advance(to frame: Int, of total: Int?) throws(CommandError) {
        console.flush()
        try environment.checkInterruption()
        let share = total.map { Double(frame) / Double(max(1, $0)) }
        let label = options.fileCount > 1 ? "\(file), file \(index + 1) of \(options.fileCount)" : file
        progress.update(label, fraction: share)
    }

    /// Prints the rest of a file's events, and its faults.
    mutating func finish(_ outcome: SoundScanner.Outcome) -> ExitStatus {
        abandon()
        outcome.complaints(about: file).forEach(console.message)
        return outcome.isTruncated && trackCount == 0 ? .badData : .done
    }

    /// Prints the events of a file up to an error.
    mutating func abandon() {
        cards.finish()
        console.flush()
    }
}
#endif
