import Dispatch
import JackdawCards
import JackdawPayments
import JackdawSandbox
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import Accept

/// User actions at a sandbox. Source of the calls: the Accept SDK integration guide 1.6.182, chapters 2 and 3.
@Suite struct AccountTests {
    private let clock = ManualClock()
    private let link: SandboxLink
    private let accept: Accept
    private let config = ConfigurationTests.backend

    init() throws {
        let link = try SandboxLink(clock)
        self.link = link
        accept = Accept(clock: clock) { _ throws(AcceptError) in link }
    }

    private func logIn(_ password: String = "till-1-password") async throws(AcceptError) -> SecretText {
        try await accept.requestAccessToken("till-1", password: secret(password), config: config).accessToken
    }

    private func code(_ body: () async throws(AcceptError) -> Void) async -> AcceptError.Code? {
        do throws(AcceptError) {
            try await body()
            return nil
        } catch { return error.code }
    }

    @Test func S1_15_theVersionIsThatOfTheGuide() { #expect(accept.version == "1.6.182") }

    // MARK: login

    @Test func S1_21_aLoginGivesATokenAndItsLifetime() async throws {
        let token = try await accept.requestAccessToken("till-1", password: secret("till-1-password"), config: config)
        #expect(token.expireInSeconds == 900)
        #expect(token.accessToken.count == 64)
        #expect(accept.isValid(token.accessToken))
        #expect(link.paths == ["/v3/oauth2/token"])
        #expect(!"\(token)".contains(token.accessToken.revealedText()))
    }

    /// The sandbox prints its address with the path that requests have.
    @Test(arguments: ["/v3", "/v3/"])
    func anAddressWithThePathOfTheInterfaceIsRefused(path: String) async throws {
        let backend = ConfigurationTests.backend
        let config = AcceptDataServiceConfig(
            url: backend.url + path, clientId: backend.clientId, clientSecret: backend.clientSecret)
        let refused = await code { () throws(AcceptError) in
            _ = try await self.accept.requestAccessToken("till-1", password: secret("till-1-password"), config: config)
        }
        #expect(refused == .common(.applicationConfigurationInvalid))
        #expect(link.paths.isEmpty)
    }

    @Test func aLoginOfAnEarlierRunGoesOnUntilItExpires() async throws {
        let token = try await logIn()
        let link = link
        let later = Accept(clock: clock) { _ throws(AcceptError) in link }
        #expect(!later.isValid(token))
        try later.resume(token, config: config)
        #expect(later.isValid(token))
        #expect(try await later.requestMerchantInfo(token, config: config).externalId == "till-1")
        let request = HTTPRequest(.get, "/v3/user.json")
        #expect(try await later.paymentClient.send(request, limit: .seconds(1)).status == 200)
        clock.advance(by: .seconds(1000))
        let expired = await code { () throws(AcceptError) in
            _ = try await later.requestMerchantInfo(token, config: self.config)
        }
        #expect(expired == .common(.requestMerchantInfoTokenExpired))
        #expect(!later.isValid(token))
        let refused = await #expect(throws: HTTPFailure.self) {
            try await later.paymentClient.send(request, limit: .seconds(1))
        }
        #expect(refused?.code == .notLoggedIn)
        #expect(link.logins == 1)
        let malformed = await code { () throws(AcceptError) in
            try later.resume(secret("two words"), config: self.config)
        }
        #expect(malformed == .pay(.tokenExpired))
    }

    @Test func S1_17_theLoginComesFirst() async throws {
        let refused = await code { () throws(AcceptError) in
            _ = try await self.accept.requestMerchantInfo(secret("no-token"), config: self.config)
        }
        #expect(refused == .common(.requestMerchantInfoTokenExpired))
        let token = try await logIn()
        #expect(try await accept.requestMerchantInfo(token, config: config).externalId == "till-1")
        // The token is used until it expires.
        _ = try await accept.requestMerchantInfo(token, config: config)
        #expect(link.logins == 1)
    }

