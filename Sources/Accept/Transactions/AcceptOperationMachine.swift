package import JackdawPayments

/// An event for the machine of an operation. Each answers the last effect.
package enum AcceptOperationEvent: Sendable {
    /// The host's answer, with any status but that of a refused token.
    case answered(HTTPAnswer)
    /// The request has no answer, or its token was refused.
    case failed(AcceptError)
    /// The payment service has accepted a call.
    case accepted(AttemptReport)
    /// The payment service has refused a call.
    case refused(DeskRefusal)
    /// The record that was asked for.
    case found(AttemptRecord)
    /// A durable change of an attempt.
    case report(AttemptReport)
    /// The time until which a report was awaited has come.
    case timer
    /// No report will come: the payment service was shut down, or the caller's task was cancelled.
    case stopped(isCancelled: Bool)

    /// The event of a request without an answer.
    package static func unanswered(_ failure: HTTPFailure) -> AcceptOperationEvent {
        .failed(AcceptCall.operation.error(failure))
    }
}

/// An effect of the machine of an operation. It has one at a time.
package enum AcceptOperationEffect: Sendable {
    /// Send a request with the user's token. Answers: `answered`, `failed`.
    case send(HTTPRequest)
    /// Ask the payment service for the state of an attempt. Answers: `accepted`, `refused`.
    case status(AttemptIdentifier)
    /// Have the payment service begin an attempt. Answers: `accepted`, `refused`.
    case begin(AttemptRequest, AttemptIdentifier)
    /// Have the payment service take a payment back. Answers: `accepted`, `refused`.
    case reverse(AttemptIdentifier, note: ReasonText?)
    /// Read a record from the journal. Answers: `found`, `refused`.
    case find(AttemptIdentifier)
    /// Wait for the next report of an attempt since the last call of the payment service, until a time if there is one. Answers:
    /// `report`, `timer`, `stopped`.
    case awaitReport(of: AttemptIdentifier, until: Duration?)
    /// The operation has ended.
    case end(Result<AcceptTransaction, AcceptError>)
}

