/// Where the conversation with a reader stands.
public enum ReaderState: String, Sendable, Hashable, CaseIterable {
    /// Nothing was begun, or the reader was switched off.
    case off
    /// The reader is given power and has not told that it is there.
    case poweringUp
    /// The reader is asked who it is.
    case identifying
    /// The reader waits to be told something.
    case ready
    /// The reader is asked or set something.
    case asking
    /// The reader is told to wait for a card.
    case arming
    /// The reader waits for a card.
    case armed
    /// The reader is told to wait no more.
    case disarming
    /// The reader is told to switch itself off.
    case poweringDown
    /// The link has gone; nothing follows.
    case lost
}
