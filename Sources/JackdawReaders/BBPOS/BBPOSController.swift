/// An EMVSwiper as its SDK has it: which calls are taken when, what they lead to, and how long everything may take. A state
/// machine without a wire, a link or a clock: how calls and reports go over the wire nobody has published.
///
/// The flow: ``BBPOSCall/checkCard(_:within:)`` ends with a swipe, with nothing, or with a chip; a chip is paid with by
/// ``BBPOSCall/startEMV(_:forcesOnline:)``, and the reader asks for one thing after the other until the payment ends.
///
/// Source: samples of the vendor's SDK in public repositories. Which error a call at the wrong time is refused with is inferred
/// from their names.
public struct BBPOSController: Sendable {
    /// What the reader is about.
    public enum State: Sendable, Hashable {
        /// There is none.
        case disconnected
        /// Nothing.
        case idle
        /// It looks for a card.
        case checkingCard
        /// A chip was found, which a payment may begin with.
        case chipFound
        /// A payment begins.
        case starting
        /// A payment is under way, and the reader does its part.
        case paying
        /// A payment is under way, and the program has to answer.
        case asking(BBPOSRequest)
    }

    /// What follows from a call, a report, or time.
    public enum Output: Sendable {
        /// A call that goes to the reader.
        case send(BBPOSCall)
        /// What the program is told.
        case tell(BBPOSReport)
    }

    /// What the reader is about.
    public private(set) var state = State.disconnected
    /// When ``advance(to:)`` has something to do; nil where nothing waits for time to pass.
    public private(set) var nextDeadline: Duration?
    private var times: BBPOSTransactionTimes?

    /// A reader that is not there yet.
    public init() {}

    /// Takes a call of the program.
    /// - Parameters:
    ///   - call: what.
    ///   - now: when, from any beginning, and never back.
    /// - Returns: what follows.
    /// - Throws: ``BBPOSError`` where it is not taken now; nothing changes.
    public mutating func perform(_ call: BBPOSCall, at now: Duration) throws(BBPOSError) -> [Output] {
        switch (call, state) {
        case (_, .disconnected): throw .linkNotReady
        case (.checkCard(_, let time), .idle), (.checkCard(_, let time), .chipFound):
            guard time > .zero else { throw .inputOutOfRange }
            enter(.checkingCard, until: now + time)
        case (.cancelCheckCard, .checkingCard): enter(.idle)
        case (.startEMV(let times, _), .chipFound):
            self.times = times
            enter(.starting, until: now + times.longest)
        case (.getDeviceInfo, .idle), (.getKeySerialNumbers, .idle), (.getDeviceInfo, .chipFound),
            (.getKeySerialNumbers, .chipFound):
            break
        case (.setAmount(let amount, let cashback, _, _), .asking(.amount)) where amount < 0 || cashback < 0:
            throw .inputOutOfRange
        case (.sendTime(let time), .asking(.time))
        where time.utf8.count != 12 || !time.utf8.allSatisfy { ($0.digitValue ?? 10) < 10 }:
            throw .inputInvalidFormat
        case (.selectApplication, .asking(.application(let names))) where !call.answers(.application(names)):
            throw .inputOutOfRange
        case (_, .asking(let request)) where call.answers(request): pay(at: now)
        case (.startEMV, .idle), (.cancelCheckCard, _): throw .commandNotAvailable
        default: throw .deviceBusy
        }
        return [.send(call)]
    }

    /// Takes what the reader tells.
    /// - Parameters:
    ///   - report: what.
    ///   - now: when.
    /// - Returns: what follows; nothing for what cannot be now, such as a request in a payment that nobody began.
    public mutating func receive(_ report: BBPOSReport, at now: Duration) -> [Output] {
        switch (report, state) {
        case (.connected, .disconnected): enter(.idle)
        case (.disconnected, .disconnected), (.connected, _), (_, .disconnected): return []
        case (.disconnected, _): enter(.disconnected)
        case (.card(let result, _), .checkingCard): enter(result == .chip ? .chipFound : .idle)
        case (.started(true), .starting): pay(at: now)
        case (.started(false), .starting): enter(.idle)
        case (.request(let request, _), .starting), (.request(let request, _), .paying),
            (.request(let request, _), .asking):
            // A new one takes the place of the one before.
            enter(.asking(request), until: times.map { now + $0.time(for: request) })
        case (.transactionEnded, .starting), (.transactionEnded, .paying), (.transactionEnded, .asking): enter(.idle)
        case (.failed, .checkingCard), (.failed, .starting), (.failed, .paying), (.failed, .asking): enter(.idle)
        // How a payment ended is told also of one that was given up: the card may have been charged.
        case (.waitingForCard, .checkingCard), (.batchData, _), (.reversalData, _), (.transactionEnded, _),
            (.display, _), (.battery, _), (.failed, _), (.deviceInfo, _), (.keySerialNumbers, _):
            break
        case (.waitingForCard, _), (.card, _), (.started, _), (.request, _):
            return []
        }
        return [.tell(report)]
    }

    /// Lets time pass. A reader that says nothing when the time for something is over is told to stop, and then given up.
    /// - Parameter now: when it is.
    /// - Returns: what follows.
    public mutating func advance(to now: Duration) -> [Output] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        switch state {
        case .asking(let request):
            // The reader decides what that means for the payment, and tells.
            pay(at: now)
            return Self.refusal(of: request).map { [.send($0)] } ?? []
        case .checkingCard:
            enter(.idle)
            return [.send(.cancelCheckCard), .tell(.failed(.timedOut))]
        case .disconnected, .idle, .chipFound, .starting, .paying:
            enter(.idle)
            return [.tell(.failed(.timedOut))]
        }
    }

    /// What says that the program has no answer.
    private static func refusal(of request: BBPOSRequest) -> BBPOSCall? {
        switch request {
        case .application: .cancelSelectApplication
        case .amount: .cancelSetAmount
        case .pin: .cancelPINEntry
        case .identity: .sendIdentity(isRight: false)
        case .confirmation: .sendConfirmation(false)
        case .connectivity: .sendConnectivity(false)
        case .issuer: .sendIssuerAnswer(nil)
        case .referral: .cancelReferral
        case .time: nil
        }
    }

    private mutating func pay(at now: Duration) { enter(.paying, until: times.map { now + $0.longest }) }

    private mutating func enter(_ next: State, until deadline: Duration? = nil) {
        state = next
        nextDeadline = deadline
        if next == .idle || next == .disconnected { times = nil }
    }
}
