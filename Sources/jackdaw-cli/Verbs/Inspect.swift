#if Command
    import ArgumentParser
    import JackdawAudioFile
    import JackdawDSP
    import JackdawSpectrum

    struct Inspect: Verb {
        static let configuration = CommandConfiguration(
            abstract: "Show what is in a recording: level, noise, hum, modem sound, swipes and their bit cells.",
            discussion: """
                Use it to find out why a swipe cannot be read, or which modem is heard: it names the mode that is \
                nearest to the tones and the baud it measured. The picture of --plot shows the sound of each \
                swipe with its flux transitions, bit cells and characters, in red those that are not certain or \
                were corrected. Characters are masked, but the sound itself can be read like the card: keep the \
                picture as you keep the recording. Of modem sound it shows waveform, spectrogram and bit cells \
                with the bytes under them, which are hidden without --reveal since they may be card data. It needs \
                gnuplot.

                EXAMPLES
                  jackdaw inspect swipe.wav
                  jackdaw inspect --plot swipe.png swipe.wav
                """)

        @Argument(
            help: ArgumentHelp("Sound file; - is standard input.", valueName: "file"),
            completion: .file(extensions: ["wav", "flac"]))
        var file: String

        @Option(help: "Channel to inspect: a number from 1, or all.")
        var channel: ChannelChoice = .all

        @Option(
            help: ArgumentHelp(
                "Draw the swipes, or the modem sound where there are none, to a file that ends in .svg or .png.",
                valueName: "picture"),
            completion: .file(extensions: ["svg", "png"]))
        var plot: String?

        @Flag(help: "Show account numbers, track data and bytes in clear.")
        var reveal = false

        @OptionGroup var headerless: HeaderlessOptions

        @Flag(help: "Print one JSON object a channel.")
        var json = false

        func validate() throws {
            guard let plot, !plot.hasSuffix(".svg"), !plot.hasSuffix(".png") else { return }
            throw ValidationError("The name of the picture must end in .svg or .png.")
        }

        func run(on console: Console) throws(CommandError) -> ExitStatus {
            var scanner = SwipeScanner(channel: channel.index, raw: headerless.raw)
            var inspector = Inspector(console, file: file, isRevealed: reveal)
            let outcome = try scanner.scan(file, &inspector)
            console.clearStatus()
            outcome.complaints(about: file).forEach(console.message)
            let reports = try inspector.reports(file: file, outcome.format, channel: channel.index)
            if !json, let first = reports.first { console.result(first.heading) }
            for report in reports {
                if json { console.result(report.json) } else { report.lines.forEach(console.result) }
            }
            let all = reports.flatMap { report in
                report.swipes.map { (heading: report.title($0), swipe: $0) }
            }
            let lines = reports.flatMap { report in
                report.lineCodes.map { line in
                    let titles = report.titles(line)
                    return (heading: titles.heading, summary: titles.summary, line: line)
                }
            }
            guard !all.isEmpty || !lines.isEmpty else {
                if plot != nil { console.message("\(file): no swipe or modem sound to draw") }
                return outcome.isTruncated ? .badData : .nothingFound
            }
            if let plot {
                console.flush()
                let isVector = plot.hasSuffix(".svg")
                let script =
                    all.isEmpty
                    ? try Self.script(lines, isVector: isVector, file: file)
                    : SwipePicture.script(all, isVector: isVector)
                try Gnuplot.draw(script, to: plot)
            }
            return .done
        }

        private static func script(
            _ lines: [(heading: String, summary: String, line: LineInspection)], isVector: Bool, file: String
        ) throws(CommandError) -> String {
            do throws(SpectrumError) {
                return try LinePicture.script(lines, isVector: isVector)
            } catch {
                throw CommandError(error, file: file)
            }
        }
    }

    /// Keeps the swipes of a recording with their sound.
    private struct Inspector: ScanObserver {
        let wantsSamples = true
        private let console: Console
        private let file: String
        private let isRevealed: Bool
        private var progress: Progress
        private var channels: [ChannelRecord] = []

        init(_ console: Console, file: String, isRevealed: Bool) {
            self.console = console
            self.file = file
            self.isRevealed = isRevealed
            progress = Progress(console)
        }

        /// What there is to say of the channels, or of one of them.
        /// - Throws: ``CommandError``: there was no memory to look at all of it.
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
                        swipes: channels[index].swipes, lineCodes: lineCodes, isRevealed: isRevealed))
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
                while channels.count < format.channels { channels.append(try ChannelRecord(format)) }
            } catch {
                throw CommandError(error, file: file)
            }
        }

        mutating func receive(_ samples: Span<Float>, channel: Int) { channels[channel].receive(samples) }

        mutating func receive(_ event: SwipeEvent, channel: Int) {
            channels[channel].receive(event, isRevealed: isRevealed)
        }

        mutating func advance(to frame: Int, of total: Int?) throws(CommandError) {
            try Interruption.check()
            progress.update(file, fraction: total.map { Double(frame) / Double(max(1, $0)) })
        }
    }
#endif
