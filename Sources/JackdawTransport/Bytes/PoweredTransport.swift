/// A link that carries power beside bytes, as an audio jack does.
public protocol PoweredTransport: Transport {
    /// Gives the reader power, or takes it away, in order with what is sent. For the task that sends.
    /// - Parameter power: which.
    /// - Throws: `LinkError` where the link was lost.
    func setPower(_ power: ReaderPower) async throws(LinkError)
}

/// The power that a reader on an audio jack is given over it. Links of bytes carry none.
public enum ReaderPower: String, Sendable, Hashable, CaseIterable {
    /// None.
    case off
    /// What wakes it up.
    case connecting
    /// What keeps it awake.
    case connected
}
