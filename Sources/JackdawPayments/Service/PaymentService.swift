public import JackdawEMV
import JackdawBytes
package import JackdawTransport

/// An effect of a payment flow that the reader, the cardholder or the app must carry out.
public struct ReaderTask: Sendable, Hashable {
    /// The attempt that is paid.
    public let attempt: AttemptIdentifier
    /// The task or the report. Never `askHost`, `writeJournal`, `reverse`, `storeRecord` or `end`, which the service
    /// carries out.
    public let effect: PaymentEffect
    /// The issuer's data for the card, if the effect completes it; empty otherwise.
    public let forCard: HTTPBody
}

/// A till's payments over a journal and a host: it carries out the effects of a ``PaymentDesk``.
///
/// The program has the reader. It receives a ``ReaderTask`` for each effect of a payment flow, in their order, and
/// answers by ``receive(_:of:answering:sealed:)``. The service writes the journal, one operation at a time and in
/// order, asks the host, and sends the queue of messages until each is answered. ``reports`` has each change of an
/// attempt when it is durable.
///
/// Cancelling a task that waits for a call changes nothing: the call goes on. A payment is cancelled by the event
/// `cancelled`.
public actor PaymentService {
    private enum Phase { case new, starting, running, stopped }

    /// An operation on the journal, with the effect that its result answers.
    private enum JournalWork: Sendable {
        case write(AttemptRecord, effect: Int)
        case lookUp(AttemptIdentifier, SaleIdentifier?, effect: Int)
    }

    private let wire: any HostWire
    private let client: any HTTPClient
    private let otherHost: (any AttemptHost)?
    private let journal: any JournalStore
    private let clock: ElapsedClock
    private let date: @Sendable () -> RecordedTime
    private let newIdentifier: @Sendable () -> AttemptIdentifier
    private let journalFailed: @Sendable (JournalError) -> Void
    private let reader: @Sendable (ReaderTask) -> Void

    private var phase = Phase.new
    private var desk: PaymentDesk
    private var calls: [Int: CheckedContinuation<Result<AttemptReport, DeskRefusal>, Never>] = [:]
    private var lastCall = 0
    private var journalQueue: [JournalWork] = []
    private var journalTask: Task<Void, Never>?
    private var startTask: Task<Result<Void, JournalError>, Never>?
    private var hostTasks: [Int: Task<Void, Never>] = [:]
    private var journalUses: [Int: Task<Void, Never>] = [:]
    private var lastUse = 0
    private var timer: DeadlineTimer
    private let listeners = Broadcast<AttemptReport>()
    /// Sent after each event, for tests.
    package nonisolated let changes = AsyncSignal()

    /// A service that does nothing before ``start()``.
    /// - Parameters:
    ///   - host: the habits of the host.
    ///   - wire: the host's wire format.
    ///   - client: the connection to the host.
    ///   - journal: the durable store, which no other service uses at the same time.
    ///   - limits: the limits of payments without the host. Default: none is approved.
    ///   - policy: the rules of the payment flow, as in ``PaymentDesk/init(host:limits:policy:)``.
    ///   - otherHost: the host of some attempts beside that of the wire. With it the flow's limit for the host is for both,
    ///     and a request over the wire takes ``HostProfile/answerLimit`` at most. Default: nil, none.
    ///   - clock: the clock of all time limits. It must not run while the machine is suspended, because a request in
    ///     the machine's own memory does not travel in that time (``HostProfile/requestLifetime``). Default:
    ///     `SuspendingClock`.
    ///   - date: the date and the zone, for the records alone.
    ///   - identifier: makes an identifier that no attempt has had. Default: 128 random bits of the system.
    ///   - journalFailed: receives each error of the journal, for logs; the service goes on by its rules. It must return
    ///     at once. Default: does nothing.
    ///   - reader: receives the tasks of readers, one after the other. It must return at once.
    public init(
        host: HostProfile, wire: any HostWire, client: any HTTPClient, journal: any JournalStore,
        limits: OfflineLimits = .none, policy: PaymentPolicy = PaymentPolicy(), otherHost: (any AttemptHost)? = nil,
        clock: some Clock<Duration> = SuspendingClock(), date: @escaping @Sendable () -> RecordedTime,
        identifier: @escaping @Sendable () -> AttemptIdentifier = { .random() },
        journalFailed: @escaping @Sendable (JournalError) -> Void = { _ in },
        reader: @escaping @Sendable (ReaderTask) -> Void
    ) {
        self.wire = wire
        self.client = client
        self.otherHost = otherHost
        self.journal = journal
        self.clock = ElapsedClock(clock)
        self.date = date
        newIdentifier = identifier
        self.journalFailed = journalFailed
        self.reader = reader
        desk = PaymentDesk(host: host, limits: limits, policy: policy)
        timer = DeadlineTimer(self.clock)
    }

    /// Reads the journal, and goes on with its attempts and its queue. Later calls change nothing. A record that cannot be
    /// read holds up no other: see ``unreadableRecords``.
    /// - Throws: ``JournalError``, if the journal cannot be read. The call may be repeated.
    public func start() async throws(JournalError) {
        if startTask == nil {
            guard phase == .new else { return }
            phase = .starting
            startTask = Task { await self.readJournal() }
        }
        _ = try await startTask?.value.get()
    }

    /// Reads the journal, and begins the work. Each caller of ``start()`` waits for its end.
    private func readJournal() async -> Result<Void, JournalError> {
        let result = await Self.neededRecords(journal)
        startTask = nil
        // It may have been shut down during the read.
        guard phase == .starting else { return .success(()) }
        switch result {
        case .success(let needed):
            phase = .running
            unreadableRecords = needed.unreadable
            carryOut(desk.start(with: needed.records, at: clock.now(), on: date()))
        case .failure: phase = .new
        }
        return result.map { _ in }
    }

    /// Ends the service: requests to the host are cancelled, waiting calls are refused
    /// (``DeskRefusal/Code/notRunning``), and the streams of reports end. Returns when the journal and the client are
    /// no longer used. The attempts go on with the next service on the journal.
    public func shutDown() async {
        if phase != .stopped {
            phase = .stopped
            timer.cancel()
            journalQueue = []
            for task in hostTasks.values { task.cancel() }
            for call in calls.keys.sorted() { calls[call]?.resume(returning: .failure(DeskRefusal(.notRunning))) }
            calls = [:]
            listeners.finish()
            changes.send()
        }
        _ = await startTask?.value
        await journalTask?.value
        for task in Array(hostTasks.values) { await task.value }
        for task in Array(journalUses.values) { await task.value }
    }

    // MARK: calls of the program

    /// Begins an attempt. Returns when the journal has it, and the payment flow or the request to the host begins.
    /// - Parameters:
    ///   - request: the request.
    ///   - identifier: the identifier; a repetition of the call with it is the same attempt. No other attempt of the
    ///     merchant may have it, at any till: the host would take one for the other. Default: a new one.
    /// - Returns: the attempt's state as the journal has it.
    /// - Throws: ``DeskRefusal``; nothing was sent then. After `notRunning` the attempt may be in the journal.
    public func begin(
        _ request: AttemptRequest, identifier: AttemptIdentifier? = nil
    ) async throws(DeskRefusal) -> AttemptReport {
        do throws(HostFailure) {
            if let other = otherHost(of: request) {
                try other.check(request, as: identifier)
            } else {
                try wire.check(request, as: identifier)
            }
        } catch {
            throw DeskRefusal(.notWritable, identifier, reason: ReasonText(error.message))
        }
        return try await call { .begin(request, identifier: identifier, call: $0) }
    }

    /// Reports the state of an attempt, as the journal has it.
    /// - Throws: ``DeskRefusal``: `unknownAttempt`, `journalFailed`, `notRunning`.
    public func status(of attempt: AttemptIdentifier) async throws(DeskRefusal) -> AttemptReport {
        try await call { .status(attempt, call: $0) }
    }

    /// The record of an attempt that the other host has; nil if it is one of the wire's.
    /// - Throws: ``DeskRefusal``: `unknownAttempt`, `journalFailed`, `notRunning`.
    package func recordAtOtherHost(of attempt: AttemptIdentifier) async throws(DeskRefusal) -> AttemptRecord? {
        guard let otherHost else { return nil }
        let record = try await record(of: attempt)
        return otherHost.takes(record.request) ? record : nil
    }

    /// The record of an attempt.
    /// - Throws: ``DeskRefusal``: `unknownAttempt`, `journalFailed`, `notRunning`.
    package func record(of attempt: AttemptIdentifier) async throws(DeskRefusal) -> AttemptRecord {
        let record = try await useJournal { (journal) async throws(JournalError) in
            try await journal.record(of: attempt)
        }
        guard let record else { throw DeskRefusal(.unknownAttempt, attempt) }
        return record
    }

    /// Notes that a person has dealt with an attempt in state ``AttemptState/needsAttention``. Returns when it is
    /// durable.
    /// - Throws: ``DeskRefusal``: `attentionNotNeeded`, `notRunning`.
    public func attend(
        _ attempt: AttemptIdentifier, _ result: AttentionResult, note: ReasonText
    ) async throws(DeskRefusal) -> AttemptReport {
        try await call { .attend(attempt, result, note: note, call: $0) }
    }

    /// Takes an approved payment back, as a whole. Returns when the journal has it: the payment is then `reversing`, and the
    /// reversal is sent until the host answers it, also after a restart. A repeated call is the same reversal.
    /// - Parameters:
    ///   - attempt: the payment.
    ///   - note: a note for the host, kept until the reversal is answered. That of a repeated call does not count. Default:
    ///     nil, none.
    /// - Returns: the payment's state, `reversed` if it was reversed before.
    /// - Throws: ``DeskRefusal``: `unknownAttempt`, `originalNotApproved` or `hasParts` if it cannot be reversed,
    ///   `saleInProgress` while another attempt of the sale is not over, `journalFailed`, `notRunning`.
    public func reverse(
        _ attempt: AttemptIdentifier, note: ReasonText? = nil
    ) async throws(DeskRefusal) -> AttemptReport {
        let sale = try await status(of: attempt).sale
        return try await call { .reverse(attempt, of: sale, note: note, call: $0) }
    }

    /// Has the host receive the image of the cardholder's signature of an approved payment, after the payment itself. Returns
    /// when the journal has the image: it is sent until the host answers it, also after a restart.
    /// - Throws: ``DeskRefusal``: `unknownAttempt`, `originalNotApproved`, `notWritable`, `journalFailed`, `notRunning`.
    @discardableResult
    package func sign(
        _ attempt: AttemptIdentifier, _ image: HTTPBody
    ) async throws(DeskRefusal) -> AttemptReport {
        let sale = try await status(of: attempt).sale
        return try await call { .sign(attempt, of: sale, image, call: $0) }
    }

    /// Takes an event of the reader, the cardholder or the app for an attempt. Ignored if the service does not run.
    /// - Parameters:
    ///   - event: the event.
    ///   - attempt: the attempt.
    ///   - effect: the identifier of the ``ReaderTask/effect`` that it answers. Default: none, for events that answer
    ///     none.
    ///   - sealed: the card's data for the host alone: those of an ARQC, a TC or a swipe. More than
    ///     ``Delivery/maxOctets`` end the payment, as if the reader was lost. Default: none.
    public func receive(
        _ event: PaymentEvent, of attempt: AttemptIdentifier, answering effect: Int? = nil,
        sealed: HTTPBody = HTTPBody()
    ) {
        process(.payment(attempt, event, answering: effect, sealed: sealed))
    }

    /// Writes a note of an SDK into the journal (``JournalStore/writeNote(_:named:)``). It is durable when the call returns.
    /// - Throws: ``DeskRefusal``: `journalFailed`, `notRunning`.
    public func writeNote(_ text: String, named name: String) async throws(DeskRefusal) {
        try await useJournal { (journal) async throws(JournalError) in
            try await journal.writeNote(text, named: name)
        }
    }

    /// Reads a note of an SDK from the journal; nil if there is none.
    /// - Throws: ``DeskRefusal``: `journalFailed`, `notRunning`.
    public func note(named name: String) async throws(DeskRefusal) -> String? {
        try await useJournal { (journal) async throws(JournalError) in try await journal.note(named: name) }
    }

    /// Whether the card may approve an attempt without the host now (``PaymentDesk/allowsOffline(_:)``).
    public func allowsOffline(_ attempt: AttemptIdentifier) -> Bool { desk.allowsOffline(attempt) }

    /// The attempts that are not over, as the journal has them.
    public var unfinished: [AttemptReport] { desk.unfinished }

    /// The records that could not be read at the start. A person must deal with them, with the program that wrote them or
    /// with the host's operator. Calls about their sales are refused (``DeskRefusal/Code/journalFailed``).
    public private(set) var unreadableRecords: [UnreadableRecord] = []

    /// The attempts that a person must deal with.
    public var needingAttention: [AttemptReport] { desk.needingAttention }

    /// The durable changes of all attempts from now on, until the service is shut down. Each stream has all of them; a
    /// stream that is not read keeps them in memory.
    public nonisolated var reports: AsyncStream<AttemptReport> {
        let (stream, listener) = AsyncStream<AttemptReport>.makeStream()
        listeners.add(listener)
        return stream
    }

    private func call(_ event: (Int) -> DeskEvent) async throws(DeskRefusal) -> AttemptReport {
        guard phase == .running else { throw DeskRefusal(.notRunning) }
        lastCall += 1
        let number = lastCall
        let result = await withCheckedContinuation { continuation in
            calls[number] = continuation
            process(event(number))
        }
        return try result.get()
    }

    // MARK: effects of the desk

    private func process(_ event: DeskEvent) {
        guard phase == .running else { return }
        carryOut(desk.receive(event, at: clock.now(), on: date()))
    }

    private func carryOut(_ effects: [DeskEffect]) {
        var effects = effects[...]
        while let effect = effects.popFirst() { effects += carryOut(effect) }
        timer.arm(for: desk.nextDeadline) { [weak self] deadline in await self?.reach(deadline) }
        changes.send()
    }

    /// - Returns: the effects of an answer that is there at once.
    private func carryOut(_ effect: DeskEffect) -> [DeskEffect] {
        let number = effect.identifier
        switch effect.action {
        case .mintIdentifier: return answer(.minted(newIdentifier(), effect: number))
        case .lookUp(let attempt, let sale): enqueue(.lookUp(attempt, sale, effect: number))
        case .write(let record): enqueue(.write(record, effect: number))
        case .ask(let request):
            if let other = otherHost(of: request.request) { return ask(other, request, number) }
            do throws(HostFailure) { ask(try wire.encode(request), for: request, number) } catch {
                return answer(.unanswered(error, effect: number))
            }
        case .reader(let attempt, let effect, let forCard):
            reader(ReaderTask(attempt: attempt, effect: effect, forCard: forCard))
        case .accepted(let call, let report): calls.removeValue(forKey: call)?.resume(returning: .success(report))
        case .refused(let call, let refusal): calls.removeValue(forKey: call)?.resume(returning: .failure(refusal))
        case .report(let report): listeners.send(report)
        case .ignored: break
        }
        return []
    }

    private func answer(_ event: DeskEvent) -> [DeskEffect] { desk.receive(event, at: clock.now(), on: date()) }

    private func reach(_ deadline: Duration) {
        guard phase == .running, timer.reach(deadline) else { return }
        process(.timer)
    }

    // MARK: requests to the host

    /// The other host, if it is that of an attempt with a request.
    private func otherHost(of request: AttemptRequest) -> (any AttemptHost)? {
        guard let otherHost, otherHost.takes(request) else { return nil }
        return otherHost
    }

    /// - Returns: no effects.
    private func ask(_ other: any AttemptHost, _ request: HostRequest, _ effect: Int) -> [DeskEffect] {
        let limit = request.operation == .authorise ? desk.policy.limits.host : desk.host.answerLimit
        hostTasks[effect] = Task {
            let event = await Self.answer(of: other, to: request, effect, limit)
            hostTasks[effect] = nil
            process(event)
        }
        return []
    }

    @concurrent
    private static func answer(
        of other: any AttemptHost, to request: HostRequest, _ effect: Int, _ limit: Duration
    ) async -> DeskEvent {
        do throws(HostFailure) {
            return .answered(try await other.answer(request, limit: limit), effect: effect)
        } catch { return .unanswered(error, effect: effect) }
    }

    private func ask(_ message: HTTPRequest, for request: HostRequest, _ effect: Int) {
        var limit = request.operation == .authorise ? desk.policy.limits.host : desk.host.answerLimit
        if otherHost != nil { limit = min(limit, desk.host.answerLimit) }
        hostTasks[effect] = Task { [limit] in
            let event = await Self.exchange(message, for: request, effect, wire, client, limit)
            hostTasks[effect] = nil
            process(event)
        }
    }

    @concurrent
    private static func exchange(
        _ message: HTTPRequest, for request: HostRequest, _ effect: Int, _ wire: any HostWire,
        _ client: any HTTPClient, _ limit: Duration
    ) async -> DeskEvent {
        do throws(HTTPFailure) {
            let answer = try await client.send(message, limit: limit)
            do throws(HostFailure) {
                return .answered(try wire.decode(answer, to: request), effect: effect)
            } catch { return .unanswered(error, effect: effect) }
        } catch { return .unanswered(HostFailure(error), effect: effect) }
    }

    // MARK: the journal, one operation at a time

    private func enqueue(_ work: JournalWork) {
        journalQueue.append(work)
        guard journalTask == nil else { return }
        journalTask = Task { await workOnJournal() }
    }

    private func workOnJournal() async {
        while phase == .running, !journalQueue.isEmpty {
            let (event, failure) = await Self.carryOut(journalQueue.removeFirst(), journal)
            if let failure { journalFailed(failure) }
            process(event)
        }
        journalTask = nil
        changes.send()
    }

    @concurrent
    private static func carryOut(
        _ work: JournalWork, _ journal: any JournalStore
    ) async -> (DeskEvent, JournalError?) {
        switch work {
        case .write(let record, let effect):
            do throws(JournalError) {
                try await journal.write(record)
                return (.written(effect: effect), nil)
            } catch { return (.writeFailed(effect: effect), error) }
        case .lookUp(let attempt, let sale, let effect):
            do throws(JournalError) {
                return (.found(try await journal.records(of: attempt, and: sale), effect: effect), nil)
            } catch { return (.lookUpFailed(effect: effect), error) }
        }
    }

    @concurrent
    private static func neededRecords(_ journal: any JournalStore) async -> Result<NeededRecords, JournalError> {
        do throws(JournalError) { return .success(try await journal.neededRecords()) } catch { return .failure(error) }
    }

    /// Uses the journal beside the desk; ``shutDown()`` waits for it.
    private func useJournal<Value: Sendable>(
        _ work: @escaping @Sendable (any JournalStore) async throws(JournalError) -> Value
    ) async throws(DeskRefusal) -> Value {
        guard phase == .running else { throw DeskRefusal(.notRunning) }
        lastUse += 1
        let number = lastUse
        let task = Task { [journal] in await Self.result(of: work, journal) }
        journalUses[number] = Task { _ = await task.value }
        let result = await task.value
        journalUses[number] = nil
        switch result {
        case .success(let value): return value
        case .failure(let error):
            journalFailed(error)
            throw DeskRefusal(.journalFailed)
        }
    }

    @concurrent
    private static func result<Value: Sendable>(
        of work: @Sendable (any JournalStore) async throws(JournalError) -> Value, _ journal: any JournalStore
    ) async -> Result<Value, JournalError> {
        do throws(JournalError) { return .success(try await work(journal)) } catch { return .failure(error) }
    }

    // MARK: for tests in virtual time

    /// The number of requests at the host, and whether the journal works or a deadline has passed. Time alone goes on
    /// if there is neither, and each request waits for it.
    package var activity: (requests: Int, isBusy: Bool) {
        let isLate = desk.nextDeadline.map { $0 <= clock.now() } ?? false
        return (hostTasks.count, journalTask != nil || (isLate && phase == .running))
    }

    /// The time until the next deadline; nil without one.
    package var untilDeadline: Duration? { desk.nextDeadline.map { $0 - clock.now() } }
}

extension AttemptIdentifier {
    /// An identifier of 128 random bits of the system, as 32 hexadecimal digits.
    public static func random() -> AttemptIdentifier {
        var random = SystemRandomNumberGenerator()
        let digits = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random).lowercaseHexadecimal }.joined()
        guard let identifier = AttemptIdentifier(rawValue: digits) else { preconditionFailure("digits are printable") }
        return identifier
    }
}
