/// What kind of cards a program reads.
public enum DecryptionMode: Sendable, Hashable {
    /// People's cards: no key that everybody knows is taken.
    case live
    /// Test cards.
    case test
}
