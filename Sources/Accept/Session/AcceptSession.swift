import JackdawCards
package import JackdawPayments

/// An event for a session.
package enum AcceptSessionEvent: Sendable {
    /// Send a request without a token. The call is a number that the result names; the limit is the longest time until
    /// the result, a login included.
    case send(HTTPRequest, call: Int, limit: Duration)
    /// End a call with the code `cancelled`. A call that has ended changes nothing.
    case cancel(call: Int)
    /// The answer of an exchange.
    case answered(HTTPAnswer, exchange: Int)
    /// The failure of an exchange.
    case failed(HTTPFailure, exchange: Int)
    /// ``AcceptSession/nextDeadline`` has come.
    case timer
}

/// An effect of a session.
package enum AcceptSessionEffect: Sendable {
    /// Send a request over HTTP, with its time limit. Answers: ``AcceptSessionEvent/answered(_:exchange:)``,
    /// ``AcceptSessionEvent/failed(_:exchange:)``.
    case exchange(Int, HTTPRequest, limit: Duration)
    /// End an exchange, whose result is not needed.
    case abandon(exchange: Int)
    /// The answer to a call. It has status 401 if the host refused a new token, too.
    case answer(HTTPAnswer, call: Int)
    /// The failure of a call. The code `notLoggedIn` says that the host gave no token; the request was not sent.
    case failure(HTTPFailure, call: Int)
}

