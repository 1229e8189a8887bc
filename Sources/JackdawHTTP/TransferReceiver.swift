#if Payments
import JackdawPayments

/// Receives the parts of an answer, on the thread of its transfer.
final class TransferReceiver {
    private(set) var reader: AnswerReader
    private let mayRepeat: Bool
    private let isCancelled: () -> Bool
    /// Whether the connection was open and the request may have gone out.
    private(set) var hasBegun = false

    /// - Parameters:
    ///   - reader: an empty reader.
    ///   - mayRepeat: whether libcurl may send the request again over a new connection, if an old one ends without an
    ///     answer. It reads, and changes nothing.
    ///   - isCancelled: whether the task was cancelled.
    init(_ reader: AnswerReader, mayRepeat: Bool, isCancelled: @escaping () -> Bool) {
        self.reader = reader
        self.mayRepeat = mayRepeat
        self.isCancelled = isCancelled
    }

    deinit { reader.wipe() }

    /// Receives a line of a head or a trailer; false ends the transfer.
    func receive(line: Span<UInt8>) -> Bool { reader.receive(line: line) }

    /// Receives bytes of the body; false ends the transfer.
    func receive(body: Span<UInt8>) -> Bool { reader.receive(body: body) }

    /// The connection is open, and the request goes out next; false ends the transfer before that.
    func mayBeginSending() -> Bool {
        guard !isCancelled() else { return false }
        // libcurl sends a request again if a connection from before ends without an answer, whatever the method. But
        // the host may have processed the first one.
        guard !hasBegun || mayRepeat else { return false }
        hasBegun = true
        return true
    }
}
#endif
