import JackdawEMV
import JackdawPayments

/// A till with its journal, network, host, reader and card, in which everything may go wrong.
///
/// `moves` lists what can happen next, `make` lets it happen. Both the search and the random walk use it.
struct World {
    /// The rules of a world.
    struct Rules: Sendable {
        var host = HostProfile(
            name: "model", requestLifetime: .seconds(120), waits: RetryWaits(first: .seconds(20), longest: .seconds(20))
        )
        var limits = OfflineLimits(currencyCode: 978, floor: 5000, count: 1, total: 5000)
        /// The requests of the calls, in their order.
        var calls: [Call] = []
        /// How many things may go wrong.
        var faults = 2
        /// Whether time may pass while writes wait.
        var hasSlowWrites = false
        /// Whether a restart reads the records from their bytes.
        var encodesRecords = false
        /// Whether identifiers may be those of other tills' payments.
        var hasForeignPayments = false
    }

    /// A call of the program.
    struct Call: Sendable {
        let request: AttemptRequest
        /// The identifier that the caller hands in; nil to have a new one made.
        var identifier: AttemptIdentifier?
        /// Whether the card is inserted. Default: it is swiped.
        var isChip = false
        /// The payment of the request's sale that the merchant takes back instead of beginning an attempt; nil to begin one.
        var reversed: AttemptIdentifier?
    }

    enum Move: Hashable {
        case call
        case writeDone(Int)
        /// The write fails; true: the record is durable nevertheless.
        case writeFails(Int, Bool)
        /// A request reaches the host; false: its answer is lost.
        case arrive(Int, ModelHost.Mood, Bool)
        case lose(Int)
        /// The request was certainly not sent.
        case unsent(Int)
        case answer(Int)
        case reader(AttemptIdentifier, PaymentEvent)
        case time
        /// A person has the message that was refused sent again.
        case sendAgain(AttemptIdentifier)
        /// Kills the program; true: the writes under way are done.
        case crash(Bool)

        /// Whether it goes wrong. A late answer is a fault too, but is a matter of time.
        var isFault: Bool {
            switch self {
            case .call, .writeDone, .answer, .time: false
            case .arrive(_, let mood, let isAnswered): mood != .willing || !isAnswered
            case .reader(_, let event): event != .firstARQC && event != .secondTC
            case .writeFails, .lose, .unsent, .sendAgain, .crash: true
            }
        }
    }

    /// A request on its way to the host.
    struct Message: Hashable {
        let effect: Int
        let request: HostRequest
        let sent: Duration
        /// Whether the program that sent it still runs.
        var isAwaited = true
    }

    struct Write: Hashable {
        let effect: Int
        let record: AttemptRecord
    }

    struct Answer: Hashable {
        let effect: Int
        let attempt: AttemptIdentifier
        /// The answer; nil if the identifier is in use.
        let answer: HostReply?
        let operation: HostRequest.Operation
    }

    let rules: Rules
    var desk: PaymentDesk
    var now = Duration.zero
    var host: ModelHost
    var store: [AttemptIdentifier: AttemptRecord] = [:]
    var writes: [Write] = []
    var messages: [Message] = []
    var answers: [Answer] = []
    /// The tasks of readers.
    var tasks: [AttemptIdentifier: PaymentEffect] = [:]
    var callsMade = 0
    var faultsLeft: Int
    var minted = 0
    /// The identifiers of chip cards' attempts.
    var chips: Set<AttemptIdentifier> = []
    private var callsUnderWay: [Int: Call] = [:]
    var checker = Checker()

    init(_ rules: Rules) {
        self.rules = rules
        desk = PaymentDesk(host: rules.host, limits: rules.limits)
        host = ModelHost(
            closesUnknownIdentifiers: rules.host.closesUnknownIdentifiers, hasForeignPayments: rules.hasForeignPayments)
        faultsLeft = rules.faults
    }

    // MARK: moves

