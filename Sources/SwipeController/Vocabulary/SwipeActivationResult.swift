/// How an attempt to power a reader up has ended.
///
/// Source: the Mobile Swipe SDK's `SwipeActivationResult`, numbers included.
public enum SwipeActivationResult: Int, Sendable, Hashable, CaseIterable {
    /// It has power and answers.
    case success = 0
    /// It did not answer.
    case timeout = 1
    /// Something else failed, such as the sound card, or it was given up.
    case failure = 2
    /// It did not answer, and the volume is not at its most.
    case volumeTooLow = 3
}
