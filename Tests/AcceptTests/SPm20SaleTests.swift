import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import Accept
@testable import JackdawSimulator

/// Sales at an SPm20 by the public calls of the SDK: payment service, journal, links, and the terminal's own host.
@Suite struct SPm20SaleTests {
    @Test func startPaySellsAtAnSPm20() async throws {
        let till = try await SPm20Till()
        #expect(await till.accept.discoverSupportedVendors().map(\.displayName) == ["Spire", "ID-Tech"])
        let found = try await till.accept.discoverTerminalsForVendor(AcceptSpireVendorUUID)
        #expect(found.map(\.uuid) == ["PosMate 1", "SPm20 1"])
        #expect(found.map(\.hasOwnHost) == [false, true])
        let run = till.accept.startPay(till.config())
        let paid = try await till.drive { try await run.result() }
        #expect(paid.isAccepted)
        #expect(paid.amount == 6000)
        #expect(!paid.guwid.isEmpty)
        // The Accept host does not know of it.
        #expect(till.link.paymentCount == 0)
        let captured = await till.simulator.settledSum()
        #expect(captured == 6000)
        let record = try #require(try await till.journal.record(of: attempt("A1")))
        #expect(record.state == .approved)
        #expect(record.reference?.rawValue == paid.guwid)

        let reversed = try await till.drive { try await till.operate(.reverse) }
        #expect(reversed.status == .reversed)
        #expect(reversed.amount == 6000)
        #expect(try await till.accept.status(of: "A1").state == .reversed)
        let left = await till.simulator.settledSum()
        #expect(left == 0)
        await till.close()
    }

    @Test func theTerminalTakesPurchasesAndReversalsAlone() async throws {
        let till = try await SPm20Till()
        var config = till.config()
        config.transactionType = .authorize
        let authorisation = await failure { [config] () throws(AcceptError) in
            try await till.accept.startPay(config).result()
        }
        #expect(authorisation?.code == .common(.unsupportedFeature))
        let run = till.accept.startPay(till.config())
        _ = try await till.drive { try await run.result() }
        for operation in [AcceptOperationOnPayment.refund, .capture, .receipt, .signatureUpdate] {
            let error = await failure { () throws(AcceptError) in try await till.operate(operation) }
            #expect(error?.code == .common(.unsupportedFeature), "\(operation)")
        }
        #expect(try await till.accept.status(of: "A1").state == .approved)
        await till.close()
    }

    /// The first program ends after the terminal has the payment, and before it has its result.
    @Test func theNextProgramOnTheJournalAsksTheTerminal() async throws {
        let till = try await SPm20Till()
        await till.simulator.silence(after: "Purchase")
        let run = till.accept.startPay(till.config())
        try await till.drive { await till.simulator.silent() }
        await till.service.shutDown()
        await till.close()
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .notRunning)
        #expect(try await till.journal.record(of: attempt("A1"))?.state == .asked)

