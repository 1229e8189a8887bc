import JackdawSwipe
import JackdawTransport

/// Prints swipes as they are read, and the current level on a terminal.
struct LivePrinter {
    /// The range of the level bar in decibels below full scale, and its length in characters.
    private static let barRange = 60.0
    private static let barLength = 20

    private let options: LiveOptions
    private let console: Console
    private var progress: Progress
    private var cards: CardPrinter
    private var failureCount = 0

    init(_ options: LiveOptions, _ console: Console) {
        self.options = options
        self.console = console
        progress = Progress(console, after: .zero)
        cards = CardPrinter(showsFailures: options.showsFailures, console)
    }

    mutating func receive(_ event: LiveEvent) {
        let link = options.link.description
        switch event.event {
        case .track: if options.isJSON { printObject(of: event) } else { cards.expectCard() }
        case .card(let card):
            if !options.isJSON { cards.print(card, file: link, time: event.time, isRevealed: options.isRevealed) }
        case .failure(let failure, let channel):
            failureCount += 1
            if options.showsFailures && options.isJSON {
                printObject(of: event)
            } else {
                cards.print(FailureReport(file: link, channel: channel + 1, failure: failure, showsBits: false))
            }
        }
    }

    private func printObject(of event: LiveEvent) {
        if let object = event.json { console.result(object) }
    }

    /// Writes the printed lines, and updates the status line.
    /// - Parameters:
    ///   - level: the peak level in dBFS; nil if it is not known yet.
    ///   - trackCount: number of tracks read so far.
    mutating func advance(level: Double?, trackCount: Int) {
        console.flush()
        if let level { progress.update(status(level, trackCount), fraction: nil) }
    }

    /// Prints the failures that are still held.
    mutating func finish() {
        cards.finish()
        console.flush()
        console.clearStatus()
    }

    private func status(_ level: Double, _ trackCount: Int) -> String {
        // Devices with floating-point samples may exceed full scale.
        let share = level.isNaN ? 0 : min(max(1 + level / Self.barRange, 0), 1)
        let bar = String(repeating: "#", count: Int((share * Double(Self.barLength)).rounded()))
        let line = bar.padded(to: Self.barLength, alignedRight: false)
        return "[\(line)] \(fixed(level, 0)) dBFS, \(counted(trackCount, "track")) read, \(failureCount) failed"
    }
}
