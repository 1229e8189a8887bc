import JackdawCards
import JackdawEMV
import JackdawReaders
import JackdawTransport

/// One payment at a simulated reader with a kernel: the payment flow and the issuer at the till, the card, the cardholder
/// and the contact kernel in the reader, and the reader's messages between them. Without I/O and without a clock: a class
/// only because reader and driver cannot be copied.
///
/// ``SimulatedTill`` has the kernel in the till itself; ``JSONPOSTill`` leaves the issuer to the terminal.
final class ReaderTill<Payment: ReaderPayment & ~Copyable, Terminal: KernelTerminal>: LinkedTill {
    /// The payment as a machine.
    private(set) var payment: PaymentFlow
    /// The journal on disk.
    private(set) var journal = PaymentJournal()
    /// The issuer, with its ledger.
    private(set) var issuer: SimulatedIssuer
    /// The time since the start.
    private(set) var now = Duration.zero
    /// The steps, and the messages of the reader.
    private(set) var recorder: PaymentRecorder
    /// The issuer's decision; nil before it.
    private(set) var decision: IssuerDecision?
    /// The number of records for settlement.
    private(set) var records = 0

    private let parts: ReaderTillParts
    /// The cardholder at the till, who signs there.
    private var payer: SimulatedPayer
    private var driver: Payment
    /// The reader; nil if it is at a link.
    private var reader: SimulatedReader?
    private var linkInput: LinkInput
    private var queue = EventQueue<Happening>()
    private var outbox = IssuerOutbox()
    private var course = PaymentReasons()
    /// The number of the reader's reasons that are in ``course``.
    private var readerReasons = 0
    /// Events that wait until the effects of the one before are carried out.
    private var inbox: [(event: PaymentEvent, effect: Int?)] = []
    private var isDelivering = false
    private var isConnected = true
    /// Whether the program was killed, and has no payment at the reader any more.
    private var isKilled = false
    private var isSignatureRight = false
    /// The identifier of the question to the issuer.
    private var hostTask: Int?
    /// The identifier of the last question for an application.
    private var choiceTask: Int?

    /// Something that happens at a time.
    private enum Happening {
        case event(PaymentEvent, answering: Int)
        /// The issuer's reply to the authorisation; nil if it was not sent.
        case reply(IssuerReply?, task: Int)
        /// The issuer's reply to a message of the outbox; nil if none came.
        case receipt(IssuerReply?, attempt: Int)
        case delivery
        /// The cardholder has chosen an application, for an effect.
        case choice(Int, answering: Int)
    }

    /// A payment that has not started.
    /// - Parameters:
    ///   - parts: the payment, the card and who decides about it.
    ///   - driver: the payment at the reader.
    ///   - terminal: the reader, with the card and the cardholder of the parts; nil if it is at a link.
    ///   - messages: the format of the reader's messages.
    ///   - mask: masks them.
    init(
        _ parts: ReaderTillParts, _ driver: consuming Payment, _ terminal: Terminal?, _ messages: any FrameFormat,
        _ mask: any TranscriptMask
    ) {
        self.parts = parts
        payer = parts.payer
        issuer = parts.issuer
        payment = PaymentFlow(policy: parts.settings.policy)
        recorder = PaymentRecorder(mask)
        self.driver = driver
        reader = if let terminal { SimulatedReader(terminal) } else { nil }
        linkInput = LinkInput(messages)
    }

    /// The reasons for the course of the payment, those of the reader's kernel included.
    var reasons: [PaymentReason] { course.all }

    var isSettled: Bool { outbox.items.isEmpty }

    var entries: [PaymentEntry] { recorder.entries }

    /// Those that the reader leaves to the till.
    var applicationNames: [String] { driver.applicationLabels }

    var issuerEntry: IssuerLedger.Entry? { issuer.ledger[parts.reference] }

    // MARK: the steps of a run

    /// Starts the payment, which has not started.
    func start() { deliver(.start) }

    /// The time of the next step; nil if nothing remains.
    var nextDeadline: Duration? {
        [
            payment.nextDeadline, isKilled ? nil : driver.nextDeadline, isConnected ? reader?.nextDeadline : nil,
            queue.nextDeadline,
        ]
        .compactMap(\.self).min()
    }

