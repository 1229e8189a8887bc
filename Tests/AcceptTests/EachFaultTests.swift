import Accept
import JackdawEMV
import JackdawPayments
import JackdawSandbox
import JackdawSandboxTestSupport
import Testing

/// A till over the wire format, a login and a sandbox, in virtual time. It pays with one inserted card, and requests of one
/// operation meet a fault.
private struct FaultyTill {
    /// The part of a sale whose requests meet a fault.
    enum Place: String, CaseIterable, Sendable {
        case login, authorise, complete, advise, reverse, reversePayment, enquire, capture, refund

        /// The requests that meet the fault; nil for logins.
        var operation: HostRequest.Operation? {
            switch self {
            case .login: nil
            case .authorise: .authorise
            case .complete: .complete
            case .advise: .advise
            case .reverse, .reversePayment: .reverse
            case .enquire: .enquire
            case .capture: .capture
            case .refund: .refund
            }
        }
    }

    private(set) var records: [AttemptIdentifier: AttemptRecord] = [:]
    /// The time of each report, with its state.
    private(set) var reports: [(attempt: AttemptIdentifier, state: AttemptState, time: Duration)] = []
    /// The time at which the host was first asked about each attempt.
    private(set) var asked: [AttemptIdentifier: Duration] = [:]
    var accept: AcceptTill
    private var desk: PaymentDesk
    private var asks: [(effect: Int, request: HostRequest)] = []
    private let place: Place
    private let fault: String
    /// The requests that still meet the fault.
    private(set) var left: Int
    /// Whether the answer to the next refund is lost, so that the host is asked for its state.
    private var losesRefund: Bool
    /// The card's transaction counter.
    private var counter = 0

    init(_ place: Place, _ fault: String = "", times: Int = 0) throws {
        (self.place, self.fault, left) = (place, fault, times)
        losesRefund = place == .enquire
        accept = try AcceptTill()
        accept.wire = AcceptWire(reversals: place == .reversePayment ? .ofPayments : .ofIdentifiers)
        desk = PaymentDesk(host: AcceptWire.profile, limits: place == .advise ? Self.limits : .none)
        carryOut(desk.start(with: [], at: accept.fixture.now, on: date))
    }

    /// The limits of payments without the host.
    static let limits = OfflineLimits(currencyCode: 978, floor: 5000, count: 9, total: 90_000)

    private var date: RecordedTime { RecordedTime(seconds: accept.fixture.now.components.seconds, offset: 0) }

    mutating func begin(
        _ kind: AttemptKind, as name: String, _ amount: UInt64 = 1000, sale: String = "sale"
    ) throws {
        let request = try AttemptRequest(
            sale: SaleIdentifier(rawValue: sale)!, kind: kind, amount: Amount(minorUnits: amount, currencyCode: 978))
        send(.begin(request, identifier: attempt(name), call: 1))
    }

    private mutating func send(_ event: DeskEvent) {
        carryOut(desk.receive(event, at: accept.fixture.now, on: date))
    }

    private mutating func carryOut(_ effects: [DeskEffect]) {
        for effect in effects {
            let number = effect.identifier
            switch effect.action {
            case .mintIdentifier: send(.minted(attempt("M\(number)"), effect: number))
            case .lookUp(let name, let sale):
                let found = records.values.filter { $0.identifier == name || $0.request.sale == sale }
                send(.found(found.sorted(by: AttemptRecord.isInOrder), effect: number))
            case .write(let record):
                records[record.identifier] = record
                send(.written(effect: number))
            case .ask(let request): asks.append((number, request))
            case .reader(let name, let effect, _): read(name, effect)
            case .report(let report): reports.append((report.attempt, report.state, accept.fixture.now))
            case .accepted, .refused, .ignored: break
            }
        }
    }

    /// Carries out a task of the reader: the card is there, and agrees unless it must decline.
    private mutating func read(_ name: AttemptIdentifier, _ effect: PaymentEffect) {
        if effect.action == .processCard { counter += 1 }
        let event: PaymentEvent? =
            switch effect.action {
            case .prepare: .prepared
            case .acceptCard: .cardInserted
            case .processCard: place == .advise ? (desk.allowsOffline(name) ? .firstTC : .firstAAC) : .firstARQC
            case .completeCard(.approved): place == .reverse || place == .reversePayment ? .secondAAC : .secondTC
            case .completeCard: .secondAAC
            default: nil
            }
        guard let event else { return }
        let octets: HTTPBody =
            switch event {
            case .firstARQC: card(1000, counter: counter)
            case .firstTC, .secondTC: card(1000, counter: counter, type: 0x40)
            default: HTTPBody()
            }
        send(.payment(name, event, answering: effect.identifier, sealed: octets))
    }

    /// Goes on to a time, with all requests and time limits before it.
    mutating func run(until end: Duration) {
        while true {
            if !asks.isEmpty {
                ask(asks.removeFirst())
            } else if let deadline = desk.nextDeadline, deadline <= end {
                accept.fixture.now = max(accept.fixture.now, deadline)
                send(.timer)
            } else {
                break
            }
        }
        accept.fixture.now = max(accept.fixture.now, end)
    }

