import JackdawEMV
import JackdawPayments

/// A till without devices: it answers questions about identifiers and the journal, and keeps what the desk asks of the
/// host and reports.
struct TestTill {
    enum Writes { case work, fail, failButWrite, wait }

    var desk: PaymentDesk
    var store: [AttemptIdentifier: AttemptRecord] = [:]
    var now = Duration.zero
    var writes = Writes.work
    var canLookUp = true
    /// The identifiers of writes that wait.
    var waitingWrites: [(effect: Int, record: AttemptRecord)] = []
    /// What the desk asked of the host since the last look.
    private(set) var asks: [(effect: Int, request: HostRequest)] = []
    private(set) var reports: [AttemptReport] = []
    private(set) var accepted: [(call: Int, report: AttemptReport)] = []
    private(set) var refused: [(call: Int, refusal: DeskRefusal)] = []
    /// The reader's effects, and the last that must be answered.
    private(set) var reader: [PaymentAction] = []
    private(set) var task: PaymentEffect?
    private(set) var cardOctets = HTTPBody()
    private(set) var ignored = 0
    private var minted = 0
    private let host: HostProfile
    private let limits: OfflineLimits

    init(host: HostProfile = .unknownHost, limits: OfflineLimits = .none) {
        self.host = host
        self.limits = limits
        desk = PaymentDesk(host: host, limits: limits)
    }

    mutating func send(_ event: DeskEvent) {
        var effects = desk.receive(event, at: now, on: date)[...]
        while let effect = effects.popFirst() { effects += carryOut(effect) }
    }

    private mutating func carryOut(_ effect: DeskEffect) -> [DeskEffect] {
        let number = effect.identifier
        switch effect.action {
        case .mintIdentifier:
            minted += 1
            return desk.receive(.minted(attempt("A\(minted)"), effect: number), at: now, on: date)
        case .lookUp(let identifier, let sale):
            guard canLookUp else { return desk.receive(.lookUpFailed(effect: number), at: now, on: date) }
            let found = store.values.filter { $0.identifier == identifier || $0.request.sale == sale }
            return desk.receive(
                .found(found.sorted(by: AttemptRecord.isInOrder), effect: number), at: now, on: date)
        case .write(let record):
            switch writes {
            case .work: return finish(number, record)
            case .fail: return desk.receive(.writeFailed(effect: number), at: now, on: date)
            case .failButWrite:
                store[record.identifier] = record
                return desk.receive(.writeFailed(effect: number), at: now, on: date)
            case .wait: waitingWrites.append((number, record))
            }
        case .ask(let request): asks.append((number, request))
        case .reader(_, let effect, let octets):
            reader.append(effect.action)
            switch effect.action {
            case .prompt, .stopReader, .ignore, .reject: break
            default: (task, cardOctets) = (effect, octets)
            }
        case .accepted(let call, let report): accepted.append((call, report))
        case .refused(let call, let refusal): refused.append((call, refusal))
        case .report(let report): reports.append(report)
        case .ignored: ignored += 1
        }
        return []
    }

    private mutating func finish(_ effect: Int, _ record: AttemptRecord) -> [DeskEffect] {
        store[record.identifier] = record
        return desk.receive(.written(effect: effect), at: now, on: date)
    }

    /// Finishes the first write that waits.
    mutating func finishWrite() {
        let (effect, record) = waitingWrites.removeFirst()
        store[record.identifier] = record
        send(.written(effect: effect))
    }

    /// Goes on to a time, with all deadlines before it.
    mutating func wait(until time: Duration) {
        while let deadline = desk.nextDeadline, deadline <= time {
            now = max(now, deadline)
            send(.timer)
        }
        now = time
    }

    mutating func wait(_ time: Duration) { wait(until: now + time) }

    /// Kills the program, and starts it again.
    mutating func crash() {
        desk = PaymentDesk(host: host, limits: limits)
        (asks, reports, accepted, refused, reader, task, waitingWrites) = ([], [], [], [], [], nil, [])
        let needed = store.values.filter { $0.isNeeded }.sorted(by: AttemptRecord.isInOrder)
        var effects = desk.start(with: needed, at: now, on: date)[...]
        while let effect = effects.popFirst() { effects += carryOut(effect) }
    }

    /// Takes the only request to the host.
    mutating func takeAsk() throws -> (effect: Int, request: HostRequest) {
        guard asks.count == 1 else { throw MissingRequest(count: asks.count) }
        return asks.removeFirst()
    }

    /// There is no request, or more than one.
    struct MissingRequest: Error {
        let count: Int
    }

    mutating func takeReports() -> [AttemptState] {
        defer { reports = [] }
        return reports.map(\.state)
    }

    mutating func takeRefusals() -> [DeskRefusal] {
        defer { refused = [] }
        return refused.map(\.refusal)
    }

    mutating func begin(_ request: AttemptRequest, as identifier: String? = nil, call: Int = 1) {
        send(.begin(request, identifier: identifier.map { attempt($0) }, call: call))
    }

    /// Answers the reader's last task.
    mutating func answer(_ event: PaymentEvent, _ name: String = "A1", sealed: String = "") {
        send(.payment(attempt(name), event, answering: task?.identifier, sealed: HTTPBody(sealed)))
    }

    /// Goes on to the request to the host, with a swiped card or an inserted one.
    mutating func readCard(_ name: String = "A1", chip: Bool = false) {
        answer(.prepared, name)
        if chip {
            answer(.cardInserted, name)
            answer(.firstARQC, name, sealed: "ARQC")
        } else {
            answer(.cardSwiped, name, sealed: "track")
        }
    }

    /// Begins a purchase, and goes on to its request to the host.
    mutating func ask(_ name: String = "A1", chip: Bool = false) throws -> Int {
        begin(try purchase())
        readCard(name, chip: chip)
        return try takeAsk().effect
    }

    func state(_ name: String = "A1") -> AttemptState? { store[attempt(name)]?.state }
}

extension HostReply {
    static func approval(_ reference: String = "R1") -> HostReply {
        .approved(HostApproval(reference: HostReference(rawValue: reference), forCard: HTTPBody("ARPC")))
    }

    static let decline = HostReply.declined(HostDecline(reason: ReasonText("no funds")))
}

extension HostFailure {
    static let silent = HostFailure(.noAnswer, isCertainlyNotSent: false, message: "no answer")
    static let unsent = HostFailure(.unreachable, isCertainlyNotSent: true, message: "no connection")
}
