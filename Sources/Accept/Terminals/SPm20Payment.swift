import JackdawEMV
import JackdawPayments
import JackdawReaders

/// A payment at an SPm20, which is terminal and host in one: it carries the payment out, and is asked for its result and
/// for its reversal as a host is.
///
/// It is a machine without I/O over the driver of the terminal. Times count from any start, and never decrease.
struct SPm20Payment: ~Copyable {
    /// A task for the caller, or a report to it.
    enum Output: Sendable {
        /// Bytes for the terminal.
        case send([UInt8])
        /// A task for the terminal's connections to its host.
        case tunnel(JSONPOSTunnel.Output)
        /// Open the link to the terminal, and call ``linkOpened(at:)`` or ``linkNotOpened(at:)``.
        case openLink
        /// Write durably that a refund was begun, the first, second and so on, and call ``refundNoted(at:)`` after that.
        case noteRefund(Int)
        /// An event of the payment.
        case event(AcceptTerminalEvent)
        /// The answer to the request for the payment.
        case decided(Result<HostReply, HostFailure>)
        /// The answer to the request for its reversal.
        case reversed(HostReply)
        /// The terminal has money against the journal, and a person must deal with it. The reason has no card data.
        case attention(String)
    }

    private var driver: JSONPOSPayment
    private let settings: JSONPOSPaymentSettings
    private let entries: Set<CardEntry>
    /// The restart with which a payment of an earlier process goes on; nil for a payment that begins.
    private let recovery: Recovery?
    private var hasRecovered = false
    private var isLinked: Bool
    private var isOpening = false
    /// The time at which the link is opened again; nil if that is not planned.
    private var reconnection: Duration?
    /// Whether the terminal was asked for the payment.
    private var isAsked: Bool
    private var result: JSONPOSResult?
    private var isReversing: Bool
    /// The answer to the reversal; nil before it.
    private var reversal: HostReply?
    /// Whether the payment flow needs the terminal no more.
    private var isClosed: Bool
    /// The number of the terminal's messages for its host; nil if it has not reported it since the last result.
    private var pending: Int?
    /// The time at which the terminal is asked for that number again.
    private var statusTime: Duration?
    /// The time at which the terminal is served no longer; nil before the payment is over.
    private var serviceEnd: Duration?
    private var outputs: [Output] = []

    /// A payment of an earlier process, or one whose link was closed.
    struct Recovery: Sendable, Hashable {
        /// The number of refunds that were begun.
        let refunds: Int
        /// The number of times that a program goes on with the payment.
        let restarts: Int
        /// Whether the journal has the terminal's approval.
        let isApproved: Bool

        init(_ request: HostRequest, _ note: SPm20Note) {
            (refunds, restarts) = (note.refunds, note.restarts)
            // Without a cause the merchant takes an approved payment back.
            isApproved = request.cause == nil || request.reference != nil
        }
    }

    /// The time for which a terminal is served after a payment, so that it can deliver messages to its host. It is our choice:
    /// a later payment serves it again.
    static let serviceLimit = Duration.seconds(60)

    /// A payment that has not begun, over an open link.
    /// - Parameters:
    ///   - transaction: amount and currency.
    ///   - numbers: the numbers of the payment at the terminal.
    ///   - settings: the values that may change.
    ///   - entries: the ways in which the terminal reads cards.
    init(
        _ transaction: KernelTransaction, _ numbers: SPm20Numbers, _ settings: JSONPOSPaymentSettings,
        entries: Set<CardEntry>
    ) {
        driver = JSONPOSPayment(transaction, receipt: numbers.receipt, sequence: numbers.sequence, settings)
        self.settings = settings
        self.entries = entries
        (recovery, isLinked, isAsked, isReversing, isClosed) = (nil, true, false, false, false)
    }

    /// A payment that is reversed, and whose link is closed: the terminal is asked how it ended.
    init(
        reversing transaction: KernelTransaction, _ numbers: SPm20Numbers, _ settings: JSONPOSPaymentSettings,
        _ recovery: Recovery, at now: Duration
    ) {
        driver = JSONPOSPayment(transaction, receipt: numbers.receipt, sequence: numbers.sequence, settings)
        self.settings = settings
        entries = []
        self.recovery = recovery
        (isLinked, isAsked, isReversing, isClosed) = (false, true, true, true)
        reconnection = now
    }

    /// Whether the terminal must still say how the payment or its reversal ended.
    private var isUnknown: Bool { driver.isResultAwaited || (isReversing && reversal == nil) }

    /// Whether the payment is over, and the link only serves the terminal's messages to its host.
    var isServing: Bool { isClosed && !isUnknown }

