import Accept
import JackdawEMV
import JackdawPayments
import JackdawSandbox
import JackdawSimulator

/// A rule that a run has broken.
package struct SoakViolation: Sendable, Hashable {
    /// The rule. Raw values are the names in reports.
    package enum Rule: String, Sendable, Hashable, CaseIterable {
        /// Something left before its record was durable.
        case leftBeforeDurable = "left-before-durable"
        /// A request left in a state that does not allow it.
        case leftInWrongState = "left-in-wrong-state"
        /// A request has another content than the record of its identifier.
        case otherRequest = "other-request"
        /// Two messages of the queue were at the host.
        case twoDrains = "two-drains"
        /// A decline was reversed.
        case declineReversed = "decline-reversed"
        /// A report came before it was durable.
        case reportedBeforeWritten = "reported-before-written"
        /// A call was answered with an attempt of another request.
        case otherCall = "other-call"
        /// A payment or an operation of Accept ended with an error although it is done, or without one although it is not.
        case otherEnd = "other-end"
        /// Payments without the host exceed their limits.
        case offlineLimits = "offline-limits"
        /// Two payments of a sale are booked.
        case doubled
        /// The till says that money moves, and the host has not booked it.
        case lost
        /// The till says that no money moves, and the host has booked it.
        case bookedUnpaid = "booked-unpaid"
        /// An attempt has no end.
        case inDoubt = "in-doubt"
        /// An attempt needs attention without a reason that the host gave.
        case attentionWithoutRefusal = "attention-without-refusal"
        /// An attempt that needs attention is not listed.
        case attentionNotListed = "attention-not-listed"
        /// The till says approved, and the card did not approve.
        case cardDisagrees = "card-disagrees"
        /// The host's books and the issuer's ledger do not agree.
        case issuerDisagrees = "issuer-disagrees"
        /// Records cannot be read, or are not what was written.
        case unreadable
        /// A step took no time, again and again.
        case stuck
    }

    /// The rule that was broken.
    package let rule: Rule
    /// The time since the start.
    package let time: Duration
    /// The attempt; nil if the violation is about none.
    package let attempt: String?
    /// The facts, for people.
    package let message: String
}

extension SoakViolation: CustomStringConvertible {
    /// The rule, the time in seconds, the attempt and the facts.
    package var description: String {
        let about = attempt.map { " of attempt \($0)" } ?? ""
        return "\(rule.rawValue) at \(time.components.seconds) s\(about): \(message)"
    }
}

/// Watches a run from outside: what leaves the till, what it writes and reports, and what the host has booked.
struct SoakChecker {
    private(set) var violation: SoakViolation?
    private var now = Duration.zero
    /// The attempts whose explicit decline this process of the till has.
    private var declined: Set<AttemptIdentifier> = []
    /// The messages of the queue that this process has at the host: effect and time.
    private var open: [(effect: Int, sent: Duration)] = []
    /// The attempts about which the host has refused a message of the queue.
    private var refused: Set<AttemptIdentifier> = []
    /// The amounts of the payments without the host that it has not received.
    private var offline: [AttemptIdentifier: UInt64] = [:]
    private let limits: OfflineLimits

    init(_ limits: OfflineLimits) { self.limits = limits }

    mutating func begin(at now: Duration) { self.now = now }

    mutating func fail(_ rule: SoakViolation.Rule, _ attempt: AttemptIdentifier?, _ message: String) {
        guard violation == nil else { return }
        violation = SoakViolation(rule: rule, time: now, attempt: attempt?.rawValue, message: message)
    }

    /// The till's program was killed.
    mutating func restart() { (declined, open) = ([], []) }

    // MARK: requests and effects that leave