        let next = try await SPm20Till(journal: till.journal, simulator: till.simulator)
        let reports = next.service.reports
        // Questions for the result.
        try await next.drive(longest: .seconds(10)) {
            if try await next.accept.status(of: "A1").state == .reversed { return }
            for await report in reports where report.state == .reversed { return }
        }
        let sales = await next.simulator.sales
        #expect(sales == 0)
        #expect(try await next.journal.note(named: SPm20Note.name(of: attempt("A1"))) != nil)
        await next.close()
    }

    @Test func otherTerminalsOfTheGroupAskTheAcceptHost() async throws {
        let till = try await SPm20Till()
        var config = till.config(1000, "B1")
        config.terminalUUID = "PosMate 1"
        #expect(try await till.accept.startPay(config).result().isAccepted)
        #expect(till.link.booked("B1") == 1000)
        // The time for a payment at an SPm20 is not that of the Accept host.
        config = till.config(1000, "B2")
        config.terminalUUID = "PosMate 1"
        till.link.plan("silent-before", "payments.json")
        let run = till.accept.startPay(config)
        // The lifetime of the token, the limit of the payment flow, and that of the request.
        await till.clock.sleepers(3)
        #expect(till.clock.now.duration(to: try #require(till.clock.nextDeadline)) == AcceptWire.profile.answerLimit)
        till.clock.advance(by: AcceptWire.profile.answerLimit)
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .pay(.responseLost))
    }

    @Test func twoSalesFollowEachOther() async throws {
        let till = try await SPm20Till()
        for name in ["A1", "A2"] {
            let run = till.accept.startPay(till.config(6000, name))
            #expect(try await till.drive { try await run.result() }.isAccepted)
        }
        let sales = await till.simulator.sales
        #expect(sales == 2)
        // The first one is taken back over a link of its own, and the second stays.
        #expect(try await till.drive { try await till.operate(.reverse) }.status == .reversed)
        let left = await till.simulator.sales
        #expect(left == 1)
        await till.close()
    }

    @Test func onePaymentIsAtATerminalAtATime() async throws {
        let till = try await SPm20Till()
        await till.simulator.silence(after: "Purchase")
        let run = till.accept.startPay(till.config())
        try await till.drive { await till.simulator.silent() }
        let terminal = try #require(await till.terminals.terminals(of: AcceptSpireVendorUUID).first)
        let error = await #expect(throws: AcceptError.self) {
            _ = try await till.terminals.open(
                terminal, of: AcceptSpireVendorUUID, amount: Amount(minorUnits: 1000, currencyCode: 978),
                as: attempt("B1")
            ) { _ in }
        }
        #expect(error?.code == .pay(.terminalFailedToTerminateCurrentTerminalPaymentFlow))
        // Another reversal must not abort the payment.
        let failure = await #expect(throws: HostFailure.self) {
            try await till.terminals.answer(Self.request(.reverse, "B1"), limit: .seconds(1))
        }
        #expect(failure?.code == .hostError)
        #expect(failure?.isCertainlyNotSent == false)
        await till.service.shutDown()
        await till.close()
        _ = try? await run.result()
    }

    @Test func requestsThatTheTerminalDoesNotHaveAreRefused() async throws {
        let till = try await SPm20Till()
        for operation in [HostRequest.Operation.complete, .advise, .capture, .refund, .enquire] {
            let reply = try await till.terminals.answer(Self.request(operation, "B1"), limit: .seconds(1))
            guard case .refused = reply else {
                Issue.record("\(operation): \(reply)")
                continue
            }
        }
        // No payment was begun at the terminal, so that nothing was sent.
        let failure = await #expect(throws: HostFailure.self) {
            try await till.terminals.answer(Self.request(.authorise, "B1"), limit: .seconds(1))
        }
        #expect(failure?.isCertainlyNotSent == true)
        let other = await #expect(throws: HostFailure.self) {
            try await till.terminals.answer(Self.request(.reverse, "B1", at: "SPm20 2"), limit: .seconds(1))
        }
        #expect(other?.isCertainlyNotSent == false)
        #expect(throws: HostFailure.self) {
            try till.terminals.check(Self.request(.authorise, "B1", at: "SPm20 2").request, as: nil)
        }
        #expect(!till.terminals.takes(try AcceptTests.request(.authorise).request))
        await till.close()
    }

    /// A refund is not sent before the journal has it.
    @Test func aRefundWaitsForTheJournal() async throws {
        let till = try await SPm20Till()
        let run = till.accept.startPay(till.config())
        _ = try await till.drive { try await run.result() }
        till.notes.fail(2)
        #expect(try await till.drive { try await till.operate(.reverse) }.status == .reversed)
        let (left, refunds) = (await till.simulator.sales, await till.simulator.refunds)
        #expect(left == 0)
        #expect(refunds == 1)
        #expect(till.notes.failures == 2)
        await till.close()
    }

    /// A request about a payment of the terminal.
    private static func request(
        _ operation: HostRequest.Operation, _ name: String, at terminal: String = "SPm20 1"
    ) throws -> HostRequest {
        try AcceptTests.request(
            operation, name, details: [SPm20Place.detail(of: terminal, AcceptSpireVendorUUID)])
    }

    @Test func aTerminalThatIsAwayIsNotReady() async throws {
        let till = try await SPm20Till(isAway: true)
        let error = await failure { () throws(AcceptError) in
            try await till.accept.startPay(till.config()).result()
        }
        #expect(error?.code == .pay(.terminalNotReady))
        #expect(try await till.journal.record(of: attempt("A1")) == nil)
    }

    @Test func theTimeForThePaymentIsThatOfTheTerminal() async throws {
        let till = try await SPm20Till()
        #expect(till.terminals.policy(Accept.paymentPolicy).limits.host == JSONPOSPaymentSettings().limit)
        #expect(till.terminals.policy(Accept.paymentPolicy).limits.card == AcceptDefaults.paymentTimeout)
        let none = AcceptSPm20Terminals([], journal: till.journal, date: SPm20Till.date)
        #expect(none.policy(Accept.paymentPolicy) == Accept.paymentPolicy)
    }
}

/// A till with a PosMate and an SPm20, and a user who has logged in. Its clock is moved over short waits alone.
struct SPm20Till {
    static let date: @Sendable () -> RecordedTime = { RecordedTime(seconds: 1_453_992_427, offset: 60) }