    /// Whether nothing remains to be done over the link.
    var isOver: Bool {
        guard isServing, isAsked, isLinked else { return isServing }
        if case .refused? = reversal { return true }
        return pending == 0
    }

    var nextDeadline: Duration? {
        let times = [driver.nextDeadline, reconnection, isServing ? statusTime : nil, isServing ? serviceEnd : nil]
        return times.compactMap(\.self).min()
    }

    // MARK: the payment and its reversal

    /// Carries out an effect of the payment flow.
    mutating func carryOut(_ effect: PaymentEffect, at now: Duration) -> [Output] {
        switch effect.action {
        // The flow's end is none of the terminal's payment: the reversal that follows asks for its result.
        case .stopReader where isAsked, .end where isAsked: break
        default: take(driver.carryOut(effect, at: now), at: now)
        }
        return takeOutputs(at: now)
    }

    /// Asks the terminal for the payment. The journal has it.
    mutating func purchase(at now: Duration) -> [Output] {
        guard !isAsked else {
            if let result { outputs.append(.decided(reply(to: result))) }
            return takeOutputs(at: now)
        }
        isAsked = true
        take(driver.carryOut(PaymentEffect(identifier: 0, action: .askHost), at: now), at: now)
        return takeOutputs(at: now)
    }

    /// Takes the payment back, whatever the terminal has done with the request of ``purchase(at:)``. Without that request
    /// nothing happens: an earlier conversation may have sent one.
    mutating func reverse(at now: Duration) -> [Output] {
        if let reversal {
            outputs.append(.reversed(reversal))
        } else if !isReversing, isAsked {
            isReversing = true
            if let result, !result.isApproved { settle(.acknowledged) }
            // Also after a decline: an approval that follows it must be refunded.
            take(driver.carryOut(PaymentEffect(identifier: 0, action: .reverse(.timeout)), at: now), at: now)
        }
        return takeOutputs(at: now)
    }

    /// The flow needs the terminal no more.
    mutating func close(at now: Duration) -> [Output] {
        isClosed = true
        return takeOutputs(at: now)
    }

    /// The refund that ``Output/noteRefund(_:)`` announced is in the journal.
    mutating func refundNoted(at now: Duration) -> [Output] {
        take(driver.sendRefund(at: now), at: now)
        return takeOutputs(at: now)
    }

    // MARK: the link to the terminal

    mutating func linkOpened(at now: Duration) -> [Output] {
        (isLinked, isOpening) = (true, false)
        guard let recovery, !hasRecovered else {
            take(driver.reconnect(at: now), at: now)
            return takeOutputs(at: now)
        }
        hasRecovered = true
        take(
            driver.recover(isReversed: true, refunds: recovery.refunds, restarts: recovery.restarts, at: now), at: now)
        return takeOutputs(at: now)
    }

    mutating func linkNotOpened(at now: Duration) -> [Output] {
        isOpening = false
        return takeOutputs(at: now)
    }

    mutating func linkLost(at now: Duration) -> [Output] {
        guard isLinked else { return [] }
        isLinked = false
        statusTime = nil
        take(driver.lose(), at: now)
        return takeOutputs(at: now)
    }

    mutating func receive(_ bytes: Span<UInt8>, at now: Duration) -> [Output] {
        take(driver.receive(bytes, at: now), at: now)
        return takeOutputs(at: now)
    }

    mutating func advance(to now: Duration) -> [Output] {
        if let time = reconnection, time <= now {
            (reconnection, isOpening) = (nil, true)
            outputs.append(.openLink)
        }
        if let time = statusTime, time <= now { statusTime = nil }
        if let end = serviceEnd, end <= now, isServing { pending = 0 }
        take(driver.advance(to: now), at: now)
        return takeOutputs(at: now)
    }

    // MARK: the terminal's connections

    mutating func opened(_ connection: Int, at now: Duration) -> [Output] {
        take(driver.opened(connection), at: now)
        return takeOutputs(at: now)
    }

    mutating func receive(_ bytes: [UInt8], from connection: Int, at now: Duration) -> [Output] {
        take(driver.receive(bytes, from: connection), at: now)
        return takeOutputs(at: now)
    }

    mutating func closed(_ connection: Int, reason: String, at now: Duration) -> [Output] {
        take(driver.closed(connection, reason: reason), at: now)
        return takeOutputs(at: now)
    }

    // MARK: outputs of the driver

    private mutating func take(_ driverOutputs: [JSONPOSPayment.Output], at now: Duration) {
        for output in driverOutputs {
            switch output {
            case .send(let bytes): outputs.append(.send(bytes))
            case .tunnel(let task): outputs.append(.tunnel(task))
            case .event(let event, let effect): take(event, effect)
            case .status(let status): take(status)
            case .result(let result): take(result)
            case .refundDue(let number): outputs.append(.noteRefund(number))
            case .settlement(let settlement): take(settlement)
            case .note: break
            }
        }
    }

