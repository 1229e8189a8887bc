import JackdawBytes
import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders

/// An output of a payment at a reader.
enum ReaderTerminalOutput: Sendable {
    /// Bytes for the reader.
    case send([UInt8])
    /// An event for the payment.
    case event(AcceptTerminalEvent)
}

/// A payment at a reader that has the kernel, as the SDK's payment sees a terminal: the card before its cryptogram, the
/// names of applications, and the card's data sealed for the host.
///
/// It is a machine without I/O over the driver of the reader's family.
struct ReaderTerminal<Payment: ReaderPayment & ~Copyable>: ~Copyable {
    private var driver: Payment
    private let seal: @Sendable (DataObjectStore) -> HTTPBody
    /// Whether the host has approved, so that only the certificate is sent to it.
    private var isApproved = false
    /// Whether the host has declined.
    private var isDeclined = false

    /// - Parameters:
    ///   - driver: the payment at the reader.
    ///   - seal: seals the card's objects for the host.
    init(_ driver: consuming Payment, _ seal: @escaping @Sendable (DataObjectStore) -> HTTPBody) {
        self.driver = driver
        self.seal = seal
    }

    var nextDeadline: Duration? { driver.nextDeadline }

    mutating func carryOut(_ effect: PaymentEffect, _ forCard: HTTPBody, at now: Duration) -> [ReaderTerminalOutput] {
        var response: HostResponse?
        if case .completeCard(let knowledge) = effect.action {
            isApproved = knowledge == .approved
            isDeclined = knowledge == .declined
            response = HostResponse(forCard, isApproved: isApproved)
        }
        // Taps need the flow's count of failed ones, which effects do not have.
        return take(driver.carryOut(effect, host: response, isTapAllowed: false, at: now))
    }

    /// The event of the choice is that of the payment, which has reported it.
    mutating func choose(_ index: Int, at now: Duration) -> [ReaderTerminalOutput] {
        take(driver.choose(index, at: now)).filter { output in
            guard case .event(.payment(.applicationChosen, _, _)) = output else { return true }
            return false
        }
    }

    mutating func receive(_ bytes: Span<UInt8>, at now: Duration) -> [ReaderTerminalOutput] {
        take(driver.receive(bytes, at: now))
    }

    mutating func advance(to now: Duration) -> [ReaderTerminalOutput] { take(driver.advance(to: now)) }

    mutating func lose() -> [ReaderTerminalOutput] { take(driver.lose()) }

    private func take(_ outputs: [ReaderPaymentOutput]) -> [ReaderTerminalOutput] {
        var taken: [ReaderTerminalOutput] = []
        for output in outputs {
            switch output {
            case .send(let bytes): taken.append(.send(bytes))
            case .event(let event, let effect): taken += events(event, effect)
            case .note: break
            }
        }
        return taken
    }

    private func events(_ event: PaymentEvent, _ effect: Int?) -> [ReaderTerminalOutput] {
        var sealed = HTTPBody()
        var events: [ReaderTerminalOutput] = []
        switch event {
        case .applicationsFound: events.append(.event(.applications(driver.applicationLabels)))
        case .firstARQC, .firstTC, .firstTCWithSignature, .firstAAC:
            if let (number, name) = card { events.append(.event(.card(number, name: name))) }
            if event != .firstAAC { sealed = seal(driver.objects.forAuthorisation(pinBlockTag: Payment.pinBlockTag)) }
        case .secondTC, .secondTCWithSignature:
            let objects =
                isApproved
                ? driver.objects.forCompletion : driver.objects.forAuthorisation(pinBlockTag: Payment.pinBlockTag)
            sealed = seal(objects)
        // The host is sent the card's answer to its decline, without the data of the card.
        case .secondAAC where isDeclined: sealed = seal(driver.objects.forCompletion)
        // The host takes no swipe of these readers yet: another card, or another way, is asked for.
        case .cardSwiped, .chipCardSwiped: return [.event(.payment(.swipeUnreadable, answering: effect))]
        default: break
        }
        events.append(.event(.payment(event, answering: effect, sealed: sealed)))
        return events
    }

    /// The number and the name of the card; nil if the reader sent no number in clear.
    private var card: (PrimaryAccountNumber, String)? {
        let number =
            driver.objects.withValue(0x5A) { Self.number($0) } ?? driver.objects.withValue(0x57) { Self.number($0) }
        guard let number = number ?? nil else { return nil }
        let name = driver.objects.withValue(0x5F20) { name in
            String(decoding: name.indices.map { name[$0] }, as: UTF8.self)
        }
        return (number, name ?? "")
    }

    /// The digits before the first other one (tags 5A and 57: compressed numeric, or digits before a separator).
    private static func number(_ octets: Span<UInt8>) -> PrimaryAccountNumber? {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * octets.count)
        defer { digits.wipeCapacity() }
        scan: for index in octets.indices {
            for digit in [octets[index] >> 4, octets[index] & 0x0F] {
                guard digit < 10 else { break scan }
                digits.append(0x30 + digit)
            }
        }
        return try? PrimaryAccountNumber(digits.span)
    }
}
