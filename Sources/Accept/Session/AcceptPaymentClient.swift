import JackdawCards
import JackdawPayments
import JackdawTransport

/// The client of a payment service: the connection of the newest login at the host of the first one. Before a login each
/// request fails, and was not sent.
///
/// It logs in again when the token has expired, so that the queue of the journal reaches the host without a user. Logins at
/// other hosts change nothing: the payments in the journal are for the first one.
final class AcceptPaymentClient: HTTPClient {
    /// A login of a user, and its client.
    private struct Login {
        let client: AcceptClient
        let token: SecretText
        let credentials: AcceptCredentials?
    }

    private struct State {
        var login: Login?
        var address: String?
        var used: @Sendable (SecretText) -> Void = { _ in }
    }

    private let state = Lock(State())

    /// Reports the token of a login each time that the host has taken it.
    func report(_ used: @escaping @Sendable (SecretText) -> Void) { state.withLock { $0.used = used } }

    /// Sends all later requests by the client of a login.
    func use(_ client: AcceptClient, _ token: SecretText, _ credentials: AcceptCredentials?, at address: String) {
        state.withLock { state in
            guard state.address == nil || state.address == address else { return }
            state.address = address
            state.login = Login(client: client, token: token, credentials: credentials)
        }
    }

    /// Whether payments are for the host at an address. Before a login they may be for any.
    func serves(_ address: String) -> Bool { state.withLock { $0.address == nil || $0.address == address } }

    /// The name and the password with which a token was issued; nil for another token.
    func credentials(of token: SecretText) -> AcceptCredentials? {
        state.withLock { $0.login?.token == token ? $0.login?.credentials : nil }
    }

    func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
        let (login, used) = state.withLock { ($0.login, $0.used) }
        guard let login else { throw HTTPFailure(.notLoggedIn, message: "No user has logged in.") }
        let answer = try await login.client.send(request, limit: limit)
        if await login.client.uses(login.token) { used(login.token) }
        return answer
    }
}
