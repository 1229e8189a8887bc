import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandboxTestSupport
import Testing

@testable import Accept
@testable import JackdawSimulator

/// A sale at a simulated SPm20 with a virtual card, and at the terminal's own host, in virtual time: the machines without
/// their shells. The link is lost, and the program is killed, at any message.
final class SPm20World {
    struct Plan: Sendable {
        var amount: UInt64 = 6000
        /// The flow's limit for the whole payment; nil for that of the profile.
        var limit: Duration?
        /// Whether a lost refund that `Check` does not find is sent again.
        var repeatsRefunds = true
        var faults: [JackdawSimulator.PlannedFault] = []
        /// The numbers of the messages before which the link is lost.
        var losses: Set<Int> = []
        /// The number of the message before which the program is killed; nil for none.
        var killed: Int?
        /// The step at which the merchant cancels; nil for none.
        var cancelled: AcceptStateUpdate?
        /// Whether the merchant takes the approved payment back.
        var isReversed = false
    }

    private typealias Terminal = JSONPOSTerminal<PlainIssuerCryptography>

    private let plan: Plan
    private let journal = MemoryJournal()
    private let request: AttemptRequest
    private let transaction: KernelTransaction
    private let numbers: SPm20Numbers
    private let settings: JSONPOSPaymentSettings
    private let policy: PaymentPolicy
    private var desk: PaymentDesk
    private var pay = AcceptPayMachine(exclusion: nil, entries: [.chip, .swipe], hasOwnHost: true)
    private var payment: SPm20Payment?
    private var reader: SimulatedReader
    private var host: TerminalHost
    private var connections: Set<Int> = []
    private var isLinked = true
    /// The time at which the link is open again.
    private var linkTime: Duration?
    private var now = Duration.zero
    private var queue: [DeskEvent] = []
    private var purchases: [Int] = []
    private var reversals: [Int] = []
    private var note = SPm20Note()
    private var isKilled = false
    private var isReversalAsked = false

    /// The steps that the user sees.
    private(set) var steps: [AcceptStateUpdate] = []
    /// The end of the payment; nil before it, and if the program was killed.
    private(set) var end: (report: AttemptReport, error: AcceptError?)?
    /// The messages between program and terminal.
    private(set) var messages = 0
    /// Whether the terminal has money against the journal.
    private(set) var isContradicted = false
    /// The events of the payment flow.
    private(set) var flow: [PaymentEvent] = []

    private static let date = RecordedTime(seconds: 1_453_992_427, offset: 60)
    /// The time until a lost link is open again.
    private static let linkDelay = Duration.seconds(3)

    init(_ plan: Plan = Plan()) throws {
        self.plan = plan
        let parts = try ReaderParts.parts(plan.amount)
        transaction = parts.transaction
        var settings = JSONPOSPaymentSettings()
        settings.repeatsLostRefunds = plan.repeatsRefunds
        self.settings = settings
        numbers = SPm20Numbers(of: attempt("A1"), refundOffset: settings.refundOffset)
        let request = try ReaderParts.request(plan.amount)
        self.request = try AttemptRequest(
            sale: request.sale, kind: request.kind, amount: request.amount,
            details: [SPm20Place.detail(of: "SPm20", AcceptSpireVendorUUID)])
        var policy = Accept.paymentPolicy
        policy.limits.host = plan.limit ?? settings.limit
        self.policy = policy
        desk = PaymentDesk(host: AcceptWire.profile, policy: policy)
        payment = SPm20Payment(transaction, numbers, settings, entries: [.chip, .swipe])
        reader = SimulatedReader(parts.spm20(PlainIssuerCryptography()), faults: plan.faults)
        host = TerminalHost(parts.issuer)
    }

    var record: AttemptRecord? { try? journal.recordNow(of: attempt("A1")) }
    /// The payment in the books of the terminal's host.
    var entry: IssuerLedger.Entry? { host.issuer.ledger["\(numbers.receipt)-\(numbers.sequence)"] }
    private var terminal: Terminal? { reader.model(as: Terminal.self) }
    /// The payments that the terminal has approved, less those that it has given back.
    var sales: Int { terminal.map { $0.approvals.count - $0.refunds.count } ?? 0 }
    var refunds: Int { terminal?.refunds.count ?? 0 }

