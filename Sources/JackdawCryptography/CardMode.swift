/// The kind of cards that a program handles.
public enum CardMode: Sendable, Hashable {
    /// Live cards: published test keys are refused.
    case live
    /// Test cards: published test keys are allowed.
    case test
}
