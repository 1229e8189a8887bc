import JackdawCards
import JackdawDSP

/// Prints cards as soon as they are complete, and each failure after the cards that came before it.
struct CardPrinter {
    private let console: Console
    /// Whether failures go to standard output as results.
    private let showsFailures: Bool
    private var cards: CardAssembler
    /// Lines about failures, held until the earlier cards are printed.
    private var failures: [String] = []

    /// - Parameters:
    ///   - channels: the number of channels that may deliver tracks of a card.
    ///   - showsFailures: whether failures go to standard output, as the cards do.
    ///   - console: prints the lines.
    init(channels: Int, showsFailures: Bool, _ console: Console) {
        self.console = console
        self.showsFailures = showsFailures
        cards = CardAssembler(channels: channels)
    }

    mutating func add(_ track: TrackReport) { cards.add(track) }

    mutating func add(_ failure: FailureReport) { failures += failure.lines }

    /// Prints the complete cards, and the failures if no card is open.
    /// - Parameter time: how far the sound has been decoded, in seconds; nil if no further track can come.
    mutating func print(at time: Double?) {
        for card in cards.completeCards(at: time) { CardAssembler.lines(card).forEach(console.result) }
        guard cards.isEmpty else { return }
        // A failure has bits only with `--reveal`.
        failures.forEach(showsFailures ? console.result : console.revealedMessage)
        failures = []
    }
}

/// Combines the tracks of one swipe: a head may read two or three at once, each on a channel of its own.
struct CardAssembler {
    /// Tracks that are read further apart than this are two swipes (s).
    static let gap = 0.25

    /// How long after its last track a card may still get one (s): each channel reports when it falls silent.
    private let patience: Double
    private var pending: [TrackReport] = []

    /// An assembler for a recording of that many channels.
    init(channels: Int) { patience = channels > 1 ? 2 : Self.gap }

    /// Whether no card is open.
    var isEmpty: Bool { pending.isEmpty }

    mutating func add(_ report: TrackReport) { pending.append(report) }

    /// Removes and returns the cards that cannot get another track.
    /// - Parameter time: how far the recording has been decoded, in seconds; nil at its end.
    /// - Returns: cards in the order of time, each with its tracks in the order of their numbers.
    mutating func completeCards(at time: Double?) -> [[TrackReport]] {
        guard !pending.isEmpty else { return [] }
        var cards: [[TrackReport]] = []
        var end = -Double.infinity
        for report in pending.sorted(by: { $0.track.span.start < $1.track.span.start }) {
            if report.track.span.start > end + Self.gap { cards.append([]) }
            cards[cards.count - 1].append(report)
            end = max(end, report.track.span.end)
        }
        pending = []
        if let time, time < end + patience, let open = cards.popLast() { pending = open }
        return cards.map { $0.sorted { ($0.track.track, $0.channel) < ($1.track.track, $1.channel) } }
    }

    /// A card's lines for a person: one with its fields, then its tracks and their conflicts.
    static func lines(_ reports: [TrackReport]) -> [String] {
        let card = SwipedCard(reports.compactMap(\.content))
        let number = card.pan
        let pan = reports.first { $0.content?.pan == number }?.pan
        let name = reports.lazy.compactMap(\.name).first { !$0.isEmpty }
        var facts = [pan ?? "no account number"]
        if let brand = number?.brand, brand != .unknown { facts.append(brand.rawValue) }
        if let name { facts.append(name) }
        if let expiry = card.expiry { facts.append("expires \(expiry.text.suffix(2))/\(expiry.text.prefix(2))") }
        if let code = card.serviceCode { facts.append("service code \(code.text)") }
        let conflicts = card.conflicts.map { "  warning  \($0)" }
        let file = reports.first?.file.hidingKeysAndNumbers ?? ""
        return ["\(file): \(facts.joined(separator: ", "))"] + reports.flatMap(\.lines) + conflicts
    }
}
