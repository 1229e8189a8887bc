import Accept
import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import JackdawTransport
import Testing

/// A till with a user who has logged in.
struct PayTill {
    let clock = ManualClock()
    let link: SandboxLink
    let accept: Accept
    let service: PaymentService
    let terminals: ScriptedTerminals
    let token: SecretText

    init(
        methods: AcceptPaymentMethods? = nil, limits: OfflineLimits = .none,
        policy: PaymentPolicy = Accept.paymentPolicy, journal: any JournalStore = MemoryJournal(),
        developerMode: AcceptDeveloperMode? = nil, issuerRules: String = "",
        callbacks: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() },
        _ script: @escaping ScriptedTerminals.Script
    ) async throws {
        let (clock, link) = (clock, try SandboxLink(clock, rules: issuerRules))
        self.link = link
        let date: @Sendable () -> RecordedTime = {
            RecordedTime(seconds: (SandboxFixture.start + clock.now.offset).components.seconds, offset: 60)
        }
        let accept = Accept(clock: clock, date: date, developerMode: developerMode, callbacks: callbacks) {
            _ throws(AcceptError) in link
        }
        self.accept = accept
        service = PaymentService(
            host: AcceptWire.profile, wire: AcceptWire(), client: accept.paymentClient, journal: journal,
            limits: limits, policy: policy, clock: clock, date: date, reader: accept.reader)
        terminals = ScriptedTerminals(script)
        accept.use(service)
        accept.use(terminals, methods: methods)
        try await service.start()
        token = try await accept.requestAccessToken(
            "till-1", password: secret("till-1-password"), config: ConfigurationTests.backend
        ).accessToken
    }

    /// The file of a program that takes no credit cards of Visa at a PosMate, and no terminal of ID TECH.
    static func methods() throws -> AcceptPaymentMethods {
        func device(_ id: String, _ isEnabled: Bool, _ content: String) -> String {
            """
            <item><id>\(id)</id><type>dict</type><items><item><id>enabled</id><type>bool</type>
            <value><dict><key>bool</key><\(isEnabled)/></dict></value></item>\(content)</items></item>
            """
        }
        let excluded = """
            <item><id>cardsExclusion</id><type>list</type><value><dict><key>list</key><array><dict><key>issuer</key>
            <string>visa</string><key>cardType</key><string>credit_card</string></dict></array></dict></value></item>
            """
        let text = """
            <item><id>supportedPaymentMethods</id><type>dict</type><items>
            \(device("ENABLE_SPIRE", true, device("PosMate", true, excluded)))
            \(device("ENABLE_IDTECH", false, device("UnimagPro", true, "")))
            </items></item>
            """
        return try AcceptPaymentMethods(xml: Array(text.utf8))
    }

    func config(_ hundredths: AcceptHundredths = 1000, _ name: String? = "A1") -> AcceptPaymentConfig {
        AcceptPaymentConfig(
            vendorUUID: AcceptSpireVendorUUID, terminalUUID: "PosMate 1",
            backendConfig: ConfigurationTests.backend,
            basket: AcceptBasket(
                currencyAsISO4217Code: "EUR", items: [AcceptBasketItem(grossPrice: hundredths)],
                transactionUniqueId: name),
            accessToken: token)
    }

    /// Gives the PosMate the newest configuration, which it needs unless a change says otherwise.
    func configureTerminal(
        _ change: @escaping @Sendable (inout AcceptTerminal) -> Void = { _ in }
    ) async throws -> AcceptTerminal {
        terminals.change { terminal in
            terminal.dependsOnConfiguration = true
            change(&terminal)
        }
        let found = try #require(await accept.discoverTerminalsForVendor(AcceptSpireVendorUUID).first)
        return try await accept.configure(
            found, of: AcceptSpireVendorUUID, andToken: token, config: ConfigurationTests.backend)
    }

    /// Logs the user in again.
    func logIn() async throws(AcceptError) -> SecretText {
        try await accept.requestAccessToken(
            "till-1", password: secret("till-1-password"), config: ConfigurationTests.backend
        ).accessToken
    }

    /// Starts a payment, and waits for its end.
    func pay(
        _ config: AcceptPaymentConfig? = nil, _ handlers: AcceptPaymentHandlers = AcceptPaymentHandlers()
    ) async throws(AcceptError) -> AcceptTransaction {
        try await accept.startPay(config ?? self.config(), handlers: handlers).result()
    }

    /// Moves the clock when the lifetime of the token and the limit of the payment flow are armed.
    func wait(_ duration: Duration) async {
        await clock.sleepers(2)
        clock.advance(by: duration)
    }
}

/// A terminal at which a chip card pays.
func chip(
    _ hundredths: UInt64 = 1000, _ changes: [String: [AcceptTerminalEvent]] = [:]
) -> ScriptedTerminals.Script {
    { effect in
        let number = effect.identifier
        let name: String
        let events: [AcceptTerminalEvent]
        switch effect.action {
        case .prepare: (name, events) = ("prepare", [.payment(.prepared, answering: number)])
        case .acceptCard: (name, events) = ("accept", [.payment(.cardInserted, answering: number)])
        case .processCard:
            (name, events) = (
                "process",
                [
                    .card(accountNumber("9999990000000014"), name: "A. N. OTHER"),
                    .payment(.firstARQC, answering: number, sealed: card(hundredths)),
                ]
            )
        case .completeCard(.approved): (name, events) = ("approved", [.payment(.secondTC, answering: number)])
        case .completeCard: (name, events) = ("declined", [.payment(.secondAAC, answering: number)])
        default: return []
        }
        // A changed answer names the effect, too.
        return changes[name].map { $0.map { answer($0, number) } } ?? events
    }
}

private func answer(_ event: AcceptTerminalEvent, _ number: Int) -> AcceptTerminalEvent {
    guard case .payment(let event, _, let sealed) = event, event.isAnswer else { return event }
    return .payment(event, answering: number, sealed: sealed)
}

func accountNumber(_ digits: String) -> PrimaryAccountNumber {
    guard let number = try? PrimaryAccountNumber(Array(digits.utf8).span) else { preconditionFailure("digits") }
    return number
}

func failure(_ body: () async throws(AcceptError) -> AcceptTransaction) async -> AcceptError? {
    do throws(AcceptError) {
        _ = try await body()
        return nil
    } catch { return error }
}

/// Waits until the till has reversed the payment.
func reversed(_ till: PayTill) async throws {
    let reports = till.service.reports
    if try await till.accept.status(of: "A1").state != .reversed {
        for await report in reports where report.state == .reversed { break }
    }
    #expect(till.link.booked("A1") == 0)
}