    /// Takes the next step, at its time.
    /// - Returns: false if nothing remains.
    func advance() -> Bool {
        guard let next = nextDeadline else { return false }
        now = max(now, next)
        if let deadline = payment.nextDeadline, deadline <= now { deliver(.timer) }
        while let due = queue.nextDeadline, due <= now { happen(queue.removeFirst()) }
        if !isKilled { take(driver.advance(to: now)) }
        guard isConnected else { return true }
        let outputs = reader?.advance(to: now) ?? []
        takeReasonsOfReader()
        for output in outputs {
            switch output {
            case .send(let bytes):
                recorder.add(bytes, isSent: false, at: now)
                take(driver.receive(bytes.span, at: now))
            case .disconnect:
                lose()
            }
        }
        return true
    }

    private func lose() {
        isConnected = false
        take(driver.lose())
    }

    // MARK: a reader at a link

    func receive(_ bytes: [UInt8], at time: Duration) {
        now = max(now, time)
        for message in linkInput.receive(bytes) { recorder.add(message, isSent: false, at: now) }
        take(driver.receive(bytes.span, at: now))
    }

    func loseLink(at time: Duration) {
        now = max(now, time)
        if isConnected { lose() }
    }

    func takeUnsent() -> [[UInt8]] { linkInput.takeUnsent() }

    /// The link to the reader ends with the program.
    func kill() {
        guard payment.phase != .idle else { return }
        course.add(event: .crash)
        queue = EventQueue()
        (hostTask, choiceTask) = (nil, nil)
        (isConnected, isKilled) = (false, true)
        outbox.restart()
        payment = PaymentFlow(restoring: journal, policy: parts.settings.policy)
        recorder.add(.restart(journal), payment, [], at: now)
        if journal.isReversalQueued {
            outbox.append(.reversal, IssuerRequest(reference: parts.reference, .reversal()))
        }
        deliver(.recovered)
        queue.add(.delivery, at: now)
    }

    private func happen(_ happening: Happening) {
        switch happening {
        case .event(let event, let identifier): deliver(event, answering: identifier)
        case .reply(let reply, let task): takeReply(reply, task)
        case .receipt(let reply, let attempt): takeReceipt(reply, attempt)
        case .delivery: sendMessage()
        case .choice(let index, let identifier):
            if identifier == choiceTask { take(driver.choose(index, at: now)) }
        }
    }

    private func deliver(_ event: PaymentEvent, answering identifier: Int? = nil) {
        inbox.append((event, identifier))
        guard !isDelivering else { return }
        isDelivering = true
        while !inbox.isEmpty {
            let (event, identifier) = inbox.removeFirst()
            course.add(event: event)
            let effects = payment.receive(event, answering: identifier, at: now)
            recorder.add(.event(event, answering: identifier), payment, effects, at: now)
            for effect in effects { carryOut(effect) }
        }
        isDelivering = false
    }

    private var terminal: Terminal? { reader?.model(as: Terminal.self) }

    /// The reader's kernel is ahead of its messages, and so are its reasons.
    private func takeReasonsOfReader() {
        guard let terminal else { return }
        for reason in terminal.reasons.dropFirst(readerReasons) { course.add(reason) }
        readerReasons = terminal.reasons.count
    }

    // MARK: the effects of the payment

    private func carryOut(_ effect: PaymentEffect) {
        let identifier = effect.identifier
        switch effect.action {
        case .askHost: askIssuer(identifier)
        case .captureSignature: askForSignature(identifier)
        case .verifySignature:
            let event: PaymentEvent = isSignatureRight ? .signatureAccepted : .signatureRejected
            queue.add(.event(event, answering: identifier), at: now)
        case .storeRecord: storeRecord(identifier)
        case .writeJournal(let journal):
            self.journal = journal
            // The mark of a record that is stored stays.
            if records > 0 { self.journal.isRecordStored = true }
        case .reverse: post(.reversal, .reversal(isKilled ? nil : closingMessage), at: now)
        default: break
        }
        guard !isKilled else { return }
        take(driver.carryOut(effect, host: decision?.response, isTapAllowed: payment.isTapAllowed, at: now))
        if effect.action == .chooseApplication { askForApplication(identifier) }
    }

    private func take(_ outputs: [ReaderPaymentOutput]) {
        for output in outputs {
            switch output {
            case .send(let bytes):
                guard isConnected else { continue }
                recorder.add(bytes, isSent: true, at: now)
                if reader == nil { linkInput.unsent.append(bytes) } else { reader?.receive(bytes.span, at: now) }
            case .event(let event, let effect): deliver(event, answering: effect)
            case .note: break
            }
        }
    }

