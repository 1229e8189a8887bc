#if Command
    import JackdawDSP
    import JackdawTransport

    /// Prints swipes as they are read, and on a terminal how loud it is.
    struct LivePrinter {
        /// Decibels from the weakest level that the bar shows to full scale, and its length.
        private static let barRange = 60.0
        private static let barLength = 20

        private let options: Listen
        private let console: Console
        private let sampleRate: Double
        private var progress: Progress
        /// One channel's patience: all of a head's channels are answered for as soon as the card is through.
        private var cards: CardPrinter
        /// Tracks that were read.
        private(set) var trackCount = 0
        private var failureCount = 0

        init(_ options: Listen, _ console: Console, sampleRate: Double) {
            self.options = options
            self.console = console
            self.sampleRate = sampleRate
            progress = Progress(console, after: .zero)
            cards = CardPrinter(channels: 1, showsFailures: options.failures, console)
        }

        /// Takes what the decoder found.
        /// - Returns: what `--json` says of it.
        mutating func receive(_ event: SwipeEvent, channel: Int) -> JSONObject {
            let link = options.link.description
            switch event {
            case .track(let track):
                trackCount += 1
                let report = TrackReport(track, file: link, channel: channel + 1, isRevealed: options.reveal)
                if options.json { console.result(report.json) } else { cards.add(report) }
                return report.json
            case .failure(let failure):
                failureCount += 1
                let report = FailureReport(file: link, channel: channel + 1, failure: failure, showsBits: false)
                if options.failures && options.json {
                    console.result(report.json)
                } else {
                    cards.add(report)
                }
                return report.json
            }
        }

        /// Prints what is complete.
        /// - Parameters:
        ///   - frame: how far the sound has been heard.
        ///   - channels: how many are decoded: where it is one, a card has no other track to wait for.
        ///   - level: how loud it is, in dBFS; nil where that is not known yet.
        mutating func advance(to frame: Int, channels: Int, level: Double?) {
            cards.print(at: channels > 1 ? Double(frame) / sampleRate : nil)
            console.flush()
            if let level { progress.update(status(level), fraction: nil) }
        }

        /// Prints what is left.
        mutating func finish() {
            cards.print(at: nil)
            console.flush()
            console.clearStatus()
        }

        private func status(_ level: Double) -> String {
            // Sound may be beyond any scale where a device's samples are not integers.
            let share = level.isNaN ? 0 : min(max(1 + level / Self.barRange, 0), 1)
            let bar = String(repeating: "#", count: Int((share * Double(Self.barLength)).rounded()))
            let line = bar.padded(to: Self.barLength, alignedRight: false)
            return "[\(line)] \(fixed(level, 0)) dBFS, \(counted(trackCount, "track")) read, \(failureCount) not"
        }
    }
#endif
