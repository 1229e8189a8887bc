#if Command
    import ArgumentParser
    import JackdawAudioFile
    import JackdawDSP

    struct Inspect: Verb {
        static let configuration = CommandConfiguration(
            abstract: "Show what is in a recording: level, noise, hum, swipes and their bit cells.",
            discussion: """
                Use it to find out why a swipe cannot be read. The picture of --plot shows the sound of each \
                swipe with its flux transitions, bit cells and characters. Characters are masked, but the sound \
                itself can be read like the card: keep the picture as you keep the recording. It needs gnuplot.

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
            help: ArgumentHelp("Draw the swipes to a file that ends in .svg or .png.", valueName: "picture"),
            completion: .file(extensions: ["svg", "png"]))
        var plot: String?

        @Flag(help: "Show account numbers and track data in clear.")
        var reveal = false

        @Option(help: "Read a file without a header as RATE,s16|f32,CHANNELS, for example 44100,s16,1.")
        var raw: RawFormat?

        @Flag(help: "Print one JSON object a channel.")
        var json = false

        func validate() throws {
            guard let plot, !plot.hasSuffix(".svg"), !plot.hasSuffix(".png") else { return }
            throw ValidationError("The name of the picture must end in .svg or .png.")
        }

        func run(on console: Console) throws(CommandError) -> ExitStatus {
            var scanner = SwipeScanner(channel: channel.index, raw: raw?.format)
            var inspector = Inspector(console, file: file, isRevealed: reveal)
            let outcome = try scanner.scan(file, &inspector)
            let channels = channel.index.map { $0..<$0 + 1 } ?? 0..<outcome.format.channels
            console.clearStatus()
            if outcome.isTruncated {
                console.message("\(file): cut short: ends after \(outcome.frames) frames, its header promises more")
            }
            let report = InspectionReport(file: file, outcome: outcome)
            if !json { console.result(report.heading) }
            for channel in channels {
                let swipes = inspector.swipes[channel]
                if json {
                    console.result(report.json(channel: channel, swipes))
                } else {
                    report.lines(channel: channel, swipes).forEach(console.result)
                }
            }
            let all = channels.flatMap { channel in
                inspector.swipes[channel].map { (heading: report.title(channel: channel, $0), swipe: $0) }
            }
            guard !all.isEmpty else {
                if plot != nil { console.message("\(file): no swipe to draw") }
                return .nothingFound
            }
            if let plot {
                console.flush()
                try Gnuplot.draw(SwipePicture.script(all, isVector: plot.hasSuffix(".svg")), to: plot)
            }
            return .done
        }
    }

    /// Keeps the swipes of a recording with their sound.
    private struct Inspector: ScanObserver {
        let wantsSamples = true
        private let console: Console
        private let file: String
        private let isRevealed: Bool
        private var progress: Progress
        private var histories: [SampleHistory] = []
        private(set) var swipes: [[SwipeInspection]] = []

        init(_ console: Console, file: String, isRevealed: Bool) {
            self.console = console
            self.file = file
            self.isRevealed = isRevealed
            progress = Progress(console)
        }

        mutating func begin(_ format: AudioFormat) {
            // Eight seconds hold any swipe and the search for it; of many channels, as much as fits 64 MB.
            let capacity = min(Int(8 * format.sampleRate), (1 << 24) / format.channels)
            histories = (0..<format.channels).map { _ in SampleHistory(capacity: capacity) }
            swipes = Array(repeating: [], count: format.channels)
        }

        mutating func receive(_ samples: Span<Float>, channel: Int) { histories[channel].append(samples) }

        mutating func receive(_ event: SwipeEvent, channel: Int) {
            let history = histories[channel]
            switch event {
            case .track(let track):
                swipes[channel].append(SwipeInspection(track, history: history, isRevealed: isRevealed))
            case .failure(let failure):
                swipes[channel].append(SwipeInspection(failure, history: history))
            }
        }

        mutating func advance(to frame: Int, of total: Int?) throws(CommandError) {
            try Interruption.check()
            progress.update(file, fraction: total.map { Double(frame) / Double(max(1, $0)) })
        }
    }
#endif
