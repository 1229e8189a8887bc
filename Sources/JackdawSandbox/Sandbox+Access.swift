package import JackdawEMV
package import JackdawPayments
import JackdawReaders

// Logins, passwords, and the data of a user.

extension Sandbox {
    /// The user of a request, with merchant and terminal.
    struct Caller {
        let user: SandboxDirectory.User
        let merchant: SandboxDirectory.Merchant
        let terminal: SandboxDirectory.Terminal?
    }

    /// The user of a token.
    mutating func caller(of call: SandboxCall) throws(WireRefusal) -> Caller {
        guard let token = call.token,
            let identifier = sessions.use(token, now: call.now, lifetime: rules.tokenLifetime),
            let user = directory.user(identifier), let merchant = directory.merchant(user.merchant)
        else { throw .noToken }
        return Caller(user: user, merchant: merchant, terminal: directory.terminal(user.terminal))
    }

    // MARK: tokens and passwords

    /// A request for a token, before its password is verified.
    private struct Login {
        /// The user of the name; nil if there is none.
        let user: SandboxDirectory.User?
        let password: SecretOctets
        /// The hash to compare with. An unknown name takes as long as a wrong password.
        let hash: String
        /// The names under which failures are counted.
        let keys: [String]
    }

    /// The password that a request for a token has, and the hash to compare it with; nil if the request is another one,
    /// or is refused whatever the password is. A program may verify it in advance, on other threads: `receive` does it
    /// again, with its own hash function.
    package func passwordCheck(
        of request: HTTPRequest, from client: String, at now: Duration
    ) -> (password: SecretOctets, hash: String)? {
        do throws(WireRefusal) {
            let (route, _) = try SandboxRoute.find(request.method, request.path, base: rules.basePath)
            guard route == .token, request.body.count <= rules.limits.form.bytes else { return nil }
            var copy = self
            let login = try copy.login(SandboxCall(request: request, client: client, now: now))
            return (login.password, login.hash)
        } catch {
            return nil
        }
    }

    /// Reads a request for a token (RFC 6749, 4.3).
    private mutating func login(_ call: SandboxCall) throws(WireRefusal) -> Login {
        let form = try call.form(rules.limits.form)
        guard try form.text("grant_type", most: 50) == "password" else {
            throw WireRefusal(400, "unsupported_grant_type", "grant_type must be password")
        }
        guard let name = try form.text("username", most: 64), let password = try form.secret("password", most: 200),
            !password.isEmpty
        else { throw WireRefusal(400, "invalid_request", "username and password are needed") }
        let keys = ["user \(name)", "client \(call.client.prefix(64))"]
        if let wait = limiter.wait(for: keys, now: call.now, most: rules.maxLoginFailures) {
            let seconds = max(1, (wait.milliseconds + 999) / 1000)
            throw WireRefusal(
                429, "too_many_requests", "too many failed logins",
                headers: [HTTPField("Retry-After", "\(seconds)")])
        }
        let identifier = try form.text("client_id", most: 64) ?? ""
        let secret = try form.secret("client_secret", most: 200) ?? SecretOctets([])
        guard directory.clients.contains(where: { $0.identifier == identifier && $0.secret == secret }) else {
            limiter.fail(keys, now: call.now, period: rules.loginPeriod)
            throw WireRefusal(401, "invalid_client", "the client or its secret is wrong")
        }
        let user = directory.users.first { $0.externalIdentifier == name }
        let checked = (user ?? directory.users.first)?.identifier ?? ""
        let hash = store.passwordHash(ofUser: checked) ?? hashes[checked] ?? ""
        return Login(user: user, password: password, hash: hash, keys: keys)
    }

    /// Makes a token for a name and a password.
    mutating func logIn(_ call: SandboxCall) throws(WireRefusal) -> SandboxOutput {
        let login = try login(call)
        guard hashing.verify(login.password, login.hash), let user = login.user else {
            limiter.fail(login.keys, now: call.now, period: rules.loginPeriod)
            throw WireRefusal(400, "invalid_grant", "the name or the password is wrong")
        }
        limiter.forget([login.keys[0]])
        let token = digits(32)
        let isAdded = sessions.add(
            token, user: user.identifier, expiry: call.now + rules.tokenLifetime, now: call.now,
            most: rules.limits.tokens)
        guard isAdded else { throw .full }
        return call.answer(
            .object([
                "access_token": .text(token), "token_type": .text("bearer"),
                "expires_in": .whole(rules.tokenLifetime.components.seconds),
            ]))
    }

    /// Gives a user a new password, or reminds of a name. Both go to the address of the directory.
    ///
    /// The names of the fields have no published source, but that the SDK sends a user's identifier or an address and
    /// that 422 says that it is unknown.
    mutating func resetPassword(_ call: SandboxCall) throws(WireRefusal) -> SandboxOutput {
        let form = try call.form(rules.limits.form)
        let keys = ["reset \(call.client.prefix(64))"]
        if limiter.wait(for: keys, now: call.now, most: rules.maxLoginFailures) != nil {
            throw WireRefusal(429, "too_many_requests", "too many resets")
        }
        limiter.fail(keys, now: call.now, period: rules.loginPeriod)
        let done = JSONValue.object(["status": .text("sent")])
        if let address = try form.text("email", most: 200) {
            guard !address.isEmpty, let user = directory.users.first(where: { $0.email == address }) else {
                throw WireRefusal(422, "unknown_email", "no user has this address")
            }
            var output = call.answer(done)
            output.effects = [.message(SandboxMessage(.userIdentifier, to: address, user.externalIdentifier))]
            return output
        }
        let name = try form.required("external_id", most: 64)
        guard let user = directory.users.first(where: { $0.externalIdentifier == name }) else {
            throw WireRefusal(422, "unknown_external_id", "no user has this identifier")
        }
        let password = digits(8)
        let hash = hashing.hash(SecretOctets(Array(password.utf8)), salt: octets(16))
        try write(SandboxChange(.password(user: user.identifier, hash: hash)))
        sessions.removeAll(of: user.identifier)
        var output = call.answer(done)
        output.effects = [.message(SandboxMessage(.password, to: user.email, password))]
        return output
    }