    /// A request leaves the till.
    mutating func check(
        _ request: HostRequest, effect: Int, _ disk: SoakDisk, at time: Duration, limit: Duration
    ) {
        let attempt = request.attempt
        guard let record = disk[attempt] else {
            return fail(
                .leftBeforeDurable, attempt, "\(request.operation.rawValue) with an identifier that no record has")
        }
        if !record.request.isEqual(to: request.request) {
            fail(.otherRequest, attempt, "\(request.operation.rawValue) with another request")
        }
        let allowed: Set<AttemptState> =
            switch request.operation {
            case .authorise, .capture, .refund: [.asked]
            case .reverse, .enquire: [.unknown, .reversing]
            case .complete, .advise, .sign: [.approved]
            }
        if !allowed.contains(record.state) {
            fail(.leftInWrongState, attempt, "\(request.operation.rawValue) in the state \(record.state.rawValue)")
        }
        if request.operation == .reverse, declined.contains(attempt) {
            fail(.declineReversed, attempt, "the host has declined it")
        }
        guard request.operation.isQueued else { return }
        open.removeAll { time - $0.sent >= limit }
        if !open.isEmpty { fail(.twoDrains, attempt, "\(request.operation.rawValue) beside another message") }
        open.append((effect, time))
    }

    /// An effect for the reader leaves.
    mutating func check(reader attempt: AttemptIdentifier, _ disk: SoakDisk) {
        if disk[attempt] == nil { fail(.leftBeforeDurable, attempt, "the reader is used, and no record has it") }
    }

    /// The desk receives the result of a request.
    mutating func hear(_ reply: HostReply?, _ failure: HostFailure?, to request: HostRequest, effect: Int) {
        open.removeAll { $0.effect == effect }
        // A message that the wire cannot express is refused by the wire.
        if failure?.code == .notWritable { refused.insert(request.attempt) }
        switch reply {
        case .declined where request.operation == .authorise: declined.insert(request.attempt)
        case .declined, .refused, .notFound, .status(.declined), .status(.reversed), .status(.otherPayment):
            if request.operation.isQueued { refused.insert(request.attempt) }
        default: break
        }
    }

    // MARK: reports to the merchant

    mutating func check(_ report: AttemptReport, _ disk: SoakDisk) {
        guard let record = disk[report.attempt] else {
            return fail(.reportedBeforeWritten, report.attempt, "\(report.state.rawValue), and no record has it")
        }
        if record.state != report.state || record.flow?.outcome != report.outcome {
            fail(
                .reportedBeforeWritten, report.attempt,
                "\(report.state.rawValue) is reported, and \(record.state.rawValue) is durable")
        }
    }

    /// A call is answered. A later state may be durable already, if its write failed and was done nevertheless.
    mutating func check(_ report: AttemptReport, call request: AttemptRequest?, _ disk: SoakDisk) {
        guard let record = disk[report.attempt] else {
            return fail(.reportedBeforeWritten, report.attempt, "a call is answered, and no record has the attempt")
        }
        if disk.states[report.attempt]?.contains(report.state) != true {
            fail(.reportedBeforeWritten, report.attempt, "\(report.state.rawValue) was never durable")
        }
        if let request, !request.isEqual(to: record.request) {
            fail(.otherCall, report.attempt, "the call has another request")
        }
    }

    /// A payment of Accept has ended.
    mutating func check(_ report: AttemptReport, _ error: AcceptError?) {
        let isApproved = report.outcome?.isApproved == true && report.state == .approved
        guard (error == nil) != isApproved else { return }
        fail(
            .otherEnd, report.attempt,
            "\(report.outcome?.rawValue ?? "no outcome"), and \(error?.code.name ?? "no error")")
    }

    /// An operation of Accept has ended: a capture or a refund, whose attempt the desk has reported last, or the reversal of a
    /// payment. Without a report the desk has nothing of it.
    mutating func check(_ known: AttemptReport?, isReversal: Bool, _ error: AcceptError?) {
        let isDone =
            switch known?.state {
            case .approved: !isReversal
            case .reversed, .failed: isReversal
            default: false
            }
        guard (error == nil) != isDone else { return }
        fail(
            .otherEnd, known?.attempt, "\(known?.state.rawValue ?? "no attempt"), and \(error?.code.name ?? "no error")"
        )
    }

    // MARK: money at the host

    /// A record is durable. A payment that the host has booked is no longer without it, although a full disk may keep
    /// the till from writing so.
    mutating func note(_ record: AttemptRecord, _ host: SoakHost) {
        for attempt in offline.keys where host.payment(attempt) != nil { offline[attempt] = nil }
        guard record.delivery?.purpose == .advice, host.payment(record.identifier) == nil else {
            offline[record.identifier] = nil
            return
        }
        let amount = record.request.amount.minorUnits
        offline[record.identifier] = amount
        let total = offline.values.reduce(0, +)
        if amount > limits.floor || offline.count > limits.count || total > limits.total {
            fail(.offlineLimits, record.identifier, "\(offline.count) payments of \(total) without the host")
        }
    }

