import JackdawEMV
import JackdawPayments
import JackdawTestSupport
import JackdawTransport

/// The connection to a model host, with faults, in virtual time. It is the wire format, too: a request's path has a
/// number.
final class ModelLink: HostWire, HTTPClient {
    /// A fault of an exchange.
    enum Fault {
        case none
        /// No connection is opened.
        case unsent
        /// The host does not get the request, and no answer comes.
        case lostRequest
        /// The host processes the request, and its answer is lost.
        case lostAnswer
    }

    private struct State {
        var host: ModelHost
        var mood: @Sendable (HostRequest) -> ModelHost.Mood = { _ in .willing }
        var fault: @Sendable (HostRequest, Duration) -> Fault = { _, _ in .none }
        var requests: [HostRequest] = []
        var replies: [HostReply] = []
        var sent: [HostRequest.Operation] = []
        var sleepers: [Int: Duration] = [:]
        var cancelled = 0
        var changes: AsyncSignal?
    }

    private let state: Lock<State>
    private let clock: ManualClock

    init(_ clock: ManualClock, closesUnknownIdentifiers: Bool) {
        self.clock = clock
        state = Lock(State(host: ModelHost(closesUnknownIdentifiers: closesUnknownIdentifiers)))
    }

    var host: ModelHost { state.withLock { $0.host } }
    /// The operations that were to be sent, in their order.
    var sent: [HostRequest.Operation] { state.withLock { $0.sent } }
    var cancelled: Int { state.withLock { $0.cancelled } }
    /// The requests that wait for a later time.
    var waiting: Int {
        let now = clock.now.offset
        return state.withLock { $0.sleepers.values.count { $0 > now } }
    }
    /// The time at which the first of them ends.
    var nextEnd: Duration? { state.withLock { $0.sleepers.values.min() } }

    func use(_ changes: AsyncSignal) { state.withLock { $0.changes = changes } }

    func fault(_ fault: @escaping @Sendable (HostRequest, Duration) -> Fault) { state.withLock { $0.fault = fault } }

    func mood(_ mood: @escaping @Sendable (HostRequest) -> ModelHost.Mood) { state.withLock { $0.mood = mood } }

    func encode(_ request: HostRequest) throws(HostFailure) -> HTTPRequest {
        guard request.octets.count <= 100 else {
            throw HostFailure(.notWritable, isCertainlyNotSent: true, message: "too many octets")
        }
        return state.withLock { state in
            state.requests.append(request)
            return HTTPRequest(.post, "\(state.requests.count - 1)")
        }
    }

    /// The format has no detail `colour`.
    func check(_ request: AttemptRequest, as attempt: AttemptIdentifier?) throws(HostFailure) {
        guard !request.details.contains(where: { $0.name == "colour" }) else {
            throw HostFailure(.notWritable, isCertainlyNotSent: true, message: "no such detail")
        }
    }

    func decode(_ answer: HTTPAnswer, to request: HostRequest) throws(HostFailure) -> HostReply {
        state.withLock { $0.replies[answer.status] }
    }

    func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
        let number = Int(request.path) ?? 0
        let now = clock.now
        let (fault, reply): (Fault, Int) = state.withLock { state in
            let asked = state.requests[number]
            let fault = state.fault(asked, now.offset)
            state.sent.append(asked.operation)
            guard fault == .none || fault == .lostAnswer else { return (fault, 0) }
            // Each identifier is that of this till.
            state.replies.append(state.host.receive(asked, state.mood(asked)) ?? .status(.otherPayment))
            return (fault, state.replies.count - 1)
        }
        switch fault {
        case .none: return HTTPAnswer(status: reply)
        case .unsent: throw HTTPFailure(.unreachable, message: "no connection")
        case .lostRequest, .lostAnswer:
            let end = now.advanced(by: limit)
            state.withLock { $0.sleepers[number] = end.offset }
            state.withLock { $0.changes }?.send()
            defer { state.withLock { _ = $0.sleepers.removeValue(forKey: number) } }
            do { try await clock.sleep(until: end, tolerance: nil) } catch {
                state.withLock { $0.cancelled += 1 }
                throw HTTPFailure(.cancelled, message: "cancelled")
            }
            throw HTTPFailure(.timedOut, message: "late")
        }
    }
}