    /// Gives the caller a password of the caller's choice, and withdraws all tokens of the user. No published source
    /// shows the path or the fields; the criterion is the rule `minPasswordBytes`.
    mutating func changePassword(_ call: SandboxCall, _ caller: Caller) throws(WireRefusal) -> SandboxOutput {
        let form = try call.form(rules.limits.form)
        guard let password = try form.secret("password", most: 200),
            let confirmation = try form.secret("password_confirmation", most: 200), password == confirmation
        else { throw WireRefusal(422, "password_confirmation", "both entries of the password must be the same") }
        guard password.count >= rules.minPasswordBytes else {
            throw WireRefusal(
                422, "password_criteria", "a password needs at least \(rules.minPasswordBytes) characters")
        }
        let hash = hashing.hash(password, salt: octets(16))
        try write(SandboxChange(.password(user: caller.user.identifier, hash: hash)))
        sessions.removeAll(of: caller.user.identifier)
        return call.answer(.object(["status": .text("changed")]))
    }

    /// Writes a change, or answers 507.
    mutating func write(_ change: SandboxChange) throws(WireRefusal) {
        var growth = 0
        if case .payment(let payment) = change.content {
            growth = payment.size - (store.payment(payment.number)?.size ?? 0)
        }
        do throws(SandboxStoreError) { try store.write(change) } catch { throw .full }
        bookBytes += growth
    }

    /// Answers 507 if the limit on memory is reached.
    func checkRoom() throws(WireRefusal) {
        guard bookBytes < rules.limits.bookBytes else { throw .full }
    }

    // MARK: the data of the user and of devices

    /// The user with merchant, applications of chip cards and brand. The sources name `merchant` with `tax_rates`,
    /// `currencies`, `net_taxation`, `limits` and `service_charge`, `aid_configurations` and `white_label_app`; the
    /// names of other members are those of the iOS SDK's headers in this project's spelling.
    func user(_ caller: Caller) -> JSONValue {
        let (user, merchant) = (caller.user, caller.merchant)
        func limit(_ amount: UInt64?) -> JSONValue {
            amount.map { .money(wire($0, merchant.currencies[0])) } ?? .null
        }
        return .object([
            "id": .text(user.identifier), "external_id": .text(user.externalIdentifier),
            "first_name": .text(user.firstName), "last_name": .text(user.lastName), "email": .text(user.email),
            "phone_number": .text(user.phone), "terminal_id": .text(caller.terminal?.identifier ?? ""),
            "merchant_id": .text(merchant.identifier),
            "merchant": .object([
                "id": .text(merchant.identifier), "name": .text(merchant.name),
                "country_code": .text(merchant.country),
                "currency": .text(merchant.currencies[0].alphabeticCode),
                "currencies": .array(merchant.currencies.map { .text($0.alphabeticCode) }),
                "tax_rates": .array(merchant.taxRates.map { .whole($0) }),
                "net_taxation": .flag(merchant.usesNetTaxation),
                "limits": .object([
                    "amount_lower_limit": limit(merchant.limits.lower),
                    "amount_upper_limit": limit(merchant.limits.upper),
                    "amount_daily_limit": limit(merchant.limits.daily),
                ]),
                "service_charge": .object([
                    "amount": .whole(merchant.serviceCharge.amount), "tax_rate": .whole(merchant.serviceCharge.taxRate),
                ]),
            ]),
            "aid_configurations": .array(
                directory.applications.map { members in
                    .object(members.reduce(into: [:]) { $0[$1.name] = .text($1.value) })
                }),
            "white_label_app": .object(["name": .text(directory.brand)]),
        ])
    }

    func products(_ caller: Caller) throws(WireRefusal) -> JSONValue {
        guard let file = caller.merchant.products else { throw .notFound }
        return file.json
    }

    func firmware(_ call: SandboxCall) throws(WireRefusal) -> JSONValue {
        let type = try call.query("terminal_type")
        guard let file = directory.firmware.first(where: { $0.type == type })?.file else { throw .notFound }
        return file.json
    }

    func configuration() throws(WireRefusal) -> JSONValue {
        guard let file = directory.configuration else { throw .notFound }
        let url = file.url ?? "\(rules.basePath)/\(SandboxRoute.configurationPath)"
        return .object(["version": .text(file.version), "url": .text(url), "md5": .text(file.md5)])
    }

    /// The file with the configuration. Its content is this project's, as no source shows that of the host.
    func configurationFile() throws(WireRefusal) -> JSONValue {
        guard let file = directory.configuration, file.url == nil else { throw .notFound }
        return .object([
            "version": .text(file.version), "terminals": .array(file.terminals.map { .text($0) }),
        ])
    }

    func terminal(_ serial: String, _ caller: Caller) throws(WireRefusal) -> JSONValue {
        guard let terminal = directory.terminal(serial), terminal.merchant == caller.merchant.identifier else {
            throw .notFound
        }
        return .object([
            "serial": .text(terminal.serial), "terminal_id": .text(terminal.identifier),
            "terminal_type": .text(terminal.type), "merchant_id": .text(terminal.merchant),
        ])
    }
}

extension SandboxDirectory.VersionedFile {
    fileprivate var json: JSONValue {
        .object(["version": .text(version), "url": .text(url), "md5": .text(md5)])
    }
}