    /// The host may have changed its books about an attempt: never two payments of a sale.
    mutating func check(books attempt: AttemptIdentifier, _ host: SoakHost, _ disk: SoakDisk) {
        guard let record = disk[attempt], record.request.kind.paysSale, case .booked = host.booking(attempt) else {
            return
        }
        for other in disk.attempts(of: record.request.sale) where other != attempt {
            guard disk[other]?.request.kind.paysSale == true, case .booked = host.booking(other) else { continue }
            fail(.doubled, attempt, "attempt \(other) of the sale is booked, too")
        }
        check(record, host, isLate: true)
    }

    /// A record that is final agrees with the host's books. While the run goes on (`isLate`), only money counts that
    /// should not be there.
    mutating func check(_ record: AttemptRecord, _ host: SoakHost, isLate: Bool) {
        guard record.state.isFinal, record.attention == nil else { return }
        let booking = host.booking(record.identifier)
        if record.state == .approved {
            guard !isLate, record.delivery?.purpose != .advice else { return }
            if booking != .booked(record.request.amount.minorUnits) {
                fail(.lost, record.identifier, "approved, and the host has \(booking)")
            }
        } else if case .booked = booking {
            fail(.bookedUnpaid, record.identifier, "\(record.state.rawValue), and the host has booked it")
        }
    }

    // MARK: the end of a run

    /// Nothing is lost, doubled or in doubt, and till, host and issuer agree.
    ///
    /// Before the last restart of the till, an attempt that never began may be open: its first write failed, and was durable
    /// nevertheless.
    mutating func checkEnd(_ desk: PaymentDesk?, _ disk: SoakDisk, _ host: SoakHost, isBeforeRestart: Bool) {
        let listed = Set((desk?.needingAttention ?? []).map(\.attempt))
        let running = Set((desk?.unfinished ?? []).map(\.attempt))
        for attempt in disk.attempts {
            guard let record = disk[attempt] else { continue }
            if record.state == .needsAttention {
                if !refused.contains(attempt) { fail(.attentionWithoutRefusal, attempt, "the host refused nothing") }
                if !listed.contains(attempt) { fail(.attentionNotListed, attempt, "the desk does not list it") }
                continue
            }
            if isBeforeRestart, disk.states[attempt] == [.open], !running.contains(attempt) { continue }
            if !record.state.isFinal || record.isDeliveryQueued || record.flow.map({ $0.outcome == nil }) == true {
                let facts = record.isDeliveryQueued ? ", and a message is queued" : ""
                fail(.inDoubt, attempt, "\(record.state.rawValue) at the end\(facts)")
            }
            check(record, host, isLate: false)
        }
        let ledger = host.sandbox.issuer.ledger
        for number in 1..<(host.sandbox.store.paymentCount + 1) {
            guard let payment = host.sandbox.store.payment(number) else { continue }
            let attempt = AttemptIdentifier(rawValue: payment.key.uniqueID)
            if attempt.flatMap({ disk[$0] }) == nil {
                fail(.leftBeforeDurable, attempt, "the host has a payment that no record has")
            }
            // The issuer has no part in cash.
            guard payment.facts.isApproved, !payment.isCash else { continue }
            guard let entry = ledger[payment.facts.issuerReference] else {
                fail(.issuerDisagrees, attempt, "the issuer does not know the payment")
                continue
            }
            let money = entry.held + entry.captured
            let isGone = payment.isReversed || payment.state == .refunded
            if isGone ? money != 0 : money != payment.facts.amount.minorUnits {
                fail(.issuerDisagrees, attempt, "\(payment.state.rawValue), and the issuer has \(money)")
            }
        }
    }
}

extension HostRequest.Operation {
    /// Whether a message of the queue asks for it.
    var isQueued: Bool {
        switch self {
        case .reverse, .enquire, .complete, .advise, .sign: true
        case .authorise, .capture, .refund: false
        }
    }
}

extension AttemptRequest {
    /// Whether all parts are equal, byte by byte.
    func isEqual(to other: AttemptRequest) -> Bool {
        sale == other.sale && kind == other.kind && amount == other.amount && details == other.details
    }
}
