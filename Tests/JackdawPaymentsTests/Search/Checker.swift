import JackdawEMV
import JackdawPayments

/// Watches a world from outside: what the desk sends, writes and reports, and what the host has booked.
struct Checker {
    /// A message of the queue that the desk has at the host.
    private struct Open: Hashable {
        let effect: Int
        let sent: Duration
    }

    private(set) var violation: String?
    /// The attempts of which the desk has heard an explicit decline since its start.
    private(set) var declined: Set<AttemptIdentifier> = []
    private var open: [Open] = []
    /// The states of each attempt that have been durable.
    private var durable: [AttemptIdentifier: Set<AttemptState>] = [:]

    mutating func fail(_ text: String) { if violation == nil { violation = text } }

    mutating func restart() { (declined, open) = ([], []) }

    /// A message has its answer, or was not sent.
    mutating func end(_ effect: Int) { open.removeAll { $0.effect == effect } }

    mutating func hear(_ answer: World.Answer) {
        end(answer.effect)
        if case .declined = answer.answer, answer.operation == .authorise { declined.insert(answer.attempt) }
    }

    /// A request leaves.
    mutating func check(
        _ request: HostRequest, effect: Int, _ store: [AttemptIdentifier: AttemptRecord], at now: Duration,
        _ host: HostProfile
    ) {
        guard let record = store[request.attempt] else {
            return fail("\(request.operation.rawValue) leaves with an identifier that is not durable")
        }
        if record.request.fingerprint != request.request.fingerprint { fail("another request for an identifier") }
        let allowed: Set<AttemptState> =
            switch request.operation {
            case .authorise, .capture, .refund: [.asked]
            case .reverse, .enquire: [.unknown, .reversing]
            case .complete, .advise, .sign: [.approved]
            }
        if !allowed.contains(record.state) {
            fail("\(request.operation.rawValue) leaves in the durable state \(record.state.rawValue)")
        }
        if request.operation == .reverse, declined.contains(request.attempt) { fail("a decline is reversed") }
        guard ![.authorise, .capture, .refund].contains(request.operation) else { return }
        open.removeAll { now - $0.sent >= host.answerLimit }
        if !open.isEmpty { fail("two messages of the queue are at the host") }
        open.append(Open(effect: effect, sent: now))
    }

    /// A record is durable.
    mutating func note(_ record: AttemptRecord) { durable[record.identifier, default: []].insert(record.state) }

    /// A report reaches the program.
    mutating func check(_ report: AttemptReport, _ store: [AttemptIdentifier: AttemptRecord]) {
        guard let record = store[report.attempt] else { return fail("a report of an attempt that is not durable") }
        if record.state != report.state || record.flow?.outcome != report.outcome {
            fail("\(report.state.rawValue) is reported, and \(record.state.rawValue) is durable")
        }
    }

    /// A call is answered. A later state may be durable already, if its write failed and was done nevertheless.
    mutating func check(
        _ report: AttemptReport, _ store: [AttemptIdentifier: AttemptRecord], call request: AttemptRequest?
    ) {
        guard let record = store[report.attempt] else { return fail("a report of an attempt that is not durable") }
        if durable[report.attempt]?.contains(report.state) != true {
            fail("\(report.state.rawValue) is reported, and was never durable")
        }
        if let request, request.fingerprint != record.request.fingerprint {
            fail("a call is answered with an attempt of another request")
        }
    }

    /// The host has changed its books: never two bookings that stand for a sale.
    mutating func check(_ host: ModelHost, _ store: [AttemptIdentifier: AttemptRecord]) {
        var sales: Set<SaleIdentifier> = []
        for (attempt, entry) in host.entries where entry == .booked {
            guard let record = store[attempt] else { return fail("a booking without a record") }
            if record.request.kind.needsCard, !sales.insert(record.request.sale).inserted {
                return fail("two bookings for sale \(record.request.sale)")
            }
        }
    }

    /// What is final in the journal is final at the host.
    mutating func check(_ world: World) {
        check(world.host, world.store)
        for record in world.store.values where record.state.isFinal {
            let entry = world.host.entries[record.identifier]
            if record.state == .approved {
                if entry != .booked, record.delivery?.purpose != .advice { fail("approved without a booking") }
                continue
            }
            if entry == .booked { fail("\(record.state.rawValue), and the host has booked") }
            if entry == .foreign, record.state == .reversed || record.state == .failed {
                fail("\(record.state.rawValue), and the identifier is another payment's")
            }
            let canStillBook = world.messages.contains {
                $0.request.attempt == record.identifier && $0.request.operation.canBook
                    && world.now - $0.sent < world.rules.host.requestLifetime
            }
            if canStillBook, entry == nil { fail("\(record.state.rawValue), and the host may still book") }
        }
    }
}
