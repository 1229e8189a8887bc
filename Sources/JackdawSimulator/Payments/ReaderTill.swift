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
    /// The time since the start.
    private(set) var now = Duration.zero
    /// The issuer's decision; nil before it.
    private(set) var decision: IssuerDecision?

    private let parts: ReaderTillParts
    private var progress: TillPayment
    private var line: IssuerLine
    /// The cardholder at the till, who signs there.
    private var payer: SimulatedPayer
    private var driver: Payment
    private var reader: TillReader<Terminal>
    private var queue = EventQueue<Happening>()
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
        case issuer(IssuerLine.Event)
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
        line = IssuerLine(
            parts.issuer, reference: parts.reference, wedge: parts.card.wedge, replyLimit: parts.settings.replyLimit)
        progress = TillPayment(parts.settings.policy, mask)
        self.driver = driver
        reader = TillReader(terminal, messages)
    }

    var payment: PaymentFlow { progress.flow }
    /// The issuer, with its ledger.
    var issuer: SimulatedIssuer { line.issuer }
    /// The number of records for settlement.
    var records: Int { progress.records }
    /// The objects of the card's last decision.
    var objects: DataObjectStore { driver.objects }
    /// The reasons for the course of the payment, those of the reader's kernel included.
    var reasons: [PaymentReason] { progress.reasons }

    var isSettled: Bool { line.isSettled }

    var entries: [PaymentEntry] { progress.entries }

    /// Those that the reader leaves to the till.
    var applicationNames: [String] { driver.applicationLabels }

    var issuerEntry: IssuerLedger.Entry? { line.entry }

    // MARK: the steps of a run

    /// Starts the payment, which has not started.
    func start() { deliver(.start) }

    func receive(_ event: PaymentEvent) { deliver(event) }

    /// The time of the next step; nil if nothing remains.
    var nextDeadline: Duration? {
        [
            payment.nextDeadline, isKilled ? nil : driver.nextDeadline, reader.nextDeadline, queue.nextDeadline,
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
        let outputs = reader.advance(to: now)
        for reason in reader.takeReasons() { progress.add(reason) }
        for output in outputs {
            switch output {
            case .send(let bytes):
                progress.add(bytes, isSent: false, at: now)
                take(driver.receive(bytes.span, at: now))
            case .disconnect:
                lose()
            }
        }
        return true
    }

    private func lose() {
        reader.lose()
        take(driver.lose())
    }

    // MARK: a reader at a link

    func receive(_ bytes: [UInt8], at time: Duration) {
        now = max(now, time)
        reader.receive(bytes) { progress.add($0, isSent: false, at: now) }
        take(driver.receive(bytes.span, at: now))
    }

    func loseLink(at time: Duration) {
        now = max(now, time)
        if reader.isConnected { lose() }
    }

    func takeTasks() -> [LinkTask] { reader.takeTasks() }

    /// The link to the reader ends with the program.
    func kill() {
        guard payment.phase != .idle else { return }
        queue = EventQueue()
        (hostTask, choiceTask) = (nil, nil)
        isKilled = true
        reader.lose()
        progress.restart(at: now)
        line.restart(progress.journal)
        deliver(.recovered)
        queue.add(.issuer(.delivery), at: now)
    }

    private func happen(_ happening: Happening) {
        switch happening {
        case .event(let event, let identifier): deliver(event, answering: identifier)
        case .issuer(let event): take(event)
        case .choice(let index, let identifier):
            if identifier == choiceTask { take(driver.choose(index, at: now)) }
        }
    }

    private func deliver(_ event: PaymentEvent, answering identifier: Int? = nil) {
        guard progress.append(event, answering: identifier) else { return }
        while let effects = progress.nextEffects(at: now) { for effect in effects { carryOut(effect) } }
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
        case .writeJournal(let journal): progress.write(journal)
        case .reverse:
            line.reverse(isKilled ? nil : closingMessage)
            queue.add(.issuer(.delivery), at: now)
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
                if reader.send(bytes, at: now) { progress.add(bytes, isSent: true, at: now) }
            case .event(let event, let effect): deliver(event, answering: effect)
            // Readers with a kernel have a battery.
            case .trouble, .note, .power: break
            }
        }
    }

    /// The reader leaves the choice to the till.
    private func askForApplication(_ identifier: Int) {
        choiceTask = identifier
        // Readers send labels; the cardholder knows the card.
        let names =
            reader.terminal?.candidates.map(\.name)
            ?? driver.applicationLabels.map { parts.card.name(labelled: $0) ?? [] }
        guard let (index, due) = payer.choose(among: names, at: now) else { return }
        queue.add(.choice(index, answering: identifier), at: due)
    }

    private func askForSignature(_ identifier: Int) {
        guard let (event, isRight, due) = payer.sign(at: now) else { return }
        isSignatureRight = isRight
        queue.add(.event(event, answering: identifier), at: due)
    }

    /// Stores the record and its mark in the journal in one write, and has the issuer take the money.
    private func storeRecord(_ identifier: Int) {
        if progress.storeRecord() {
            line.complete(isOnline: payment.journal.host == .approved, closingMessage)
            queue.add(.issuer(.delivery), at: now + parts.settings.storing)
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
        add(line.ask(objects, pinBlock: objects[Payment.pinBlockTag], task: identifier, at: now))
    }

    private func add(_ timed: IssuerLine.TimedEvent?) {
        if let (event, due) = timed { queue.add(.issuer(event), at: due) }
    }

    private func take(_ event: IssuerLine.Event) {
        switch event {
        case .reply(let reply, let task): takeReply(reply, task)
        case .receipt(let reply, let attempt):
            if let wait = line.take(reply, attempt).wait { add((.delivery, now + wait)) }
        case .delivery: add(line.send(at: now)?.receipt)
        }
    }

    private func takeReply(_ reply: IssuerReply?, _ task: Int) {
        let entry = payment.journal.entry
        let answer = line.read(reply, isSigned: entry == .swipe || entry == .fallback)
        if task == hostTask, payment.phase == .awaitingHost, let decision = answer.decision {
            self.decision = decision
            progress.add(answer.reason)
        }
        deliver(answer.event, answering: task)
    }
}
