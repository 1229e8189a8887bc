import JackdawEMV
import JackdawReaders

/// A till with a payment and its reader, which checks the rules of both.
struct FuzzTill<Reader: ReaderPayment & ~Copyable>: ~Copyable {
    private(set) var now = Duration.zero
    private var flow: PaymentFlow
    private var reader: Reader
    private var observation = PaymentObservation()
    /// The task of the app or the host that was asked for last.
    private var task: Int?
    /// The events of the reader that the payment has not received.
    private var events: [(PaymentEvent, Int?)] = []

    init(_ reader: consuming Reader, _ policy: PaymentPolicy) {
        self.reader = reader
        flow = PaymentFlow(policy: policy)
        happen(.start, nil)
    }

    /// The next deadline of the payment or its reader.
    var nextDeadline: Duration? { [flow.nextDeadline, reader.nextDeadline].compactMap(\.self).min() }

    mutating func receive(_ bytes: [UInt8]) {
        take(reader.receive(bytes.span, at: now))
        settle()
    }

    /// Lets time pass up to a time, which may be in the past only if it is a deadline that has just been set.
    mutating func advance(to time: Duration) {
        precondition(time >= now, "a deadline in the past")
        now = time
        take(reader.advance(to: now))
        settle()
        precondition(reader.nextDeadline.map { $0 > now } ?? true, "a deadline that stays")
        if let deadline = flow.nextDeadline, deadline <= now { happen(.timer, nil) }
    }

    /// The host, the app or the merchant answers; or the link is lost.
    mutating func answer(_ number: Int) {
        let answers: [PaymentEvent] = [
            .hostApproved, .hostDeclined, .hostUnreachable, .hostAnswerUnreadable, .hostReferred,
            .hostApprovedWithSignature, .signatureCaptured, .signatureRefused, .signatureAccepted,
            .signatureRejected, .recordStored, .cancelled,
        ]
        switch number {
        case answers.indices: happen(answers[number], task)
        case 12:
            take(reader.lose())
            settle()
        default:
            guard number - 13 < reader.applicationLabels.count else { return }
            take(reader.choose(number - 13, at: now))
            settle()
        }
    }

    /// Ends the payment by time alone. Records are stored.
    mutating func expire() {
        for _ in 0..<400 where flow.phase != .done {
            if flow.phase == .finalising { happen(.recordStored, task) }
            if let deadline = nextDeadline { advance(to: deadline) }
        }
        precondition(flow.phase == .done, "time does not end the payment")
    }

    /// Gives the payment the events of its reader.
    private mutating func settle() {
        var count = 0
        while !events.isEmpty {
            let (event, identifier) = events.removeFirst()
            receive(event, identifier)
            count += 1
            precondition(count < 10_000, "events without end")
        }
    }

    private mutating func happen(_ event: PaymentEvent, _ identifier: Int?) {
        receive(event, identifier)
        settle()
    }

    private mutating func receive(_ event: PaymentEvent, _ identifier: Int?) {
        // A time-out that is due comes first, as its own event.
        if event != .timer, let deadline = flow.nextDeadline, deadline <= now { receive(.timer, nil) }
        let effects = flow.receive(event, answering: identifier, at: now)
        let actions = effects.map(\.action)
        if !actions.contains(where: \.isReport) { observation.add(event, actions) }
        if let truth = observation.branches.first { observation = truth }
        if let invariant = observation.violation { preconditionFailure(invariant.rawValue) }
        for effect in effects { carryOut(effect) }
    }

    private mutating func carryOut(_ effect: PaymentEffect) {
        var host: HostResponse?
        switch effect.action {
        case .askHost, .captureSignature, .verifySignature, .storeRecord: task = effect.identifier
        case .completeCard(let knowledge):
            guard let code = AuthorisationResponseCode([0x30, 0x30]) else { preconditionFailure("two octets") }
            host = HostResponse(isApproved: knowledge == .approved, responseCode: code)
        default: break
        }
        take(reader.carryOut(effect, host: host, isTapAllowed: flow.isTapAllowed, at: now))
    }

    private mutating func take(_ outputs: [ReaderPaymentOutput]) {
        for output in outputs {
            switch output {
            case .send(let bytes): precondition(!bytes.isEmpty, "a message without bytes")
            case .event(let event, let identifier): events.append((event, identifier))
            case .trouble, .power: break
            case .note(let text):
                let runs = text.utf8.split { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                precondition(runs.allSatisfy { $0.count < 13 }, "a number in a note")
            }
        }
    }
}

/// A payment at an SPm20 without its host. A lost link is opened again at the next step.
struct TerminalPayment: ReaderPayment, ~Copyable {
    static var pinBlockTag: Tag { 0x99 }
    let objects = DataObjectStore()
    let swipe: ReaderSwipe? = nil
    let applicationLabels: [String] = []
    private var payment: JSONPOSPayment
    private var isLost = false

    init(_ payment: consuming JSONPOSPayment) { self.payment = payment }

    var nextDeadline: Duration? { payment.nextDeadline }

    mutating func carryOut(
        _ effect: PaymentEffect, host: HostResponse?, isTapAllowed: Bool, at now: Duration
    ) -> [ReaderPaymentOutput] { plain(payment.carryOut(effect, at: now), at: now) }

    mutating func choose(_ index: Int, at now: Duration) -> [ReaderPaymentOutput] { [] }

    mutating func receive(_ bytes: Span<UInt8>, at now: Duration) -> [ReaderPaymentOutput] {
        plain(payment.receive(bytes, at: now), at: now)
    }

    mutating func advance(to now: Duration) -> [ReaderPaymentOutput] {
        var outputs: [ReaderPaymentOutput] = []
        if isLost {
            isLost = false
            outputs = plain(payment.reconnect(at: now), at: now)
        }
        return outputs + plain(payment.advance(to: now), at: now)
    }

    mutating func lose() -> [ReaderPaymentOutput] {
        isLost = true
        // What follows the loss needs no time.
        return plain(payment.lose(), at: .zero)
    }

    /// Without what only a terminal has. A connection that the terminal asks for opens at once, and its peer is silent.
    private mutating func plain(_ outputs: [JSONPOSPayment.Output], at now: Duration) -> [ReaderPaymentOutput] {
        var plain: [ReaderPaymentOutput] = []
        for output in outputs {
            switch output {
            case .send(let bytes): plain.append(.send(bytes))
            case .event(let event, let identifier): plain.append(.event(event, answering: identifier))
            case .note(let text): plain.append(.note(text))
            case .refundDue: plain += self.plain(payment.sendRefund(at: now), at: now)
            case .tunnel(.connect(let connection, _, _)): plain += self.plain(payment.opened(connection), at: now)
            case .status, .result, .settlement, .tunnel: break
            }
        }
        return plain
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
}
