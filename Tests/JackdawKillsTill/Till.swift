#if Payments
import Accept
import Glibc
import JackdawBytes
import JackdawConsole
import JackdawEMV
import JackdawHTTP
import JackdawPayments
import JackdawReaders
import JackdawSimulator
import JackdawSoak
import JackdawStore
import JackdawSystem
import JackdawTransport

/// An error that ends the till.
struct TillError: Error, CustomStringConvertible {
    /// The status of the process.
    enum Status: Int32 {
        /// The desk did other than the scenario expects.
        case unexpected = 2
        /// An attempt has not come to its end in time.
        case inDoubt = 3
        /// The till cannot work at all.
        case unusable = 4
    }

    let status: Status
    let description: String

    init(_ status: Status, _ description: String) {
        self.status = status
        self.description = description
    }
}

/// A small till: a merchant's program with readers, cards, the journal in SQLite, and the connection to the sandbox.
actor Till {
    /// The arguments of a run.
    struct Options: Sendable {
        var scenario = ""
        var journal = ""
        var host = ""
        var authority = ""
        var folder = "."
        /// The beginning of all identifiers of the run.
        var tag = "kills"
        var counter = 0
        var callback = ""
        /// Whether an earlier run was killed.
        var isRecovery = false
        /// Whether the host may be killed, so that a step need not end as planned.
        var isPatient = false
        /// Whether the times of the host's answers are printed at the end.
        var showsTimes = false
    }

    private let scenario: Scenario
    private let options: Options
    private let journal: DatabaseJournal
    private let service: PaymentService
    private let readers: CardReaders
    private let client: FaultyClient
    private let clock = ElapsedClock(SuspendingClock())
    private let changed = AsyncSignal()
    private var reports: [AttemptIdentifier: AttemptReport] = [:]
    /// The attempts that began since the last wait for their ends.
    private var running: [AttemptIdentifier] = []
    /// The last payment, its request and its attempt.
    private var last: (payment: Scenario.Payment, request: AttemptRequest, attempt: AttemptIdentifier)?
    private var refunds = 0

    /// The longest time until something that must happen has happened.
    private static let patience = Duration.seconds(30)

    /// Opens the journal. The host is not asked yet.
    init(_ scenario: Scenario, _ options: Options) async throws {
        self.scenario = scenario
        self.options = options
        journal = try await DatabaseJournal.open(options.journal + "/journal.sqlite")
        var host = try HTTPHost(options.host)
        if !options.authority.isEmpty { host.authorities = .file(options.authority) }
        let faults = options.isRecovery ? [] : scenario.faults
        let client = FaultyClient(CurlClient(host), faults)
        self.client = client
        var policy = PaymentPolicy()
        policy.limits.host = scenario.hostLimit
        let readers = CardReaders(CardFiles(folder: options.folder, counter: options.counter))
        self.readers = readers
        let (tasks, continuation) = AsyncStream<ReaderTask>.makeStream()
        let wall = WallClock().now
        service = PaymentService(
            host: scenario.profile, wire: AcceptWire(reversals: scenario.reversals),
            client: AcceptClient(.ofSandbox, over: client), journal: journal,
            limits: OfflineLimits(currencyCode: 978, floor: 2_000, count: 10, total: 10_000), policy: policy,
            date: { RecordedTime(seconds: wall().components.seconds, offset: 60) },
            identifier: { [tag = options.tag] in .random(after: tag) }, reader: { continuation.yield($0) })
        // One task hands them over, so that they keep their order.
        Task { for await task in tasks { await readers.add(task) } }
    }

    /// Runs the scenario, or what is left of it, until all messages are delivered.
    func run() async throws {
        let stream = service.reports
        let listening = Task { for await report in stream { await note(report) } }
        let reading = Task { [service, readers] in
            do { try await readers.run(service) } catch {
                Self.show("error", ["reason": .text("\(error)")])
                exit(TillError.Status.unusable.rawValue)
            }
        }
        try await service.start()
        if options.isRecovery { try await recover() } else { try await play() }
        await service.shutDown()
        reading.cancel()
        listening.cancel()
        await journal.close()
        guard options.showsTimes else { return }
        Self.show("times", ["ms": .array(client.times.map { .number($0 / .milliseconds(1)) })])
    }

    private func play() async throws {
        for step in scenario.steps {
            do { try await play(step) } catch let error as TillError
                where options.isPatient && error.status == .unexpected
            {
                Self.show("unexpected", ["reason": .text(error.description)])
            }
        }
        try await settle()
    }

    private func play(_ step: Scenario.Step) async throws {
        switch step {
        case .begin(let payment): try await begin(payment)
        case .pay(let payment):
            try await begin(payment)
            try await finish()
        case .finish: try await finish()
        case .again(let code): try await mustRefuse(code, last?.request, nil)
        case .repeated:
            guard let last else { return }
            let report = try await service.begin(last.request, identifier: last.attempt)
            guard report.attempt == last.attempt else {
                throw TillError(.unexpected, "a repeated call began another attempt")
            }
        case .otherAmount:
            guard let last else { return }
            let other = try request(last.payment, amount: last.payment.amount + 1)
            try await mustRefuse(.identifierUsed, other, last.attempt)
        case .capture(let amount): try await capture(amount)
        case .refund(let amount): try await refund(amount)
        case .reverse: try await reverse()
        case .settle: try await settle()
        }
    }

    /// Goes on after a kill: first the queue, then the sales, which the customers pay if they have not yet.
    private func recover() async throws {
        try await settle()
        for step in scenario.steps {
            switch step {
            case .begin(let payment), .pay(let payment): try await payAgain(payment.bySwipe)
            case .capture(let amount): try await capture(amount)
            case .refund(let amount): try await refund(amount)
            case .reverse: try await reverse()
            case .finish, .again, .repeated, .otherAmount, .settle: break
            }
            try await settle()
        }
    }

    /// Has a sale paid. If the machine is busy, the host's answer may come after the scenario's time limit, so that the
    /// payment is reversed: the customer tries again.
    private func payAgain(_ payment: Scenario.Payment) async throws {
        for _ in 1...5 {
            try await begin(payment)
            try await finish()
            guard let last, reports[last.attempt]?.state != .approved else { return }
            try await settle()
            guard reports[last.attempt]?.state == .reversed else { return }
        }
    }

    // MARK: calls of the merchant

    private func request(_ payment: Scenario.Payment, amount: UInt64) throws -> AttemptRequest {
        try AttemptRequest(
            sale: sale(payment.sale), kind: payment.isAuthorisation ? .authorisation : .purchase, amount: euros(amount),
            details: scenario.hasCallback && !options.callback.isEmpty
                ? [AttemptDetail("callback_url", options.callback)] : [])
    }

    private func euros(_ amount: UInt64) -> Amount { Amount(minorUnits: amount, currencyCode: 978) }

    private func sale(_ name: String) throws -> SaleIdentifier {
        guard let sale = SaleIdentifier(rawValue: "\(options.tag)-\(name)") else {
            throw TillError(.unusable, "no sale has the name \(name)")
        }
        return sale
    }

    /// Begins a payment. After a kill the sale may be paid.
    private func begin(_ payment: Scenario.Payment) async throws {
        let request = try request(payment, amount: payment.amount)
        await readers.expect(payment.amount, payment.means)
        do throws(DeskRefusal) {
            let report = try await service.begin(request)
            begun(report)
            last = (payment, request, report.attempt)
            Self.show("begun", ["attempt": .text(report.attempt.rawValue)])
        } catch {
            await readers.expectNone()
            guard options.isRecovery, error.code == .salePaid, let paid = error.attempt else {
                throw TillError(.unexpected, "the payment is refused: \(error.code.name)")
            }
            last = (payment, request, paid)
        }
    }

    private func begun(_ report: AttemptReport) {
        running.append(report.attempt)
        // A report of the stream is newer; none comes of an attempt that was over before.
        if reports[report.attempt] == nil { reports[report.attempt] = report }
    }

    private func mustRefuse(
        _ code: DeskRefusal.Code, _ request: AttemptRequest?, _ identifier: AttemptIdentifier?
    ) async throws {
        guard let request else { return }
        let report: AttemptReport
        do throws(DeskRefusal) { report = try await service.begin(request, identifier: identifier) } catch {
            guard error.code == code else {
                throw TillError(.unexpected, "the refusal is \(error.code.name), not \(code.name)")
            }
            return
        }
        throw TillError(.unexpected, "attempt \(report.attempt) was not refused")
    }

    private func capture(_ amount: UInt64) async throws {
        guard let last else { return }
        let request = try AttemptRequest(
            sale: sale(last.payment.sale), kind: .capture(of: last.attempt), amount: euros(amount))
        do throws(DeskRefusal) { begun(try await service.begin(request)) } catch {
            guard options.isRecovery, error.code == .salePaid else {
                throw TillError(.unexpected, "the capture is refused: \(error.code.name)")
            }
        }
        try await finish()
    }

    /// Returns an amount. The merchant's program names each try, so that a repetition after a kill is the same one.
    private func refund(_ amount: UInt64) async throws {
        guard let last else { return }
        refunds += 1
        let request = try AttemptRequest(
            sale: sale(last.payment.sale), kind: .refund(of: last.attempt), amount: euros(amount))
        for number in 1...20 {
            let name = AttemptIdentifier(rawValue: "\(options.tag)-refund-\(refunds).\(number)")
            let report: AttemptReport
            do throws(DeskRefusal) { report = try await service.begin(request, identifier: name) } catch {
                throw TillError(.unexpected, "the refund is refused: \(error.code.name)")
            }
            // A try that failed in an earlier run; a new one that fails is repeated in the next run.
            if options.isRecovery, report.state == .failed { continue }
            begun(report)
            try await finish()
            return
        }
    }

    /// Takes the last payment back. After a kill it may have been reversed before.
    private func reverse() async throws {
        guard let last else { return }
        Self.show("takes-back", ["attempt": .text(last.attempt.rawValue)])
        do throws(DeskRefusal) { _ = try await service.reverse(last.attempt) } catch {
            guard options.isRecovery, error.code == .originalNotApproved else {
                throw TillError(.unexpected, "the reversal is refused: \(error.code.name)")
            }
        }
    }

    // MARK: waiting

    /// Waits until each attempt that began has ended for its customer.
    private func finish() async throws {
        try await wait("the end of a payment") {
            for attempt in running {
                guard let report = reports[attempt] else { return false }
                let isLeft = [.unknown, .reversing, .needsAttention].contains(report.state)
                // The flow of a card ends after the state of its attempt.
                guard isLeft || report.state.isFinal else { return false }
            }
            return true
        }
        running = []
    }

    /// Waits until no attempt is open or in doubt, and no message is queued.
    private func settle() async throws {
        let (end, service) = (clock.now() + Self.patience, service)
        while true {
            let seen = service.changes.count
            let open = await service.unfinished.filter { $0.state != .needsAttention }
            guard !open.isEmpty else { return }
            guard clock.now() < end else {
                throw TillError(.inDoubt, open.map { "\($0.attempt) \($0.state.rawValue)" }.joined(separator: ", "))
            }
            await service.changes.wait(after: seen, until: end, on: clock)
        }
    }

    private func wait(_ what: String, until isDone: () -> Bool) async throws {
        let end = clock.now() + Self.patience
        while true {
            let seen = changed.count
            if isDone() { return }
            guard clock.now() < end else { throw TillError(.inDoubt, what) }
            await changed.wait(after: seen, until: end, on: clock)
        }
    }

    /// What the merchant sees.
    private func note(_ report: AttemptReport) async {
        Self.show(
            "report", ["attempt": .text(report.attempt.rawValue), "state": .text(report.state.rawValue)])
        reports[report.attempt] = report
        if report.outcome != nil { await readers.close(report.attempt) }
        changed.send()
    }

    /// Prints an event at once: the next moment may be the last.
    static func show(_ event: String, _ members: [String: JSONValue]) {
        let line = JSONValue.object(members.merging(["event": .text(event)]) { $1 }).encoded()
        try? writeAll(line + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
    }
}

extension AttemptIdentifier {
    /// A random identifier with a beginning.
    fileprivate static func random(after tag: String) -> AttemptIdentifier {
        guard let identifier = AttemptIdentifier(rawValue: "\(tag)-\(AttemptIdentifier.random().rawValue.prefix(24))")
        else { preconditionFailure("the tag is too long") }
        return identifier
    }
}
#endif
