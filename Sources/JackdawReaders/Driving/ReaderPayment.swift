package import JackdawEMV
package import JackdawTransport

/// A payment at a reader that has the kernel: a machine without I/O that carries out the effects of a `PaymentFlow`
/// with the reader's messages, and makes the events of the payment from what the reader sends.
///
/// The caller carries out the effects on the host, the journal and the app itself; the machine ignores them. Times
/// count from any start, and never decrease.
package protocol ReaderPayment: ~Copyable {
    /// The tag of the enciphered PIN for the issuer in ``objects``.
    static var pinBlockTag: Tag { get }
    /// The objects of the card's last decision. Card data is in clear if the reader sends it so.
    var objects: DataObjectStore { get }
    /// The last swipe; nil if no card was swiped.
    var swipe: ReaderSwipe? { get }
    /// The labels of the applications that the host must choose from.
    var applicationLabels: [String] { get }
    /// The time at which ``advance(to:)`` has work to do; nil if there is no deadline.
    var nextDeadline: Duration? { get }

    /// Carries out an effect of the payment.
    /// - Parameters:
    ///   - effect: any effect; those on host, journal and app are ignored.
    ///   - host: the host's answer, for `PaymentAction.completeCard(_:)`, and for the end of a tap.
    ///   - isTapAllowed: whether the payment may be a tap (`PaymentFlow.isTapAllowed`).
    ///   - now: the current time.
    /// - Returns: the outputs.
    mutating func carryOut(
        _ effect: PaymentEffect, host: HostResponse?, isTapAllowed: Bool, at now: Duration
    ) -> [ReaderPaymentOutput]

    /// Goes on with the host's choice of an application.
    /// - Parameters:
    ///   - index: the index of the choice in ``applicationLabels``.
    ///   - now: the current time.
    /// - Returns: the outputs: the event for the payment.
    mutating func choose(_ index: Int, at now: Duration) -> [ReaderPaymentOutput]

    /// Handles bytes from the reader.
    /// - Parameters:
    ///   - bytes: the next bytes.
    ///   - now: the current time.
    /// - Returns: the outputs.
    mutating func receive(_ bytes: Span<UInt8>, at now: Duration) -> [ReaderPaymentOutput]

    /// Handles the deadlines up to a time.
    /// - Parameter now: the current time.
    /// - Returns: the outputs.
    mutating func advance(to now: Duration) -> [ReaderPaymentOutput]

    /// Handles the loss of the link.
    /// - Returns: the outputs: the event for the payment.
    mutating func lose() -> [ReaderPaymentOutput]
}

/// A task for the caller of a payment at a reader, or a report to it.
package enum ReaderPaymentOutput: Sendable {
    /// Bytes for the reader.
    case send([UInt8])
    /// The power of a reader on the audio jack, in order with the bytes.
    case power(ReaderPower)
    /// An event for the payment, with the identifier of the effect that it answers.
    case event(PaymentEvent, answering: Int?)
    /// The cause of the failure that the next event reports.
    case trouble(ReaderTrouble)
    /// Input that changes nothing, in a few words without card data.
    case note(String)

    private var isForReader: Bool {
        switch self {
        case .send, .power: true
        case .event, .trouble, .note: false
        }
    }

    /// Returns outputs with the bytes first: an event makes the caller hand in effects, whose bytes must come after
    /// them.
    static func ordered(_ outputs: [ReaderPaymentOutput]) -> [ReaderPaymentOutput] {
        outputs.filter(\.isForReader) + outputs.filter { !$0.isForReader }
    }
}

/// A payment that collects its outputs while it processes an input.
protocol CollectingPayment: ReaderPayment, ~Copyable {
    /// The identifier of the effect under way; nil without one.
    var task: Int? { get }
    /// The outputs of the input.
    var outputs: [ReaderPaymentOutput] { get set }
}

