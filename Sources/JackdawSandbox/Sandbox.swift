import JackdawBytes
public import JackdawCards
public import JackdawPayments
import JackdawReaders
public import JackdawSimulator

/// A payment host for tests, as a machine without I/O, clock and randomness of its own: requests and the time go in,
/// answers and effects come out.
///
/// It speaks version 3 of the Accept host, as far as published sources show it, and more, which docs/sandbox.md marks.
/// It never was the real host: rules without a source are values of ``SandboxRules``.
public struct Sandbox: Sendable {
    /// The rules, which stay as they are.
    public let rules: SandboxRules
    /// The books, as they are after the last request.
    public internal(set) var store: any SandboxStore
    /// The issuer that decides.
    public internal(set) var issuer: SimulatedIssuer

    let directory: SandboxDirectory
    let hashing: any PasswordHashing
    var random: any RandomNumberGenerator & Sendable
    var sessions = SandboxSessions()
    var limiter = LoginLimiter()
    /// The hashes of the directory's passwords, by user.
    var hashes: [String: String] = [:]
    /// The sum of the sizes of all payments in the books.
    var bookBytes = 0
    private var faults: [PlannedFault]

    /// - Parameters:
    ///   - directory: users and merchants. ``SandboxDirectory/ready`` is one for tests.
    ///   - issuer: the issuer of the cards.
    ///   - store: the books. Default: empty ones in memory.
    ///   - hashing: the hash function of passwords.
    ///   - random: makes tokens, identifiers and passwords. A generator for secrets, unless for tests.
    ///   - rules: the rules. Default: those of docs/sandbox.md.
    public init(
        _ directory: SandboxDirectory, issuer: SimulatedIssuer, store: any SandboxStore = MemorySandboxStore(),
        hashing: any PasswordHashing, random: any RandomNumberGenerator & Sendable, rules: SandboxRules = SandboxRules()
    ) {
        self.directory = directory
        self.issuer = issuer
        self.store = store
        self.hashing = hashing
        self.random = random
        self.rules = rules
        faults = directory.faults
        for number in 0..<store.paymentCount { bookBytes += store.payment(number + 1)?.size ?? 0 }
        for user in directory.users {
            switch user.password {
            case .hash(let hash): hashes[user.identifier] = hash
            case .plain(let password): hashes[user.identifier] = hashing.hash(password, salt: octets(16))
            }
        }
    }

    /// Plans a fault for later requests. Of several, the first that a request meets counts.
    public mutating func plan(_ fault: PlannedFault) { faults.append(fault) }

    /// Processes a request of a client.
    /// - Parameters:
    ///   - request: the request.
    ///   - client: the address of the client, without the port, for the limit of logins. Default: one for all.
    ///   - now: the time since 1970-01-01 00:00 UTC.
    /// - Returns: the answer with its time, or that none comes, and what must be done beside.
    public mutating func receive(
        _ request: HTTPRequest, from client: String = "", at now: Duration
    ) -> SandboxOutput {
        do throws(WireRefusal) {
            let (route, row) = try SandboxRoute.find(request.method, request.path, base: rules.basePath)
            let call = SandboxCall(request: request, client: client, now: now)
            switch try takeFault(row.name, request) {
            case nil: return output(of: route, call)
            case .silentBefore: return SandboxOutput(.silent)
            case .status(let status):
                throw WireRefusal(status, "fault", "this status was asked for")
            case .tokenExpired:
                if let token = call.token { sessions.remove(token) }
                throw .noToken
            case .duplicateIdentifier: throw .used
            case .slow(let delay):
                var output = output(of: route, call)
                output.delay(by: delay)
                return output
            case .silentAfter:
                return SandboxOutput(.silent, output(of: route, call).effects)
            case .statusAfter(let status):
                let output = output(of: route, call)
                let answer = WireRefusal(status, "fault", "this status was asked for").answer
                return SandboxOutput(.answer(answer, at: output.due ?? now), output.effects)
            case .garbled:
                var output = output(of: route, call)
                if case .answer(let answer, let due) = output.reply { output.reply = .answer(answer.garbled, at: due) }
                return output
            case .cut(let count):
                var output = output(of: route, call)
                if case .answer(let answer, let due) = output.reply {
                    output.reply = .cut(answer, after: min(count, answer.body.count), at: due)
                }
                return output
            }
        } catch {
            return SandboxOutput(.answer(error.answer, at: now))
        }
    }

    /// The fault of a request: that of its header, or else the first that is planned.
    private mutating func takeFault(
        _ name: String, _ request: HTTPRequest
    ) throws(WireRefusal) -> SandboxFault? {
        if rules.takesFaultHeader, let text = request.header("X-Sandbox-Fault") {
            guard let fault = SandboxFault(text) else { throw WireRefusal(400, "fault", "the fault is not known") }
            return fault
        }
        // Each plan counts each request, so that plans do not depend on each other.
        var taken: SandboxFault?
        for index in faults.indices where faults[index].take(name) { taken = taken ?? faults[index].fault }
        return taken
    }

