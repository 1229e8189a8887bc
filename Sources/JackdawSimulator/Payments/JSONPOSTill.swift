import JackdawEMV
import JackdawReaders

/// One payment at a simulated SPm20 terminal, which carries it out as a whole: the payment flow at the till, the terminal
/// with card, cardholder and kernel, and the issuer at the end of the terminal's tunnel. Without I/O and without a clock: a
/// class only because reader and driver cannot be copied.
///
/// The till opens a lost link again as long as the terminal must be asked for the payment's end, or has messages for the
/// issuer. A reversal is `Refund` at the terminal, if that approved.
final class JSONPOSTill<Primitives: AuthenticationPrimitives>: LinkedTill {
    private(set) var now = Duration.zero
    private var progress: TillPayment
    /// The issuer that the terminal asks.
    private var host: TerminalHost
    private let parts: ReaderTillParts
    private let values: JSONPOSPaymentSettings
    private var driver: JSONPOSPayment
    private var reader: TillReader<JSONPOSTerminal<Primitives>>
    private var queue = EventQueue<(event: PaymentEvent, effect: Int)>()
    /// The time at which a lost link is opened again; nil if it is not planned.
    private var reconnection: Duration?
    private var connections: Set<Int> = []
    /// Whether `Purchase` was sent, or may have been.
    private var isAsked = false
    /// Whether the program was started again, and has not asked the terminal yet.
    private var isRecovering = false
    /// The messages that a terminal at a link has not delivered to the issuer; nil if it has not reported them since the
    /// payment's result.
    private var pendingCount: Int? = 0
    /// The time at which a terminal at a link is asked for that number again; nil if it is not planned.
    private var statusTime: Duration?
    /// The number of the payment for the terminal (`receipt_id`, `sequence_id`).
    private let number: Int

    // MARK: what survives the program, with the journal

    /// The number of refunds that were begun.
    private var refunds = 0
    /// The number of times that the program was started again.
    private var restarts = 0

    /// A payment that has not started.
    /// - Parameters:
    ///   - parts: the payment, the card and who decides about it.
    ///   - terminal: the terminal, with the card and the cardholder of the parts; nil if it is at a link.
    ///   - number: the number of the payment, which the terminal must not have had before. Default: 1.
    init(_ parts: ReaderTillParts, _ terminal: JSONPOSTerminal<Primitives>?, number: Int = 1) {
        self.parts = parts
        self.number = number
        let values = JSONPOSPaymentSettings()
        self.values = values
        progress = TillPayment(
            values.policy(parts.settings.policy), FrameHeaderMask(size: JSONPOSFormat.colon + 1))
        host = TerminalHost(parts.issuer, wedge: parts.card.wedge)
        driver = JSONPOSPayment(parts.transaction, receipt: number, sequence: number, values)
        reader = TillReader(terminal, JSONPOSFormat(), goesOnAlone: true)
    }

    var payment: PaymentFlow { progress.flow }
    var reasons: [PaymentReason] { progress.reasons }
    var entries: [PaymentEntry] { progress.entries }
    /// None: the terminal itself has the cardholder choose.
    var applicationNames: [String] { [] }
    /// The terminal keeps the issuer's answer to itself.
    var decision: IssuerDecision? { nil }
    /// The terminal does not report it.
    var cardEntry: CardEntry? { nil }
    var issuerEntry: IssuerLedger.Entry? { host.issuer.ledger["\(number)-\(number)"] }

    /// The issuer at the end of the terminal's tunnel, with its ledger.
    var issuer: SimulatedIssuer { host.issuer }
    /// The number of records for settlement.
    var records: Int { progress.records }

    /// Whether the terminal has delivered all messages to the issuer, as far as the till knows.
    private var isDelivered: Bool { reader.terminal?.isSettled ?? (pendingCount == 0) }
    /// Whether the terminal must be asked for the payment's end.
    private var isUnknown: Bool { isRecovering || driver.isResultAwaited }

    var isSettled: Bool { !driver.isOpen && !isUnknown && isDelivered }
    var awaitsReader: Bool { isAsked && (isUnknown || !isDelivered) }

    func start() { deliver(.start) }

    func receive(_ event: PaymentEvent) { deliver(event) }

    var nextDeadline: Duration? {
        [
            payment.nextDeadline, driver.nextDeadline, reader.nextDeadline, host.nextDeadline, queue.nextDeadline,
            reconnection, statusTime,
        ]
        .compactMap(\.self).min()
    }

