import JackdawEMV

/// A terminal, a host, a store and a clock around a payment, driven by a list of events.
struct FakeTill {
    private(set) var payment: PaymentFlow
    private(set) var now = Duration.zero
    /// All effects, in their order.
    private(set) var effects: [PaymentEffect] = []
    /// The journal on disk.
    private(set) var journal = PaymentJournal()
    private(set) var isRequestSent = false
    private(set) var reversals = 0
    private(set) var records = 0
    private(set) var outcomes: [PaymentOutcome] = []
    private(set) var firstCryptograms = 0
    private(set) var secondCryptograms = 0
    private(set) var cryptogram: CryptogramType?
    /// The identifier of the last task that was not answered.
    private(set) var openTask: Int?

    init(policy: PaymentPolicy = PaymentPolicy()) { payment = PaymentFlow(policy: policy) }

    /// Lets an event happen a millisecond later, or a time-out at its deadline.
    /// - Returns: how the payment treated it.
    @discardableResult
    mutating func happen(_ event: PaymentEvent) -> PaymentTreatment {
        now += .milliseconds(1)
        if event == .timer, let deadline = payment.nextDeadline { now = max(now, deadline) }
        let answered = event.isAnswer ? openTask : nil
        return carryOut(payment.receive(event, answering: answered, at: now), of: event)
    }

    /// Lets an answer come to a task of which the identifier is given.
    @discardableResult
    mutating func answer(_ event: PaymentEvent, to identifier: Int?) -> PaymentTreatment {
        now += .milliseconds(1)
        return carryOut(payment.receive(event, answering: identifier, at: now), of: event)
    }

    private mutating func carryOut(_ newEffects: [PaymentEffect], of event: PaymentEvent) -> PaymentTreatment {
        effects += newEffects
        var treatment = PaymentTreatment.handled
        for effect in newEffects {
            switch effect.action {
            case .writeJournal(let journal): self.journal = journal
            case .prepare, .acceptCard, .processCard, .chooseApplication, .completeCard, .captureSignature,
                .verifySignature, .storeRecord:
                openTask = effect.identifier
            case .askHost:
                openTask = effect.identifier
                isRequestSent = true
            case .reverse: reversals += 1
            case .end(let outcome): outcomes.append(outcome)
            case .ignore: treatment = .ignored
            case .reject: treatment = .rejected
            case .useNewAmount, .stopReader, .prompt: break
            }
        }
        if treatment == .handled { count(event) }
        return treatment
    }

    private mutating func count(_ event: PaymentEvent) {
        switch event {
        case .firstTC, .firstTCWithSignature, .firstAAC, .firstARQC: firstCryptograms += 1
        case .secondTC, .secondTCWithSignature, .secondAAC: secondCryptograms += 1
        case .hostUnreachable: isRequestSent = false
        case .recordStored: records += 1
        // The program ends, and starts again with what is on disk.
        case .crash: payment = PaymentFlow(restoring: journal, policy: payment.policy)
        default: break
        }
        if payment.phase != .crashed, event != .recovered { cryptogram = payment.cryptogram }
    }
}
