import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport

/// A connection to a sandbox in the same process. Answers come at once; silence lasts for the time limit.
final class SandboxLink: HTTPClient {
    private struct State {
        var fixture: SandboxFixture
        var faults: [String: [String]] = [:]
        var paths: [String] = []
        var effects: [SandboxEffect] = []
        /// The number of requests that are under way.
        var active = 0
        var emptiesIssuerResponses = false
    }

    private let state: Lock<State>
    private let clock: ManualClock
    let asked = AsyncSignal()

    /// A connection to a new sandbox. The issuer has more rules, in JSON with a comma after each.
    init(_ clock: ManualClock, rules: String = "") throws {
        self.clock = clock
        var fixture = try SandboxFixture()
        if !rules.isEmpty {
            let text = SandboxFixture.issuerText.replacing(#""rules": ["#, with: #""rules": [\#(rules)"#)
            fixture.sandbox = Sandbox(
                .ready, issuer: try SimulatedIssuer(json: Array(text.utf8), PlainIssuerCryptography()),
                hashing: PlainTextHashing(), random: SeededRandom(seed: 1))
        }
        state = Lock(State(fixture: fixture))
    }

    var paths: [String] { state.withLock { $0.paths } }
    var active: Int { state.withLock { $0.active } }
    var paymentCount: Int { state.withLock { $0.fixture.sandbox.store.paymentCount } }
    var logins: Int { paths.count { $0.hasSuffix("/token") } }

    /// The messages to people, oldest first.
    var messages: [SandboxMessage] {
        state.withLock { state in
            state.effects.compactMap { effect in
                guard case .message(let message) = effect else { return nil }
                return message
            }
        }
    }

    /// The callbacks to programs, oldest first.
    var callbacks: [SandboxCallback] {
        state.withLock { state in
            state.effects.compactMap { effect in
                guard case .callback(let callback) = effect else { return nil }
                return callback
            }
        }
    }

    /// The view of a payment in the books.
    func payment(_ name: String) -> JSONValue {
        let now = clock.now.offset
        return state.withLock { state in
            state.fixture.now = SandboxFixture.start + now
            state.fixture.logIn("till-2")
            return state.fixture.send(.get, "payments/\(name).json").json
        }
    }

    /// The notes of the reversals of a payment in the books, oldest first.
    func reversalNotes(_ name: String) -> [String] {
        guard case .array(let reversals)? = payment(name)["reversals"] else { return [] }
        return reversals.map { $0["note"]?.text ?? "" }
    }

    /// Another till refunds a part of a payment.
    func refund(_ name: String, _ hundredths: Int) {
        atOtherTill("payments/\(name)/refund.json", "amount=\(hundredths)")
    }

    /// Another till reverses a payment.
    func reverse(_ name: String) { atOtherTill("payments/\(name)/reverse.json", "") }

    private func atOtherTill(_ path: String, _ form: String) {
        let now = clock.now.offset
        state.withLock { state in
            state.fixture.now = SandboxFixture.start + now
            state.fixture.logIn("till-2")
            _ = state.fixture.send(.post, path, form)
        }
    }

    /// Has the next request for a path that ends so meet a fault.
    func plan(_ fault: String, _ suffix: String) { state.withLock { $0.faults[suffix, default: []].append(fault) } }

    /// Answers have no data of the issuer for the card from now on.
    func emptiesIssuerResponses() { state.withLock { $0.emptiesIssuerResponses = true } }

    /// The state of an identifier in the books.
    func booked(_ name: String) -> Double {
        state.withLock { state in
            state.fixture.logIn("till-2")
            return state.fixture.status(name).booked
        }
    }

    func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
        let now = clock.now
        defer { state.withLock { $0.active -= 1 } }
        let reply = state.withLock { state in
            state.active += 1
            var request = request
            state.paths.append(request.path)
            for suffix in state.faults.keys.sorted() where request.path.hasSuffix(suffix) {
                guard let fault = state.faults[suffix]?.first else { continue }
                state.faults[suffix]?.removeFirst()
                request.headers.append(HTTPField("X-Sandbox-Fault", fault))
            }
            let time = SandboxFixture.start + now.offset
            let output = state.fixture.sandbox.receive(request, from: "127.0.0.1", at: time)
            state.effects += output.effects
            guard state.emptiesIssuerResponses else { return output.reply }
            return output.reply.withoutIssuerResponse
        }
        asked.send()
        switch reply {
        case .answer(let answer, _): return answer
        case .cut: throw HTTPFailure(.cut, message: "cut")
        case .silent:
            do { try await clock.sleep(until: now.advanced(by: limit), tolerance: nil) } catch {
                throw HTTPFailure(.cancelled, message: "cancelled")
            }
            throw HTTPFailure(.timedOut, message: "late")
        }
    }
}

extension SandboxOutput.Reply {
    /// The same answer without data for the card.
    fileprivate var withoutIssuerResponse: Self {
        guard case .answer(let answer, let due) = self else { return self }
        return .answer(answer.withoutIssuerResponse, at: due)
    }
}

extension HTTPAnswer {
    /// The same answer of the sandbox without data for the card.
    var withoutIssuerResponse: HTTPAnswer {
        let member = #""issuer_response":""#
        let content = text(body)
        guard let start = content.firstRange(of: member)?.upperBound, let end = content[start...].firstIndex(of: "\"")
        else {
            return self
        }
        let octets = Array((content[..<start] + content[end...]).utf8)
        return HTTPAnswer(status: status, headers: headers, body: HTTPBody(copying: octets.span))
    }
}