    var moves: [Move] {
        var moves: [Move] = []
        let canFail = faultsLeft > 0
        if callsMade < rules.calls.count { moves.append(.call) }
        for index in writes.indices {
            moves.append(.writeDone(index))
            if canFail { moves += [.writeFails(index, false), .writeFails(index, true)] }
        }
        for (index, message) in messages.enumerated() where now - message.sent < rules.host.requestLifetime {
            for mood in host.moods(for: message.request) where mood == .willing || canFail {
                moves.append(.arrive(index, mood, true))
                if canFail, message.isAwaited { moves.append(.arrive(index, mood, false)) }
            }
            guard canFail, message.isAwaited else { continue }
            moves += [.lose(index), .unsent(index)]
        }
        for index in answers.indices { moves.append(.answer(index)) }
        for (attempt, task) in tasks.sorted(by: { $0.key < $1.key }) {
            moves += events(for: task.action, canFail).map { .reader(attempt, $0) }
        }
        if canTimePass(canFail) { moves.append(.time) }
        if canFail {
            moves += desk.needingAttention.map { .sendAgain($0.attempt) }
            moves.append(.crash(false))
            if !writes.isEmpty { moves.append(.crash(true)) }
        }
        return moves
    }

    private func events(for action: PaymentAction, _ canFail: Bool) -> [PaymentEvent] {
        switch action {
        case .processCard: canFail ? [.firstARQC, .firstTC, .firstAAC] : [.firstARQC]
        case .completeCard: canFail ? [.secondTC, .secondAAC, .cardRemoved] : [.secondTC]
        default: []
        }
    }

    /// Whether a request of this program is on its way, in time.
    private var isWaitingForHost: Bool {
        messages.contains { $0.isAwaited && now - $0.sent < rules.host.answerLimit } || !answers.isEmpty
    }

    private func canTimePass(_ canFail: Bool) -> Bool {
        guard desk.nextDeadline != nil, rules.hasSlowWrites || writes.isEmpty, tasks.isEmpty else { return false }
        return !isWaitingForHost || canFail
    }

    mutating func make(_ move: Move) {
        switch move {
        case .call:
            let call = rules.calls[callsMade]
            callsMade += 1
            if let reversed = call.reversed {
                send(.reverse(reversed, of: call.request.sale, call: callsMade))
                break
            }
            callsUnderWay[callsMade] = call
            send(.begin(call.request, identifier: call.identifier, call: callsMade))
        case .writeDone(let index):
            let write = writes.remove(at: index)
            keep(write.record)
            send(.written(effect: write.effect))
        case .writeFails(let index, let isDurable):
            faultsLeft -= 1
            let write = writes.remove(at: index)
            if isDurable { keep(write.record) }
            send(.writeFailed(effect: write.effect))
        case .arrive(let index, let mood, let isAnswered):
            if mood != .willing || !isAnswered { faultsLeft -= 1 }
            let message = messages.remove(at: index)
            let answer = host.receive(message.request, mood)
            checker.check(host, store)
            guard isAnswered, message.isAwaited else { break }
            answers.append(
                Answer(
                    effect: message.effect, attempt: message.request.attempt, answer: answer,
                    operation: message.request.operation))
        case .lose(let index):
            faultsLeft -= 1
            messages.remove(at: index)
        case .unsent(let index):
            faultsLeft -= 1
            let message = messages.remove(at: index)
            checker.end(message.effect)
            send(.unanswered(HostFailure(.unreachable, isCertainlyNotSent: true, message: ""), effect: message.effect))
        case .answer(let index):
            let answer = answers.remove(at: index)
            checker.hear(answer)
            let conflict = HostFailure(.conflict, isCertainlyNotSent: false, message: "in use")
            send(
                answer.answer.map { .answered($0, effect: answer.effect) }
                    ?? .unanswered(conflict, effect: answer.effect))
        case .reader(let attempt, let event):
            if event == .cardRemoved || event == .firstTC || event == .firstAAC || event == .secondAAC {
                faultsLeft -= 1
            }
            guard let task = tasks.removeValue(forKey: attempt) else { break }
            let sealed = event == .cardRemoved ? "" : "sealed"
            send(
                .payment(attempt, event, answering: task.identifier, sealed: HTTPBody(copying: Array(sealed.utf8).span))
            )
        case .time:
            if isWaitingForHost { faultsLeft -= 1 }
            if let deadline = desk.nextDeadline { now = max(now, deadline) }
            messages.removeAll { now - $0.sent >= rules.host.requestLifetime }
            send(.timer)
        case .sendAgain(let attempt):
            faultsLeft -= 1
            send(.attend(attempt, .sendAgain, note: ReasonText("again"), call: -1))
        case .crash(let areWritesDone):
            faultsLeft -= 1
            if areWritesDone { for write in writes { keep(write.record) } }
            restart()
        }
        checker.check(self)
    }