    @Test func S1_02_aCallNeedsAWholeConfiguration() async {
        var incomplete = config
        incomplete.clientSecret = nil
        let failed = await code { () throws(AcceptError) in
            _ = try await self.accept.requestAccessToken("till-1", password: secret("x"), config: incomplete)
        }
        #expect(failed == .common(.applicationConfigurationInvalid))
        #expect(link.paths.isEmpty)
    }

    @Test func S1_133_wrongPasswordsAndSecretsHaveTheirOwnErrors() async {
        let wrong = await code { () throws(AcceptError) in _ = try await self.logIn("wrong") }
        #expect(wrong == .common(.wrongUserNameOrPassword))
        let empty = await code { () throws(AcceptError) in _ = try await self.logIn("") }
        #expect(empty == .common(.wrongUserNameOrPassword))
        var other = config
        other.clientSecret = secret("other-secret")
        let refused = await code { () throws(AcceptError) in
            _ = try await self.accept.requestAccessToken("till-1", password: secret("x"), config: other)
        }
        #expect(refused == .programRefused)
        for _ in 0..<4 { _ = await code { () throws(AcceptError) in _ = try await self.logIn("wrong") } }
        let blocked = await code { () throws(AcceptError) in _ = try await self.logIn() }
        #expect(blocked == .tooManyRequests)
    }

    // MARK: lifetimes

    @Test func S1_18_theHostDecidesOnTheLifetimeOfATokenAndAnEndIsReported() async throws {
        let expirations = accept.tokenExpirations
        let token = try await logIn()
        await clock.sleepers(1)
        clock.advance(by: .seconds(899))
        #expect(accept.isValid(token))
        clock.advance(by: .seconds(1))
        #expect(!accept.isValid(token))
        var iterator = expirations.makeAsyncIterator()
        #expect(await iterator.next() == token)
    }

    @Test func S1_19_requestsKeepATokenAlive() async throws {
        let token = try await logIn()
        for _ in 0..<3 {
            clock.advance(by: .seconds(600))
            _ = try await accept.requestMerchantInfo(token, config: config)
            #expect(accept.isValid(token))
        }
        clock.advance(by: .seconds(900))
        #expect(!accept.isValid(token))
        let expired = await code { () throws(AcceptError) in
            _ = try await self.accept.requestMerchantInfo(token, config: self.config)
        }
        #expect(expired == .common(.requestMerchantInfoTokenExpired))
    }

