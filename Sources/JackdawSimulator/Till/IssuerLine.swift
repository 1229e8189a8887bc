import JackdawEMV

/// The way of a till to the issuer of one payment: its authorisation, and the messages that the issuer must answer in the
/// end. A machine without I/O, whose user takes the events at their times.
struct IssuerLine: Sendable {
    /// Something that happens at a time.
    enum Event: Sendable {
        /// The issuer's reply to the authorisation; nil if it was not sent.
        case reply(IssuerReply?, task: Int)
        /// The issuer's reply to a message of the outbox; nil if none came.
        case receipt(IssuerReply?, attempt: Int)
        /// The next message of the outbox is due.
        case delivery
    }

    typealias TimedEvent = (event: Event, at: Duration)

    /// A reply to the authorisation, as the till reads it.
    struct Answer {
        /// The answer of the host.
        let event: PaymentEvent
        /// The decision; nil if there is none to read.
        let decision: IssuerDecision?
        /// The issuer's reason not to approve; nil if it approved.
        let reason: PaymentReason?
    }

    /// The issuer, with its ledger.
    private(set) var issuer: SimulatedIssuer
    private let reference: String
    private let wedge: CardWedge?
    private let replyLimit: Duration
    private var outbox = IssuerOutbox()

    /// - Parameters:
    ///   - issuer: the issuer.
    ///   - reference: the identifier of the payment.
    ///   - wedge: alters the issuer's decisions on their way; nil if nothing does.
    ///   - replyLimit: the wait for a reply to a message of the outbox, after which it is sent again.
    init(_ issuer: SimulatedIssuer, reference: String, wedge: CardWedge?, replyLimit: Duration) {
        self.issuer = issuer
        self.reference = reference
        self.wedge = wedge
        self.replyLimit = replyLimit
    }

    /// The payment in the issuer's ledger; nil if the issuer does not know it.
    var entry: IssuerLedger.Entry? { issuer.ledger[reference] }
    /// Whether the issuer has answered all messages.
    var isSettled: Bool { outbox.items.isEmpty }

    // MARK: the authorisation

    /// Asks for a decision.
    /// - Parameters:
    ///   - objects: the objects of the authorisation.
    ///   - pinBlock: the PIN; nil without one.
    ///   - task: the identifier of the payment's task.
    ///   - now: the time.
    /// - Returns: the reply with its time; nil if none comes.
    mutating func ask(_ objects: DataObjectStore, pinBlock: [UInt8]?, task: Int, at now: Duration) -> TimedEvent? {
        let request = IssuerRequest(reference: reference, .authorisation(objects, pinBlock: pinBlock))
        return switch issuer.receive(request, at: now) {
        case .replies(let reply, let due): (.reply(reply, task: task), due)
        case .isUnreachable(let due): (.reply(nil, task: task), due)
        case .staysSilent: nil
        }
    }

    /// Reads a reply to the authorisation.
    /// - Parameters:
    ///   - reply: the reply; nil if the authorisation was not sent.
    ///   - isSigned: whether the cardholder must sign although no contact kernel has asked for it.
    /// - Returns: the event, the decision and its reason.
    func read(_ reply: IssuerReply?, isSigned: Bool) -> Answer {
        switch reply {
        case .decision(let issued)?:
            let decision = wedge?.alter(issued) ?? issued
            let reason = issued.verdict == .approved ? nil : entry?.reason
            return Answer(
                event: decision.verdict.event(isSigned: isSigned), decision: decision,
                reason: reason.map { PaymentReason($0) })
        case .accepted?, .refused?, .unreadable?:
            return Answer(event: .hostAnswerUnreadable, decision: nil, reason: nil)
        case nil: return Answer(event: .hostUnreachable, decision: nil, reason: nil)
        }
    }

    // MARK: messages that the issuer must answer

    /// Appends the confirmation or the advice of a payment that is complete.
    mutating func complete(isOnline: Bool, _ objects: DataObjectStore) {
        append(isOnline ? .confirmation : .advice, isOnline ? .confirmation(objects) : .advice(objects))
    }

    /// Appends the reversal of the payment.
    mutating func reverse(_ objects: DataObjectStore? = nil) { append(.reversal, .reversal(objects)) }

    private mutating func append(_ message: TillMessage, _ content: IssuerRequest.Content) {
        outbox.append(message, IssuerRequest(reference: reference, content))
    }

    /// Sends the next message, if there is one and none waits for its receipt.
    /// - Returns: the message, and its receipt with the time.
    mutating func send(at now: Duration) -> (message: TillMessage, receipt: TimedEvent)? {
        guard let (item, attempt) = outbox.begin() else { return nil }
        let receipt: TimedEvent =
            switch issuer.receive(item.request, at: now) {
            case .replies(let reply, let due): (.receipt(reply, attempt: attempt), due)
            case .isUnreachable(let due): (.receipt(nil, attempt: attempt), due)
            case .staysSilent: (.receipt(nil, attempt: attempt), now + replyLimit)
            }
        return (item.message, receipt)
    }

    /// Takes the receipt of a message.
    /// - Returns: the message that the issuer has answered, nil if it must be sent again; and the wait for the next delivery,
    ///   nil if the attempt was given up.
    mutating func take(
        _ reply: IssuerReply?, _ attempt: Int
    ) -> (answered: (message: TillMessage, refusal: IssuerRefusal?)?, wait: Duration?) {
        let message = outbox.items.first?.message
        var refusal: IssuerRefusal?
        var isAnswered = false
        switch reply {
        case .accepted?: isAnswered = true
        case .refused(let reason)?:
            isAnswered = true
            refusal = reason
        case .decision?, .unreadable?, nil: break
        }
        let wait = outbox.end(attempt, isAnswered: isAnswered)
        guard isAnswered, let message else { return (nil, wait) }
        return ((message, refusal), wait)
    }

    /// Goes on after the program was killed. A reversal that the journal has queued is in the outbox.
    mutating func restart(_ journal: PaymentJournal) {
        outbox.restart()
        if journal.isReversalQueued { reverse() }
    }
}

extension IssuerDecision.Verdict {
    /// The event of a payment whose issuer decides so.
    /// - Parameter isSigned: whether the cardholder must sign although no contact kernel has asked for it.
    /// - Returns: an answer of the host.
    fileprivate func event(isSigned: Bool) -> PaymentEvent {
        switch self {
        case .approved: isSigned ? .hostApprovedWithSignature : .hostApproved
        case .declined: .hostDeclined
        case .referred: .hostReferred
        }
    }
}
