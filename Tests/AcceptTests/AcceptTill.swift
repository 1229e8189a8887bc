import Accept
import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport

func secret(_ text: String) -> SecretText { SecretText(copying: Array(text.utf8).span) }

func body(_ bytes: [UInt8]) -> HTTPBody { HTTPBody(copying: bytes.span) }

func body(_ text: String) -> HTTPBody { body(Array(text.utf8)) }

func text(_ body: HTTPBody) -> String { String(decoding: bytes(body), as: UTF8.self) }

func attempt(_ text: String) -> AttemptIdentifier { AttemptIdentifier(rawValue: text)! }

/// A request about an attempt, of a sale of its own unless it has an original.
func request(
    _ operation: HostRequest.Operation, _ name: String = "A1", _ minorUnits: UInt64 = 1000,
    kind: AttemptKind = .purchase, currency: UInt16 = 978, details: [AttemptDetail] = [],
    cause: ReversalCause? = nil, octets: HTTPBody = HTTPBody()
) throws -> HostRequest {
    let request = try AttemptRequest(
        sale: SaleIdentifier(rawValue: "sale")!, kind: kind,
        amount: Amount(minorUnits: minorUnits, currencyCode: currency), details: details)
    let record = AttemptRecord(attempt(name), request, on: RecordedTime(seconds: 1_453_992_427, offset: 60))
    return HostRequest(operation, record, cause: cause, octets: octets)
}

/// The sealed data of a card that the sandbox's issuer knows.
func card(
    _ minorUnits: UInt64, counter: Int = 1, type: UInt8 = 0x80, changes: [JackdawEMV.Tag: String?] = [:]
) -> HTTPBody {
    body(hex(SandboxFixture.card(minorUnits, counter: counter, type: type, changes: changes)))
}

/// A till without devices: the wire format and a session over a sandbox, in virtual time.
struct AcceptTill {
    static let credentials = AcceptCredentials(
        name: secret("till-1"), password: secret("till-1-password"), client: "jackdaw",
        clientSecret: secret("jackdaw-secret"))

    var fixture: SandboxFixture
    var session: AcceptSession
    var wire = AcceptWire()
    /// The header that asks the sandbox for a fault of the next request that is no login.
    var fault: String?
    var loginFault: String?
    /// The time before which there is no connection.
    var firstConnection = Duration.zero
    /// The paths of all requests that came to the sandbox.
    private(set) var paths: [String] = []
    private var calls = 0

    init(credentials: AcceptCredentials = Self.credentials) throws {
        fixture = try SandboxFixture()
        session = AcceptSession(credentials)
    }

    /// Sends a request, with a login if the session wants one, and reads the answer.
    mutating func ask(_ request: HostRequest, limit: Duration = .seconds(45)) throws(HostFailure) -> HostReply {
        let encoded = try wire.encode(request)
        switch send(encoded, limit: limit) {
        case .success(let answer): return try wire.decode(answer, to: request)
        case .failure(let failure): throw HostFailure(failure)
        }
    }

    mutating func send(_ request: HTTPRequest, limit: Duration = .seconds(45)) -> Result<HTTPAnswer, HTTPFailure> {
        calls += 1
        var effects = session.receive(.send(request, call: calls, limit: limit), at: fixture.now)[...]
        while let effect = effects.popFirst() {
            switch effect {
            case .exchange(let number, let request, let limit):
                effects += session.receive(exchange(number, request, limit), at: fixture.now)
            case .abandon: break
            case .answer(let answer, _): return .success(answer)
            case .failure(let failure, _): return .failure(failure)
            }
        }
        return .failure(HTTPFailure(.system, message: "the session lost the call"))
    }

    private mutating func exchange(_ number: Int, _ request: HTTPRequest, _ limit: Duration) -> AcceptSessionEvent {
        var request = request
        let isLogin = request.path.hasSuffix("/oauth2/token")
        if let asked = isLogin ? loginFault : fault {
            request.headers.append(HTTPField("X-Sandbox-Fault", asked))
            if isLogin { loginFault = nil } else { fault = nil }
        }
        guard fixture.now >= firstConnection else {
            return .failed(HTTPFailure(.unreachable, message: "no connection"), exchange: number)
        }
        paths.append(request.path)
        let reply = fixture.sandbox.receive(request, from: "127.0.0.1", at: fixture.now).reply
        let end = fixture.now + limit
        switch reply {
        case .answer(let answer, let due) where due <= end:
            fixture.now = max(due, fixture.now)
            return .answered(answer, exchange: number)
        case .cut(_, _, let due) where due <= end:
            fixture.now = max(due, fixture.now)
            return .failed(HTTPFailure(.cut, message: "cut"), exchange: number)
        case .answer, .cut, .silent:
            fixture.now = end
            return .failed(HTTPFailure(.timedOut, message: "late"), exchange: number)
        }
    }
}

func bytes(_ body: HTTPBody) -> [UInt8] { body.withBytes { bytes in bytes.indices.map { bytes[$0] } } }
