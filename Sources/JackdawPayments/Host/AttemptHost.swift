/// A host of some attempts beside that of the wire, such as a terminal that processes payments as a whole and asks an acquirer
/// itself.
///
/// The rules are the same for both: nothing is asked before the journal has it, a payment without an answer is reversed, and
/// a reversal is asked for until it is answered, also after a restart.
public protocol AttemptHost: Sendable {
    /// Whether requests about an attempt are for this host. The answer depends on the request alone, so that it is the same
    /// after a restart.
    func takes(_ request: AttemptRequest) -> Bool

    /// Checks that the host can take the request of an attempt, before a card is read.
    /// - Parameters:
    ///   - request: the request.
    ///   - attempt: its identifier; nil if it will be a random one.
    /// - Throws: ``HostFailure``, `notWritable`.
    func check(_ request: AttemptRequest, as attempt: AttemptIdentifier?) throws(HostFailure)

    /// Asks the host, and reads its answer. A cancelled task ends the wait.
    /// - Parameters:
    ///   - request: the request. A repetition may come while the one before is still worked on.
    ///   - limit: the longest wait.
    /// - Returns: the answer.
    /// - Throws: ``HostFailure`` if there is no answer, or none that can be used.
    func answer(_ request: HostRequest, limit: Duration) async throws(HostFailure) -> HostReply
}
