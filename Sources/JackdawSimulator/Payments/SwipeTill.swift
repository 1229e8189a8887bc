import JackdawCards
import JackdawEMV
import JackdawReaders
import JackdawTransport

/// One payment at a reader that only swipes cards: the flow, the cardholder and the issuer of a ``SimulatedTill``, with the
/// driver of a reader on the audio jack, or with a head whose cards the caller hands in. Without I/O and without a clock: a
/// class only because reader and driver cannot be copied.
final class SwipeTill<Primitives: AuthenticationPrimitives>: SwipedTill {
    private var till: SimulatedTill<Primitives>
    private let settings: SwipingReader?
    /// The driver of the reader; nil for a head.
    private var driver: SwipePayment?
    /// The simulated reader; nil for one at a link.
    private var reader: SimulatedReader?
    private let isSimulated: Bool
    private var linkTasks: [LinkTask] = []
    /// The identifier of the effect that waits for a swipe.
    private var acceptance: Int?
    /// Whether the cardholder swipes as soon as the reader waits for a card.
    private var isSwipeDue = false
    /// Whether the link is there, and the head may read more cards.
    private var isConnected = true

    /// A payment that has not started.
    /// - Parameters:
    ///   - parts: the payment, the card and who decides about it.
    ///   - reader: the reader; nil for a head, whose cards the caller hands in.
    ///   - primitives: RSA and SHA-1, which a swipe does not need.
    /// - Throws: `KernelConfigurationError` if a data object cannot hold a value of the payment.
    init(
        _ parts: ReaderTillParts, _ reader: SwipingReader?, _ primitives: Primitives
    ) throws(KernelConfigurationError) {
        settings = reader
        isSimulated = reader?.model != nil
        var rules = parts.settings
        if reader != nil { rules.policy = SwipeLink.policy(rules.policy) }
        till = try SimulatedTill(
            rules, reference: parts.reference, parts.transaction, card: parts.card, payer: parts.payer,
            issuer: parts.issuer, primitives)
        till.isSwipeOnly = true
        till.isCardLinked = !isSimulated
        till.tillPayment.recorder = PaymentRecorder(reader?.mask ?? FrameHeaderMask(size: 0))
        if let reader { driver = SwipePayment(reader.payment) }
        if let model = reader?.model { self.reader = SimulatedReader(model) }
    }

    var payment: PaymentFlow { till.payment }
    var issuerEntry: IssuerLedger.Entry? { till.issuerEntry }
    var decision: IssuerDecision? { till.decision }
    var reasons: [PaymentReason] { till.reasons }
    var entries: [PaymentEntry] { till.entries }
    /// None: a stripe has no applications.
    var applicationNames: [String] { [] }
    var isSettled: Bool { till.isSettled }

    /// Whether the payment waits for a card.
    var isAwaitingCard: Bool { acceptance != nil }

    // MARK: the steps of a run

    func start() {
        till.start()
        carryOutTasks()
    }

    func receive(_ event: PaymentEvent) {
        till.receive(event)
        carryOutTasks()
    }

    var nextDeadline: Duration? {
        [till.nextDeadline, driver?.nextDeadline, isConnected ? reader?.nextDeadline : nil].compactMap(\.self).min()
    }

    func advance() -> Bool {
        guard let next = nextDeadline else { return false }
        if let due = till.nextDeadline, due <= next {
            till.advance()
        } else {
            till.now = max(till.now, next)
            let outputs = driver?.advance(to: till.now) ?? []
            take(outputs)
            hearReader()
        }
        carryOutTasks()
        return true
    }

    /// Takes what the simulated reader sends now.
    private func hearReader() {
        guard isConnected else { return }
        let outputs = reader?.advance(to: till.now) ?? []
        for output in outputs {
            switch output {
            case .send(let bytes): hear(bytes)
            case .disconnect: lose()
            }
        }
    }

    private func hear(_ bytes: [UInt8]) {
        record(bytes, isSent: false)
        let outputs = driver?.receive(bytes.span, at: till.now) ?? []
        take(outputs)
    }

    private func record(_ message: [UInt8], isSent: Bool) {
        let now = till.now
        till.tillPayment.add(message, isSent: isSent, at: now)
    }

