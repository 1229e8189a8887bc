@testable import Accept
import JackdawCards
import JackdawPayments
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import Testing

/// Logins, and tokens that expire at any time.
@Suite struct AcceptSessionTests {
    private let payment = HTTPRequest(.post, "/v3/payments.json")
    /// The challenge of RFC 6750, 3.
    private static let challenge = HTTPAnswer(
        status: 401,
        headers: [HTTPField("WWW-Authenticate", #"Bearer realm="example", error="invalid_token""#)])

    /// Names: the Android archive and RFC 6749, 4.3.2. Encoding: `urllib.parse.urlencode` of Python 3.12.
    @Test func aLoginIsTheFormOfAnotherEncoder() throws {
        var session = AcceptSession(
            AcceptCredentials(
                name: secret("müller till"), password: secret("p&=+%§ä"), client: "jackdaw",
                clientSecret: secret("s~e-c_r.e*t")))
        let effects = session.receive(.send(payment, call: 1, limit: .seconds(45)), at: .zero)
        guard case .exchange(1, let login, let limit)? = effects.first else { return #expect(Bool(false)) }
        #expect(effects.count == 1)
        #expect(login.path == "/v3/oauth2/token")
        #expect(limit == .seconds(15))
        #expect(
            text(login.body) == """
                grant_type=password&username=m%C3%BCller+till&password=p%26%3D%2B%25%C2%A7%C3%A4&client_id=jackdaw&\
                client_secret=s~e-c_r.e%2At
                """)
    }

    /// The successful response of RFC 6749, 5.1, byte for byte.
    static let published = """
        {
          "access_token":"2YotnFZFEjr1zCsicMWpAA",
          "token_type":"example",
          "expires_in":3600,
          "refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA",
          "example_parameter":"example_value"
        }
        """

    /// The token of RFC 6750, 4: type Bearer, 3600 s.
    static let bearer = """
        {
          "access_token":"mF_9.B5f-4.1JqM",
          "token_type":"Bearer",
          "expires_in":3600,
          "refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA"
        }
        """

    @Test func thePublishedTokensAreRead() throws {
        let token = try #require(AcceptToken(body(Self.bearer)))
        // The header of RFC 6750, 2.1.
        #expect(token.authorization.revealedText() == "Bearer mF_9.B5f-4.1JqM")
        #expect(token.lifetime == .seconds(3600))
        // A client must not use a token of a type that it does not know (RFC 6749, 7.1).
        #expect(AcceptToken(body(Self.published)) == nil)
        let untyped = Self.published.replacing("\"token_type\":\"example\",", with: "")
        #expect(AcceptToken(body(untyped))?.authorization.revealedText() == "Bearer 2YotnFZFEjr1zCsicMWpAA")
    }

    @Test func whatIsNoTokenIsNotSent() {
        let answers = [
            "", "{}", "[]", "null", #"{"access_token":1}"#, #"{"access_token":""}"#, #"{"access_token":"a b"}"#,
            #"{"access_token":"a\u0041"}"#, #"{"access_token":"a","access_token":"b"}"#, #"{"x":{"access_token":"a"}}"#,
            #"["access_token","a"]"#, #"{"access_token":"a"} x"#, #"{"access_token":"a"#,
            #"{"access_token":"a\r\nX:y"}"#,
            #"{"access_token":"\#(String(repeating: "a", count: 4097))"}"#,
            #"{"access_token":"a","x":"\#(String(repeating: "a", count: 1 << 16))"}"#,
            String(repeating: "[", count: 10_000), String(repeating: #"{"access_token":"#, count: 1000),
        ]
        for answer in answers { #expect(AcceptToken(body(answer)) == nil) }
        for end in 0..<Self.bearer.utf8.count { #expect(AcceptToken(body(Array(Self.bearer.utf8.prefix(end)))) == nil) }
    }

    @Test func randomAnswersGiveATokenOrNone() {
        var random = SeededRandom(seed: 30)
        let source = Array(Self.bearer.utf8)
        for _ in 0..<3000 {
            var bytes = source
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let token = AcceptToken(body(bytes)) else { continue }
            token.authorization.withRevealedText { header in
                #expect(header.indices.allSatisfy { (0x20...0x7E).contains(header[$0]) })
            }
        }
    }

    // MARK: expiry

    @Test func aTokenIsUsedUntilItsLifetimeIsNearlyOver() throws {
        var till = try AcceptTill()
        for minutes in [0, 10, 10, 10] {
            till.fixture.now += .seconds(minutes * 60)
            _ = try till.ask(request(.enquire))
        }
        #expect(till.paths.count { $0.hasSuffix("token") } == 1)
        till.fixture.now += .seconds(899)
        _ = try till.ask(request(.enquire))
        #expect(till.paths.suffix(2) == ["/v3/oauth2/token", "/v3/unique_ids/A1.json"])
    }

    @Test func anExpiredTokenIsReplacedAndThePaymentIsBookedOnce() throws {
        var till = try AcceptTill()
        _ = try till.ask(request(.enquire))
        till.fault = "token-expired"
        guard case .approved = try till.ask(request(.authorise, octets: card(1000))) else {
            return #expect(Bool(false))
        }
        #expect(
            till.paths == [
                "/v3/oauth2/token", "/v3/unique_ids/A1.json", "/v3/payments.json", "/v3/oauth2/token",
                "/v3/payments.json",
            ])
        #expect(till.fixture.sandbox.store.paymentCount == 1)
    }

    /// Without the use of such a token the session would log in again and again.
    @Test func aTokenWithoutLifetimeIsUsedOnce() throws {
        var session = AcceptSession(
            AcceptCredentials(
                name: secret("till"), password: secret("p"), client: "jackdaw", clientSecret: secret("s")))
        _ = session.receive(.send(payment, call: 1, limit: .seconds(45)), at: .zero)
        let token = #"{"access_token":"mF_9","token_type":"Bearer","expires_in":0}"#
        let effects = session.receive(
            .answered(HTTPAnswer(status: 200, body: body(token)), exchange: 1), at: .seconds(1))
        guard case .exchange(2, let sent, _)? = effects.first else { return #expect(Bool(false)) }
        #expect(sent.path == payment.path)
    }

    /// A payment that is not answered is not sent again, even if the login that follows would let it.
    @Test func aSilentPaymentIsNotRepeated() throws {
        var till = try AcceptTill()
        till.fault = "silent-after"
        let failure = #expect(throws: HostFailure.self) { try till.ask(request(.authorise, octets: card(1000))) }
        #expect(failure?.code == .noAnswer)
        #expect(failure?.isCertainlyNotSent == false)
        #expect(till.paths.count { $0 == "/v3/payments.json" } == 1)
    }

    /// A program that has a token of an earlier run, and no password.
    @Test func withoutAPasswordARefusedTokenEndsTheCall() {
        var session = AcceptSession(
            nil, basePath: "/v3", token: AcceptToken(secret("mF_9"), lifetime: nil), at: .zero)
        var effects = session.receive(.send(payment, call: 1, limit: .seconds(45)), at: .seconds(100_000))
        guard case .exchange(1, let sent, _)? = effects.first else { return #expect(Bool(false)) }
        #expect(sent.path == payment.path)
        for (call, event) in [
            (1, AcceptSessionEvent.answered(Self.challenge, exchange: 1)),
            (2, .send(payment, call: 2, limit: .seconds(45))),
        ] {
            effects = session.receive(event, at: .seconds(100_000))
            #expect(effects.count == 1)
            guard case .failure(let failure, call)? = effects.first else { return #expect(Bool(false)) }
            #expect(failure.code == .notLoggedIn)
            #expect(failure.isCertainlyNotSent)
        }
    }

    @Test func aTokenThatIsRefusedAtOnceEndsTheCall() {
        var session = AcceptSession(AcceptTill.credentials)
        _ = session.receive(.send(payment, call: 7, limit: .seconds(45)), at: .zero)
        var effects = session.receive(.answered(token("a"), exchange: 1), at: .zero)
        #expect(exchanges(effects) == [2])
        effects = session.receive(.answered(Self.challenge, exchange: 2), at: .zero)
        #expect(exchanges(effects) == [3])
        effects = session.receive(.answered(token("b"), exchange: 3), at: .zero)
        #expect(exchanges(effects) == [4])
        effects = session.receive(.answered(Self.challenge, exchange: 4), at: .zero)
        guard case .answer(let answer, call: 7)? = effects.first else { return #expect(Bool(false)) }
        #expect(answer.status == 401)
        #expect(throws: HostFailure(.notLoggedIn, isCertainlyNotSent: true, message: "The host wants a login.")) {
            try AcceptWire().decode(answer, to: request(.authorise, octets: body([1])))
        }
    }

    /// A status without the challenge is not the host's word on the token: the payment may be booked.
    @Test(arguments: ["status=401", "status-after=401"])
    func aStatusWithoutAChallengeLeavesTheOutcomeOpen(fault: String) throws {
        var till = try AcceptTill()
        till.fault = fault
        let failure = #expect(throws: HostFailure.self) { try till.ask(request(.authorise, octets: card(1000))) }
        #expect(failure?.code == .unreadable)
        #expect(failure?.isCertainlyNotSent == false)
        #expect(till.paths.count { $0 == "/v3/payments.json" } == 1)
    }

    @Test func callsWaitForOneLogin() {
        var session = AcceptSession(AcceptTill.credentials)
        #expect(exchanges(session.receive(.send(payment, call: 1, limit: .seconds(45)), at: .zero)) == [1])
        #expect(session.receive(.send(payment, call: 2, limit: .seconds(45)), at: .seconds(1)).isEmpty)
        #expect(session.receive(.send(payment, call: 3, limit: .seconds(5)), at: .seconds(1)).isEmpty)
        #expect(session.receive(.send(payment, call: 4, limit: .seconds(45)), at: .seconds(1)).isEmpty)
        #expect(failures(session.receive(.cancel(call: 2), at: .seconds(1))) == [Failure(2, .cancelled, true)])
        let effects = session.receive(.answered(token("a"), exchange: 1), at: .seconds(10))
        // The third has no time left.
        #expect(exchanges(effects) == [2, 3])
        #expect(failures(effects) == [Failure(3, .timedOut, true)])
        guard case .exchange(_, let request, let limit)? = effects.first else { return #expect(Bool(false)) }
        #expect(limit == .seconds(35))
        #expect(request.headers.last == HTTPField("Authorization", secret: secret("Bearer a")))
        // Each of two requests that the host refused is sent again, with one new login.
        #expect(exchanges(session.receive(.answered(Self.challenge, exchange: 2), at: .seconds(11))) == [4])
        #expect(session.receive(.answered(Self.challenge, exchange: 3), at: .seconds(11)).isEmpty)
        #expect(exchanges(session.receive(.answered(token("b"), exchange: 4), at: .seconds(12))) == [5, 6])
        let cancelled = session.receive(.cancel(call: 4), at: .seconds(12))
        guard case .abandon(exchange: 6)? = cancelled.first else { return #expect(Bool(false)) }
        #expect(failures(cancelled) == [Failure(4, .cancelled, false)])
        #expect(session.receive(.answered(HTTPAnswer(status: 200), exchange: 6), at: .seconds(12)).isEmpty)
    }

    @Test func aCallThatWaitsEndsAtItsOwnLimit() {
        var session = AcceptSession(AcceptTill.credentials)
        #expect(session.nextDeadline == nil)
        #expect(exchanges(session.receive(.send(payment, call: 1, limit: .seconds(45)), at: .zero)) == [1])
        _ = session.receive(.send(payment, call: 2, limit: .seconds(5)), at: .seconds(1))
        _ = session.receive(.send(payment, call: 3, limit: .seconds(30)), at: .seconds(1))
        #expect(session.nextDeadline == .seconds(6))
        #expect(session.receive(.timer, at: .seconds(5)).isEmpty)
        #expect(failures(session.receive(.timer, at: .seconds(6))) == [Failure(2, .timedOut, true)])
        #expect(session.nextDeadline == .seconds(31))
        // The login goes on for the others.
        #expect(exchanges(session.receive(.answered(token("a"), exchange: 1), at: .seconds(7))) == [2, 3])
        #expect(session.nextDeadline == nil)
    }

    @Test func aLoginHasALimitOfItsOwn() {
        var session = AcceptSession(AcceptTill.credentials)
        let first = session.receive(.send(payment, call: 1, limit: .seconds(3)), at: .zero)
        guard case .exchange(1, _, let limit)? = first.first else { return #expect(Bool(false)) }
        #expect(limit == .seconds(15))
        #expect(session.receive(.send(payment, call: 2, limit: .seconds(45)), at: .seconds(1)).isEmpty)
        #expect(failures(session.receive(.timer, at: .seconds(3))) == [Failure(1, .timedOut, true)])
        let sent = session.receive(.answered(token("a"), exchange: 1), at: .seconds(14))
        guard case .exchange(2, _, let rest)? = sent.first else { return #expect(Bool(false)) }
        #expect(rest == .seconds(32))
    }

    @Test(arguments: [AcceptSessionEvent.cancel(call: 1), .timer])
    func aLoginForWhichNoCallWaitsIsEnded(_ end: AcceptSessionEvent) {
        var session = AcceptSession(AcceptTill.credentials)
        _ = session.receive(.send(payment, call: 1, limit: .seconds(3)), at: .zero)
        let effects = session.receive(end, at: .seconds(3))
        #expect(failures(effects).map(\.call) == [1])
        guard case .abandon(exchange: 1)? = effects.last else { return #expect(Bool(false)) }
        #expect(session.receive(.answered(token("a"), exchange: 1), at: .seconds(4)).isEmpty)
        #expect(!session.hasToken)
        #expect(exchanges(session.receive(.send(payment, call: 2, limit: .seconds(3)), at: .seconds(4))) == [2])
    }

    // MARK: refused logins

    @Test func aRefusedLoginFailsTheCallsAndIsNotRepeatedAtOnce() throws {
        var till = try AcceptTill(
            credentials: AcceptCredentials(
                name: secret("till-1"), password: secret("wrong"), client: "jackdaw",
                clientSecret: secret("jackdaw-secret")))
        for _ in 0..<10 {
            let failure = #expect(throws: HostFailure.self) { try till.ask(request(.authorise, octets: card(1000))) }
            #expect(failure?.code == .notLoggedIn)
            #expect(failure?.isCertainlyNotSent == true)
        }
        #expect(till.paths == ["/v3/oauth2/token"])
        // At this pace the sandbox never locks the user out.
        for _ in 0..<20 {
            till.fixture.now += .seconds(15)
            #expect(throws: HostFailure.self) { try till.ask(request(.authorise, octets: card(1000))) }
        }
        #expect(till.fixture.logIn("till-1").status == 200)
    }

    @Test(arguments: ["silent-before", "silent-after", "garbled", "cut=10", "status=503", "status-after=500"])
    func aLoginThatFailsSendsNothing(fault: String) throws {
        var till = try AcceptTill()
        till.loginFault = fault
        let failure = #expect(throws: HostFailure.self) { try till.ask(request(.authorise, octets: card(1000))) }
        #expect(failure?.isCertainlyNotSent == true)
        #expect(till.paths == ["/v3/oauth2/token"])
        guard case .approved = try till.ask(request(.authorise, octets: card(1000))) else {
            return #expect(Bool(false))
        }
    }

    @Test func theHostsWaitIsKept() {
        var session = AcceptSession(AcceptTill.credentials)
        _ = session.receive(.send(payment, call: 1, limit: .seconds(45)), at: .zero)
        let answer = HTTPAnswer(status: 429, headers: [HTTPField("retry-after", "100")])
        _ = session.receive(.answered(answer, exchange: 1), at: .zero)
        #expect(exchanges(session.receive(.send(payment, call: 2, limit: .seconds(45)), at: .seconds(99))).isEmpty)
        #expect(exchanges(session.receive(.send(payment, call: 3, limit: .seconds(45)), at: .seconds(100))) == [2])
    }

    @Test func nothingPrintedHasASecret() {
        var session = AcceptSession(AcceptTill.credentials)
        let login = session.receive(.send(payment, call: 1, limit: .seconds(45)), at: .zero)
        let sent = session.receive(.answered(token("SECRETTOKEN"), exchange: 1), at: .zero)
        var printed = "\(session) \(AcceptTill.credentials) \(login) \(sent)"
        dump(session, to: &printed)
        dump(AcceptTill.credentials, to: &printed)
        dump(login, to: &printed)
        dump(sent, to: &printed)
        for word in ["SECRETTOKEN", "till-1", "jackdaw-secret"] { #expect(!printed.contains(word)) }
    }

    private struct Failure: Equatable {
        let call: Int
        let code: HTTPFailure.Code
        let isCertainlyNotSent: Bool

        init(_ call: Int, _ code: HTTPFailure.Code, _ isCertainlyNotSent: Bool) {
            (self.call, self.code, self.isCertainlyNotSent) = (call, code, isCertainlyNotSent)
        }
    }

    private func failures(_ effects: [AcceptSessionEffect]) -> [Failure] {
        effects.compactMap { effect in
            guard case .failure(let failure, let call) = effect else { return nil }
            return Failure(call, failure.code, failure.isCertainlyNotSent)
        }
    }

    private func token(_ name: String) -> HTTPAnswer {
        HTTPAnswer(status: 200, body: body(#"{"access_token":"\#(name)","expires_in":900}"#))
    }

    private func exchanges(_ effects: [AcceptSessionEffect]) -> [Int] {
        effects.compactMap { if case .exchange(let number, _, _) = $0 { number } else { nil } }
    }
}
