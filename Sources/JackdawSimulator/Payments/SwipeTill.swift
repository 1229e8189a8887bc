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
    private var driver: ReaderDriver?
    /// The simulated reader; nil for one at a link.
    private var reader: SimulatedReader?
    private let isSimulated: Bool
    private var linkTasks: [LinkTask] = []
    /// The identifier of the effect that waits for the reader to be ready.
    private var preparation: Int?
    /// The identifier of the effect that waits for a swipe.
    private var acceptance: Int?
    /// Whether the cardholder swipes as soon as the reader waits for a card.
    private var isSwipeDue = false
    /// The time before which the reader is not asked again, after a failure.
    private var pauseEnd: Duration?
    /// Whether the link is there, and the head may read more cards.
    private var isConnected = true

    /// The pause after a failure, so that a reader that refuses is not asked without end.
    private static var pause: Duration { .seconds(1) }

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
        if let reader { driver = ReaderDriver(reader.dialect) }
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
        let pauseEnd = acceptance == nil ? nil : pauseEnd
        return [
            till.nextDeadline, driver?.nextDeadline, isConnected ? reader?.nextDeadline : nil, pauseEnd,
        ]
        .compactMap(\.self).min()
    }

    func advance() -> Bool {
        guard let next = nextDeadline else { return false }
        if let due = till.nextDeadline, due <= next {
            till.advance()
        } else {
            till.now = max(till.now, next)
            if let end = pauseEnd, end <= till.now { pauseEnd = nil }
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
        let outputs = driver?.lose(nil) ?? []
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
        _ = driver?.lose(nil)
        (preparation, acceptance, isSwipeDue) = (nil, nil, false)
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
            case .swipe: isSwipeDue = true
            case .stop: stop()
            }
        }
        requestSwipe()
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
        preparation = identifier
        perform(.connect)
    }

    /// Has the reader wait for a card, if the payment does and the reader is ready.
    private func requestSwipe() {
        guard acceptance != nil, pauseEnd == nil, let waiting = settings?.waiting, driver?.state == .ready else {
            return
        }
        perform(.requestSwipe(within: waiting))
    }

    /// Has the cardholder swipe the card, if the simulated reader waits for one.
    private func swipeCard() {
        guard isSwipeDue, acceptance != nil, driver?.state == .armed else { return }
        isSwipeDue = false
        reader?.present(till.card.swipe(), at: till.now)
    }

    private func stop() {
        (preparation, acceptance, isSwipeDue) = (nil, nil, false)
        switch driver?.state {
        case nil, .off, .lost, .poweringDown: break
        default: perform(.powerDown)
        }
    }

    private func perform(_ command: ReaderCommand) {
        let outputs = driver?.perform(command, at: till.now) ?? []
        take(outputs)
    }

    private func take(_ outputs: [ReaderOutput]) {
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
            case .event(let event): receive(event)
            }
        }
    }

    private func receive(_ event: ReaderEvent) {
        switch event {
        case .ready:
            guard let task = preparation else { return }
            preparation = nil
            till.deliver(.prepared, answering: task)
        case .swipe(let swipe): if let settings { take(settings.card(swipe)) }
        case .badSwipe: take(CardEvent([], source: .audioReader))
        case .failed: fail()
        case .poweredDown, .lost: loseReader()
        default: break
        }
    }

    private func fail() {
        guard driver?.state == .off else {
            pauseEnd = till.now + Self.pause
            return
        }
        // The reader does not answer.
        guard let task = preparation else { return loseReader() }
        preparation = nil
        till.deliver(.preparationFailed, answering: task)
    }

    /// The reader is off, or its link has ended.
    private func loseReader() {
        preparation = nil
        acceptance = nil
        if payment.outcome == nil { till.receive(.linkLost) }
    }

    private func take(_ card: CardEvent) {
        guard let task = acceptance else { return }
        acceptance = nil
        till.takeSwipe(card, answering: task)
    }
}
