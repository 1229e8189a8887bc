import Accept
import JackdawPayments
import JackdawSimulator

// Captures, refunds and reversals: the merchant calls Accept's operation on a payment, whose machine asks host and desk.

/// An operation of Accept that the merchant has called, and that has not ended.
struct OpenOperation {
    /// The answer that its machine waits for.
    enum Wait: Hashable {
        case nothing
        /// Of a request beside the desk.
        case request(Int)
        /// Of a call of the desk.
        case call(Int)
        /// A report of an attempt, until a time of the till's clock.
        case report(AttemptIdentifier, until: Duration?)
    }

    /// The number of the merchant's call.
    let number: Int
    let sale: Int
    let operation: AcceptOperationOnPayment
    var machine: AcceptOperationMachine
    var wait = Wait.nothing
    /// Whether it has had the desk begin an attempt, or take the payment back.
    var isStarted = false
    /// The reports since its call of the desk, which its stream has.
    var reports: [AttemptReport] = []
    /// The attempt or the payment that the desk has, as its machine knows it; nil before.
    var known: AttemptReport?

    /// The time of the till's clock until which it waits for a report; nil without one.
    var deadline: Duration? {
        if case .report(_, let deadline) = wait { deadline } else { nil }
    }
}

extension SoakWorld {
    /// The merchant calls Accept.
    func operate(_ sale: Int, _ operation: AcceptOperationOnPayment, on payment: AttemptIdentifier) {
        guard let merchant = merchants[sale] else { return }
        var parameters = AcceptPaymentParameters()
        let kind: AcceptOperationMachine.Kind
        switch operation {
        case .capture: kind = .capture(identifier(ofPartOf: merchant, "c"))
        case .refund:
            kind = .refund(identifier(ofPartOf: merchant, "r"))
            parameters.amount = AcceptHundredths(rawValue: Int64(max(1, merchant.plan.amount / 2)))
        default:
            kind = .reverse(hasJournal: true)
            parameters.note = "taken back"
        }
        lastCall += 1
        note("call \(lastCall) sale \(sale) \(operation)")
        merchants[sale]?.call = lastCall
        var machine = AcceptOperationMachine(kind, on: payment, parameters)
        let effect = machine.begin(at: tillTime, on: date)
        operations.append(OpenOperation(number: lastCall, sale: sale, operation: operation, machine: machine))
        carryOut(effect, ofOperation: lastCall)
    }

    /// The identifier of a capture or a refund. With one of the merchant's program a repeated call is the same operation.
    private func identifier(ofPartOf merchant: Merchant, _ letter: String) -> AttemptIdentifier {
        let name = "\(letter)\(merchant.plan.number)-\(merchant.names)"
        guard merchant.plan.isNamed, let identifier = AttemptIdentifier(rawValue: name) else { return newIdentifier() }
        return identifier
    }

    /// The operation that waits for an answer; nil without one.
    private func operation(waitingFor wait: OpenOperation.Wait) -> Int? {
        operations.first { $0.wait == wait }?.number
    }

    /// Hands the answer to a request beside the desk to its operation; that to the card's answer to a decline has none.
    func answer(_ event: AcceptOperationEvent, toRequest number: Int) {
        guard let operation = operation(waitingFor: .request(number)) else { return }
        answer(event, operation)
    }

    /// Hands the answer to a call of the desk to its operation.
    /// - Returns: false if the call is none of an operation.
    func answer(_ event: AcceptOperationEvent, toCall call: Int) -> Bool {
        guard let operation = operation(waitingFor: .call(call)) else { return false }
        answer(event, operation)
        return true
    }

    /// Hands a report to the operations, which receive those since their calls of the desk.
    func hear(_ report: AttemptReport) {
        for number in operations.map(\.number) {
            guard let index = operations.firstIndex(where: { $0.number == number }) else { continue }
            operations[index].reports.append(report)
            readReports(number)
        }
    }

    /// Ends the first wait for a report whose time is over on the till's clock.
    /// - Returns: false if there is none.
    func endLateWait() -> Bool {
        guard let late = operations.first(where: { $0.deadline.map { $0 <= tillTime } ?? false }) else { return false }
        answer(.timer, late.number)
        return true
    }

    private func readReports(_ number: Int) {
        guard let index = operations.firstIndex(where: { $0.number == number }),
            case .report(let attempt, _) = operations[index].wait
        else { return }
        while !operations[index].reports.isEmpty {
            let report = operations[index].reports.removeFirst()
            if report.attempt == attempt { return answer(.report(report), number) }
        }
    }

    private func answer(_ event: AcceptOperationEvent, _ number: Int) {
        guard let index = operations.firstIndex(where: { $0.number == number }) else { return }
        switch event {
        case .report(let report): operations[index].known = report
        case .accepted(let report) where operations[index].isStarted: operations[index].known = report
        default: break
        }
        operations[index].wait = .nothing
        let effect = operations[index].machine.receive(event, at: tillTime, on: date)
        carryOut(effect, ofOperation: number)
    }

    private func carryOut(_ effect: AcceptOperationEffect, ofOperation number: Int) {
        guard let index = operations.firstIndex(where: { $0.number == number }) else { return }
        switch effect {
        case .send(let request):
            lastUpdate -= 1
            operations[index].wait = .request(lastUpdate)
            sendBeside(request, lastUpdate)
        case .status(let attempt): callDesk(index, nil) { .status(attempt, call: $0) }
        case .begin(let request, let identifier):
            operations[index].isStarted = true
            callDesk(index, request) { .begin(request, identifier: identifier, call: $0) }
        case .reverse(let attempt, let note):
            guard let sale = merchants[operations[index].sale]?.sale else { return }
            operations[index].isStarted = true
            callDesk(index, nil) { .reverse(attempt, of: sale, note: note, call: $0) }
        case .find(let attempt):
            answer(disk[attempt].map { .found($0) } ?? .refused(DeskRefusal(.unknownAttempt, attempt)), number)
        case .awaitReport(let attempt, let deadline):
            operations[index].wait = .report(attempt, until: deadline)
            readReports(number)
        case .end(let result): end(operations.remove(at: index), result)
        }
    }

    private func callDesk(_ index: Int, _ request: AttemptRequest?, _ event: (Int) -> DeskEvent) {
        lastCall += 1
        operations[index].wait = .call(lastCall)
        operations[index].reports = []
        calls[lastCall] = (operations[index].sale, request)
        send(event(lastCall))
    }

    private func end(_ operation: OpenOperation, _ result: Result<AcceptTransaction, AcceptError>) {
        var error: AcceptError?
        if case .failure(let reason) = result { error = reason }
        note("end of call \(operation.number) \(error?.code.name ?? "done")")
        checker.check(operation.known, isReversal: operation.operation == .reverse, error)
        merchants[operation.sale]?.call = nil
        switch error?.code {
        case nil, .operationNotAllowed, .amountExceeded, .amountInvalid, .reversalTooLate, .identifierUsed:
            // It is done, or will never be.
            switch operation.operation {
            case .capture: merchants[operation.sale]?.isCaptured = true
            case .refund: merchants[operation.sale]?.isRefunded = true
            default: merchants[operation.sale]?.isTakenBack = true
            }
        case .pay(.transactionNotApproved): merchants[operation.sale]?.names += 1
        default: break
        }
    }
}
