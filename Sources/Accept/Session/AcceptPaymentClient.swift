import JackdawPayments
import JackdawTransport

/// The client of a payment service: the connection of the newest login. Before the first one each request fails, and was
/// not sent.
///
/// It logs in again when the token has expired, so that the queue of the journal reaches the host without a user.
final class AcceptPaymentClient: HTTPClient {
    private let client = Lock<AcceptClient?>(nil)

    /// Sends all later requests by another client.
    func use(_ newClient: AcceptClient) { client.withLock { $0 = newClient } }

    func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
        guard let client = client.withLock({ $0 }) else {
            throw HTTPFailure(.notLoggedIn, message: "No user has logged in.")
        }
        return try await client.send(request, limit: limit)
    }
}
