/// What a driver wants done, and what it has to tell, in the order in which that has to happen.
public enum ReaderOutput: Sendable {
    /// Bytes for the reader.
    case send([UInt8])
    /// Power for a reader that lives on it.
    case power(ReaderPower)
    /// Something that happened.
    case event(ReaderEvent)
}

/// The power that an audio reader is given over its jack. Links of bytes carry none.
public enum ReaderPower: String, Sendable, Hashable, CaseIterable {
    /// None.
    case off
    /// What wakes it up.
    case connecting
    /// What keeps it awake.
    case connected
}
