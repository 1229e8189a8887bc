public import JackdawTransport

/// A link that carries power beside bytes, as an audio jack does. ``ReaderSession`` gives it what the driver wants, in order
/// with what is sent.
public protocol PoweredTransport: Transport {
    /// Gives the reader power, or takes it away. For the task that sends.
    /// - Parameter power: which.
    /// - Throws: `LinkError` where the link was lost.
    func setPower(_ power: ReaderPower) async throws(LinkError)
}