/// The login of a program at an Accept host: it puts the token into requests, and asks for one when it has none.
///
/// It is a machine without I/O. A token is asked for before the first request, when it has not been used for its
/// lifetime, and when the host answers 401 with a challenge. Such a request was not processed, and is sent once more
/// with a new token; no other request is sent twice. Requests wait while a login is under way, each within its own time
/// limit; a login for which none waits any more is ended.
///
/// A login that the host refuses is not repeated for ``loginWaits``, so that a wrong password does not lock the user
/// out; requests in that time fail at once. Password and token are in wiped memory.
package struct AcceptSession: Sendable {
    /// A call whose request waits for a token.
    private struct Waiting: Sendable {
        let call: Call
        let deadline: Duration
    }

    private struct Call: Sendable {
        let number: Int
        let request: HTTPRequest
        /// Whether the host has refused it because of the token.
        var isRepeated = false
    }

    /// A request at the host.
    private struct Exchange: Sendable {
        let call: Call
        let deadline: Duration
        /// The number of the login whose token it has.
        let login: Int
    }

    private struct Login: Sendable {
        let token: AcceptToken
        let number: Int
        /// The time at which the host last took the token.
        var used: Duration
    }

    /// Nil if the program has a token alone: no login is possible then.
    private let credentials: AcceptCredentials?
    private let basePath: String
    private var now = Duration.zero
    private var login: Login?
    private var logins = 0
    /// The exchange of a login that is under way.
    private var loginExchange: Int?
    private var waiting: [Waiting] = []
    private var exchanges: [Int: Exchange] = [:]
    private var lastExchange = 0
    /// The logins that the host refused since the last one that it did not refuse.
    private var refusals = 0
    private var nextLogin: Duration?
    private var effects: [AcceptSessionEffect] = []

    /// The waits after a login that the host refused: 15 s to 600 s. The sandbox takes five in 60 s.
    package static let loginWaits = RetryWaits(first: .seconds(15), longest: .seconds(600))
    /// The longest time for a login. It is our choice.
    package static let loginLimit = Duration.seconds(15)
    /// The most time before the end of a token's lifetime in which a new one is asked for. It is our choice.
    private static let margin = Duration.seconds(5)

    /// A session without a token.
    /// - Parameters:
    ///   - credentials: name and password.
    ///   - basePath: the path before that of a route, as in ``AcceptWire/basePath``. Default: `/v3`.
    package init(_ credentials: AcceptCredentials, basePath: String = "/v3") {
        self.credentials = credentials
        self.basePath = basePath
    }

    /// A session with the token of a login that the program has made. Without credentials, requests fail with
    /// `notLoggedIn` when the host does not take the token any more.
    init(_ credentials: AcceptCredentials?, basePath: String, token: AcceptToken, at now: Duration) {
        self.credentials = credentials
        self.basePath = basePath
        logins = 1
        self.now = now
        login = Login(token: token, number: logins, used: now)
    }

    /// Whether it has a token, which the host may have withdrawn.
    package var hasToken: Bool { login != nil }

    /// The end of the first time limit of the requests that wait for a login; nil without one. Requests at the host have
    /// their limits from the client.
    package var nextDeadline: Duration? { waiting.map(\.deadline).min() }

    /// Whether requests have this token.
    func uses(_ token: SecretText) -> Bool { login?.token.token == token }

    /// Processes an event, and decides what follows.
    /// - Parameters:
    ///   - event: the event.
    ///   - now: the time since any fixed instant of a clock that does not run backwards.
    /// - Returns: the effects, in their order.
    package mutating func receive(_ event: AcceptSessionEvent, at now: Duration) -> [AcceptSessionEffect] {
        self.now = max(now, self.now)
        switch event {
        case .send(let request, let number, let limit):
            take(Call(number: number, request: request), deadline: self.now + limit)
        case .cancel(let call): cancel(call)
        case .answered(let answer, let exchange): answered(answer, exchange)
        case .failed(let failure, let exchange): failed(failure, exchange)
        case .timer: endLateCalls()
        }
        defer { effects = [] }
        return effects
    }

    // MARK: requests, and their exchanges

    /// Sends a request, or has it wait for a token.
    private mutating func take(_ call: Call, deadline: Duration) {
        guard deadline > now else { return fail(call, .timedOut, "No time was left to send the request.") }
        if let login, isFresh(login), loginExchange == nil {
            var request = call.request
            request.headers.append(HTTPField("Authorization", secret: login.token.authorization))
            let exchange = send(request, limit: deadline - now)
            exchanges[exchange] = Exchange(call: call, deadline: deadline, login: login.number)
            return
        }
        guard credentials != nil else {
            return fail(call, .notLoggedIn, "The token has expired, and the program has no password.")
        }
        if let nextLogin, nextLogin > now {
            return fail(call, .notLoggedIn, "The host refused the login; the next one follows later.")
        }
        waiting.append(Waiting(call: call, deadline: deadline))
        if loginExchange == nil { logIn() }
    }

    private func isFresh(_ login: Login) -> Bool {
        guard let lifetime = login.token.lifetime else { return true }
        // A new token is used once, even if its lifetime is zero.
        return now == login.used || now - login.used < max(lifetime - Self.margin, lifetime / 2)
    }

    private mutating func send(_ request: HTTPRequest, limit: Duration) -> Int {
        lastExchange += 1
        effects.append(.exchange(lastExchange, request, limit: limit))
        return lastExchange
    }

    private mutating func fail(_ call: Call, _ code: HTTPFailure.Code, _ message: String) {
        effects.append(.failure(HTTPFailure(code, isCertainlyNotSent: true, message: message), call: call.number))
    }

    /// Ends the calls whose time is over while a login is under way. It goes on for the others.
    private mutating func endLateCalls() {
        for call in waiting where call.deadline <= now {
            fail(call.call, .timedOut, "The login took the time of the request.")
        }
        waiting.removeAll { $0.deadline <= now }
        endNeedlessLogin()
    }

    private mutating func cancel(_ number: Int) {
        if let index = waiting.firstIndex(where: { $0.call.number == number }) {
            fail(waiting.remove(at: index).call, .cancelled, "The request was cancelled.")
            endNeedlessLogin()
        } else if let (exchange, entry) = exchanges.first(where: { $0.value.call.number == number }) {
            exchanges[exchange] = nil
            effects.append(.abandon(exchange: exchange))
            let failure = HTTPFailure(.cancelled, message: "The request was cancelled.")
            effects.append(.failure(failure, call: entry.call.number))
        }
    }

    private mutating func answered(_ answer: HTTPAnswer, _ exchange: Int) {
        if exchange == loginExchange { return loggedIn(answer) }
        guard let entry = exchanges.removeValue(forKey: exchange) else { return }
        guard HostError.wantsLogin(answer) else {
            if login?.number == entry.login { login?.used = now }
            effects.append(.answer(answer, call: entry.call.number))
            return
        }
        if login?.number == entry.login { login = nil }
        guard !entry.call.isRepeated else {
            effects.append(.answer(answer, call: entry.call.number))
            return
        }
        var call = entry.call
        call.isRepeated = true
        take(call, deadline: entry.deadline)
    }

    private mutating func failed(_ failure: HTTPFailure, _ exchange: Int) {
        if exchange == loginExchange { return loginFailed(failure) }
        guard let entry = exchanges.removeValue(forKey: exchange) else { return }
        effects.append(.failure(failure, call: entry.call.number))
    }

    // MARK: logins, and their failures

    /// Asks for a token. Its time limit is not that of the first call: others may wait for it longer.
    private mutating func logIn() {
        guard let credentials else { return }
        login = nil
        var request = HTTPRequest(.post, "\(basePath)/oauth2/token", headers: AcceptWire.headers)
        request.headers.append(AcceptWire.formType)
        request.body = credentials.form.body
        loginExchange = send(request, limit: Self.loginLimit)
    }

    /// Ends a login for which no call waits: a program that has ended its calls uses the connection no longer.
    private mutating func endNeedlessLogin() {
        guard waiting.isEmpty, let exchange = loginExchange else { return }
        loginExchange = nil
        effects.append(.abandon(exchange: exchange))
    }

    private mutating func loggedIn(_ answer: HTTPAnswer) {
        loginExchange = nil
        if answer.status == 200, let token = AcceptToken(answer.body) {
            logins += 1
            refusals = 0
            nextLogin = nil
            login = Login(token: token, number: logins, used: now)
            for call in takeWaiting() { take(call.call, deadline: call.deadline) }
            return
        }
        // Statuses with which the host refuses a login: a repetition has the same answer.
        if [400, 401, 403, 422, 429].contains(answer.status) {
            refusals += 1
            nextLogin = now + (Self.retryAfter(answer) ?? Self.loginWaits.wait(after: refusals))
        }
        for waiting in takeWaiting() {
            fail(waiting.call, .notLoggedIn, "The host gave no token: status \(answer.status).")
        }
    }

    private mutating func loginFailed(_ failure: HTTPFailure) {
        loginExchange = nil
        for waiting in takeWaiting() {
            // The login may have been sent, but the request was not.
            let certain = HTTPFailure(failure.code, isCertainlyNotSent: true, message: failure.message)
            effects.append(.failure(certain, call: waiting.call.number))
        }
    }

    private mutating func takeWaiting() -> [Waiting] {
        defer { waiting = [] }
        return waiting
    }

    /// The seconds of the header `Retry-After` (RFC 9110, 10.2.3), at most an hour; nil without it, or for a date.
    private static func retryAfter(_ answer: HTTPAnswer) -> Duration? {
        guard let text = answer.headers.first(where: { $0.name.lowercased() == "retry-after" })?.value,
            (1...9).contains(text.utf8.count), let seconds = UInt32(text)
        else { return nil }
        return .seconds(min(max(seconds, 1), 3600))
    }
}

extension AcceptSession: RedactedDescription {
    /// Whether it has a token, and the number of requests.
    package var description: String {
        "session \(hasToken ? "with" : "without") token, \(waiting.count + exchanges.count) requests"
    }
}