extension CollectingPayment where Self: ~Copyable {
    /// Reports an event of the payment. It names the effect under way if it is an answer.
    mutating func emit(_ event: PaymentEvent) {
        outputs.append(.event(event, answering: event.isAnswer ? task : nil))
    }

    /// Reports a failure, and its cause if it is known.
    mutating func emit(_ failure: PaymentEvent, by trouble: ReaderTrouble?) {
        if let trouble { outputs.append(.trouble(trouble)) }
        emit(failure)
    }

    mutating func note(_ text: String) { outputs.append(.note(text)) }

    /// Takes the outputs of the input, those for the reader first.
    mutating func takeOutputs() -> [ReaderPaymentOutput] {
        defer { outputs = [] }
        return ReaderPaymentOutput.ordered(outputs)
    }
}

extension DataObjectStore {
    /// Whether the cardholder must sign, by the CVM results (9F34, EMV Book 4, annex A4).
    package var needsSignature: Bool {
        withValue(0x9F34) { octets in
            guard let results = CardholderVerificationResults(octets), results.outcome != .failed else { return false }
            return switch results.method.kind {
            case .signature, .plaintextPINAndSignature, .encipheredPINAndSignature: true
            default: false
            }
        } ?? false
    }

    /// The end of a PIN entry of which the reader sent no status, by the TVR (95).
    var pinEnd: PaymentEvent {
        let results = withValue(TerminalVerificationResults.tag) { TerminalVerificationResults($0) } ?? nil
        guard let results else { return .pinEntered }
        if results.contains(.pinTryLimitExceeded) { return .pinTriesExceeded }
        return results.contains(.pinNotEntered) ? .pinBypassed : .pinEntered
    }

    /// Stores the objects of another decision; those of an earlier one stay unless they are there again.
    mutating func merge(_ other: DataObjectStore) {
        for tag in other.tags { set(tag, other.secret(tag)) }
    }
}

extension HostResponse {
    /// Response code (8A), issuer authentication data (91) and scripts, as the kernel of a reader receives them.
    var dataObjects: [UInt8] {
        var objects = TagLengthValueBuilder()
        objects.append(0x8A, responseCode.octets)
        if let authenticationData { objects.append(0x91, authenticationData) }
        return objects.octets + scripts.octets
    }
}

extension UInt64 {
    /// The number as BCD, two digits a byte.
    /// - Parameter count: the number of bytes.
    /// - Returns: the bytes.
    /// - Throws: ``FrameFault`` (`field`) if the number has more digits.
    func decimalOctets(_ count: Int) throws(FrameFault) -> [UInt8] {
        var rest = self
        var digits: [UInt8] = []
        for _ in 0..<count {
            digits.insert(UInt8(rest % 10) | UInt8(rest / 10 % 10) << 4, at: 0)
            rest /= 100
        }
        guard rest == 0 else { throw FrameFault(.field, at: 8, "\(self) has more than \(2 * count) digits") }
        return digits
    }
}

extension ReaderSwipe {
    /// The event of a payment with the swipe, by the service code: whether the card has a chip.
    var paymentEvent: PaymentEvent { hasChip ? .chipCardSwiped : .cardSwiped }

    /// Whether the stripe says that the card has a chip: the service code begins with 2 or 6 (ISO/IEC 7813).
    package var hasChip: Bool {
        let tracks: [Part] = [.track(2), .maskedTrack(2), .track(1)]
        return tracks.contains { withPart($0, Self.hasChip(track:)) ?? false }
    }

    /// Whether the service code of a track, which follows the expiry after the last separator, begins with 2 or 6.
    private static func hasChip(track: Span<UInt8>) -> Bool {
        let separators = [UInt8(ascii: "="), UInt8(ascii: "^")]
        guard let separator = track.indices.last(where: { separators.contains(track[$0]) }) else { return false }
        let place = separator + 5
        return place < track.count && [UInt8(ascii: "2"), UInt8(ascii: "6")].contains(track[place])
    }
}
