import JackdawCards
import JackdawEMV
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport

/// A till with a simulated reader that has a kernel, at a link: the payment's flow, the machine of payments, the
/// reader with a virtual card and the issuer, in virtual time.
struct ReaderTill<Payment: ReaderPayment & ~Copyable>: ~Copyable {
    private(set) var flow = PaymentFlow()
    private(set) var now = Duration.zero
    private(set) var issuer: SimulatedIssuer
    /// The events that the payment received.
    private(set) var events: [PaymentEvent] = []
    /// The number of records for settlement.
    private(set) var records = 0
    /// The frames that were sent.
    private(set) var sent: [[UInt8]] = []
    /// The objects of the card's last decision.
    var objects: DataObjectStore { driver.objects }

    private var driver: Payment
    private var reader: SimulatedReader
    private let transaction: KernelTransaction
    private var queue: [(due: Duration, event: PaymentEvent, effect: Int)] = []
    private var decision: IssuerDecision?
    private var isConnected = true
    /// The index of the application that the host chooses.
    private let choice: Int
    /// Bytes that come at a time.
    private let step: Int
    /// The event of the merchant, after so many events.
    private let interference: (PaymentEvent, after: Int)?

    init(
        _ driver: consuming Payment, _ reader: consuming SimulatedReader, _ parts: TerminalParts, choice: Int = 0,
        step: Int = .max, interference: (PaymentEvent, after: Int)? = nil
    ) {
        self.driver = driver
        self.reader = reader
        issuer = parts.issuer
        transaction = parts.transaction
        self.choice = choice
        self.step = step
        self.interference = interference
    }

    /// Pays, in at most ten minutes.
    mutating func run() -> PaymentOutcome? {
        deliver(.start)
        let end = now + .seconds(600)
        while true {
            let next = [
                flow.nextDeadline, driver.nextDeadline, isConnected ? reader.nextDeadline : nil, queue.first?.due,
            ]
            .compactMap(\.self).min()
            guard let next, next <= end else { break }
            now = max(now, next)
            advance()
        }
        return flow.outcome
    }

    private mutating func advance() {
        if let deadline = flow.nextDeadline, deadline <= now { deliver(.timer) }
        while let first = queue.first, first.due <= now {
            queue.removeFirst()
            deliver(first.event, answering: first.effect)
        }
        take(driver.advance(to: now))
        guard isConnected else { return }
        for output in reader.advance(to: now) {
            switch output {
            case .send(let bytes):
                for start in stride(from: 0, to: bytes.count, by: step) {
                    let part = start..<start + min(step, bytes.count - start)
                    take(driver.receive(bytes.span.extracting(part), at: now))
                }
            case .disconnect:
                isConnected = false
                take(driver.lose())
            }
        }
    }

    private mutating func take(_ outputs: [ReaderPaymentOutput]) {
        for output in outputs {
            switch output {
            case .send(let bytes):
                sent.append(bytes)
                if isConnected { reader.receive(bytes.span, at: now) }
            case .event(let event, let effect): deliver(event, answering: effect)
            case .note: break
            }
        }
    }

    private mutating func deliver(_ event: PaymentEvent, answering effect: Int? = nil) {
        events.append(event)
        for effect in flow.receive(event, answering: effect, at: now) { carryOut(effect) }
        if let (event, count) = interference, events.count == count { deliver(event) }
    }

    private mutating func carryOut(_ effect: PaymentEffect) {
        let identifier = effect.identifier
        switch effect.action {
        case .askHost: askIssuer(identifier)
        case .captureSignature: plan((now, .signatureCaptured, identifier))
        case .verifySignature: plan((now, .signatureAccepted, identifier))
        case .storeRecord:
            records += 1
            let isOnline = flow.journal.host == .approved
            _ = issuer.receive(request(isOnline ? .confirmation(message) : .advice(message)), at: now)
            plan((now, .recordStored, identifier))
        case .reverse: _ = issuer.receive(request(.reversal()), at: now)
        default: break
        }
        take(driver.carryOut(effect, host: decision?.response, isTapAllowed: flow.isTapAllowed, at: now))
        if effect.action == .chooseApplication { take(driver.choose(choice, at: now)) }
    }

    private func request(_ content: IssuerRequest.Content) -> IssuerRequest {
        IssuerRequest(reference: "1", content)
    }

    /// The objects for the issuer: those of the card's decision, or of the stripe.
    private var message: DataObjectStore {
        guard flow.journal.entry == .swipe || flow.journal.entry == .fallback else { return objects }
        guard let swipe = driver.swipe else { return DataObjectStore() }
        return CardEvent(swipe, source: .reader).authorisation(transaction) ?? DataObjectStore()
    }

    private mutating func askIssuer(_ identifier: Int) {
        let objects = message
        let content = IssuerRequest.Content.authorisation(objects, pinBlock: objects[Payment.pinBlockTag])
        switch issuer.receive(request(content), at: now) {
        case .replies(.decision(let decision), let due):
            self.decision = decision
            let event: PaymentEvent =
                switch decision.verdict {
                case .approved: .hostApproved
                case .declined: .hostDeclined
                case .referred: .hostReferred
                }
            plan((due, event, identifier))
        case .replies(_, let due): plan((due, .hostAnswerUnreadable, identifier))
        case .isUnreachable(let due): plan((due, .hostUnreachable, identifier))
        case .staysSilent: break
        }
    }

    private mutating func plan(_ event: (due: Duration, event: PaymentEvent, effect: Int)) {
        let place = queue.firstIndex { $0.due > event.due } ?? queue.count
        queue.insert(event, at: place)
    }

    /// The reasons for which the books of till and issuer do not agree; empty if they do.
    var disagreements: [String] {
        let entry = issuer.ledger["1"]
        let isApproved = flow.outcome?.isApproved == true
        var found: [String] = []
        if flow.outcome == nil { found.append("no outcome") }
        if issuer.ledger.held != 0 { found.append("\(issuer.ledger.held) are held") }
        if (entry?.capture != nil) != isApproved { found.append("captured: \(entry?.capture as Any)") }
        if records != (isApproved ? 1 : 0) { found.append("\(records) records") }
        return found
    }
}
