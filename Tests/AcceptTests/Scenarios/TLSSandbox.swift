#if Payments
import JackdawCards
import JackdawHTTP
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import JackdawTransport

@testable import Accept
@testable import jackdaw_pay

/// A sandbox in the server of `jackdaw-pay` on a port of this computer, with TLS and a certificate of its own, and a
/// program of the SDK that has logged in at it by libcurl.
final class TLSSandbox: WorldHost, Sendable {
    /// The program, which has logged in.
    let accept: Accept
    let config: AcceptDataServiceConfig
    let token: SecretText
    /// The clock of the program, which stands still.
    let clock: ManualClock
    private let wire = AcceptWire()
    private let client: InterferingClient

    /// Logs in at a server.
    private init(_ address: String, trusting authority: String, fault: String?) async throws {
        var host = try HTTPHost(address)
        host.authorities = .file(authority)
        host.connectLimit = InterferingClient.limit
        let (client, clock) = (InterferingClient(CurlClient(host)), ManualClock())
        accept = Accept(clock: clock) { _ throws(AcceptError) in client }
        config = AcceptDataServiceConfig(url: address, clientId: "jackdaw", clientSecret: secret("jackdaw-secret"))
        token = try await accept.requestAccessToken(
            "till-1", password: secret("till-1-password"), config: config
        ).accessToken
        self.clock = clock
        self.client = client
        if let fault { interfere(PaymentInterference(fault: fault)) }
    }

    /// Changes the next payment; nil to leave it alone.
    func interfere(_ interference: PaymentInterference?) { client.interfere(interference) }

    /// Serves a sandbox for the time of a body.
    /// - Parameters:
    ///   - sandbox: the sandbox.
    ///   - date: its time, which stands still.
    ///   - fault: the fault that the first payment meets.
    ///   - body: receives the host.
    /// - Throws: an error of the body, or of the server.
    static func serve(
        _ sandbox: Sandbox, on date: RecordedTime, fault: String? = nil,
        _ body: @escaping @Sendable (TLSSandbox) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let certificate = try ServerCertificate(directory: folder("tls"), hosts: [])
        let host = SandboxHost(sandbox, now: { .seconds(date.seconds) })
        var server = SandboxServer(responder: SandboxResponder(host: host, clock: ManualClock()) { _ in })
        server.tls = certificate.configuration
        try await serving(server.run) { port in
            try await use("https://localhost:\(port)", trusting: folder("tls/ca.pem"), fault, body)
        }
    }

    /// Logs in, and closes all connections at the end: the server waits for that.
    private static func use(
        _ address: String, trusting authority: String, _ fault: String?,
        _ body: @Sendable (TLSSandbox) async throws -> Void
    ) async throws {
        try await body(TLSSandbox(address, trusting: authority, fault: fault))
    }

    func ask(_ request: HostRequest) async throws(HostFailure) -> HostReply {
        try wire.decode(try await send(try wire.encode(request)), to: request)
    }

    /// The sum that the books have for an attempt; nil if they do not know it.
    func booked(_ attempt: String) async throws -> Double? {
        let answer = try await send(HTTPRequest(.get, "/v3/unique_ids/\(attempt).json"))
        return try JSONValue(answer.body, most: 1 << 20)["sandbox"]?["booked"]?.number
    }

    private func send(_ request: HTTPRequest) async throws(HostFailure) -> HTTPAnswer {
        do throws(HTTPFailure) { return try await accept.paymentClient.send(request, limit: .seconds(60)) } catch {
            throw HostFailure(error)
        }
    }
}
/// The things that happen to a payment on its way to the host.
struct PaymentInterference: Sendable {
    /// A fault of the sandbox; nil without one.
    var fault: String?
    /// Whether the host's answer has no data for the card.
    var isWithoutIssuerData = false
    /// Whether there is no network.
    var isUnreachable = false
    /// Runs when the answer has come, before the program has it.
    var answered: @Sendable () async -> Void = {}
}

/// A connection on which a test changes one payment.
private final class InterferingClient: HTTPClient {
    /// The limit of a request in real time, so long that no slow machine reaches it. The clock of the program stands still.
    static let limit = Duration.seconds(600)

    private let base: any HTTPClient
    private let interference = Lock<PaymentInterference?>(nil)

    init(_ base: any HTTPClient) { self.base = base }

    func interfere(_ new: PaymentInterference?) { interference.withLock { $0 = new } }

    func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
        let isPayment = request.method == .post && request.path == "/v3/payments.json"
        let found = isPayment ? interference.withLock { $0.take() } : nil
        guard let found else { return try await base.send(request, limit: Self.limit) }
        guard !found.isUnreachable else { throw HTTPFailure(.unreachable, message: "There is no network.") }
        var request = request
        if let fault = found.fault { request.headers.append(HTTPField("X-Sandbox-Fault", fault)) }
        var answer = try await base.send(request, limit: Self.limit)
        if found.isWithoutIssuerData { answer = answer.withoutIssuerResponse }
        await found.answered()
        return answer
    }
}
#endif
