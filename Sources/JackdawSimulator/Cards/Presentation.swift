/// A card that somebody presents to a reader, and how.
public struct Presentation: Sendable, Hashable {
    /// How.
    public enum Manner: Sendable, Hashable, CaseIterable {
        /// Swiped, and read.
        case swiped
        /// Swiped too fast, or with a worn stripe.
        case swipedInVain
        /// Put in, by its chip.
        case inserted
        /// Taken out.
        case removed
        /// Put in, though its chip does not answer.
        case unreadable
        /// Held near the reader.
        case tapped
        /// Swiped, though it has a chip that the reader wants instead.
        case swipedWithChip
    }

    /// The card.
    public let card: SimulatedCard
    /// How.
    public let manner: Manner
    /// How long after the reader began to wait for a card, or after the presentation before it where that was not over.
    public let delay: Duration

    /// - Parameters:
    ///   - card: the card.
    ///   - manner: how it is presented.
    ///   - delay: how long after the reader began to wait.
    public init(_ card: SimulatedCard, _ manner: Manner = .swiped, after delay: Duration = .seconds(1)) {
        self.card = card
        self.manner = manner
        self.delay = delay
    }
}