    let clock = ManualClock()
    let link: SandboxLink
    let journal: MemoryJournal
    let simulator: SPm20Simulator
    let accept: Accept
    let service: PaymentService
    let terminals: AcceptSPm20Terminals
    /// The journal as the terminals see it, whose notes may fail.
    let notes: FailingNotes
    private let token: SecretText

    init(journal: MemoryJournal = MemoryJournal(), simulator: SPm20Simulator? = nil, isAway: Bool = false) async throws
    {
        let link = try SandboxLink(clock)
        (self.link, self.journal) = (link, journal)
        let simulator = try simulator ?? SPm20Simulator(6000)
        self.simulator = simulator
        let accept = Accept(clock: clock, date: Self.date) { _ throws(AcceptError) in link }
        self.accept = accept
        // Longer than the waits over which the clock is moved.
        var profile = try #require(ReaderFamily.named("jsonpos")).simulatedProfile
        profile[.answer] = ProfileEntry("ms for an answer", .number(60_000), .unknown, "this test")
        notes = FailingNotes(journal)
        terminals = AcceptSPm20Terminals(
            [
                AcceptSPm20Terminals.Terminal(
                    vendor: AcceptTerminalVendor(uuid: AcceptSpireVendorUUID, displayName: "Spire"),
                    terminal: AcceptTerminal(uuid: "SPm20 1", displayName: "SPm20 1", model: "SPm20"),
                    profile: profile,
                    open: { () async throws(LinkError) in
                        guard !isAway else { throw LinkError(.notFound, link: "test", "away") }
                        await simulator.open()
                        return SPm20Link(simulator, connection: nil)
                    },
                    connect: { (_, _) async throws(LinkError) in
                        SPm20Link(simulator, connection: await simulator.connect())
                    })
            ], journal: notes, clock: clock, date: Self.date)
        service = PaymentService(
            host: AcceptWire.profile, wire: AcceptWire(), client: accept.paymentClient, journal: journal,
            policy: terminals.policy(Accept.paymentPolicy), otherHost: terminals, clock: clock, date: Self.date,
            reader: accept.reader)
        accept.use(service)
        accept.use(AcceptTerminalGroup([ScriptedTerminals(chip()), terminals]))
        try await service.start()
        token = try await accept.requestAccessToken(
            "till-1", password: secret("till-1-password"), config: ConfigurationTests.backend
        ).accessToken
    }

    func config(_ hundredths: AcceptHundredths = 6000, _ name: String = "A1") -> AcceptPaymentConfig {
        AcceptPaymentConfig(
            vendorUUID: AcceptSpireVendorUUID, terminalUUID: "SPm20 1", backendConfig: ConfigurationTests.backend,
            basket: AcceptBasket(
                currencyAsISO4217Code: "EUR", items: [AcceptBasketItem(grossPrice: hundredths)],
                transactionUniqueId: name),
            accessToken: token)
    }

    func operate(_ operation: AcceptOperationOnPayment) async throws(AcceptError) -> AcceptTransaction {
        try await accept.requestOperationOnPaymentWithID(
            "A1", andAccessToken: token, config: ConfigurationTests.backend, operation: operation)
    }

    /// Runs a body, and moves the clock over short waits in that time.
    /// - Parameters:
    ///   - longest: the longest wait that the clock is moved over. Default: 1 s, pauses of the link. The terminal is served for
    ///     longer.
    ///   - body: the body.
    /// - Returns: the result of the body.
    /// - Throws: the error of the body.
    func drive<Value: Sendable>(
        longest: Duration = .seconds(1), _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let isOver = Lock(false)
        let task = Task {
            defer { isOver.withLock { $0 = true } }
            return try await body()
        }
        while !isOver.withLock({ $0 }) {
            await Task.yield()
            guard let next = clock.nextDeadline else { continue }
            let wait = clock.now.duration(to: next)
            if wait <= longest { clock.advance(by: max(wait, .zero)) }
        }
        return try await task.value
    }

    func close() async { await terminals.close() }
}

