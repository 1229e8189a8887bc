public import JackdawTransport

/// What a driver wants done, and what it has to tell, in the order in which that has to happen.
public enum ReaderOutput: Sendable {
    /// Bytes for the reader.
    case send([UInt8])
    /// Power for a reader that lives on it.
    case power(ReaderPower)
    /// Something that happened.
    case event(ReaderEvent)
}
