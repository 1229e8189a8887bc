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

    mutating func print(_ card: HeadCard, file: String, isRevealed: Bool) {
        Self.lines(card, file: file, isRevealed: isRevealed).forEach(console.result)
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

    /// A card's lines for a person: one with its fields, then its tracks and their conflicts.
    static func lines(_ card: HeadCard, file: String, isRevealed: Bool) -> [String] {
        let reports = card.tracks.map { TrackReport($0, file: file, isRevealed: isRevealed) }
        let fields = card.card
        let number = fields.pan
        let pan = reports.first { $0.content?.pan == number }?.pan
        let name = reports.lazy.compactMap(\.name).first { !$0.isEmpty }
        var facts = [pan ?? "no account number"]
        if let brand = number?.brand, brand != .unknown { facts.append(brand.rawValue) }
        if let name { facts.append(name) }
        if let expiry = fields.expiry { facts.append("expires \(expiry.text.suffix(2))/\(expiry.text.prefix(2))") }
        if let code = fields.serviceCode { facts.append("service code \(code.text)") }
        let conflicts = fields.conflicts.map { "  warning  \($0)" }
        let heading = "\(file.hidingKeysAndNumbers): \(facts.joined(separator: ", "))"
        return [heading] + reports.flatMap(\.lines) + conflicts
    }
}
