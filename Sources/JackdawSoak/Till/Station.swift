import Accept
package import JackdawEMV
package import JackdawPayments
package import JackdawReaders
package import JackdawSimulator

/// A reader of the till with its card, for one attempt. Classes only because readers and drivers cannot be copied.
package protocol Station: AnyObject {
    /// The card with its counters; nil if its chip is not used.
    var card: VirtualCard? { get }
    /// The card's last decision; nil without one.
    var cryptogram: CryptogramType? { get }
    /// The time of the next step; nil if none is planned.
    var nextDeadline: Duration? { get }

    /// Carries out an effect of the attempt.
    /// - Parameters:
    ///   - effect: the effect.
    ///   - forCard: the issuer's data for the card.
    ///   - now: the time.
    /// - Returns: events that follow at once.
    func carryOut(_ effect: PaymentEffect, _ forCard: HTTPBody, at now: Duration) -> [StationEvent]
    /// Takes the steps up to a time.
    func advance(to now: Duration) -> [StationEvent]
    /// The link to the reader is lost.
    func unplug() -> [StationEvent]
}

/// An event for the attempt.
package struct StationEvent {
    package let event: PaymentEvent
    /// The effect that it answers.
    package let answering: Int?
    /// The card's data for the host.
    package let sealed: HTTPBody

    package init(_ event: PaymentEvent, answering effect: Int? = nil, sealed: HTTPBody = HTTPBody()) {
        self.event = event
        answering = effect
        self.sealed = sealed
    }
}

/// A simulated reader with a kernel and a virtual card, and the driver of its family.
package final class ReaderStation<Payment: ReaderPayment & ~Copyable, Terminal: KernelTerminal>: Station {
    private var driver: Payment
    private var reader: TillReader<Terminal>
    private let pinBlockTag: Tag
    /// Whether the host has approved, so that only the certificate is sent to it.
    private var isApproved = false

    /// - Parameters:
    ///   - driver: the payment at the reader.
    ///   - terminal: the reader, with the card and the customer.
    ///   - format: the format of the reader's messages.
    ///   - faults: the faults of the reader.
    package init(
        _ driver: consuming Payment, _ terminal: Terminal, _ format: any FrameFormat,
        _ faults: [JackdawSimulator.PlannedFault]
    ) {
        self.driver = driver
        reader = TillReader(terminal, format, faults: faults)
        pinBlockTag = Payment.pinBlockTag
    }

    package var card: VirtualCard? { reader.terminal?.card }

    package var cryptogram: CryptogramType? { driver.objects[0x9F27]?.first.flatMap { CryptogramType(octet: $0) } }

    package var nextDeadline: Duration? { [driver.nextDeadline, reader.nextDeadline].compactMap(\.self).min() }

    package func carryOut(_ effect: PaymentEffect, _ forCard: HTTPBody, at now: Duration) -> [StationEvent] {
        var response: HostResponse?
        if case .completeCard(let knowledge) = effect.action {
            isApproved = knowledge == .approved
            response = HostResponse(forCard, isApproved: isApproved)
        }
        return take(driver.carryOut(effect, host: response, isTapAllowed: false, at: now), at: now)
    }

    package func advance(to now: Duration) -> [StationEvent] {
        var events = take(driver.advance(to: now), at: now)
        for output in reader.advance(to: now) {
            switch output {
            case .send(let bytes): events += take(driver.receive(bytes.span, at: now), at: now)
            case .disconnect: events += unplug()
            }
        }
        return events
    }

    package func unplug() -> [StationEvent] {
        reader.lose()
        return take(driver.lose(), at: .zero)
    }

    private func take(_ outputs: [ReaderPaymentOutput], at now: Duration) -> [StationEvent] {
        var events: [StationEvent] = []
        for output in outputs {
            switch output {
            case .send(let bytes): _ = reader.send(bytes, at: now)
            case .event(let event, let answering):
                events.append(StationEvent(event, answering: answering, sealed: sealed(for: event)))
            // No reader of the simulation is on a jack.
            case .trouble, .note, .power: break
            }
        }
        return events
    }

    private func sealed(for event: PaymentEvent) -> HTTPBody {
        switch event {
        case .firstARQC, .firstTC, .firstTCWithSignature:
            .tagLengthValue(driver.objects.forAuthorisation(pinBlockTag: pinBlockTag))
        case .secondTC, .secondTCWithSignature:
            .tagLengthValue(
                isApproved
                    ? driver.objects.forCompletion : driver.objects.forAuthorisation(pinBlockTag: pinBlockTag))
        default: HTTPBody()
        }
    }
}

/// A reader that only swipes cards, without a driver.
package final class SwipeStation: Station {
    package let card: VirtualCard? = nil
    package let cryptogram: CryptogramType? = nil
    private let stripe: DataObjectStore
    private let preparation: Duration
    private let delay: Duration
    private var planned: (time: Duration, event: StationEvent)?

    /// - Parameters:
    ///   - stripe: the objects of the authorisation.
    ///   - preparation: the time until the reader is ready. Default: 200 ms.
    ///   - delay: the time until the customer swipes the card.
    package init(_ stripe: DataObjectStore, preparation: Duration = .milliseconds(200), delay: Duration) {
        self.stripe = stripe
        self.preparation = preparation
        self.delay = delay
    }

    package var nextDeadline: Duration? { planned?.time }

    package func carryOut(_ effect: PaymentEffect, _ forCard: HTTPBody, at now: Duration) -> [StationEvent] {
        switch effect.action {
        case .prepare:
            planned = (now + preparation, StationEvent(.prepared, answering: effect.identifier))
        case .acceptCard:
            let sealed = HTTPBody.tagLengthValue(stripe)
            planned = (now + delay, StationEvent(.cardSwiped, answering: effect.identifier, sealed: sealed))
        case .stopReader: planned = nil
        default: break
        }
        return []
    }

    package func advance(to now: Duration) -> [StationEvent] {
        guard let (time, event) = planned, time <= now else { return [] }
        planned = nil
        return [event]
    }

    package func unplug() -> [StationEvent] {
        planned = nil
        return [StationEvent(.linkLost)]
    }
}