/// A simulated SPm20 and its host. Its time is its own: its steps of the next seconds follow each message at once.
actor SPm20Simulator {
    private var reader: SimulatedReader
    private var host: TerminalHost
    private var now = Duration.zero
    private var lastConnection = 0
    /// The method after which the program receives nothing any more; nil if it receives all.
    private var lastMethod: String?
    private var isSilent = false
    private let change = AsyncSignal()

    /// Longer than a cardholder takes for anything, and shorter than the terminal's own limits.
    private static let horizon = Duration.seconds(6)

    init(_ hundredths: UInt64) throws {
        let parts = try ReaderParts.parts(hundredths)
        reader = SimulatedReader(parts.spm20(PlainIssuerCryptography()))
        host = TerminalHost(parts.issuer)
    }

    var refunds: Int { terminal?.refunds.count ?? -1 }
    var sales: Int { terminal.map { $0.approvals.count - $0.refunds.count } ?? -1 }

    private var terminal: JSONPOSTerminal<PlainIssuerCryptography>? {
        reader.model(as: JSONPOSTerminal<PlainIssuerCryptography>.self)
    }

    /// Waits until the terminal has delivered all messages to its host.
    /// - Returns: the money that cardholders owe, by the books of the host.
    func settledSum() async -> UInt64 {
        while true {
            let seen = change.count
            if terminal?.isSettled == true, host.issuer.ledger.held == 0 { return host.issuer.ledger.captured }
            await change.wait(after: seen)
        }
    }

    func connect() -> Int {
        lastConnection += 1
        return lastConnection
    }

    /// Has the terminal stay silent from a method on, until its link is opened again.
    func silence(after method: String) { lastMethod = method }

    /// Waits until the terminal is silent.
    func silent() async {
        while !isSilent {
            let seen = change.count
            if isSilent { return }
            await change.wait(after: seen)
        }
    }

    func open() { isSilent = false }

    /// The messages of the terminal after bytes of the program.
    func answer(_ bytes: [UInt8]) -> [[UInt8]] {
        if let lastMethod, String(decoding: bytes, as: UTF8.self).contains("\"\(lastMethod)\"") {
            self.lastMethod = nil
            isSilent = true
            change.send()
        }
        reader.receive(bytes.span, at: now)
        let end = now + Self.horizon
        var messages: [[UInt8]] = []
        while let next = reader.nextDeadline, next <= end {
            now = max(now, next)
            for case .send(let message) in reader.advance(to: now) { messages.append(message) }
        }
        change.send()
        return isSilent ? [] : messages
    }

    /// The messages of the host after bytes of the terminal.
    func answer(_ bytes: [UInt8], from connection: Int) -> [[UInt8]] {
        host.receive(bytes, from: connection, at: now)
        var messages: [[UInt8]] = []
        while let next = host.nextDeadline {
            for case .send(let message, connection) in host.advance(to: next) { messages.append(message) }
        }
        change.send()
        return messages
    }
}

/// A link to a simulated SPm20, or a connection to its host.
private struct SPm20Link: Transport {
    let link: LinkName
    private let simulator: SPm20Simulator
    private let connection: Int?
    private let (near, far): (MemoryLink, MemoryLink)

    init(_ simulator: SPm20Simulator, connection: Int?) {
        guard let link = try? LinkName(parsing: "tcp:localhost:1") else { preconditionFailure("a name") }
        self.link = link
        (self.simulator, self.connection) = (simulator, connection)
        (near, far) = MemoryLink.pair(link: link)
    }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { try await near.receive(take) }

    func send(_ bytes: [UInt8]) async throws(LinkError) {
        let messages: [[UInt8]]
        if let connection {
            messages = await simulator.answer(bytes, from: connection)
        } else {
            messages = await simulator.answer(bytes)
        }
        for message in messages { try await far.send(message) }
    }

    func endSending() async throws(LinkError) {}

    func close() async { await near.close() }
}

/// A journal in which the next notes of a first refund cannot be written.
final class FailingNotes: JournalStore {
    private let journal: MemoryJournal
    private let state = Lock((left: 0, failures: 0))

    init(_ journal: MemoryJournal) { self.journal = journal }

    var failures: Int { state.withLock { $0.failures } }

    func fail(_ count: Int) { state.withLock { $0.left = count } }

    func writeNote(_ text: String, named name: String) async throws(JournalError) {
        let fails = state.withLock { state in
            guard state.left > 0, SPm20Note(text).refunds == 1 else { return false }
            (state.left, state.failures) = (state.left - 1, state.failures + 1)
            return true
        }
        if fails { throw JournalError(.full, "There is no room, as the test wants it.") }
        try await journal.writeNote(text, named: name)
    }

    func note(named name: String) async throws(JournalError) -> String? { try await journal.note(named: name) }
    func write(_ record: AttemptRecord) async throws(JournalError) { try await journal.write(record) }
    func neededRecords() async throws(JournalError) -> NeededRecords { try await journal.neededRecords() }
    func record(of attempt: AttemptIdentifier) async throws(JournalError) -> AttemptRecord? {
        try await journal.record(of: attempt)
    }
    func records(of sale: SaleIdentifier) async throws(JournalError) -> [AttemptRecord] {
        try await journal.records(of: sale)
    }
}
