import Accept
import JackdawEMV
import JackdawPayments
import JackdawSimulator

/// The merchant's program's record of a sale. It outlives the till.
struct Merchant {
    let plan: SoakSale
    var random: SplitMix
    /// The call that is not answered yet.
    var call: Int?
    /// The attempt that is under way, or was the last one.
    var attempt: AttemptIdentifier?
    var state: AttemptState?
    /// The attempt that was approved; nil before.
    var paid: AttemptIdentifier?
    var isCaptured = false
    var isRefunded = false
    /// Whether the journal has the reversal that the merchant wants, or has refused it.
    var isTakenBack = false
    var retriesLeft: Int
    var names = 0
    var ticks = 0
    var hasReused = false

    init(_ plan: SoakSale) {
        self.plan = plan
        random = SplitMix(seed: plan.seed ^ 0x5A1E)
        retriesLeft = plan.retries
    }

    var sale: SaleIdentifier {
        guard let sale = SaleIdentifier(rawValue: "S\(plan.number)") else { preconditionFailure("no identifier") }
        return sale
    }
}

// The merchant and the customers: sales, calls again, captures and refunds, and the work on what needs attention.

extension SoakWorld {
    /// The most calls for a sale.
    private static let maxTicks = 40

    /// A customer arrives with a sale.
    func arrive(_ sale: SoakSale) {
        note("sale \(sale.number)")
        merchants[sale.number] = Merchant(sale)
        tick(sale.number)
    }

    /// The merchant looks after a sale.
    func tick(_ number: Int) {
        guard var merchant = merchants[number] else { return }
        merchant.ticks += 1
        let seconds = min(15 << min(merchant.ticks, 8), 3600)
        let next = now + .milliseconds(seconds * 500 + merchant.random.below(seconds * 500))
        merchants[number] = merchant
        guard merchant.ticks <= Self.maxTicks else { return }
        if desk != nil, now >= suspendedUntil, !act(number) { return }
        queue.add(.merchant(sale: number), at: next)
    }

    /// Calls the desk, if there is something to do.
    /// - Returns: false if the sale is over.
    private func act(_ number: Int) -> Bool {
        guard let merchant = merchants[number] else { return false }
        guard merchant.call == nil else { return true }
        if let paid = merchant.paid { return actAfterApproval(number, paid) }
        switch merchant.state {
        case nil: begin(number, .purchaseOrAuthorisation)
        case .declined?, .failed?, .cancelled?, .reversed?:
            guard merchant.retriesLeft > 0 else { return false }
            merchants[number]?.retriesLeft -= 1
            merchants[number]?.attempt = nil
            merchants[number]?.names += 1
            begin(number, .purchaseOrAuthorisation)
        case .approved?: return false
        case .open?, .asked?, .unknown?, .reversing?, .needsAttention?:
            // The report may have been lost with a process.
            if merchant.plan.isImpatient, merchant.ticks.isMultiple(of: 2) {
                begin(number, .again)
            } else if merchant.plan.reusesIdentifier, !merchant.hasReused {
                merchants[number]?.hasReused = true
                begin(number, .otherAmount)
            } else if let attempt = merchant.attempt {
                call(number, nil) { .status(attempt, call: $0) }
            }
        }
        return true
    }

    private func actAfterApproval(_ number: Int, _ paid: AttemptIdentifier) -> Bool {
        guard let merchant = merchants[number] else { return false }
        let isReversalLeft = merchant.plan.isTakenBack && !merchant.isTakenBack
        if isReversalLeft, number.isMultiple(of: 2) {
            operate(number, .reverse, on: paid)
        } else if merchant.plan.isAuthorisation, !merchant.isCaptured {
            operate(number, .capture, on: paid)
        } else if merchant.plan.isRefunded, !merchant.isRefunded {
            operate(number, .refund, on: paid)
        } else if isReversalLeft {
            operate(number, .reverse, on: paid)
        } else {
            return false
        }
        return true
    }

    private enum Begin {
        case purchaseOrAuthorisation
        /// Another attempt while one is under way.
        case again
        /// The same identifier with another amount.
        case otherAmount
    }