    func advance() -> Bool {
        guard let next = nextDeadline else { return false }
        now = max(now, next)
        if let deadline = payment.nextDeadline, deadline <= now { deliver(.timer) }
        while let due = queue.nextDeadline, due <= now {
            let (event, effect) = queue.removeFirst()
            deliver(event, answering: effect)
        }
        if let due = reconnection, due <= now { connect() }
        if let due = statusTime, due <= now { askForPending() }
        take(driver.advance(to: now))
        for output in host.advance(to: now) {
            switch output {
            case .send(let bytes, let connection): take(driver.receive(bytes, from: connection))
            case .close(let connection):
                connections.remove(connection)
                host.close(connection)
                take(driver.closed(connection, reason: "closed"))
            }
        }
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

    // MARK: the link to the terminal

    private func lose() {
        reader.lose()
        statusTime = nil
        take(driver.lose())
        planReconnection()
    }

    /// Plans to open the link to a simulated terminal again. The caller opens other links.
    private func planReconnection() {
        reconnection = awaitsReader && reader.terminal != nil ? now + values.reconnectDelay : nil
    }

    private func connect() {
        reconnection = nil
        reader.connect()
        // The terminal may not answer the first question for its state.
        planStatus()
        guard isRecovering else { return take(driver.reconnect(at: now)) }
        isRecovering = false
        take(
            driver.recover(
                isReversed: progress.journal.isReversalQueued, refunds: refunds, restarts: restarts, at: now))
    }

    func receive(_ bytes: [UInt8], at time: Duration) {
        now = max(now, time)
        reader.receive(bytes) { progress.add($0, isSent: false, at: now) }
        take(driver.receive(bytes.span, at: now))
    }

    func loseLink(at time: Duration) {
        now = max(now, time)
        if reader.isConnected { lose() }
    }

    func reopenLink(at time: Duration) {
        now = max(now, time)
        if !reader.isConnected { connect() }
    }

    func takeTasks() -> [LinkTask] { reader.takeTasks() }

    /// The links to the terminal and of the terminal to the issuer end with the program.
    func kill() {
        guard payment.phase != .idle else { return }
        queue = EventQueue()
        for connection in connections { host.close(connection) }
        connections = []
        reader.lose()
        statusTime = nil
        driver = JSONPOSPayment(parts.transaction, receipt: number, sequence: number, values)
        restarts += 1
        isAsked = progress.journal.host.isRequestSent
        isRecovering = isAsked
        pendingCount = isAsked ? nil : 0
        progress.restart(at: now)
        deliver(.recovered)
        planReconnection()
    }

    // MARK: the effects of the payment

    private func deliver(_ event: PaymentEvent, answering identifier: Int? = nil) {
        guard progress.append(event, answering: identifier) else { return }
        while let effects = progress.nextEffects(at: now) { for effect in effects { carryOut(effect) } }
    }

    private func carryOut(_ effect: PaymentEffect) {
        switch effect.action {
        case .askHost: isAsked = true
        case .storeRecord:
            _ = progress.storeRecord()
            queue.add((PaymentEvent.recordStored, effect.identifier), at: now + parts.settings.storing)
        case .writeJournal(let journal): progress.write(journal)
        default: break
        }
        // The driver of a program that was started again follows the journal.
        if restarts == 0 { take(driver.carryOut(effect, at: now)) }
    }

    private func take(_ outputs: [JSONPOSPayment.Output]) {
        for output in outputs {
            switch output {
            case .send(let bytes):
                if reader.send(bytes, at: now) { progress.add(bytes, isSent: true, at: now) }
            case .event(let event, let effect):
                if event == .hostDeclined, let reason = issuerEntry?.reason, reason != .inOrder {
                    progress.add(PaymentReason(reason))
                }
                deliver(event, answering: effect)
            case .tunnel(let task): carryOut(task)
            case .status(let status):
                pendingCount = status.pendingCount ?? 0
                planStatus()
            case .result: forgetPending()
            case .refundDue(let number):
                refunds = number
                take(driver.sendRefund(at: now))
            case .settlement: forgetPending()
            case .note: break
            }
        }
    }

    /// The number of the terminal's messages to the issuer has changed.
    private func forgetPending() {
        pendingCount = nil
        if reader.terminal == nil { askForPending() }
    }

    /// Asks a terminal at a link for that number. Its reports may be lost.
    private func askForPending() {
        statusTime = nil
        take(driver.askStatus(at: now))
        planStatus()
    }

    /// A terminal at a link with messages is asked again.
    private func planStatus() {
        let isPlanned = reader.terminal == nil && reader.isConnected && isAsked && pendingCount != 0
        statusTime = isPlanned ? now + values.checkInterval : nil
    }

    private func carryOut(_ task: JSONPOSTunnel.Output) {
        switch task {
        case .connect(let connection, let name, let port):
            let address = JSONPOSTerminal<Primitives>.hostAddress
            guard name == address.host, port == address.port else {
                return take(driver.closed(connection, reason: "there is no such host"))
            }
            connections.insert(connection)
            take(driver.opened(connection))
        case .send(let connection, let bytes):
            if connections.contains(connection) { host.receive(bytes, from: connection, at: now) }
        case .disconnect(let connection):
            connections.remove(connection)
            host.close(connection)
        }
    }
}
