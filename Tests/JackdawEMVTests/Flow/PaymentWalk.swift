import JackdawEMV

/// A payment that receives any events with any identifiers at any times, and the rules that hold after each event. It
/// knows of the payment what a till knows: effects, time limits and the journal on disk.
struct PaymentWalk {
    /// The identifier with which an event answers.
    enum Answering: Sendable {
        /// That of the open task.
        case openTask
        case nothing
        case identifier(Int)
    }

    private(set) var payment: PaymentFlow
    private(set) var now = Duration.zero
    private(set) var observation = PaymentObservation()
    /// The first rule that was broken; nil if none was.
    private(set) var failure: String?
    private var openTask: Int?
    private var lastIdentifier = 0
    /// The journal on disk.
    private var journal = PaymentJournal()

    /// More than any event has: a journal, a reversal, two tasks or prompts, and the end.
    private static let maxEffects = 5

    init(policy: PaymentPolicy = PaymentPolicy()) { payment = PaymentFlow(policy: policy) }

    /// Lets time pass, and lets an event happen. A deadline that has passed is a time-out of its own.
    /// - Parameters:
    ///   - event: the event.
    ///   - answering: the identifier that the event names.
    ///   - elapsed: the time since the last event, not negative.
    ///   - choice: selects one of the truths at the host that the till does not know, and of the states in
    ///     which a program can be killed.
    mutating func happen(_ event: PaymentEvent, _ answering: Answering, after elapsed: Duration, choice: Int) {
        guard failure == nil else { return }
        now += elapsed
        if let deadline = payment.nextDeadline, deadline <= now, event != .timer, event != .crash {
            receive(.timer, nil, choice)
        }
        switch answering {
        case .openTask: receive(event, openTask, choice)
        case .nothing: receive(event, nil, choice)
        case .identifier(let identifier): receive(event, identifier, choice)
        }
    }

    private mutating func receive(_ event: PaymentEvent, _ identifier: Int?, _ choice: Int) {
        let before = payment
        let effects = payment.receive(event, answering: identifier, at: now)
        let actions = effects.map(\.action)
        check(effects.count <= Self.maxEffects, "too many effects")
        let isHandled = !actions.contains { $0.isReport }
        if isHandled {
            observation.add(event, actions)
        } else {
            check(actions.count == 1 && payment.journal == before.journal, "an ignored event changes something")
        }
        for effect in effects { carryOut(effect) }
        if let request = actions.firstIndex(of: .askHost) {
            check(request > 0 && actions[request - 1].isJournal, "a request without a journal before it")
        }
        let truths = observation.branches
        observation = truths[choice % truths.count]
        if event == .crash, isHandled { restart(choice) }
        checkState(before)
    }

    private mutating func carryOut(_ effect: PaymentEffect) {
        let isRepeated = effect.identifier == openTask
        check(isRepeated || effect.identifier > lastIdentifier, "an identifier that does not increase")
        lastIdentifier = max(lastIdentifier, effect.identifier)
        switch effect.action {
        case .writeJournal(let journal): self.journal = journal
        case .prepare, .acceptCard, .processCard, .chooseApplication, .askHost, .completeCard, .captureSignature,
            .verifySignature, .storeRecord:
            openTask = effect.identifier
        case .useNewAmount, .reverse, .stopReader, .prompt, .end, .ignore, .reject: break
        }
    }

    /// The program is killed: its state in memory stays, or what is on disk is read again, perhaps with a record
    /// that was stored just before.
    private mutating func restart(_ choice: Int) {
        guard choice % 3 > 0 else { return }
        if choice % 3 == 2, let stored = observation.withRecord {
            observation = stored
            journal.isRecordStored = true
        }
        payment = PaymentFlow(restoring: journal, policy: payment.policy)
        lastIdentifier = 0
        openTask = nil
    }

    private mutating func checkState(_ before: PaymentFlow) {
        if let invariant = observation.violation { check(false, invariant.rawValue) }
        check(payment.outcome == nil || payment.phase == .done, "an outcome before the end")
        switch payment.phase {
        case .done: check(payment.outcome != nil, "an end without an outcome")
        case .idle, .crashed: break
        default: check(payment.nextDeadline != nil, "a phase without a time limit")
        }
        guard let deadline = payment.nextDeadline, deadline != before.nextDeadline else { return }
        check(deadline > now && deadline <= now + .seconds(600), "a time limit out of its range")
    }

    private mutating func check(_ isRight: Bool, _ rule: String) {
        if !isRight, failure == nil { failure = rule }
    }

    /// Ends the payment by time-outs alone, with the durable write and the restart.
    mutating func expire() {
        for _ in 0..<8 where payment.phase != .done && payment.phase != .idle {
            let wait = payment.nextDeadline.map { $0 - now } ?? .zero
            switch payment.phase {
            case .finalising: happen(.recordStored, .openTask, after: .zero, choice: 0)
            case .crashed: happen(.recovered, .nothing, after: .zero, choice: 0)
            default: happen(.timer, .nothing, after: max(.zero, wait), choice: 0)
            }
        }
        check(payment.phase == .done || payment.phase == .idle, "time-outs do not reach the end")
    }
}

extension PaymentAction {
    /// Whether the payment did not handle an event.
    fileprivate var isReport: Bool {
        switch self {
        case .ignore, .reject: true
        default: false
        }
    }

    fileprivate var isJournal: Bool { if case .writeJournal = self { true } else { false } }
}