    /// The reader leaves the choice to the till.
    private func askForApplication(_ identifier: Int) {
        choiceTask = identifier
        // Readers send labels; the cardholder knows the card.
        let names =
            terminal?.candidates.map(\.name) ?? driver.applicationLabels.map { parts.card.name(labelled: $0) ?? [] }
        guard let (index, due) = payer.choose(among: names, at: now) else { return }
        queue.add(.choice(index, answering: identifier), at: due)
    }

    private func askForSignature(_ identifier: Int) {
        guard let (answer, due) = payer.receive(.sign, at: now) else { return }
        var event = PaymentEvent.signatureRefused
        if case .signs(let isRight) = answer {
            isSignatureRight = isRight
            event = .signatureCaptured
        }
        queue.add(.event(event, answering: identifier), at: due)
    }

    /// Stores the record and its mark in the journal in one write, and has the issuer take the money.
    private func storeRecord(_ identifier: Int) {
        if !journal.isRecordStored {
            journal.isRecordStored = true
            records += 1
            let isOnline = payment.journal.host == .approved
            let objects = closingMessage
            post(
                isOnline ? .confirmation : .advice, isOnline ? .confirmation(objects) : .advice(objects),
                at: now + parts.settings.storing)
        }
        queue.add(.event(.recordStored, answering: identifier), at: now + parts.settings.storing)
    }

    // MARK: messages to the issuer

    /// The objects for the issuer: those of the card's decision, or of the stripe.
    private var message: DataObjectStore {
        let entry = payment.journal.entry
        guard entry == .swipe || entry == .fallback else { return driver.objects }
        guard let swipe = driver.swipe else { return DataObjectStore() }
        return CardEvent(swipe, source: .reader).authorisation(parts.transaction) ?? DataObjectStore()
    }

    /// The same without a PIN, which only the authorisation has.
    private var closingMessage: DataObjectStore {
        var objects = message
        objects[Payment.pinBlockTag] = nil
        return objects
    }

    private func askIssuer(_ identifier: Int) {
        hostTask = identifier
        let objects = message
        let content = IssuerRequest.Content.authorisation(objects, pinBlock: objects[Payment.pinBlockTag])
        switch issuer.receive(IssuerRequest(reference: parts.reference, content), at: now) {
        case .replies(let reply, let due): queue.add(.reply(reply, task: identifier), at: due)
        case .isUnreachable(let due): queue.add(.reply(nil, task: identifier), at: due)
        case .staysSilent: break
        }
    }

    private func takeReply(_ reply: IssuerReply?, _ task: Int) {
        let event: PaymentEvent
        switch reply {
        case .decision(let issued)?:
            let decision = parts.card.wedge?.alter(issued) ?? issued
            if task == hostTask, payment.phase == .awaitingHost {
                self.decision = decision
                if issued.verdict != .approved, let reason = issuerEntry?.reason {
                    course.add(PaymentReason(reason))
                }
            }
            let entry = payment.journal.entry
            event = decision.verdict.event(isSigned: entry == .swipe || entry == .fallback)
        case .accepted?, .refused?, .unreadable?: event = .hostAnswerUnreadable
        case nil: event = .hostUnreachable
        }
        deliver(event, answering: task)
    }

    /// Appends a message to the outbox, which is emptied at a time.
    private func post(_ message: TillMessage, _ content: IssuerRequest.Content, at due: Duration) {
        outbox.append(message, IssuerRequest(reference: parts.reference, content))
        queue.add(.delivery, at: due)
    }

    private func sendMessage() {
        guard let (item, attempt) = outbox.begin() else { return }
        switch issuer.receive(item.request, at: now) {
        case .replies(let reply, let due): queue.add(.receipt(reply, attempt: attempt), at: due)
        case .isUnreachable(let due): queue.add(.receipt(nil, attempt: attempt), at: due)
        case .staysSilent: queue.add(.receipt(nil, attempt: attempt), at: now + parts.settings.replyLimit)
        }
    }

    private func takeReceipt(_ reply: IssuerReply?, _ attempt: Int) {
        let isAnswered =
            switch reply {
            case .accepted?, .refused?: true
            case .decision?, .unreadable?, nil: false
            }
        guard let wait = outbox.end(attempt, isAnswered: isAnswered) else { return }
        queue.add(.delivery, at: now + wait)
    }
}
