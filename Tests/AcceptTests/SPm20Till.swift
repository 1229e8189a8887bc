import JackdawCards
import JackdawPayments
import JackdawReaders
import JackdawSandboxTestSupport
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import Accept
@testable import JackdawSimulator

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
    /// The payments that need a person, and the reasons.
    let attended = Lock<[String]>([])
    private let token: SecretText

    init(journal: MemoryJournal = MemoryJournal(), simulator: SPm20Simulator? = nil, isAway: Bool = false) async throws
    {
        let link = try SandboxLink(clock)
        (self.link, self.journal) = (link, journal)
        let simulator = try simulator ?? SPm20Simulator(6000)
        self.simulator = simulator
        let accept = Accept(clock: clock, date: Self.date) { _ throws(AcceptError) in link }
        self.accept = accept
        notes = FailingNotes(journal)
        terminals = AcceptSPm20Terminals(
            [try Self.terminal(simulator, isAway: isAway)], journal: notes, clock: clock, date: Self.date,
            attention: { [attended] attempt, reason in attended.withLock { $0.append("\(attempt): \(reason)") } })
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

    /// A simulated terminal for clocks that are moved over short waits alone.
    static func terminal(_ simulator: SPm20Simulator, isAway: Bool = false) throws -> AcceptSPm20Terminals.Terminal {
        // Longer than those waits.
        var profile = try #require(ReaderFamily.named("jsonpos")).simulatedProfile
        profile[.answer] = ProfileEntry("ms for an answer", .number(60_000), .unknown, "this test")
        return AcceptSPm20Terminals.Terminal(
            vendor: AcceptTerminalVendor(uuid: AcceptSpireVendorUUID, displayName: "Spire"),
            terminal: AcceptTerminal(uuid: "SPm20 1", displayName: "SPm20 1", model: "SPm20"), profile: profile,
            open: { () async throws(LinkError) in
                guard !isAway else { throw LinkError(.notFound, link: "test", "away") }
                await simulator.open()
                return SPm20Link(simulator, connection: nil)
            },
            connect: { (_, _) async throws(LinkError) in
                SPm20Link(simulator, connection: await simulator.connect())
            })
    }

    func config(_ hundredths: AcceptHundredths = 6000, _ name: String = "A1") -> AcceptPaymentConfig {
        AcceptPaymentConfig(
            vendorUUID: AcceptSpireVendorUUID, terminalUUID: "SPm20 1", backendConfig: ConfigurationTests.backend,
            basket: AcceptBasket(
                currencyAsISO4217Code: "EUR", items: [AcceptBasketItem(grossPrice: hundredths)],
                transactionUniqueId: name),
            accessToken: token)
    }

    func operate(
        _ operation: AcceptOperationOnPayment, _ name: String = "A1"
    ) async throws(AcceptError) -> AcceptTransaction {
        try await accept.requestOperationOnPaymentWithID(
            name, andAccessToken: token, config: ConfigurationTests.backend, operation: operation)
    }

    /// Runs a body, and moves the clock over short waits in that time: ``ManualClock/drive(longest:_:)``.
    func drive<Value: Sendable>(
        longest: Duration = .seconds(1), _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await clock.drive(longest: longest, body)
    }

    func close() async { await terminals.close() }
}

extension ManualClock {
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
            guard let next = nextDeadline else { continue }
            let wait = now.duration(to: next)
            if wait <= longest { advance(by: max(wait, .zero)) }
        }
        return try await task.value
    }
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
    /// Whether the terminal waits for its host, whose answer the program passes on: other messages of the program take it on
    /// by the time of an answer alone, so that they do not bring it to its limit.
    private var isHostAwaited = false
    private let change = AsyncSignal()

    /// Longer than a cardholder takes for anything, and shorter than the terminal's own limits.
    private static let horizon = Duration.seconds(6)
    /// Longer than the terminal takes for an answer.
    private static let answerHorizon = Duration.milliseconds(200)

    init(_ hundredths: UInt64, faults: [JackdawSimulator.PlannedFault] = []) throws {
        let parts = try ReaderParts.parts(hundredths)
        reader = SimulatedReader(parts.spm20(PlainIssuerCryptography()), faults: faults)
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

    func open() { (isSilent, isHostAwaited) = (false, false) }

    /// The messages of the terminal after bytes of the program.
    func answer(_ bytes: [UInt8]) -> [[UInt8]] {
        if let lastMethod, String(decoding: bytes, as: UTF8.self).contains("\"\(lastMethod)\"") {
            self.lastMethod = nil
            isSilent = true
            change.send()
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let isAnswer = ["\"Data\"", "\"NetworkDisconnected\"", "\"error\""].contains { text.contains($0) }
        if isAnswer { isHostAwaited = false }
        reader.receive(bytes.span, at: now)
        var messages: [[UInt8]] = []
        var end = now + (isHostAwaited ? Self.answerHorizon : Self.horizon)
        while let next = reader.nextDeadline, next <= end {
            now = max(now, next)
            for case .send(let message) in reader.advance(to: now) {
                messages.append(message)
                guard String(decoding: message, as: UTF8.self).contains("\"NetworkConnect\"") else { continue }
                isHostAwaited = true
                end = now + Self.answerHorizon
            }
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
    func removeNote(named name: String) async throws(JournalError) { try await journal.removeNote(named: name) }
    func write(_ record: AttemptRecord) async throws(JournalError) { try await journal.write(record) }
    func neededRecords() async throws(JournalError) -> NeededRecords { try await journal.neededRecords() }
    func record(of attempt: AttemptIdentifier) async throws(JournalError) -> AttemptRecord? {
        try await journal.record(of: attempt)
    }
    func records(of sale: SaleIdentifier) async throws(JournalError) -> [AttemptRecord] {
        try await journal.records(of: sale)
    }
}
