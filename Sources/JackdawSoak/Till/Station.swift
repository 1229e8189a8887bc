package import Accept
package import JackdawEMV
package import JackdawPayments
package import JackdawReaders
package import JackdawSimulator
import JackdawTransport

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
    func carryOut(_ effect: PaymentEffect, _ forCard: HTTPBody, at now: Duration) -> [AcceptTerminalEvent]
    /// Takes an application of the list that the reader reported.
    func choose(_ index: Int, at now: Duration) -> [AcceptTerminalEvent]
    /// Takes the steps up to a time.
    func advance(to now: Duration) -> [AcceptTerminalEvent]
    /// The link to the reader is lost.
    func unplug(at now: Duration) -> [AcceptTerminalEvent]
}

extension Station {
    /// Does nothing: for readers without a list.
    package func choose(_ index: Int, at now: Duration) -> [AcceptTerminalEvent] { [] }
}

/// A simulated reader with a kernel and a virtual card, and Accept's terminal of its family.
package final class ReaderStation<Payment: ReaderPayment & ~Copyable, Terminal: KernelTerminal>: Station {
    private var terminal: ReaderTerminal<Payment>
    private var reader: TillReader<Terminal>

    /// - Parameters:
    ///   - driver: the payment at the reader.
    ///   - transaction: the same payment.
    ///   - terminal: the reader, with the card and the customer.
    ///   - format: the format of the reader's messages.
    ///   - faults: the faults of the reader.
    package init(
        _ driver: consuming Payment, _ transaction: KernelTransaction, _ terminal: Terminal, _ format: any FrameFormat,
        _ faults: [JackdawSimulator.PlannedFault]
    ) {
        self.terminal = ReaderTerminal(driver, transaction) { .tagLengthValue($0) }
        reader = TillReader(terminal, format, faults: faults)
    }

    package var card: VirtualCard? { reader.terminal?.card }

    package var cryptogram: CryptogramType? { terminal.cryptogram }

    package var nextDeadline: Duration? { [terminal.nextDeadline, reader.nextDeadline].compactMap(\.self).min() }

    package func carryOut(_ effect: PaymentEffect, _ forCard: HTTPBody, at now: Duration) -> [AcceptTerminalEvent] {
        take(terminal.carryOut(effect, forCard, at: now), at: now)
    }

    package func choose(_ index: Int, at now: Duration) -> [AcceptTerminalEvent] {
        take(terminal.choose(index, at: now), at: now)
    }

    package func advance(to now: Duration) -> [AcceptTerminalEvent] {
        var events = take(terminal.advance(to: now), at: now)
        for output in reader.advance(to: now) {
            switch output {
            case .send(let bytes): events += take(terminal.receive(bytes.span, at: now), at: now)
            case .disconnect: events += unplug(at: now)
            }
        }
        return events
    }

    package func unplug(at now: Duration) -> [AcceptTerminalEvent] {
        reader.lose()
        return take(terminal.lose(.unplugged, at: now), at: now)
    }

    private func take(_ outputs: [ReaderTerminalOutput], at now: Duration) -> [AcceptTerminalEvent] {
        outputs.compactMap { output in
            switch output {
            case .send(let bytes):
                _ = reader.send(bytes, at: now)
                return nil
            // No reader of the simulation is on a jack.
            case .power: return nil
            case .event(let event): return event
            }
        }
    }
}

extension LinkError {
    /// The reason of a link that a simulated till loses.
    fileprivate static let unplugged = LinkError(.disconnected, link: "sim:soak", "the reader was unplugged")
}

/// A reader that only swipes cards, without a driver.
package final class SwipeStation: Station {
    package let card: VirtualCard? = nil
    package let cryptogram: CryptogramType? = nil
    private let stripe: DataObjectStore
    private let preparation: Duration
    private let delay: Duration
    private var planned: (time: Duration, event: AcceptTerminalEvent)?

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

    package func carryOut(_ effect: PaymentEffect, _ forCard: HTTPBody, at now: Duration) -> [AcceptTerminalEvent] {
        switch effect.action {
        case .prepare:
            planned = (now + preparation, AcceptTerminalEvent.payment(.prepared, answering: effect.identifier))
        case .acceptCard:
            let sealed = HTTPBody.tagLengthValue(stripe)
            planned = (
                now + delay, AcceptTerminalEvent.payment(.cardSwiped, answering: effect.identifier, sealed: sealed)
            )
        case .stopReader: planned = nil
        default: break
        }
        return []
    }

    package func advance(to now: Duration) -> [AcceptTerminalEvent] {
        guard let (time, event) = planned, time <= now else { return [] }
        planned = nil
        return [event]
    }

    package func unplug(at now: Duration) -> [AcceptTerminalEvent] {
        planned = nil
        return [.linkLost(.unplugged), .payment(.linkLost)]
    }
}