    private func begin(_ number: Int, _ kind: Begin) {
        guard let merchant = merchants[number] else { return }
        let plan = merchant.plan
        var identifier = plan.isNamed ? AttemptIdentifier(rawValue: "n\(plan.number)-\(merchant.names)") : nil
        var amount = plan.amount
        let wanted: AttemptKind = plan.way == .cash ? .cash : plan.isAuthorisation ? .authorisation : .purchase
        switch kind {
        case .purchaseOrAuthorisation: break
        case .again: identifier = nil
        case .otherAmount:
            identifier = merchant.attempt
            amount += 1
        }
        let money = Amount(minorUnits: amount, currencyCode: 978)
        guard let request = try? AttemptRequest(sale: merchant.sale, kind: wanted, amount: money) else { return }
        call(number, request) { .begin(request, identifier: identifier, call: $0) }
    }

    private func call(_ number: Int, _ request: AttemptRequest?, _ event: (Int) -> DeskEvent) {
        lastCall += 1
        note(
            "call \(lastCall) sale \(number) \(request.map { "\($0.kind.callName) \($0.amount.minorUnits)" } ?? "status")"
        )
        merchants[number]?.call = lastCall
        calls[lastCall] = (number, request)
        send(event(lastCall))
    }

    // MARK: answers and reports

    func accepted(_ number: Int, _ report: AttemptReport) {
        merchants[number]?.call = nil
        merchants[number]?.attempt = report.attempt
        reported(report)
    }

    func refused(_ number: Int, _ refusal: DeskRefusal) {
        merchants[number]?.call = nil
        switch refusal.code {
        case .salePaid:
            if merchants[number]?.paid == nil {
                merchants[number]?.paid = refusal.attempt
                merchants[number]?.state = .approved
            }
        case .saleInProgress:
            if merchants[number]?.paid == nil, merchants[number]?.attempt == nil {
                merchants[number]?.attempt = refusal.attempt
                merchants[number]?.state = .open
            }
        default: break
        }
    }

    func reported(_ report: AttemptReport) {
        guard let number = number(of: report.sale), let record = disk[report.attempt] else { return }
        switch record.request.kind {
        case .purchase, .authorisation, .cash:
            if merchants[number]?.attempt == nil || merchants[number]?.attempt == report.attempt {
                merchants[number]?.attempt = report.attempt
                merchants[number]?.state = report.state
            }
            let isOver = report.outcome?.isApproved ?? (record.request.kind == .cash)
            if report.state == .approved, isOver || record.attention != nil {
                merchants[number]?.paid = report.attempt
            } else if merchants[number]?.paid == report.attempt, report.state != .approved {
                // Taken back, or it needs a person.
                merchants[number]?.paid = nil
                merchants[number]?.isTakenBack = true
            }
        case .capture: if report.state == .approved { merchants[number]?.isCaptured = true }
        case .refund: if report.state == .approved { merchants[number]?.isRefunded = true }
        }
        if report.state == .needsAttention, merchants[number]?.plan.number.isMultiple(of: 3) == false {
            queue.add(.attention(report.attempt), at: now + .seconds(7200) + wait(0...10_000_000, number))
        }
    }

    /// A person deals with an attempt: finds out whether money moved, or first has some messages sent again.
    func attend(_ attempt: AttemptIdentifier) {
        guard desk != nil, now >= suspendedUntil else { return queue.add(.attention(attempt), at: now + .seconds(600)) }
        guard desk?.needingAttention.contains(where: { $0.attempt == attempt }) == true else { return }
        var result = AttentionResult.unpaid
        if case .booked = host.booking(attempt) { result = .paid }
        if !sentAgain.contains(attempt), attempt.rawValue.utf8.last?.isMultiple(of: 2) == true { result = .sendAgain }
        sentAgain.insert(attempt)
        lastCall += 1
        note("attend \(attempt) \(result.rawValue)")
        send(.attend(attempt, result, note: ReasonText("looked at"), call: lastCall))
    }
}

extension AttemptKind {
    /// The name, for histories.
    fileprivate var callName: String {
        switch self {
        case .purchase: "purchase"
        case .authorisation: "authorisation"
        case .cash: "cash"
        case .capture: "capture"
        case .refund: "refund"
        }
    }
}
