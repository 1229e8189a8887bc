/// A client that sends requests to one host over HTTP. It has the host's base address, and checks the host's identity.
public protocol HTTPClient: Sendable {
    /// Sends a request, and waits for the whole answer. An answer with any status, also one of an error or a redirect, is
    /// returned: a client follows no redirect.
    ///
    /// A cancelled task ends the exchange at once, with the code ``HTTPFailure/Code/cancelled``.
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: the longest time until the whole answer is there, opening a connection included.
    /// - Returns: the answer.
    /// - Throws: ``HTTPFailure``, if there is no whole answer.
    func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer
}
