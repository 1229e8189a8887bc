import JackdawBytes
import JackdawCards
package import JackdawEMV
package import JackdawPayments
package import JackdawReaders
package import JackdawTransport

/// An output of a payment at a reader.
package enum ReaderTerminalOutput: Sendable {
    /// Bytes for the reader.
    case send([UInt8])
    /// The power of a reader on the audio jack, in order with the bytes.
    case power(ReaderPower)
    /// An event for the payment.
    case event(AcceptTerminalEvent)
}

/// A payment at a reader that has the kernel, as the SDK's payment sees a terminal: the card before its cryptogram or swipe,
/// the names of applications, and the card's data sealed for the host.
///
/// It is a machine without I/O over the driver of the reader's family.
package struct ReaderTerminal<Payment: ReaderPayment & ~Copyable>: ~Copyable {
    private var driver: Payment
    private let transaction: KernelTransaction
    private let seal: @Sendable (DataObjectStore) -> HTTPBody
    /// Whether the host has approved, so that only the certificate is sent to it.
    private var isApproved = false
    /// Whether the host has declined.
    private var isDeclined = false
    /// Whether the card has, or should have had, the host's answer.
    private var isAnswered = false

    /// - Parameters:
    ///   - driver: the payment at the reader.
    ///   - transaction: the payment, whose values a swipe does not have.
    ///   - seal: seals the card's objects for the host.
    package init(
        _ driver: consuming Payment, _ transaction: KernelTransaction,
        _ seal: @escaping @Sendable (DataObjectStore) -> HTTPBody
    ) {
        self.driver = driver
        self.transaction = transaction
        self.seal = seal
    }

    package var nextDeadline: Duration? { driver.nextDeadline }

    /// The card's last decision; nil without one.
    package var cryptogram: CryptogramType? { driver.objects[0x9F27]?.first.flatMap { CryptogramType(octet: $0) } }

    package mutating func carryOut(
        _ effect: PaymentEffect, _ forCard: HTTPBody, at now: Duration
    ) -> [ReaderTerminalOutput] {
        var response: HostResponse?
        switch effect.action {
        case .completeCard(let knowledge):
            isApproved = knowledge == .approved
            isDeclined = knowledge == .declined
            isAnswered = true
            response = HostResponse(forCard, isApproved: isApproved)
            // A host may approve without data for the card, which receives the response code then (guide 1.6.182, 064).
            if isApproved, forCard.count == 0 { response = Self.approval }
        // A reader may wait for the decision on a tap, in which the card takes no part any more.
        case .end(let outcome) where outcome.isApproved: response = Self.approval
        default: break
        }
        return take(driver.carryOut(effect, host: response, isTapAllowed: effect.isTapAllowed, at: now), at: now)
    }

    /// The host's approval without other data (EMV Book 4, annex A6).
    private static var approval: HostResponse? {
        AuthorisationResponseCode(Array("00".utf8)).map { HostResponse(isApproved: true, responseCode: $0) }
    }

    /// The event of the choice is that of the payment, which has reported it.
    package mutating func choose(_ index: Int, at now: Duration) -> [ReaderTerminalOutput] {
        take(driver.choose(index, at: now), at: now).filter { output in
            guard case .event(.payment(.applicationChosen, _, _)) = output else { return true }
            return false
        }
    }

    package mutating func receive(_ bytes: Span<UInt8>, at now: Duration) -> [ReaderTerminalOutput] {
        take(driver.receive(bytes, at: now), at: now)
    }

    package mutating func advance(to now: Duration) -> [ReaderTerminalOutput] { take(driver.advance(to: now), at: now) }

    /// The link was lost.
    package mutating func lose(_ error: LinkError, at now: Duration) -> [ReaderTerminalOutput] {
        [.event(.linkLost(error))] + take(driver.lose(), at: now)
    }

    private mutating func take(_ outputs: [ReaderPaymentOutput], at now: Duration) -> [ReaderTerminalOutput] {
        var taken: [ReaderTerminalOutput] = []
        for output in outputs {
            switch output {
            case .send(let bytes): taken.append(.send(bytes))
            case .power(let power): taken.append(.power(power))
            case .event(let event, let effect):
                taken += events(event, effect)
                // A swipe without a chip is used. The service keeps that effect, for which a terminal may wait, to itself.
                guard event == .cardSwiped, let effect, stripe != nil else { continue }
                let use = PaymentEffect(identifier: effect, action: .askHost)
                taken += take(driver.carryOut(use, host: nil, isTapAllowed: false, at: now), at: now)
            case .trouble(let trouble):
                taken.append(.event(.reason(AcceptPayErrorCode(trouble, isHostAnswered: isAnswered))))
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
            if let (number, name) = Self.card(driver.objects) { events.append(.event(.card(number, name: name))) }
            if event != .firstAAC { sealed = seal(driver.objects.forAuthorisation(pinBlockTag: Payment.pinBlockTag)) }
        case .secondTC, .secondTCWithSignature:
            let objects =
                isApproved
                ? driver.objects.forCompletion : driver.objects.forAuthorisation(pinBlockTag: Payment.pinBlockTag)
            sealed = seal(objects)
        // The host is sent the card's answer to its decline, without the data of the card.
        case .secondAAC where isDeclined: sealed = seal(driver.objects.forCompletion)
        case .cardSwiped, .chipCardSwiped:
            // A track that the reader masked or encrypted is of no use for this host.
            guard let stripe, let (number, name) = Self.card(stripe) else {
                return [.event(.payment(.swipeUnreadable, answering: effect))]
            }
            events.append(.event(.card(number, name: name)))
            sealed = seal(stripe)
        default: break
        }
        events.append(.event(.payment(event, answering: effect, sealed: sealed)))
        return events
    }

    /// The objects of the last swipe; nil if track 2 is not in clear.
    private var stripe: DataObjectStore? {
        guard let swipe = driver.swipe,
            var objects = CardEvent(swipe, source: .reader).authorisation(transaction)
        else { return nil }
        // The entry mode of a stripe that was read as a whole (ISO 8583:1987, field 22).
        objects[0x9F39] = [0x90]
        return objects
    }

    /// The number and the name of the card; nil if the objects have no number.
    private static func card(_ objects: DataObjectStore) -> (PrimaryAccountNumber, String)? {
        let number = objects.withValue(0x5A) { Self.number($0) } ?? objects.withValue(0x57) { Self.number($0) }
        guard let number = number ?? nil else { return nil }
        let name = objects.withValue(0x5F20) { name in
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

extension AcceptPayErrorCode {
    /// The error of a payment that fails for a reader's cause.
    init(_ trouble: ReaderTrouble, isHostAnswered: Bool) {
        self =
            switch trouble {
            case .batteryEmpty: .lowBatteryLevel
            case .settingsMissing: .cantLoadSwiperTerminalConfiguration
            case .fileMissing: .cantLoadTerminalConfiguration
            case .damaged: .terminalDamaged
            case .keyMissing: .noDUKPT
            case .dataRefused: isHostAnswered ? .failedToSendOnlineEMV : .failedToSendOfflineEMV
            case .busy: .terminalFailedToTerminateCurrentTerminalPaymentFlow
            case .soundTooWeak: .lowPowerInAudioJack
            case .unanswered: .terminalCommandTimeOut
            }
    }
}
