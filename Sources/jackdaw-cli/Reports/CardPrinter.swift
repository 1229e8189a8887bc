import JackdawCards
import JackdawDSP
import JackdawSwipe

/// Prints cards, and each failure after the cards that came before it.
struct CardPrinter {
    private let console: Console
    /// Whether failures go to standard output as results.
    private let showsFailures: Bool
    /// Tracks whose card is not complete yet.
    private var openTracks = 0
    /// Lines about failures, held until the earlier cards are printed.
    private var failures: [String] = []

    /// - Parameters:
    ///   - showsFailures: whether failures go to standard output, as the cards do.
    ///   - console: prints the lines.
    init(showsFailures: Bool, _ console: Console) {
        self.console = console
        self.showsFailures = showsFailures
    }

    /// Counts a track whose card will be printed.
    mutating func expectCard() { openTracks += 1 }

    /// Prints a card.
    /// - Parameters:
    ///   - card: the card.
    ///   - file: the file or link of the sound.
    ///   - time: the time since the beginning of 1970 (UTC); nil for a recording.
    ///   - isRevealed: whether to show card data in clear.
    mutating func print(_ card: HeadCard, file: String, time: Duration? = nil, isRevealed: Bool) {
        Self.lines(card, file: file, time: time, isRevealed: isRevealed).forEach(console.result)
        openTracks -= card.tracks.count
        printFailures()
    }

    /// Prints a failure, after the card that is not complete yet.
    mutating func print(_ failure: FailureReport) {
        failures += failure.lines
        printFailures()
    }

    /// Prints what is held at the end of the sound.
    mutating func finish() {
        openTracks = 0
        printFailures()
    }

    private mutating func printFailures() {
        guard openTracks <= 0 else { return }
        // A failure has bits only with `--reveal`.
        failures.forEach(showsFailures ? console.result : console.revealedMessage)
        failures = []
    }

    /// The lines of a card for a person: one with its fields, then its tracks and their conflicts.
    static func lines(_ card: HeadCard, file: String, time: Duration? = nil, isRevealed: Bool) -> [String] {
        let report = CardReport(event: CardEvent(card, time: time), isRevealed: isRevealed)
        let heading = "\(file.hidingKeysAndNumbers): \(report.facts)"
        let tracks = card.tracks.flatMap { TrackReport($0, file: file, isRevealed: isRevealed).lines }
        return [heading] + tracks + report.warnings
    }
}
