#if Command
import ArgumentParser
import JackdawAudioFile
import JackdawDSP
import JackdawSpectrum
import JackdawSwipe

struct Inspect: Verb {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Measure a recording: level, noise, hum, modem sound, swipes and their bit cells.",
        discussion: """
            Use it to find out why a swipe cannot be decoded, or which modem made a sound: it names the mode nearest \
            to the measured tones and baud. --plot draws the sound of each swipe with its flux transitions, bit cells \
            and characters; characters that are uncertain or corrected are red. Characters are masked, but the drawn \
            sound can be read like the card: protect the picture as you protect the recording. For modem sound, --plot \
            draws the waveform, the spectrogram, and the bit cells with the bytes below them. The bytes are hidden \
            without --reveal, because they may be card data. --plot needs gnuplot.

            A picture has room for 12 swipes, or for the first 20 rows of each of 6 stretches of modem sound; choose \
            them with --swipe, --from and --to.

            EXAMPLES
              jackdaw inspect swipe.wav
              jackdaw inspect --plot swipe.png swipe.wav
              jackdaw inspect --plot swipe.svg --swipe 30 --width 3000 --dark day.flac
            """)

    @Argument(
        help: ArgumentHelp("Sound files, or folders of them; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["wav", "flac"]))
    var files: [String]

    @Option(help: "Channel to inspect: a number from 1, or all.")
    var channel: ChannelChoice = .all

    @Option(
        help: ArgumentHelp(
            "Draw the swipes, or the modem sound if there are none, to a .svg or .png file.",
            valueName: "picture"),
        completion: .file(extensions: ["svg", "png"]))
    var plot: String?

    @Option(help: ArgumentHelp("Draw only the swipe with this number.", valueName: "n"))
    var swipe: Int?

    @Option(
        help: ArgumentHelp("Draw only sound after this time; of modem sound, two seconds.", valueName: "seconds"))
    var from: Double?

    @Option(help: ArgumentHelp("Draw only sound before this time.", valueName: "seconds"))
    var to: Double?

    @Option(help: ArgumentHelp("Width of the picture, 600 to 10000 (default: 1800).", valueName: "pixels"))
    var width: Int?

    @Flag(help: "Draw on a dark background.")
    var dark = false

    @Flag(help: "Show account numbers, names, track data and bytes in clear.")
    var reveal = false

    @OptionGroup var headerless: HeaderlessOptions

    @OptionGroup var jobs: JobOptions

    @Flag(help: "Print one JSON object for each channel.")
    var json = false

    func validate() throws {
        guard let plot else {
            guard swipe == nil, from == nil, to == nil, width == nil, !dark else {
                throw ValidationError("Give --plot with --swipe, --from, --to, --width and --dark.")
            }
            return
        }
        guard plot.hasSuffix(".svg") || plot.hasSuffix(".png") else {
            throw ValidationError("The name of the picture must end in .svg or .png.")
        }
        guard swipe ?? 1 >= 1 else { throw ValidationError("--swipe must be at least 1.") }
        guard PictureStyle.widths.contains(width ?? PictureStyle(isVector: true).width) else {
            let (least, most) = (PictureStyle.widths.lowerBound, PictureStyle.widths.upperBound)
            throw ValidationError("The width must be \(least) to \(most) pixels.")
        }
        let times = [from ?? 0, to ?? .greatestFiniteMagnitude]
        guard times.allSatisfy({ $0.isFinite && $0 >= 0 }), times[0] < times[1] else {
            throw ValidationError("--from must be earlier than --to, and both at least 0.")
        }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        let (files, status) = jobs.files(files, isRaw: headerless.raw != nil, console)
        guard plot == nil || files.count == 1 else {
            throw CommandError(.usage, "give one file with --plot, not \(files.count)")
        }
        var worst = status
        var hasFound = false
        try FileJobs(jobs.count, for: files).run(files, on: console) {
            InspectWorker(verb: self, environment)
        } finish: { outcome in
            if outcome == .done { hasFound = true }
            if outcome != .nothingFound { worst = max(worst, outcome) }
        }
        return worst == .done && !hasFound ? .nothingFound : worst
    }

    /// Measures a recording and prints its reports.
    fileprivate func inspect(
        _ file: String, _ scanner: inout SwipeScanner, _ progress: inout Progress?, _ console: Console,
        _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitStatus {
        var inspector = Inspector(
            console, environment, file: file, isRevealed: reveal, drawing: plot.map { _ in part },
            progress ?? Progress(console))
        defer { progress = inspector.progress }
        let outcome = try scanner.scan(file, &inspector)
        console.clearStatus()
        outcome.complaints(about: file).forEach(console.message)
        let reports = try inspector.reports(file: file, outcome.format, channel: channel.index)
        if !json, let first = reports.first { console.result(first.heading) }
        for report in reports {
            if json { console.result(report.json) } else { report.lines.forEach(console.result) }
        }
        let all = reports.flatMap { report in
            report.drawn.map { (heading: report.title($0), swipe: $0) }
        }
        let lines = reports.flatMap { report in
            report.lineCodes.map { line in
                let titles = report.titles(line)
                return (heading: titles.heading, summary: titles.summary, line: line)
            }
        }
        guard reports.contains(where: { !$0.swipes.isEmpty }) || !lines.isEmpty else {
            if plot != nil { console.message("\(file): no swipe or modem sound to draw") }
            return outcome.isTruncated ? .badData : .nothingFound
        }
        guard let plot else { return .done }
        console.flush()
        return try draw(file, all, of: reports.flatMap(\.swipes), lines, to: plot, console)
    }

    private var part: PicturePart { PicturePart(swipe: swipe, seconds: (from ?? 0)...(to ?? .infinity)) }

    /// Draws the chosen swipes, or the modem sound if the recording has no swipes.
    private func draw(
        _ file: String, _ chosen: [(heading: String, swipe: SwipeInspection)], of swipes: [SwipeSummary],
        _ lines: [(heading: String, summary: String, line: LineInspection)], to plot: String, _ console: Console
    ) throws(CommandError) -> ExitStatus {
        let part = part
        let style = PictureStyle(
            isVector: plot.hasSuffix(".svg"), width: width ?? PictureStyle(isVector: true).width, isDark: dark)
        let isSwipes = swipe != nil || !swipes.isEmpty
        let chosenLines = isSwipes ? [] : lines.filter { part.holds($0.line) }
        guard !chosen.isEmpty || !chosenLines.isEmpty else {
            console.message("\(file): no \(isSwipes ? "such swipe" : "modem sound in this range") to draw")
            return .nothingFound
        }
        let script =
            isSwipes
            ? SwipePicture.script(chosen, part: part, style)
            : try Self.script(chosenLines, part: part, style, file: file)
        try Gnuplot.draw(script.commands, to: plot)
        let count = max(swipes.count { part.holds($0) }, chosenLines.count)
        if script.count < count {
            let noun = isSwipes ? "swipes" : "stretches of modem sound"
            let choice = isSwipes ? "--swipe, --from and --to" : "--from and --to"
            console.message("\(plot): shows \(script.count) of \(count) \(noun); choose them with \(choice)")
        }
        return .done
    }

    private static func script(
        _ lines: [(heading: String, summary: String, line: LineInspection)], part: PicturePart,
        _ style: PictureStyle, file: String
    ) throws(CommandError) -> (commands: String, count: Int) {
        do throws(SpectrumError) {
            return try LinePicture.script(lines, part: part, style)
        } catch {
            throw CommandError(error, file: file)
        }
    }
}

private struct InspectWorker: FileWorker, ~Copyable {
    private let verb: Inspect
    private var scanner: SwipeScanner
    private let environment: CommandEnvironment
    private var progress: Progress?

    init(verb: Inspect, _ environment: CommandEnvironment) {
        self.verb = verb
        self.environment = environment
        scanner = SwipeScanner(channel: verb.channel.index, raw: verb.headerless.raw)
    }

    mutating func work(on file: String, index: Int, _ console: Console) throws(CommandError) -> ExitStatus {
        do throws(CommandError) {
            return try verb.inspect(file, &scanner, &progress, console, environment)
        } catch {
            guard error.status != .interrupted else { throw error }
            console.message(error.message)
            return error.status
        }
    }
}

/// Collects the printed results of a recording's swipes, and the sound of those that are drawn.
private struct Inspector: ScanObserver {
    let wantsSamples = true
    private let console: Console
    private let environment: CommandEnvironment
    private let file: String
    private let isRevealed: Bool
    private let part: PicturePart?
    private(set) var progress: Progress
    private var channels: [ChannelRecord] = []

    init(
        _ console: Console, _ environment: CommandEnvironment, file: String, isRevealed: Bool,
        drawing part: PicturePart?, _ progress: Progress
    ) {
        self.console = console
        self.environment = environment
        self.file = file
        self.isRevealed = isRevealed
        self.part = part
        self.progress = progress
    }

    /// The reports of all channels, or of one.
    /// - Throws: `CommandError` if the memory did not suffice for all of the sound.
    func reports(
        file: String, _ format: AudioFormat, channel: Int?
    ) throws(CommandError) -> [InspectionReport] {
        var reports: [InspectionReport] = []
        for index in channel.map({ $0..<$0 + 1 }) ?? channels.indices {
            guard let survey = channels[index].finish() else { continue }
            let lineCodes = try lines(of: channels[index])
            reports.append(
                InspectionReport(
                    file: file, format: format, channel: index + 1, survey: survey,
                    swipes: channels[index].swipes, drawn: channels[index].drawn, lineCodes: lineCodes,
                    isRevealed: isRevealed))
        }
        return reports
    }

    private func lines(of record: ChannelRecord) throws(CommandError) -> [LineInspection] {
        do throws(SpectrumError) {
            return try record.finishLines(isRevealed: isRevealed)
        } catch {
            throw CommandError(error, file: file)
        }
    }

    mutating func begin(_ format: AudioFormat) throws(CommandError) {
        do throws(SpectrumError) {
            while channels.count < format.channels {
                channels.append(try ChannelRecord(format, drawing: part))
            }
        } catch {
            throw CommandError(error, file: file)
        }
    }

    mutating func receive(_ samples: Span<Float>, channel: Int) { channels[channel].receive(samples) }

    mutating func receive(_ event: HeadEvent) {
        switch event {
        case .track(let track): channels[track.channel].receive(.track(track.decoded), isRevealed: isRevealed)
        case .failure(let failure, let channel): channels[channel].receive(.failure(failure), isRevealed: isRevealed)
        case .card: break
        }
    }

    mutating func advance(to frame: Int, of total: Int?) throws(CommandError) {
        try environment.checkInterruption()
        progress.update(file, fraction: total.map { Double(frame) / Double(max(1, $0)) })
    }
}
#endif