    private mutating func keep(_ record: AttemptRecord) {
        store[record.identifier] = record
        checker.note(record)
    }

    mutating func restart() {
        (writes, answers, tasks, callsUnderWay) = ([], [], [:], [:])
        for index in messages.indices { messages[index].isAwaited = false }
        checker.restart()
        desk = PaymentDesk(host: rules.host, limits: rules.limits)
        var needed = store.values.filter { $0.isNeeded }.sorted(by: AttemptRecord.isInOrder)
        if rules.encodesRecords {
            do {
                needed = try needed.map { try AttemptRecord(decoding: $0.encoded) }
            } catch {
                checker.fail("a record cannot be read")
            }
        }
        carryOut(desk.start(with: needed, at: now, on: date))
    }

    // MARK: effects

    private mutating func send(_ event: DeskEvent) { carryOut(desk.receive(event, at: now, on: date)) }

    private mutating func carryOut(_ effects: [DeskEffect]) {
        for effect in effects {
            let number = effect.identifier
            switch effect.action {
            case .mintIdentifier:
                minted += 1
                send(.minted(AttemptIdentifier(rawValue: "A\(minted)")!, effect: number))
            case .lookUp(let identifier, let sale):
                let found = store.values.filter { $0.identifier == identifier || $0.request.sale == sale }
                send(.found(found.sorted(by: AttemptRecord.isInOrder), effect: number))
            case .write(let record): writes.append(Write(effect: number, record: record))
            case .ask(let request):
                checker.check(request, effect: number, store, at: now, rules.host)
                messages.append(Message(effect: number, request: request, sent: now))
            case .reader(let attempt, let task, _): read(attempt, task)
            case .accepted(let call, let report):
                checker.check(report, store, call: callsUnderWay[call]?.request)
                if callsUnderWay[call]?.isChip == true { chips.insert(report.attempt) }
            case .refused: break
            case .report(let report): checker.check(report, store)
            case .ignored: break
            }
        }
    }

    /// The reader's tasks that can only have one answer are answered at once.
    private mutating func read(_ attempt: AttemptIdentifier, _ task: PaymentEffect) {
        switch task.action {
        case .prepare: send(.payment(attempt, .prepared, answering: task.identifier))
        case .acceptCard:
            let isChip = chips.contains(attempt)
            send(
                .payment(
                    attempt, isChip ? .cardInserted : .cardSwiped, answering: task.identifier,
                    sealed: isChip ? HTTPBody() : HTTPBody(copying: Array("track".utf8).span)))
        case .processCard, .completeCard: tasks[attempt] = task
        default: break
        }
    }

    /// Whether nothing more happens: no attempt is under way, none waits for anything but a person, and the desk lists
    /// those. An open attempt whose first write failed and was durable nevertheless is ended by the next start.
    var isAtRest: Bool {
        callsMade == rules.calls.count && writes.isEmpty && desk.nextDeadline == nil && desk.calls.isEmpty
            && desk.courses.allSatisfy { $0.record.state == .needsAttention && $0.isSettled }
            && store.values.allSatisfy { record in
                !record.isNeeded || record.state == .open
                    || desk.courses.contains { $0.record.identifier == record.identifier }
            }
    }
}