    private func lose() {
        guard isConnected else { return }
        isConnected = false
        let outputs = driver?.lose() ?? []
        take(outputs)
    }

    // MARK: a reader at a link

    func receive(_ bytes: [UInt8], at time: Duration) {
        till.now = max(till.now, time)
        hear(bytes)
        carryOutTasks()
    }

    /// The link has ended, or the head reads no more cards.
    func loseLink(at time: Duration) {
        till.now = max(till.now, time)
        if driver == nil {
            isConnected = false
        } else {
            lose()
        }
        carryOutTasks()
    }

    func takeTasks() -> [LinkTask] {
        defer { linkTasks = [] }
        return linkTasks
    }

    /// Handles a card that a head read. Nothing happens unless the payment waits for one.
    func receive(_ card: CardEvent, at time: Duration) {
        till.now = max(till.now, time)
        take(card)
        carryOutTasks()
    }

    /// The link to the reader ends with the program.
    func kill() {
        guard payment.phase != .idle else { return }
        isConnected = false
        _ = driver?.lose()
        (acceptance, isSwipeDue) = (nil, false)
        till.kill()
        till.readerTasks = []
    }

    // MARK: the reader and its driver

    /// Carries out the effects of the payment on the reader. The driver's outputs may lead to more of them.
    private func carryOutTasks() {
        while !till.readerTasks.isEmpty {
            let task = till.readerTasks.removeFirst()
            switch task {
            case .prepare(let identifier): prepare(identifier)
            case .accept(let identifier):
                acceptance = identifier
                isSwipeDue = false
                carryOut(PaymentEffect(identifier: identifier, action: .acceptCard))
            case .swipe: isSwipeDue = true
            case .stop:
                (acceptance, isSwipeDue) = (nil, false)
                carryOut(PaymentEffect(identifier: 0, action: .stopReader))
            }
        }
        swipeCard()
        // A head has no link whose end would show that no card can come.
        if driver == nil, !isConnected, acceptance != nil {
            acceptance = nil
            till.receive(.linkLost)
            carryOutTasks()
        }
    }

    private func prepare(_ identifier: Int) {
        guard driver != nil else { return till.deliver(.prepared, answering: identifier) }
        carryOut(PaymentEffect(identifier: identifier, action: .prepare))
    }

    /// Has the reader carry out an effect. A head has none.
    private func carryOut(_ effect: PaymentEffect) {
        let outputs = driver?.carryOut(effect, host: nil, isTapAllowed: false, at: till.now) ?? []
        take(outputs)
    }

    /// Has the cardholder swipe the card, if the simulated reader waits for one.
    private func swipeCard() {
        guard isSwipeDue, driver?.isAwaitingSwipe == true else { return }
        isSwipeDue = false
        reader?.present(till.card.swipe(), at: till.now)
    }

    private func take(_ outputs: [ReaderPaymentOutput]) {
        for output in outputs {
            switch output {
            case .send(let bytes):
                guard isConnected else { continue }
                record(bytes, isSent: true)
                if isSimulated { reader?.receive(bytes.span, at: till.now) } else { linkTasks.append(.send(bytes)) }
            case .power(let power):
                if isSimulated {
                    reader?.setPower(power != .off, at: till.now)
                } else {
                    linkTasks.append(.power(power))
                }
            case .event(let event, let effect): receive(event, answering: effect)
            case .trouble, .note: break
            }
        }
    }

    private func receive(_ event: PaymentEvent, answering effect: Int?) {
        switch event {
        // The caller's card may be more than the driver knows of it, for example decrypted.
        case .cardSwiped, .chipCardSwiped: if let settings, let swipe = driver?.swipe { take(settings.card(swipe)) }
        case .swipeUnreadable: take(CardEvent([], source: .audioReader))
        case .linkLost:
            acceptance = nil
            if payment.outcome == nil { till.receive(.linkLost) }
        default: if let effect { till.deliver(event, answering: effect) }
        }
    }

    private func take(_ card: CardEvent) {
        guard let task = acceptance else { return }
        acceptance = nil
        till.takeSwipe(card, answering: task)
    }
}
