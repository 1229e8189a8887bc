public import JackdawEMV

/// The desk of a till: it begins attempts, runs their payment flows, and brings each of them to an end that host, card and
/// journal agree on.
///
/// It is a machine without I/O: events and the time go in, effects come out. The program carries out the effects in their
/// order, answers them by their identifiers, and sends ``DeskEvent/timer`` at ``nextDeadline``.
///
/// ```swift
/// var desk = PaymentDesk(host: .unknownHost)
/// let effects = desk.start(with: recordsOfTheJournal, at: .zero, on: date)
/// ```
///
/// The rules of every desk:
/// - Nothing about an attempt leaves before the journal has its identifier and the state that it leaves in.
/// - No report comes before it is durable.
/// - While an attempt of a sale is not over, another one is refused; after an approved one too.
/// - One message of the queue is at the host at a time, reversals and enquiries first. It is repeated until it is answered.
/// - The desk never deletes a record.
///
/// Times are durations since any fixed instant of a clock that does not run backwards; dates are for the records alone.
public struct PaymentDesk: Sendable {
    /// The habits of the host.
    public let host: HostProfile
    /// The limits of payments without the host.
    public let limits: OfflineLimits
    /// The rules of the payment flow. The desk always reverses, and never approves offline after a time-out of the host.
    public let policy: PaymentPolicy

    /// The attempts in memory, in the order in which they began.
    package internal(set) var courses: [Course] = []
    /// The calls that wait for an identifier or for the journal.
    package internal(set) var calls: [WaitingCall] = []
    /// The message of the queue that is at the host.
    package internal(set) var drain: Drain?
    /// The time before which no message of the queue is sent, because the host could not be reached.
    package internal(set) var pause: Duration?
    /// The messages since the last answer that could not be sent.
    var unsent = 0

    /// The steps of payment flows since the owner took them, for the recording of a simulation. Default: nil, none are kept.
    package var flowSteps: [FlowStep]?

    var now = Duration.zero
    var date = RecordedTime(seconds: 0, offset: 0)
    private var lastEffect = 0
    private var effects: [DeskEffect] = []

    /// The waits before a failed write is repeated. It is our choice.
    static let writeWaits = RetryWaits(first: .seconds(1), longest: .seconds(60))

    /// A desk without attempts.
    /// - Parameters:
    ///   - host: the habits of the host.
    ///   - limits: the limits of payments without the host. Default: none is approved.
    ///   - policy: the rules of the payment flow. Its `reverses...` and `approvesOfflineAfterHostTimeout` do not count.
    public init(host: HostProfile, limits: OfflineLimits = .none, policy: PaymentPolicy = PaymentPolicy()) {
        self.host = host
        self.limits = limits
        var safe = PaymentPolicy()
        safe.fallsBackWithoutCommonApplication = policy.fallsBackWithoutCommonApplication
        safe.maxTapFailures = policy.maxTapFailures
        safe.limits = policy.limits
        self.policy = safe
    }

    /// Goes on with the attempts of a journal, once, before any event.
    /// - Parameters:
    ///   - records: the answer of ``JournalStore/neededRecords()``.
    ///   - now: the time.
    ///   - date: the date.
    /// - Returns: the effects.
    public mutating func start(
        with records: [AttemptRecord], at now: Duration, on date: RecordedTime
    ) -> [DeskEffect] {
        self.now = max(now, self.now)
        self.date = date
        for record in records where index(of: record.identifier) == nil { adopt(record) }
        return finish()
    }

    /// Processes an event. Time limits that have passed are processed first.
    /// - Parameters:
    ///   - event: the event.
    ///   - now: the time, which does not run backwards.
    ///   - date: the date, for the records.
    /// - Returns: the effects, in the order in which the caller must carry them out.
    public mutating func receive(_ event: DeskEvent, at now: Duration, on date: RecordedTime) -> [DeskEffect] {
        self.now = max(now, self.now)
        self.date = date
        expire()
        switch event {
        case .begin(let request, let identifier, let call): begin(request, identifier, call)
        case .status(let attempt, let call): status(attempt, call)
        case .attend(let attempt, let result, let note, let call): attend(attempt, result, note, call)
        case .reverse(let attempt, let sale, let note, let call): lookUp(.reverse(sale, note), call, attempt)
        case .sign(let attempt, let sale, let image, let call): lookUp(.sign(sale, image), call, attempt)
        case .payment(let attempt, let event, let answered, let sealed): payment(attempt, event, answered, sealed)
        case .timer: break
        case .minted(let identifier, let effect): minted(identifier, effect)
        case .found(let records, let effect): found(records, effect)
        case .lookUpFailed(let effect): lookUpFailed(effect)
        case .written(let effect): written(effect)
        case .writeFailed(let effect): writeFailed(effect)
        case .answered(let answer, let effect): answered(answer, effect)
        case .unanswered(let failure, let effect): unanswered(failure, effect)
        }
        return finish()
    }