    // MARK: the course

    /// Pays, until nothing remains, and then has the terminal deliver its messages to its host.
    func run() {
        desk.flowSteps = []
        carryOut(desk.start(with: [], at: now, on: Self.date))
        queue.append(.begin(request, identifier: attempt("A1"), call: 1))
        // Far more steps than any payment has.
        for _ in 0..<20_000 {
            if !queue.isEmpty {
                let event = queue.removeFirst()
                carryOut(desk.receive(event, at: now, on: Self.date))
            } else if isAtEnd {
                guard plan.isReversed, !isReversalAsked, record?.state == .approved else { break }
                isReversalAsked = true
                queue.append(.reverse(attempt("A1"), of: request.sale, call: 2))
            } else {
                guard let next = nextDeadline else { break }
                now = max(now, next)
                advance()
            }
        }
        serve()
    }

    private var isAtEnd: Bool { (end != nil || isKilled) && desk.unfinished.isEmpty && (payment?.isOver ?? true) }

    private var nextDeadline: Duration? {
        [desk.nextDeadline, payment?.nextDeadline, reader.nextDeadline, host.nextDeadline, linkTime]
            .compactMap(\.self).min()
    }

    private func advance() {
        if let time = linkTime, time <= now {
            (linkTime, isLinked) = (nil, true)
            reader.reconnect()
            apply(payment?.linkOpened(at: now))
        }
        if let deadline = desk.nextDeadline, deadline <= now { queue.append(.timer) }
        apply(payment?.advance(to: now))
        for output in host.advance(to: now) {
            switch output {
            case .send(let bytes, let connection):
                if connections.contains(connection) { apply(payment?.receive(bytes, from: connection, at: now)) }
            case .close(let connection):
                close(connection)
                apply(payment?.closed(connection, reason: "closed", at: now))
            }
        }
        for output in reader.advance(to: now) {
            switch output {
            case .send(let bytes):
                guard isLinked, !interfere() else { continue }
                apply(payment?.receive(bytes.span, at: now))
            case .disconnect: lose()
            }
        }
    }

    /// Counts a message between program and terminal.
    /// - Returns: whether the message is lost, with the link or the program.
    private func interfere() -> Bool {
        messages += 1
        if plan.losses.contains(messages) { lose() }
        if plan.killed == messages { kill() }
        return !isLinked
    }

    private func lose() {
        guard isLinked else { return }
        isLinked = false
        apply(payment?.linkLost(at: now))
    }

    /// Kills the program, and starts it again: the journal and its notes alone stay.
    private func kill() {
        isKilled = true
        payment = nil
        (isLinked, linkTime, queue, purchases, reversals) = (false, nil, [], [], [])
        for connection in connections.sorted() { close(connection) }
        desk = PaymentDesk(host: AcceptWire.profile, policy: policy)
        carryOut(desk.start(with: (try? journal.all { $0.isNeeded }) ?? [], at: now, on: Self.date))
    }

    private func close(_ connection: Int) {
        connections.remove(connection)
        host.close(connection)
    }

    /// A later payment serves the terminal, which delivers what is left.
    private func serve() {
        var driver = JSONPOSPayment(transaction, settings)
        reader.reconnect()
        func take(_ outputs: [JSONPOSPayment.Output]) {
            for output in outputs {
                switch output {
                case .send(let bytes): reader.receive(bytes.span, at: now)
                case .tunnel(.connect(let connection, _, _)):
                    connections.insert(connection)
                    take(driver.opened(connection))
                case .tunnel(.send(let connection, let bytes)): host.receive(bytes, from: connection, at: now)
                case .tunnel(.disconnect(let connection)): close(connection)
                default: break
                }
            }
        }
        take(driver.recover(isReversed: false, refunds: 0, restarts: 99, at: now))
        for _ in 0..<20_000 {
            guard terminal?.isSettled != true || entry?.held != 0,
                let next = [driver.nextDeadline, reader.nextDeadline, host.nextDeadline].compactMap(\.self).min()
            else { return }
            now = max(now, next)
            take(driver.advance(to: now))
            for output in host.advance(to: now) {
                switch output {
                case .send(let bytes, let connection): take(driver.receive(bytes, from: connection))
                case .close(let connection):
                    close(connection)
                    take(driver.closed(connection, reason: "closed"))
                }
            }
            for case .send(let bytes) in reader.advance(to: now) { take(driver.receive(bytes.span, at: now)) }
        }
    }