    private mutating func take(_ event: PaymentEvent, _ effect: Int?) {
        switch event {
        // The answers of a host are those to its requests.
        case .hostApproved, .hostDeclined: break
        case .hostUnreachable: if result == nil { take(.notExecuted) }
        // The terminal goes on without the link, and is asked for the result when it is there again.
        case .linkLost where isAsked: break
        default: outputs.append(.event(.payment(event, answering: effect)))
        }
    }

    private mutating func take(_ status: JSONPOSStatus) {
        pending = status.pendingCount ?? 0
        guard result == nil, !isClosed, let step = status.step, let state = state(of: step) else { return }
        outputs.append(.event(.state(state)))
    }

    private func state(of step: JSONPOSStatus.Step) -> AcceptStateUpdate? {
        switch step {
        case .cardAwaited: entries.contains(.tap) ? .tapOrInsertOrSwipeCard : .insertOrSwipeCard
        case .processing: .processingData
        case .removalAwaited: .removeCard
        case .programAwaited: .followTerminalInstructions
        default: nil
        }
    }

    private mutating func take(_ new: JSONPOSResult) {
        let old = result
        result = new
        (pending, statusTime, serviceEnd) = (nil, nil, nil)
        if isReversing {
            // The driver refunds an approval.
            guard !new.isApproved, reversal == nil else { return }
            let isContradicted = recovery?.isApproved ?? false
            settle(
                isContradicted
                    ? .refused(ReasonText("The terminal does not have the payment that it approved."))
                    : .acknowledged)
        } else if old == nil {
            outputs.append(.decided(reply(to: new)))
        }
    }

    private func reply(to result: JSONPOSResult) -> Result<HostReply, HostFailure> {
        switch result {
        case .approved(let transaction):
            .success(.approved(HostApproval(reference: transaction.flatMap { HostReference(rawValue: $0) })))
        case .declined(let text): .success(.declined(HostDecline(reason: ReasonText(text))))
        case .notExecuted:
            .failure(
                HostFailure(
                    .unreachable, isCertainlyNotSent: true, message: "The terminal has not executed the payment."))
        }
    }

    private mutating func take(_ settlement: JSONPOSSettlement) {
        (pending, statusTime, serviceEnd) = (nil, nil, nil)
        switch settlement {
        case .refunded: if reversal == nil { settle(.acknowledged) }
        case .open(let reason):
            // Without a reversal, or after its answer: the terminal approved after it had declined.
            guard isReversing, reversal == nil else { return outputs.append(.attention(reason)) }
            settle(.refused(ReasonText("The terminal has the money: \(reason).")))
        }
    }

    private mutating func settle(_ reply: HostReply) {
        reversal = reply
        outputs.append(.reversed(reply))
    }

    /// Plans the next steps over the link.
    private mutating func takeOutputs(at now: Duration) -> [Output] {
        if isUnknown, !isLinked, !isOpening, reconnection == nil { reconnection = now + settings.reconnectDelay }
        if isServing, isAsked, isLinked, !isOver {
            serviceEnd = serviceEnd ?? now + Self.serviceLimit
            if statusTime == nil {
                statusTime = now + settings.checkInterval
                take(driver.askStatus(at: now), at: now)
            }
        }
        defer { outputs = [] }
        return outputs
    }
}

extension JSONPOSResult {
    /// Whether the terminal has taken the money.
    fileprivate var isApproved: Bool { if case .approved = self { true } else { false } }
}

/// The numbers of a payment at an SPm20 (`receipt_id`, `sequence_id`). They follow from the identifier of the attempt, so that
/// the same payment has the same numbers after a restart.
struct SPm20Numbers: Sendable, Hashable {
    /// 1 to 99,999,999, or less than the distance to the number of a refund.
    let receipt: Int
    /// 1 to 2,147,483,647, so that it fits 32 bits with a sign.
    let sequence: Int

    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - refundOffset: the distance of the number of a refund.
    init(of attempt: AttemptIdentifier, refundOffset: Int) {
        let digest = MD5Digest(of: Array(attempt.rawValue.utf8)).octets
        func number(_ bytes: ArraySlice<UInt8>, below limit: Int) -> Int {
            let whole = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return 1 + Int(whole % UInt64(max(limit - 1, 1)))
        }
        receipt = number(digest[0..<8], below: min(refundOffset, 100_000_000))
        sequence = number(digest[8..<16], below: 1 << 31)
    }
}