/// A journal that counts, and fails on request.
final class CountingJournal: JournalStore {
    private struct State {
        var running = 0
        var mostRunning = 0
        var writes = 0
        var readFailures = 0
        var unreadable: [UnreadableRecord] = []
    }

    let memory: MemoryJournal
    private let beforeStart: @Sendable () async -> Void
    private let state = Lock(State())

    init(
        fault: @escaping @Sendable (AttemptRecord) -> MemoryJournal.Fault = { _ in .none },
        beforeStart: @escaping @Sendable () async -> Void = {}
    ) {
        self.beforeStart = beforeStart
        memory = MemoryJournal(fault: fault)
    }

    var mostRunning: Int { state.withLock { $0.mostRunning } }
    var writes: Int { state.withLock { $0.writes } }

    func addUnreadable(_ record: UnreadableRecord) { state.withLock { $0.unreadable.append(record) } }

    func failReads(_ count: Int) { state.withLock { $0.readFailures = count } }

    private func run<Value: Sendable>(_ body: () throws(JournalError) -> Value) async throws(JournalError) -> Value {
        state.withLock { state in
            state.running += 1
            state.mostRunning = max(state.mostRunning, state.running)
        }
        // Another operation would begin here.
        await Task.yield()
        defer { state.withLock { $0.running -= 1 } }
        return try body()
    }

    private func checkRead() throws(JournalError) {
        let fails = state.withLock { state in
            state.readFailures -= 1
            return state.readFailures >= 0
        }
        if fails { throw JournalError(.system, "The read failed, as the test wants it.") }
    }

    func write(_ record: AttemptRecord) async throws(JournalError) {
        state.withLock { $0.writes += 1 }
        try await run { () throws(JournalError) in try memory.writeNow(record) }
    }

    func neededRecords() async throws(JournalError) -> NeededRecords {
        await beforeStart()
        return try await run { () throws(JournalError) in
            try checkRead()
            return NeededRecords(try memory.all { $0.isNeeded }, unreadable: state.withLock { $0.unreadable })
        }
    }

    func writeNote(_ text: String, named name: String) async throws(JournalError) {
        try await memory.writeNote(text, named: name)
    }

    func removeNote(named name: String) async throws(JournalError) { try await memory.removeNote(named: name) }

    func note(named name: String) async throws(JournalError) -> String? {
        try checkRead()
        return try await memory.note(named: name)
    }

    func record(of attempt: AttemptIdentifier) async throws(JournalError) -> AttemptRecord? {
        try await run { () throws(JournalError) in
            try checkRead()
            return try memory.recordNow(of: attempt)
        }
    }

    func records(of sale: SaleIdentifier) async throws(JournalError) -> [AttemptRecord] {
        try await run { () throws(JournalError) in
            try checkRead()
            if let unreadable = state.withLock({ $0.unreadable.first { $0.sale == sale } }) { throw unreadable.error }
            return try memory.all { $0.request.sale == sale }
        }
    }

    func state(_ name: String) -> AttemptState? { (try? memory.all { $0.identifier == attempt(name) })?.first?.state }
}

/// A till over a service: a reader in which a card is always inserted, a model host, and a clock that a test moves.
final class ServiceTill: Sendable {
    private struct State {
        var service: PaymentService?
        /// The reader's tasks whose answers are not with the service yet.
        var pending = 0
        var minted = 0
        var reports: [AttemptReport] = []
        /// The card's answers, by task; nil to leave the task open.
        var card: @Sendable (PaymentAction) -> PaymentEvent? = ServiceTill.card
        var tasks: [ReaderTask] = []
    }

    let clock = ManualClock()
    let link: ModelLink
    let journal: CountingJournal
    private let host: HostProfile
    private let limits: OfflineLimits
    private let otherHost: (any AttemptHost)?
    private let state = Lock(State())

    init(
        host: HostProfile = .unknownHost, limits: OfflineLimits = .none, journal: CountingJournal = CountingJournal(),
        otherHost: (any AttemptHost)? = nil
    ) {
        self.host = host
        self.otherHost = otherHost
        self.limits = limits
        self.journal = journal
        link = ModelLink(clock, closesUnknownIdentifiers: host.closesUnknownIdentifiers)
    }

