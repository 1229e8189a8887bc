package import JackdawEMV

/// A payment at a reader that only swipes cards, such as one on the audio jack: a machine without I/O that carries out the
/// effects of a `PaymentFlow` with the driver of the reader's family.
///
/// The reader is asked for a swipe again as long as the payment waits for a card. Times count from any start, and never
/// decrease.
package struct SwipePayment: ReaderPayment, ~Copyable {
    /// A stripe has no PIN.
    package static var pinBlockTag: Tag { 0x99 }
    /// None: a stripe has no objects.
    package let objects = DataObjectStore()
    /// None: a stripe has no applications.
    package let applicationLabels: [String] = []
    package private(set) var swipe: ReaderSwipe?

    private var driver: ReaderDriver
    private let settings: SwipePaymentSettings
    /// The identifier of the effect that waits for the reader to be ready.
    private var preparation: Int?
    /// The identifier of the effect that waits for a swipe.
    private var acceptance: Int?
    /// The time before which the reader is not asked again, after a failure.
    private var pauseEnd: Duration?
    private var isOver = false
    private var outputs: [ReaderPaymentOutput] = []

    /// The pause after a failure, so that a reader that refuses is not asked without end. It is our choice.
    private static let pause = Duration.seconds(1)

    /// A payment that has not started.
    package init(_ settings: SwipePaymentSettings) {
        self.settings = settings
        driver = ReaderDriver(settings.dialect)
    }

    /// Whether the payment waits for a card, and the reader, too.
    package var isAwaitingSwipe: Bool { acceptance != nil && driver.state == .armed }

    package var nextDeadline: Duration? {
        [driver.nextDeadline, acceptance == nil ? nil : pauseEnd].compactMap(\.self).min()
    }

    package mutating func carryOut(
        _ effect: PaymentEffect, host: HostResponse?, isTapAllowed: Bool, at now: Duration
    ) -> [ReaderPaymentOutput] {
        switch effect.action {
        case .prepare:
            preparation = effect.identifier
            perform(.connect, at: now)
        case .acceptCard: acceptance = effect.identifier
        case .stopReader, .end: stop(at: now)
        default: break
        }
        return takeOutputs(at: now)
    }

    package mutating func choose(_ index: Int, at now: Duration) -> [ReaderPaymentOutput] { [] }

    package mutating func receive(_ bytes: Span<UInt8>, at now: Duration) -> [ReaderPaymentOutput] {
        take(driver.receive(bytes, at: now), at: now)
        return takeOutputs(at: now)
    }

    package mutating func advance(to now: Duration) -> [ReaderPaymentOutput] {
        if let end = pauseEnd, end <= now { pauseEnd = nil }
        take(driver.advance(to: now), at: now)
        return takeOutputs(at: now)
    }

    package mutating func lose() -> [ReaderPaymentOutput] {
        take(driver.lose(nil), at: .zero)
        defer { outputs = [] }
        return outputs
    }

    private mutating func stop(at now: Duration) {
        (preparation, acceptance, isOver) = (nil, nil, true)
        switch driver.state {
        case .off, .lost, .poweringDown: break
        default: perform(.powerDown, at: now)
        }
    }

    private mutating func perform(_ command: ReaderCommand, at now: Duration) {
        take(driver.perform(command, at: now), at: now)
    }

    /// Has the reader wait for a card, if the payment does and the reader is ready.
    private mutating func takeOutputs(at now: Duration) -> [ReaderPaymentOutput] {
        if acceptance != nil, pauseEnd == nil, driver.state == .ready {
            perform(.requestSwipe(within: settings.waiting), at: now)
        }
        defer { outputs = [] }
        return ReaderPaymentOutput.ordered(outputs)
    }

    private mutating func take(_ results: [ReaderOutput], at now: Duration) {
        for result in results {
            switch result {
            case .send(let bytes): outputs.append(.send(bytes))
            case .power(let power): outputs.append(.power(power))
            case .event(let event): take(event, at: now)
            }
        }
    }

    private mutating func take(_ event: ReaderEvent, at now: Duration) {
        switch event {
        case .ready:
            guard let task = preparation else { return }
            preparation = nil
            outputs.append(.event(.prepared, answering: task))
        case .swipe(let swipe):
            self.swipe = swipe
            present(swipe.paymentEvent)
        case .badSwipe:
            swipe = nil
            present(.swipeUnreadable)
        case .failed: fail(at: now)
        case .poweredDown, .lost: lost()
        default: break
        }
    }

    private mutating func present(_ event: PaymentEvent) {
        guard let task = acceptance else { return }
        acceptance = nil
        outputs.append(.event(event, answering: task))
    }

    private mutating func fail(at now: Duration) {
        guard driver.state == .off else {
            pauseEnd = now + Self.pause
            return
        }
        // The reader does not answer.
        guard let task = preparation else { return lost() }
        (preparation, isOver) = (nil, true)
        outputs.append(.event(.preparationFailed, answering: task))
    }

    /// The reader is off, or its link has ended.
    private mutating func lost() {
        (preparation, acceptance) = (nil, nil)
        guard !isOver else { return }
        isOver = true
        outputs.append(.event(.linkLost, answering: nil))
    }
}

/// The values of payments at a reader that only swipes cards.
package struct SwipePaymentSettings: Sendable {
    /// The protocol of the reader's family.
    package let dialect: any ReaderDialect
    /// The wait for a card that is requested at once.
    package let waiting: Duration

    /// The longest such wait, within the range of the reader. It is our choice.
    private static let longestWait = Duration.seconds(20)

    /// - Parameter dialect: the protocol of the reader's family.
    /// - Throws: ``ReaderError`` if the reader cannot wait for a card.
    package init(_ dialect: any ReaderDialect) throws(ReaderError) {
        let range = dialect.times.swipe
        waiting = min(max(Self.longestWait, range.lowerBound), range.upperBound)
        _ = try dialect.arming(for: waiting)
        self.dialect = dialect
    }
}