    private mutating func ask(_ entry: (effect: Int, request: HostRequest)) {
        let start = accept.fixture.now
        asked[entry.request.attempt] = asked[entry.request.attempt] ?? start
        if left > 0, place.operation == entry.request.operation || place == .login {
            left -= 1
            if place == .login { accept.loginFault = fault } else { accept.fault = fault }
        } else if losesRefund, entry.request.operation == .refund {
            losesRefund = false
            accept.fault = "silent-after"
        }
        let event: DeskEvent
        do throws(HostFailure) {
            event = .answered(
                try accept.ask(entry.request, limit: AcceptWire.profile.answerLimit), effect: entry.effect)
        } catch { event = .unanswered(error, effect: entry.effect) }
        // Time limits of the desk that came before the answer.
        let end = accept.fixture.now
        while let deadline = desk.nextDeadline, deadline < end {
            accept.fixture.now = max(start, deadline)
            send(.timer)
        }
        accept.fixture.now = end
        send(event)
    }

    /// The money of a payment that the merchant has by the host's books, in minor units: what is captured, without what
    /// was refunded or reversed.
    mutating func booked(_ name: AttemptIdentifier) -> Double {
        accept.fixture.logIn("till-2")
        return accept.fixture.status(name.rawValue).booked
    }
}

/// Each fault of the sandbox at each request of a till.
@Suite struct EachFaultTests {
    private static let faults = [
        "slow=1000", "slow=40000", "slow=200000", "silent-before", "silent-after", "garbled", "cut=0", "cut=17",
        "token-expired", "duplicate-id", "status=400", "status=401", "status=403", "status=404", "status=409",
        "status=413", "status=422", "status=429", "status=500", "status=503", "status-after=400",
        "status-after=404", "status-after=409", "status-after=422", "status-after=500", "status-after=503",
    ]

    /// A state that is reported to the program comes within the time limit of an authorisation, or of an answer. With the
    /// waits of the queue, all is settled some time after the fault's end, as the host has it.
    @Test(arguments: FaultyTill.Place.allCases, [1, 4])
    private func endsInTime(_ place: FaultyTill.Place, times: Int) throws {
        for fault in Self.faults {
            var till = try FaultyTill(place, fault, times: times)
            let start = till.accept.fixture.now
            try till.begin(place == .capture ? .authorisation : .purchase, as: "A1")
            till.run(until: start + .seconds(60))
            let last: AttemptIdentifier
            switch place {
            case .capture:
                last = attempt("B1")
                try till.begin(.capture(of: attempt("A1")), as: "B1", 600)
            case .refund, .enquire:
                last = attempt("B1")
                try till.begin(.refund(of: attempt("A1")), as: "B1", 400)
            default: last = attempt("A1")
            }
            let asked = till.accept.fixture.now
            till.run(until: asked + .seconds(46))
            let comment = Comment(rawValue: "\(place.rawValue), \(fault), \(times) times")
            // Something was reported about the request in its time limit.
            let limit = (till.asked[last] ?? asked) + .seconds(45)
            #expect(
                till.reports.contains { $0.attempt == last && $0.state != .asked && $0.time <= limit }, comment)
            till.run(until: asked + .seconds(3 * 3600))
            #expect(till.left < times, comment)
            for record in till.records.values {
                #expect(record.state.isFinal, comment)
                #expect(record.delivery == nil, comment)
            }
            func approved(_ name: String) -> Double {
                guard let record = till.records[attempt(name)], record.state == .approved else { return 0 }
                return Double(record.request.amount.minorUnits)
            }
            let expected = place == .capture ? approved("B1") : approved("A1") - approved("B1")
            #expect(till.booked(attempt("A1")) == expected, comment)
        }
    }

    /// The card approves as many payments as the limits allow, and declines the others. All are booked when the host can be
    /// reached again, and then payments without it are possible again.
    @Test private func paymentsOfADayWithoutTheHostAreDelivered() throws {
        var till = try FaultyTill(.advise)
        let start = till.accept.fixture.now
        let day = Duration.seconds(86_400)
        till.accept.firstConnection = start + day
        let count = FaultyTill.limits.count
        for hour in 0..<12 {
            till.run(until: start + .seconds(hour * 3600))
            try till.begin(.purchase, as: "A\(hour)", sale: "sale-\(hour)")
        }
        till.run(until: start + day)
        let approved = (0..<12).map { till.records[attempt("A\($0)")]?.state == .approved }
        #expect(approved == (0..<12).map { $0 < count })
        #expect(till.records.values.count { $0.delivery != nil } == count)
        #expect(till.accept.paths.isEmpty)
        till.run(until: start + day + .seconds(3 * 3600))
        for hour in 0..<12 {
            #expect(till.records[attempt("A\(hour)")]?.delivery == nil)
            #expect(till.booked(attempt("A\(hour)")) == (hour < count ? 1000 : 0))
        }
        try till.begin(.purchase, as: "B1", sale: "sale-12")
        till.run(until: start + day + .seconds(4 * 3600))
        #expect(till.booked(attempt("B1")) == 1000)
    }
}