    /// Send ``DeskEvent/timer`` at this time; nil if no time limit is running.
    public var nextDeadline: Duration? {
        var deadlines: [Duration] = []
        for course in courses {
            if let deadline = course.flow?.nextDeadline { deadlines.append(deadline) }
            if let limit = course.asking?.limit { deadlines.append(limit) }
            if course.change > course.durable, course.writing == nil, let again = course.writeAgain {
                deadlines.append(again)
            }
        }
        if let drain { deadlines.append(drain.limit) } else if let due = nextDelivery { deadlines.append(due) }
        return deadlines.min()
    }

    /// The reports of all attempts that are not over, as the journal has them.
    public var unfinished: [AttemptReport] { courses.compactMap { $0.written.map { AttemptReport($0) } } }

    /// The attempts that a person must deal with.
    public var needingAttention: [AttemptReport] { unfinished.filter { $0.state == .needsAttention } }

    /// Whether the card may approve an attempt without the host now, within ``limits``. The kernel asks for a TC only if it
    /// may; if the card gives one nevertheless, the desk treats it as a decline.
    public func allowsOffline(_ attempt: AttemptIdentifier) -> Bool {
        guard let index = index(of: attempt) else { return false }
        var waiting: [Amount] = []
        for (other, course) in courses.enumerated() where other != index && course.isOfflineApproval {
            waiting.append(course.record.request.amount)
        }
        return limits.allow(courses[index].record.request.amount, beside: waiting)
    }

    // MARK: pieces for the other files

    func index(of attempt: AttemptIdentifier) -> Int? { courses.firstIndex { $0.record.identifier == attempt } }

    /// Appends an effect with the next identifier.
    /// - Returns: its identifier.
    @discardableResult
    mutating func emit(_ action: DeskAction) -> Int {
        lastEffect += 1
        effects.append(DeskEffect(identifier: lastEffect, action: action))
        return lastEffect
    }

    /// Processes the time limits that have passed, except those of writes and deliveries, which ``finish()`` begins.
    private mutating func expire() {
        for index in courses.indices {
            if let deadline = courses[index].flow?.nextDeadline, deadline <= now { feed(index, .timer) }
            if let limit = courses[index].asking?.limit, limit <= now { answerLate(index) }
        }
        if let drain, drain.limit <= now { drainUnanswered(isCertainlyNotSent: false) }
    }

    /// Begins writes and deliveries, forgets the attempts that are over, and takes the effects.
    private mutating func finish() -> [DeskEffect] {
        for index in courses.indices { settle(index) }
        deliverNext()
        let wanted = Set(calls.compactMap { $0.sale })
        courses.removeAll { $0.isOver && !wanted.contains($0.record.request.sale) }
        defer { effects = [] }
        return effects
    }

    /// Releases the outputs of an attempt that wait for no write, and begins the next write.
    private mutating func settle(_ index: Int) {
        while let output = courses[index].takeOutput() { perform(output, index) }
        let course = courses[index]
        guard course.change > course.durable, course.writing == nil, course.writeAgain.map({ $0 <= now }) ?? true else {
            return
        }
        courses[index].writeAgain = nil
        let effect = emit(.write(course.record))
        courses[index].writing = Course.Writing(effect: effect, change: course.change, record: course.record)
    }

    private mutating func perform(_ output: Course.Output, _ index: Int) {
        switch output {
        case .begin: start(index)
        case .ask(let flowEffect): ask(index, flowEffect)
        case .stored(let flowEffect): feed(index, .recordStored, answering: flowEffect)
        case .reader(let effect, let octets):
            // A task that the flow has given up while it waited for the write.
            if effect.action.isTask, courses[index].flow?.awaitedEffect != effect.identifier { return }
            emit(.reader(courses[index].record.identifier, effect, octets))
        case .accepted(let call, let report): emit(.accepted(call: call, report))
        case .report(let report): emit(.report(report))
        }
    }

    // MARK: writes, and their failures

    private mutating func written(_ effect: Int) {
        guard let index = courses.firstIndex(where: { $0.writing?.effect == effect }) else { return ignore() }
        courses[index].finishWriting()
    }

    private mutating func writeFailed(_ effect: Int) {
        guard let index = courses.firstIndex(where: { $0.writing?.effect == effect }) else { return ignore() }
        courses[index].writing = nil
        guard courses[index].written != nil else {
            // The first write: nothing has left, and nothing will.
            for waiting in courses[index].outputs {
                if case .accepted(let call, _) = waiting.output {
                    emit(.refused(call: call, DeskRefusal(.journalFailed)))
                }
            }
            courses.remove(at: index)
            return
        }
        courses[index].writeFailures += 1
        courses[index].writeAgain = now + Self.writeWaits.wait(after: courses[index].writeFailures)
        if case .ask(let flowEffect)? = courses[index].takeRequest() { notSent(index, flowEffect) }
    }

    mutating func ignore() { emit(.ignored) }
}

extension PaymentAction {
    /// Whether the reader or the app must answer it.
    fileprivate var isTask: Bool {
        switch self {
        case .prepare, .acceptCard, .processCard, .chooseApplication, .completeCard, .captureSignature,
            .verifySignature:
            true
        default: false
        }
    }
}