    /// A till whose service runs.
    static func started(
        host: HostProfile = .unknownHost, limits: OfflineLimits = .none, journal: CountingJournal = CountingJournal(),
        otherHost: (any AttemptHost)? = nil
    ) async throws -> ServiceTill {
        let till = ServiceTill(host: host, limits: limits, journal: journal, otherHost: otherHost)
        try await till.start()
        return till
    }

    /// A card that asks for the host, and agrees with it.
    static let card: @Sendable (PaymentAction) -> PaymentEvent? = { action in
        switch action {
        case .prepare: .prepared
        case .acceptCard: .cardInserted
        case .processCard: .firstARQC
        case .completeCard(.approved): .secondTC
        case .completeCard: .secondAAC
        case .captureSignature: .signatureCaptured
        case .verifySignature: .signatureAccepted
        default: nil
        }
    }

    func useCard(_ card: @escaping @Sendable (PaymentAction) -> PaymentEvent?) { state.withLock { $0.card = card } }

    var service: PaymentService {
        guard let service = state.withLock({ $0.service }) else { return make() }
        return service
    }
    var tasks: [ReaderTask] { state.withLock { $0.tasks } }

    /// Makes a service that is not started.
    @discardableResult
    func make(journalFailed: @escaping @Sendable (JournalError) -> Void = { _ in }) -> PaymentService {
        let service = PaymentService(
            host: host, wire: link, client: link, journal: journal, limits: limits, otherHost: otherHost, clock: clock,
            date: { date },
            identifier: { [self] in
                let number = state.withLock { state in
                    state.minted += 1
                    return state.minted
                }
                return attempt("A\(number)")
            },
            journalFailed: journalFailed, reader: { [self] task in answer(task) })
        state.withLock { $0.service = service }
        link.use(service.changes)
        return service
    }

    func start() async throws(JournalError) { try await make().start() }

    /// Ends the service, and starts another one on the journal.
    func restart() async throws(JournalError) {
        await service.shutDown()
        try await start()
    }

    private func answer(_ task: ReaderTask) {
        let (event, service) = state.withLock { state in
            state.tasks.append(task)
            let event = state.card(task.effect.action)
            if event != nil { state.pending += 1 }
            return (event, state.service)
        }
        guard let event, let service else { return }
        Task {
            let sealed = event == .firstARQC || event == .firstTC ? HTTPBody("sealed") : HTTPBody()
            await service.receive(event, of: task.attempt, answering: task.effect.identifier, sealed: sealed)
            state.withLock { $0.pending -= 1 }
            service.changes.send()
        }
    }

    // MARK: time

    /// Waits until nothing goes on but time.
    func rest() async {
        let service = service
        while true {
            let seen = service.changes.count
            let activity = await service.activity
            let isResting = !activity.isBusy && activity.requests == link.waiting && state.withLock { $0.pending == 0 }
            if isResting { return }
            await service.changes.wait(after: seen)
        }
    }

    /// Lets time pass, and waits at each time limit until nothing goes on but time.
    func pass(_ time: Duration) async {
        let end = clock.now.advanced(by: time)
        await rest()
        while let next = await nextDeadline, next <= end.offset {
            clock.advance(by: max(.zero, next - clock.now.offset))
            await rest()
        }
        clock.advance(by: max(.zero, end.offset - clock.now.offset))
        await rest()
    }

    private var nextDeadline: Duration? {
        get async {
            let now = clock.now.offset
            return [await service.untilDeadline.map { $0 + now }, link.nextEnd].compactMap { $0 }.min()
        }
    }

    /// Begins an attempt, and waits until nothing goes on but time.
    @discardableResult
    func begin(_ request: AttemptRequest, as name: String? = nil) async throws -> AttemptReport {
        let report = try await service.begin(request, identifier: name.map { attempt($0) })
        await rest()
        return report
    }

    func status(_ name: String = "A1") async throws -> AttemptState {
        try await service.status(of: attempt(name)).state
    }
}