    @Test func aTokenThatTheHostRefusesIsReported() async throws {
        let token = try await logIn()
        link.plan("token-expired", "user.json")
        do throws(AcceptError) {
            _ = try await accept.requestMerchantInfo(token, config: config)
            Issue.record("the token is valid")
        } catch { #expect(error.isTokenExpired) }
        #expect(!accept.isValid(token))
        #expect(accept.isValid(try await logIn()))
    }

    @Test func S1_118_severalTokensHaveTheirOwnLifetimes() async throws {
        let first = try await logIn()
        clock.advance(by: .seconds(500))
        let second = try await logIn()
        clock.advance(by: .seconds(400))
        #expect(!accept.isValid(first))
        #expect(accept.isValid(second))
    }

    @Test func aWatchKeepsTheNewestTokens() {
        var watch = AcceptTokenWatch()
        for number in 0..<17 {
            let token = AcceptAccessToken(accessToken: secret("t\(number)"), expireInSeconds: number == 16 ? nil : 60)
            #expect(watch.receive(.issued(token), at: .seconds(number)).isEmpty)
        }
        #expect(!watch.isValid(secret("t0"), at: .seconds(16)))
        #expect(watch.isValid(secret("t16"), at: .seconds(100_000)))
        #expect(watch.nextDeadline == .seconds(61))
        #expect(watch.receive(.timer, at: .seconds(61)) == [secret("t1")])
        #expect(watch.receive(.used(secret("t2")), at: .seconds(61)).isEmpty)
        #expect(watch.receive(.refused(secret("t3")), at: .seconds(61)) == [secret("t3")])
        #expect(watch.receive(.refused(secret("t3")), at: .seconds(61)).isEmpty)
        #expect(watch.receive(.timer, at: .seconds(1000)).count == 13)
        #expect(watch.nextDeadline == nil)
    }

    // MARK: merchants

    @Test func S1_23_theMerchantOfATokenIsReported() async throws {
        let user = try await accept.requestMerchantInfo(try await logIn(), config: config)
        #expect(user.id == "1")
        #expect(user.email == "till-1@example.com")
        #expect(user.terminalId == "T0000001")
        #expect(user.merchantId == "1")
        #expect(user.merchant.name == "Jackdaw Test Shop")
        #expect(user.merchant.countryCode == "DE")
        #expect(user.whiteLabelAppName == "Jackdaw sandbox")
        #expect(!"\(user)".contains("till-1"))
    }

    @Test func S1_22_taxRatesCurrenciesAndLimitsAreThere() async throws {
        let merchant = try await accept.requestMerchantInfo(try await logIn(), config: config).merchant
        #expect(merchant.taxRates == [0, 700, 1900])
        #expect(merchant.currencies == ["EUR", "USD", "JPY", "KWD"])
        #expect(merchant.currency == "EUR")
        #expect(merchant.netTaxation == .gross)
        #expect(merchant.amountLowerLimit == 1)
        #expect(merchant.amountUpperLimit == 500_000)
        #expect(merchant.amountDailyLimit == nil)
        #expect(merchant.serviceChargeAmount == 0)
    }

    @Test func S1_128_theMerchantsChargeForServiceIsThere() throws {
        let text = #"{"merchant":{"currencies":["EUR"],"service_charge":{"amount":50,"tax_rate":"1900"}}}"#
        let merchant = try AcceptUserResponse(body(text)).merchant
        #expect(merchant.serviceChargeAmount == 50)
        #expect(merchant.serviceChargeTax == 1900)
    }

    @Test func S1_16_theCurrencyOfABasketIsOneOfTheMerchant() async throws {
        let merchant = try await accept.requestMerchantInfo(try await logIn(), config: config).merchant
        func refusal(_ hundredths: Int64, _ currency: String) -> AcceptError.Code? {
            let item = AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: hundredths))
            do throws(AcceptError) {
                try merchant.check(AcceptBasket(currencyAsISO4217Code: currency, items: [item]))
                return nil
            } catch { return error.code }
        }
        #expect(refusal(1000, "EUR") == nil)
        #expect(refusal(1000, "CHF") == .currencyNotAccepted)
        #expect(refusal(500_000, "EUR") == nil)
        #expect(refusal(500_001, "EUR") == .amountLimit)
        #expect(refusal(0, "EUR") == .amountLimit)
        #expect(refusal(500_001, "USD") == nil)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "{\"merchant\":", "x",
        "{\"merchant\":{\"tax_rates\":[" + Array(repeating: "0", count: 1001).joined(separator: ",") + "]}}",
        "{\"merchant\":{}} x",
    ])
    func answersThatCannotBeReadAreErrors(text: String) {
        do throws(AcceptError) {
            _ = try AcceptUserResponse(body(text))
            Issue.record("it was read")
        } catch { #expect(error.code == .answerUnreadable) }
    }

    @Test func aLargeAnswerIsAnError() {
        do throws(AcceptError) {
            _ = try AcceptUserResponse(body(String(repeating: " ", count: 1 << 20)))
            Issue.record("it was read")
        } catch { #expect(error.code == .answerUnreadable) }
    }

    // MARK: configurations

    @Test func S1_24_theConfigurationOfTerminalsIsReported() async throws {
        let files = try await accept.queryConfigFile(try await logIn(), config: config, andCurrentVersion: "0")
        #expect(files.getVersion() == "1")
        #expect(files.url == "/v3/configuration/file.json")
    }

    @Test func S1_25_bothRequestsFollowTheLogin() async throws {
        let token = try await logIn()
        _ = try await accept.requestMerchantInfo(token, config: config)
        _ = try await accept.queryConfigFile(token, config: config)
        #expect(link.paths == ["/v3/oauth2/token", "/v3/user.json", "/v3/configuration.json"])
        let refused = await code { () throws(AcceptError) in
            _ = try await self.accept.queryConfigFile(secret("other"), config: self.config)
        }
        #expect(refused == .config(.tokenExpired))
    }

    @Test(arguments: [
        "{}", "{\"version\":\"1\"}", "{\"version\":\"\",\"url\":\"https://a\"}", "{\"version\":\"1\",\"url\":\"x\"}",
        "{\"version\":\"1\",\"url\":\"//other/file\"}", "{\"version\":\"1\",\"url\":\"/v3/../file\"}",
        "{\"version\":\"1\",\"url\":\"/file?token\"}", "{\"version\":\"1\",\"url\":\"/a b\"}",
    ])
    func aConfigurationHasVersionAndAddress(text: String) {
        do throws(AcceptError) {
            _ = try AcceptTerminalConfigFiles(body(text))
            Issue.record("it was read")
        } catch { #expect(error.code == .config(.infoNoProperResponse)) }
    }

    // MARK: names and passwords

    @Test func S1_26_aForgottenNameIsSentToItsAddress() async throws {
        try await accept.forgotUserId("till-2@example.com", config: config)
        #expect(link.messages.map(\.kind) == [.userIdentifier])
        #expect(link.messages.first?.address == "till-2@example.com")
        let unknown = await code { () throws(AcceptError) in
            try await self.accept.forgotUserId("other-till@example.com", config: self.config)
        }
        #expect(unknown == .common(.forgotExternalIdNotFound))
        let malformed = await code { () throws(AcceptError) in
            try await self.accept.forgotUserId("till-2", config: self.config)
        }
        #expect(malformed == .contactInvalid)
        #expect(link.paths.count == 2)
    }

    @Test func S1_27_aNewPasswordIsMailed() async throws {
        let token = try await logIn()
        try await accept.resetPassword("till-1", config: config)
        #expect(link.messages.map(\.kind) == [.password])
        let password = try #require(link.messages.first?.text)
        let old = await code { () throws(AcceptError) in
            _ = try await self.accept.requestMerchantInfo(token, config: self.config)
        }
        #expect(old == .common(.requestMerchantInfoTokenExpired))
        _ = try await accept.requestAccessToken("till-1", password: password, config: config)
        let unknown = await code { () throws(AcceptError) in
            try await self.accept.resetPassword("till-9", config: self.config)
        }
        #expect(unknown == .common(.externalIdNotFound))
    }

    @Test func S1_28_bothEntriesOfANewPasswordAreTheSame() async throws {
        let token = try await logIn()
        let paths = link.paths.count
        let differing = await code { () throws(AcceptError) in
            try await self.accept.changePasswordForToken(
                token, newPassword: secret("new-password"), reNewPassword: secret("new-passw0rd"), config: self.config)
        }
        #expect(differing == .common(.changePasswordCriteriaNotMet))
        #expect(link.paths.count == paths)
        let weak = await code { () throws(AcceptError) in
            try await self.accept.changePasswordForToken(
                token, newPassword: secret("weak"), reNewPassword: secret("weak"), config: self.config)
        }
        #expect(weak == .common(.changePasswordCriteriaNotMet))
    }

    /// The guide recommends to ask for the present password, and to change it with a new token.
    @Test func S1_29_aPasswordIsChangedWithANewToken() async throws {
        let present = try await logIn()
        let new = secret("new-password")
        try await accept.changePasswordForToken(present, newPassword: new, reNewPassword: new, config: config)
        let old = await code { () throws(AcceptError) in _ = try await self.logIn() }
        #expect(old == .common(.wrongUserNameOrPassword))
        _ = try await accept.requestAccessToken("till-1", password: new, config: config)
    }

    // MARK: hosts that do not answer

    @Test(arguments: [
        (HTTPFailure.Code.unreachable, AcceptError.Code.common(.requestTokenConnection)),
        (.cut, .common(.requestTokenConnection)), (.timedOut, .common(.genericRequestTimeout)),
        (.tooLarge, .answerUnreadable), (.malformed, .answerUnreadable), (.system, .common(.requestTokenConnection)),
        (.cancelled, .cancelled), (.notTrusted, .hostNotTrusted),
    ])
    func aMissingAnswerHasItsError(failure: HTTPFailure.Code, expected: AcceptError.Code) async {
        let accept = Accept(clock: clock) { _ throws(AcceptError) in FailingLink(code: failure) }
        let failed = await code { () throws(AcceptError) in
            _ = try await accept.requestAccessToken("till-1", password: secret("x"), config: self.config)
        }
        #expect(failed == expected)
    }

    @Test(arguments: ["status=500", "status=404", "garbled", "cut=5"])
    func aFaultOfTheHostIsAnError(fault: String) async throws {
        let token = try await logIn()
        link.plan(fault, "user.json")
        let failed = await code { () throws(AcceptError) in
            _ = try await self.accept.requestMerchantInfo(token, config: self.config)
        }
        let expected: [String: AcceptError.Code] = [
            "garbled": .answerUnreadable, "cut=5": .common(.requestMerchantInfoNoConnection),
        ]
        #expect(failed == expected[fault] ?? .hostError)
        _ = try await accept.requestMerchantInfo(token, config: config)
    }

    // MARK: completions

    @Test func completionsHaveTheValueOrTheError() async throws {
        let calls = Lock<[String]>([])
        let done = AsyncSignal()
        let note: @Sendable (String, AcceptError?) -> Void = { name, error in
            calls.withLock { $0.append("\(name) \(error?.code.name ?? "ok")") }
            done.send()
        }
        let token = try await logIn()
        accept.requestAccessToken("till-1", password: secret("wrong"), config: config) { value, error in
            note("token \(value == nil)", error)
        }
        accept.requestMerchantInfo(token, config: config) { user, error in note("user \(user?.id ?? "")", error) }
        accept.queryConfigFile(token, config: config, andCurrentVersion: "0") { files, error in
            note("files \(files?.version ?? "")", error)
        }
        accept.forgotUserId("till-2@example.com", config: config) { isDone, error in note("forgot \(isDone)", error) }
        accept.resetPassword("till-9", config: config) { isDone, error in note("reset \(isDone)", error) }
        accept.changePasswordForToken(
            token, newPassword: secret("weak"), reNewPassword: secret("weak"), config: config
        ) { isDone, error in note("change \(isDone)", error) }
        while done.count < 6 { await done.wait(after: done.count) }
        #expect(
            calls.withLock { $0 }.sorted() == [
                "change false changePasswordCriteriaNotMet", "files 1 ok", "forgot true ok",
                "reset false externalIdNotFound", "token true wrongUserNameOrPassword", "user 1 ok",
            ])
    }

    @Test func completionsRunOnTheProgramsExecutor() async throws {
        let queued = Lock<[@Sendable () -> Void]>([])
        let signal = AsyncSignal()
        let link = link
        let accept = Accept(
            clock: clock,
            callbacks: { body in
                queued.withLock { $0.append(body) }
                signal.send()
            }, connect: { _ throws(AcceptError) in link })
        let isCalled = Lock(false)
        accept.forgotUserId("till-2@example.com", config: config) { _, _ in isCalled.withLock { $0 = true } }
        await signal.wait(after: 0)
        #expect(!isCalled.withLock { $0 })
        for body in queued.withLock({ $0 }) { body() }
        #expect(isCalled.withLock { $0 })
    }
}

extension AccountTests {
    /// The first call waits in `connect` for another one to open a client, too.
    @Test func callsAtTheSameTimeOpenOneClient() async throws {
        let (count, other, link) = (Lock(0), DispatchSemaphore(value: 0), link)
        let accept = Accept(clock: clock) { _ throws(AcceptError) in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 1 {
                _ = other.wait(timeout: .now() + .milliseconds(300))
            } else {
                other.signal()
            }
            return link
        }
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    try? await accept.forgotUserId("till-2@example.com", config: ConfigurationTests.backend)
                }
            }
        }
        #expect(count.withLock { $0 } == 1)
        #expect(link.messages.count == 2)
    }
}

/// A connection on which each request fails.
private struct FailingLink: HTTPClient {
    let code: HTTPFailure.Code

    func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
        throw HTTPFailure(code, message: "failed")
    }
}