    private mutating func output(of route: SandboxRoute, _ call: SandboxCall) -> SandboxOutput {
        do throws(WireRefusal) { return try process(route, call) } catch {
            return SandboxOutput(.answer(error.answer, at: call.now))
        }
    }

    private mutating func process(
        _ route: SandboxRoute, _ call: SandboxCall
    ) throws(WireRefusal) -> SandboxOutput {
        guard call.request.body.count <= rules.limits.form.bytes else {
            throw WireRefusal(413, "too_large", "the maximum is \(rules.limits.form.bytes) bytes")
        }
        try checkCompatibility(call.request)
        switch route {
        case .token: return try logIn(call)
        case .resetPassword: return try resetPassword(call)
        default: break
        }
        let caller = try caller(of: call)
        switch route {
        case .token, .resetPassword: throw .notFound
        case .user: return call.answer(user(caller))
        case .changePassword: return try changePassword(call, caller)
        case .create: return try create(call, caller)
        case .search: return try call.answer(search(call, caller))
        case .payment(let name): return call.answer(view(try payment(name, caller), caller))
        case .update(let name): return try update(name, call, caller)
        case .reverse(let name): return try reverse(name, call, caller)
        case .refund(let name): return try operate(.refund, name, call, caller)
        case .capture(let name): return try operate(.capture, name, call, caller)
        case .totals: return try call.answer(totals(call, caller))
        case .products: return try call.answer(products(caller))
        case .firmware: return try call.answer(firmware(call))
        case .terminal(let serial): return try call.answer(terminal(serial, caller))
        case .configuration: return try call.answer(configuration())
        case .configurationFile: return try call.answer(configurationFile())
        case .status(let name): return try status(name, call, caller)
        case .close(let name): return try close(name, call, caller)
        }
    }

    /// The header names the version of the interface that the client knows.
    private func checkCompatibility(_ request: HTTPRequest) throws(WireRefusal) {
        guard let text = request.header("X-Compatibility-Level") else { return }
        guard let level = text.wholeNumber, rules.compatibilityLevels.contains(Int(level)) else {
            throw WireRefusal(400, "compatibility_level", "the compatibility level is not known")
        }
    }

    // MARK: octets of the generator that was handed in

    mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 24) }
    }

    /// Random lower-case hexadecimal digits, two for each octet.
    mutating func digits(_ octetCount: Int) -> String {
        octets(octetCount).map(\.lowercaseHexadecimal).joined()
    }
}

extension Sandbox: RedactedDescription {
    /// The number of payments: tokens and hashes of passwords are not shown.
    public var description: String { "sandbox with \(store.paymentCount) payments" }
}

/// A request with its client and its time.
struct SandboxCall: Sendable {
    let request: HTTPRequest
    let client: String
    let now: Duration

    /// The token (RFC 6750, 2.1); nil without one.
    var token: String? {
        guard let value = request.header("Authorization"), value.utf8.count <= 200 else { return nil }
        let parts = value.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    func answer(_ json: JSONValue, status: Int = 200) -> SandboxOutput {
        SandboxOutput(.answer(HTTPAnswer(status: status, json: json), at: now))
    }

    /// The fields of the form.
    func form(_ limits: FormLimits) throws(WireRefusal) -> WireFields {
        if let type = request.header("Content-Type"), request.body.count > 0 {
            let name = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
            guard name == "application/x-www-form-urlencoded" else {
                throw WireRefusal(415, "content_type", "the body must be application/x-www-form-urlencoded")
            }
        }
        do throws(FormError) {
            return WireFields(
                try request.body.withBytes { (bytes) throws(FormError) in try FormFields(form: bytes, limits) })
        } catch {
            throw WireRefusal(400, "form_\(error.code.rawValue)", "pair \(error.pair): \(error.message)")
        }
    }

    /// A value of the query, at most 200 bytes; nil if it is missing.
    func query(_ name: String) throws(WireRefusal) -> String? {
        guard request.query.count <= 100 else { throw WireRefusal(400, "query", "the query has too many names") }
        guard let value = request.query.first(where: { $0.name == name })?.value else { return nil }
        guard value.utf8.count <= 200 else { throw .invalid(name, "it must have at most 200 bytes") }
        return value
    }

    /// A whole number of the query.
    func number(_ name: String) throws(WireRefusal) -> UInt64? {
        guard let text = try query(name) else { return nil }
        guard let number = text.wholeNumber else { throw .invalid(name, "it must be a whole number") }
        return number
    }
}

extension HTTPRequest {
    /// The value of a header, whatever its case; nil without it.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

extension WireRefusal {
    static let used = WireRefusal(409, "unique_id_used", "the identifier belongs to another request")
}
