import JackdawEMV
import JackdawReaders

/// One payment at a simulated SPm20 terminal, which carries it out as a whole: the payment flow at the till, the terminal
/// with card, cardholder and kernel, and the issuer at the end of the terminal's tunnel. Without I/O and without a clock: a
/// class only because reader and driver cannot be copied.
final class JSONPOSTill<Primitives: AuthenticationPrimitives>: LinkedTill {
    private(set) var payment: PaymentFlow
    /// The issuer that the terminal asks.
    private var host: TerminalHost
    private(set) var now = Duration.zero
    private var recorder = PaymentRecorder(FrameHeaderMask(size: JSONPOSFormat.colon + 1))
    private let settings: TillSettings
    private var driver: JSONPOSPayment
    /// The terminal; nil if it is at a link.
    private var reader: SimulatedReader?
    private var linkInput = LinkInput(JSONPOSFormat())
    private var queue = EventQueue<(event: PaymentEvent, effect: Int)>()
    private var course = PaymentReasons()
    /// Events that wait until the effects of the one before are carried out.
    private var inbox: [(event: PaymentEvent, effect: Int?)] = []
    private var isDelivering = false
    private var isConnected = true
    private var connections: Set<Int> = []
    /// The messages that a terminal at a link has not delivered to the issuer; nil if it has not reported them since the
    /// payment's result.
    private var pendingCount: Int? = 0
    /// Whether the terminal approved after the flow had ended, so that the money must be refunded.
    private var isRefundDue = false

    /// The number of the payment for the terminal (`receipt_id`, `sequence_id`).
    private let number: Int

    /// A payment that has not started.
    /// - Parameters:
    ///   - parts: the payment, the card and who decides about it.
    ///   - terminal: the terminal, with the card and the cardholder of the parts; nil if it is at a link.
    ///   - number: the number of the payment, which the terminal must not have had before. Default: 1.
    init(_ parts: ReaderTillParts, _ terminal: JSONPOSTerminal<Primitives>?, number: Int = 1) {
        self.number = number
        let values = JSONPOSPaymentSettings()
        settings = parts.settings
        payment = PaymentFlow(policy: values.policy(parts.settings.policy))
        host = TerminalHost(parts.issuer, wedge: parts.card.wedge)
        driver = JSONPOSPayment(parts.transaction, receipt: number, sequence: number, values)
        reader = if let terminal { SimulatedReader(terminal) } else { nil }
    }

    private var terminal: JSONPOSTerminal<Primitives>? { reader?.model(as: JSONPOSTerminal<Primitives>.self) }

    var reasons: [PaymentReason] { course.all }
    var entries: [PaymentEntry] { recorder.entries }
    /// None: the terminal itself has the cardholder choose.
    var applicationNames: [String] { [] }
    /// The terminal keeps the issuer's answer to itself.
    var decision: IssuerDecision? { nil }
    var issuerEntry: IssuerLedger.Entry? { host.issuer.ledger["\(number)-\(number)"] }
    var isSettled: Bool {
        !isRefundDue && (terminal?.isSettled ?? (pendingCount == 0 && !driver.isResultAwaited))
    }

    func start() { deliver(.start) }

    var nextDeadline: Duration? {
        [
            payment.nextDeadline, driver.nextDeadline, isConnected ? reader?.nextDeadline : nil, host.nextDeadline,
            queue.nextDeadline,
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
        guard isConnected else { return true }
        let outputs = reader?.advance(to: now) ?? []
        takeReasonsOfTerminal()
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

    // MARK: a terminal at a link

    func receive(_ bytes: [UInt8], at time: Duration) {
        now = max(now, time)
        linkInput.receive(bytes) { recorder.add($0, isSent: false, at: now) }
        take(driver.receive(bytes.span, at: now))
    }

    func loseLink(at time: Duration) {
        now = max(now, time)
        if isConnected { lose() }
    }

    func takeTasks() -> [LinkTask] { linkInput.takeTasks() }

    /// The terminal's kernel is ahead of its messages, and so are its reasons.
    private func takeReasonsOfTerminal() {
        guard let terminal else { return }
        for reason in terminal.reasons { course.add(reason) }
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

    private func carryOut(_ effect: PaymentEffect) {
        if effect.action == .storeRecord {
            queue.add((PaymentEvent.recordStored, effect.identifier), at: now + settings.storing)
        }
        take(driver.carryOut(effect, at: now))
    }

    private func take(_ outputs: [JSONPOSPayment.Output]) {
        for output in outputs {
            switch output {
            case .send(let bytes):
                guard isConnected else { continue }
                recorder.add(bytes, isSent: true, at: now)
                if reader == nil { linkInput.unsent.append(bytes) } else { reader?.receive(bytes.span, at: now) }
            case .event(let event, let effect):
                if event == .hostDeclined, let reason = issuerEntry?.reason, reason != .inOrder {
                    course.add(PaymentReason(reason))
                }
                deliver(event, answering: effect)
            case .tunnel(let task): carryOut(task)
            case .status(let status): pendingCount = status.pendingCount ?? 0
            case .result(let result):
                pendingCount = nil
                if case .approved = result, payment.outcome != nil { isRefundDue = true }
            case .note: break
            }
        }
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