    // MARK: effects of the machines

    private func apply(_ outputs: [SPm20Payment.Output]?) {
        for output in outputs ?? [] {
            switch output {
            case .send(let bytes):
                guard isLinked, !interfere() else { continue }
                reader.receive(bytes.span, at: now)
            case .tunnel(.connect(let connection, _, _)):
                connections.insert(connection)
                apply(payment?.opened(connection, at: now))
            case .tunnel(.send(let connection, let bytes)):
                if connections.contains(connection) { host.receive(bytes, from: connection, at: now) }
            case .tunnel(.disconnect(let connection)): close(connection)
            case .openLink: linkTime = now + Self.linkDelay
            case .noteRefund(let number):
                note.refunds = number
                apply(payment?.refundNoted(at: now))
            case .event(let event): if !isKilled { carryOut(pay.receive(.terminal(event))) }
            case .decided(let reply):
                for effect in purchases { answer(reply, effect) }
                purchases = []
            case .reversed(let reply):
                for effect in reversals { answer(.success(reply), effect) }
                reversals = []
            case .attention: isContradicted = true
            }
        }
    }

    private func answer(_ reply: Result<HostReply, HostFailure>, _ effect: Int) {
        switch reply {
        case .success(let reply): queue.append(.answered(reply, effect: effect))
        case .failure(let failure): queue.append(.unanswered(failure, effect: effect))
        }
    }

    private func ask(_ request: HostRequest, _ effect: Int) {
        switch request.operation {
        case .authorise:
            purchases.append(effect)
            apply(payment?.purchase(at: now))
        case .reverse:
            reversals.append(effect)
            if payment?.isOver ?? true {
                note.restarts += 1
                isLinked = false
                payment = SPm20Payment(
                    reversing: transaction, numbers, settings, SPm20Payment.Recovery(request, note), at: now)
            } else {
                apply(payment?.reverse(at: now))
            }
        default: answer(.success(.refused(ReasonText("no such request"))), effect)
        }
    }

    private func carryOut(_ effects: [DeskEffect]) {
        for step in desk.flowSteps ?? [] { if case .event(let event, _) = step.cause { flow.append(event) } }
        desk.flowSteps = isKilled ? nil : []
        let wasKilled = isKilled
        for effect in effects where wasKilled == isKilled {
            let number = effect.identifier
            switch effect.action {
            case .lookUp: queue.append(.found(record.map { [$0] } ?? [], effect: number))
            case .write(let record):
                try? journal.writeNow(record)
                queue.append(.written(effect: number))
            case .ask(let request): ask(request, number)
            case .reader(_, let task, let forCard):
                if !isKilled { carryOut(pay.receive(.task(task, forCard: forCard))) }
            case .report(let report): if !isKilled { carryOut(pay.receive(.report(report))) }
            case .mintIdentifier, .accepted, .refused, .ignored: break
            }
        }
    }

    private func carryOut(_ effects: [AcceptPayEffect]) {
        for effect in effects {
            switch effect {
            case .progress(let step):
                steps.append(step)
                if plan.cancelled == step { carryOut(pay.receive(.cancel)) }
            case .carryOut(let effect, _): apply(payment?.carryOut(effect, at: now))
            case .send(let event, let answered, let sealed):
                queue.append(.payment(attempt("A1"), event, answering: answered, sealed: sealed))
            case .end(let report, let error, _):
                end = (report, error)
                apply(payment?.close(at: now))
            default: break
            }
        }
    }
}
