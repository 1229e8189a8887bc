/// Prints cards as soon as they are complete, and failures behind the cards that came before them.
struct CardPrinter {
    private let console: Console
    /// Whether failures are results, too.
    private let showsFailures: Bool
    private var cards: CardAssembler
    /// Lines about failures, for after the cards that came before them.
    private var failures: [String] = []

    /// - Parameters:
    ///   - channels: how many channels' tracks a card waits for.
    ///   - showsFailures: whether failures go where the cards go.
    ///   - console: where it all goes.
    init(channels: Int, showsFailures: Bool, _ console: Console) {
        self.console = console
        self.showsFailures = showsFailures
        cards = CardAssembler(channels: channels)
    }

    mutating func add(_ track: TrackReport) { cards.add(track) }

    mutating func add(_ failure: FailureReport) { failures += failure.lines }

    /// Prints what is complete.
    /// - Parameter time: how far the sound has been heard, in seconds; nil where nothing more is waited for.
    mutating func print(at time: Double?) {
        for card in cards.completeCards(at: time) { CardAssembler.lines(card).forEach(console.result) }
        guard cards.isEmpty else { return }
        // A failure has bits only with `--reveal`.
        failures.forEach(showsFailures ? console.result : console.revealedMessage)
        failures = []
    }
}