/// An operation on a payment: a reversal, a refund, a capture, or a payment in cash, by the payment service and the host.
///
/// It is a machine without I/O: it begins with ``begin(at:on:)``, and each of its effects is answered by one event.
package struct AcceptOperationMachine: Sendable {
    /// The kind of an operation.
    package enum Kind: Sendable {
        /// Take the whole payment back: by the payment service if its journal may have it, or else by a request.
        case reverse(hasJournal: Bool)
        /// Take back a payment whose terminal has a host of its own.
        case reverseAtTerminal(AttemptRecord)
        /// Return money, as an attempt with this identifier.
        case refund(AttemptIdentifier)
        /// Take the money of an authorisation, as an attempt with this identifier.
        case capture(AttemptIdentifier)
        /// Book a basket that was paid in cash.
        case cash(AcceptPaymentConfig, AttemptRequest)
    }

    /// What the last effect is for.
    private enum Step {
        case beginning
        /// Is the payment in the journal?
        case lookUp
        case readBefore
        case findOriginal
        /// Was the refund or capture begun by an earlier call?
        case findOwn(SaleIdentifier)
        case callService
        case wait(begun: AttemptReport)
        case readAfter(AttemptReport)
        case findReversed
        case reverseAtHost
    }

    private let kind: Kind
    private let name: AttemptIdentifier
    private let requests: OperationRequests
    private let parameters: AcceptPaymentParameters
    private let limit: Duration
    private var step = Step.beginning
    private var isInJournal = true
    /// The payment before the operation; nil if the host does not know it.
    private var before: AcceptTransaction?
    /// The part of a refund or a capture that this call has begun; nil before it, and if an earlier call did.
    private var booked: AcceptHundredths?
    private var deadline: Duration?

    /// An operation that has not begun.
    /// - Parameters:
    ///   - kind: the operation.
    ///   - name: the payment.
    ///   - parameters: the amount and the note. Default: the whole amount without a note.
    ///   - limit: the time for which a reversal that goes on is awaited. Default: 30 s.
    ///   - basePath: the path before that of a route, as in ``AcceptWire/basePath``. Default: `/v3`.
    package init(
        _ kind: Kind, on name: AttemptIdentifier, _ parameters: AcceptPaymentParameters = AcceptPaymentParameters(),
        limit: Duration = .seconds(30), basePath: String = "/v3"
    ) {
        self.kind = kind
        self.name = name
        self.parameters = parameters
        self.limit = limit
        requests = OperationRequests(basePath: basePath)
    }

    /// Begins the operation, before any of its events.
    /// - Parameters:
    ///   - now: the time on a clock that does not run backwards.
    ///   - date: the wall clock, for the limit of reversals; nil if it is not known.
    /// - Returns: the first effect.
    package mutating func begin(at now: Duration, on date: RecordedTime?) -> AcceptOperationEffect {
        carryOn { (machine) throws(AcceptError) in
            switch machine.kind {
            case .reverse(hasJournal: true):
                machine.step = .lookUp
                return .status(machine.name)
            case .reverse(hasJournal: false):
                machine.isInJournal = false
                return machine.read()
            case .reverseAtTerminal(let record):
                try OperationRules.checkReversal(
                    of: AcceptTransaction(reversed: record).amount, amount: machine.parameters.amount)
                try OperationRules.checkReversal(of: record, on: date)
                return machine.reverse()
            case .refund, .capture: return machine.read()
            case .cash(_, let request):
                machine.step = .callService
                return .begin(request, machine.name)
            }
        }
    }

    /// Takes the answer to the last effect.
    /// - Returns: the next effect.
    package mutating func receive(
        _ event: AcceptOperationEvent, at now: Duration, on date: RecordedTime?
    ) -> AcceptOperationEffect {
        carryOn { (machine) throws(AcceptError) in try machine.next(event, now, date) }
    }

    private mutating func carryOn(
        _ work: (inout AcceptOperationMachine) throws(AcceptError) -> AcceptOperationEffect
    ) -> AcceptOperationEffect {
        do throws(AcceptError) { return try work(&self) } catch { return .end(.failure(error)) }
    }

    private mutating func next(
        _ event: AcceptOperationEvent, _ now: Duration, _ date: RecordedTime?
    ) throws(AcceptError) -> AcceptOperationEffect {
        switch step {
        case .beginning: throw Self.unexpected
        case .lookUp:
            if case .refused(let refusal) = event, refusal.code == .unknownAttempt {
                isInJournal = false
            } else {
                _ = try report(event)
            }
            return read()
        case .readBefore: return try take(before: event, date)
        case .findOriginal:
            let sale = try report(event).sale
            guard parameters.operationId != nil else { return try book(sale, nil) }
            step = .findOwn(sale)
            return .find(ownName)
        case .findOwn(let sale): return try book(sale, try earlier(event))
        case .callService: return try wait(from: try report(event), now)
        case .wait(let begun): return try take(event, begun)
        case .readAfter(let report): return .end(.success(try after(event, report)))
        case .findReversed:
            if case .found(let record) = event { return .end(.success(AcceptTransaction(reversed: record))) }
            _ = try report(event)
            throw Self.unexpected
        case .reverseAtHost: return try take(atHost: event)
        }
    }

    // MARK: answers to effects

    private static let unexpected = AcceptError(.notRunning, "The operation received no answer to its effect.")

    private func report(_ event: AcceptOperationEvent) throws(AcceptError) -> AttemptReport {
        switch event {
        case .accepted(let report): return report
        case .refused(let refusal): throw OperationRules.error(refusal)
        default: throw Self.unexpected
        }
    }

    private func payment(_ event: AcceptOperationEvent) throws(AcceptError) -> AcceptTransaction {
        switch event {
        case .answered(let answer):
            guard (200...299).contains(answer.status) else { throw AcceptCall.operationError(answer) }
            return try AcceptTransaction(answer.body, of: name.rawValue)
        case .failed(let error): throw error
        default: throw Self.unexpected
        }
    }

    // MARK: the payment before the operation

    private mutating func read() -> AcceptOperationEffect {
        step = .readBefore
        return .send(requests.payment(name))
    }

    private mutating func take(
        before event: AcceptOperationEvent, _ date: RecordedTime?
    ) throws(AcceptError) -> AcceptOperationEffect {
        do throws(AcceptError) { before = try payment(event) } catch {
            // The request of an unknown payment may not have reached the host: the journal's reversal closes its identifier.
            guard case .reverse = kind, isInJournal, error.code == .paymentNotFound else { throw error }
        }
        guard case .reverse = kind else {
            step = .findOriginal
            return .status(name)
        }
        guard let before else { return reverse() }
        if before.status == .reversed, !isInJournal { return .end(.success(before)) }
        try OperationRules.checkReversal(of: before.amount, amount: parameters.amount)
        // The journal may not know a reversal that was made elsewhere: the host answers its repetition as the first one.
        if before.status != .reversed { try OperationRules.checkReversal(of: before, on: date) }
        guard !isInJournal else { return reverse() }
        step = .reverseAtHost
        return .send(requests.reversal(name, note: parameters.note))
    }

    private mutating func reverse() -> AcceptOperationEffect {
        step = .callService
        return .reverse(name, note: parameters.reason)
    }

    /// The identifier of the refund or the capture; of other operations the payment's.
    private var ownName: AttemptIdentifier {
        switch kind {
        case .refund(let own), .capture(let own): own
        case .reverse, .reverseAtTerminal, .cash: name
        }
    }

    /// The request of an earlier call with the same identifier; nil if there was none.
    private func earlier(_ event: AcceptOperationEvent) throws(AcceptError) -> AttemptRequest? {
        switch event {
        case .found(let record): return record.request
        case .refused(let refusal) where refusal.code == .unknownAttempt: return nil
        default:
            _ = try report(event)
            throw Self.unexpected
        }
    }

    /// Begins the refund or the capture. A repetition without an amount has that of the first call.
    private mutating func book(
        _ sale: SaleIdentifier, _ earlier: AttemptRequest?
    ) throws(AcceptError) -> AcceptOperationEffect {
        guard let before else { throw Self.unexpected }
        step = .callService
        if let earlier {
            guard earlier.kind == ownKind else { throw OperationRules.error(DeskRefusal(.identifierUsed, ownName)) }
            guard parameters.amount != nil else { return .begin(earlier, ownName) }
        }
        let part = parameters.amount ?? OperationRules.left(of: before, isRefund: isRefund)
        if earlier == nil { booked = part }
        let amount = try OperationRules.amount(part, of: before)
        do throws(RequestError) {
            return .begin(try AttemptRequest(sale: sale, kind: ownKind, amount: amount), ownName)
        } catch { throw AcceptError(.amountInvalid, error.message) }
    }

    private var ownKind: AttemptKind { isRefund ? .refund(of: name) : .capture(of: name) }

    private var isRefund: Bool {
        if case .refund = kind { true } else { false }
    }

    // MARK: the end of the payment service's work

    private var isReversal: Bool {
        switch kind {
        case .reverse, .reverseAtTerminal: true
        case .refund, .capture, .cash: false
        }
    }

    /// Waits until the till knows the outcome, or that it does not. A reversal goes on without the caller after a time.
    private mutating func wait(
        from begun: AttemptReport, _ now: Duration
    ) throws(AcceptError) -> AcceptOperationEffect {
        if begun.state == .reversed, let before, before.status == .reversed { return .end(.success(before)) }
        if begun.state.isFinal || isOver(begun.state) { return try finish(begun) }
        step = .wait(begun: begun)
        deadline = isReversal ? now + limit : nil
        return .awaitReport(of: begun.attempt, until: deadline)
    }

    private func isOver(_ state: AttemptState) -> Bool {
        switch state {
        // A report of the approval that is taken back may come late.
        case .approved: !isReversal
        case .unknown: !isReversal
        case .needsAttention: true
        default: state.isFinal
        }
    }

    private mutating func take(
        _ event: AcceptOperationEvent, _ begun: AttemptReport
    ) throws(AcceptError) -> AcceptOperationEffect {
        switch event {
        case .report(let report) where report.attempt == begun.attempt && isOver(report.state):
            return try finish(report)
        case .report: return .awaitReport(of: begun.attempt, until: deadline)
        case .timer, .stopped: break
        default: throw Self.unexpected
        }
        // Its state is not known to have changed.
        if isReversal { return try finish(begun) }
        var error = AcceptError(.notRunning, "The payment service was shut down.")
        if case .stopped(isCancelled: true) = event {
            error = AcceptError(.cancelled, "The task was cancelled; the operation goes on.")
        }
        error.attempt = begun.attempt.rawValue
        throw error
    }

    private mutating func finish(_ report: AttemptReport) throws(AcceptError) -> AcceptOperationEffect {
        switch kind {
        case .refund, .capture, .cash:
            if let error = OperationRules.error(report) { throw error }
        case .reverseAtTerminal(let record):
            guard report.state == .reversed else { throw Self.notReversed(report) }
            return .end(.success(AcceptTransaction(reversed: record)))
        case .reverse:
            guard report.state == .reversed || report.state == .failed else { throw Self.notReversed(report) }
            guard before != nil else {
                step = .findReversed
                return .find(name)
            }
        }
        step = .readAfter(report)
        return .send(requests.payment(name))
    }

    private static func notReversed(_ report: AttemptReport) -> AcceptError {
        OperationRules.error(report)
            ?? AcceptError(.operationNotAllowed, "The payment is still \(report.state.rawValue).")
    }

    /// The payment after the operation as the host has it; as the till has it if the host cannot be asked for it now.
    private func after(
        _ event: AcceptOperationEvent, _ report: AttemptReport
    ) throws(AcceptError) -> AcceptTransaction {
        let after: AcceptTransaction
        do throws(AcceptError) { after = try payment(event) } catch {
            switch kind {
            case .cash(let config, _): return AcceptTransaction(report, config, isCash: true)
            // A repetition may have read the part of the first call.
            case .refund:
                if let before { return booked.map { before.refunded($0, note: parameters.note) } ?? before }
            case .capture: if let before { return booked.map { before.captured($0) } ?? before }
            case .reverse, .reverseAtTerminal: if let before { return before.reversed }
            }
            throw error
        }
        guard case .reverse = kind, let before, after.status != .reversed, after.status == before.status else {
            return after
        }
        throw AcceptError(.needsAttention, "The journal has the reversal, and the host the approved payment.")
    }

    // MARK: reversals of payments that the journal does not have

    private func take(atHost event: AcceptOperationEvent) throws(AcceptError) -> AcceptOperationEffect {
        let after: AcceptTransaction
        do throws(AcceptError) { after = try payment(event) } catch {
            // Without an answer the reversal may have been made: its repetition is safe.
            let codes: [AcceptError.Code] = [
                .pay(.payConnection), .common(.genericRequestTimeout), .answerUnreadable, .hostError, .cancelled,
            ]
            guard codes.contains(error.code) else { throw error }
            throw AcceptError(.pay(.responseLost), "The outcome is not known. Repeat the reversal: it is made once.")
        }
        guard after.status != before?.status else {
            throw AcceptError(.operationNotAllowed, "The payment is still \(after.status.rawValue).")
        }
        return .end(.success(after))
    }
}
