import JackdawEMV

// Calls of the program: the sale guard, identifiers and fingerprints, status, attention.

/// A call that waits for an identifier or for the journal.
package struct WaitingCall: Sendable, Hashable {
    /// The kind of a call.
    package enum Kind: Sendable, Hashable {
        case begin(AttemptRequest)
        case status
        case reverse(SaleIdentifier, ReasonText?)
        case sign(SaleIdentifier, HTTPBody)
    }

    package let kind: Kind
    package let call: Int
    /// The effect that the next answer names.
    package fileprivate(set) var effect: Int
    /// The identifier; nil while a new one is being made.
    package let identifier: AttemptIdentifier?

    /// The sale whose attempts must stay in memory until the call is answered.
    package var sale: SaleIdentifier? {
        switch kind {
        case .begin(let request): request.sale
        case .reverse(let sale, _), .sign(let sale, _): sale
        case .status: nil
        }
    }
}

extension PaymentDesk {
    mutating func begin(_ request: AttemptRequest, _ identifier: AttemptIdentifier?, _ call: Int) {
        if let identifier {
            lookUp(.begin(request), call, identifier)
        } else {
            let effect = emit(.mintIdentifier)
            calls.append(WaitingCall(kind: .begin(request), call: call, effect: effect, identifier: nil))
        }
    }

    mutating func minted(_ identifier: AttemptIdentifier, _ effect: Int) {
        guard let waiting = take(effect), waiting.identifier == nil else { return ignore() }
        lookUp(waiting.kind, waiting.call, identifier)
    }

    mutating func status(_ attempt: AttemptIdentifier, _ call: Int) {
        if let index = index(of: attempt) { return accept(index, call) }
        lookUp(.status, call, attempt)
    }

    mutating func attend(_ attempt: AttemptIdentifier, _ result: AttentionResult, _ note: ReasonText, _ call: Int) {
        guard let index = index(of: attempt), courses[index].isSettled, courses[index].record.state == .needsAttention
        else {
            emit(.refused(call: call, DeskRefusal(.attentionNotNeeded, attempt)))
            return
        }
        let purpose = courses[index].record.delivery?.purpose
        let change: AttemptChange
        switch (result, purpose) {
        case (.paid, _): change = .settlePaid
        case (.unpaid, _): change = .settleUnpaid
        case (.sendAgain, .some(let purpose)): change = purpose.isUrgent ? .reverseAgain : .deliverAgain
        case (.sendAgain, nil):
            emit(.refused(call: call, DeskRefusal(.attentionNotNeeded, attempt)))
            return
        }
        let date = date
        courses[index].modify(on: date) { record in
            record.apply(change)
            if result != .sendAgain { (record.delivery, record.signature) = (nil, HTTPBody()) }
            record.attention?.note = note
            record.attention?.settled = date
        }
        courses[index].resumeDelivery()
        courses[index].append(.accepted(call: call, courses[index].report))
        courses[index].append(.report(courses[index].report))
    }

    mutating func lookUp(_ kind: WaitingCall.Kind, _ call: Int, _ identifier: AttemptIdentifier) {
        var waiting = WaitingCall(kind: kind, call: call, effect: 0, identifier: identifier)
        waiting.effect = emit(.lookUp(identifier, waiting.sale))
        calls.append(waiting)
    }

    private mutating func take(_ effect: Int) -> WaitingCall? {
        calls.firstIndex { $0.effect == effect }.map { calls.remove(at: $0) }
    }

    mutating func lookUpFailed(_ effect: Int) {
        guard let waiting = take(effect) else { return ignore() }
        emit(.refused(call: waiting.call, DeskRefusal(.journalFailed)))
    }

    mutating func found(_ records: [AttemptRecord], _ effect: Int) {
        guard let waiting = take(effect), let identifier = waiting.identifier else { return ignore() }
        // A record that is not over and not in memory is left of a write that failed and was durable nevertheless.
        for record in records where record.isNeeded && index(of: record.identifier) == nil { adopt(record) }
        switch waiting.kind {
        case .status:
            if let index = index(of: identifier) {
                accept(index, waiting.call)
            } else if let record = records.first(where: { $0.identifier == identifier }) {
                emit(.accepted(call: waiting.call, AttemptReport(record)))
            } else {
                emit(.refused(call: waiting.call, DeskRefusal(.unknownAttempt, identifier)))
            }
        case .begin(let request): begin(request, identifier, waiting.call, records)
        case .reverse(let sale, let note): reverse(identifier, sale, note, waiting.call, records)
        case .sign(_, let image): sign(identifier, image, waiting.call, records)
        }
    }

    /// Reports an attempt that is in memory, when it is durable.
    mutating func accept(_ index: Int, _ call: Int) {
        if let written = courses[index].written {
            emit(.accepted(call: call, AttemptReport(written)))
        } else {
            courses[index].append(.accepted(call: call, courses[index].report))
        }
    }

    private mutating func begin(
        _ request: AttemptRequest, _ identifier: AttemptIdentifier, _ call: Int, _ found: [AttemptRecord]
    ) {
        let records = newest(found)
        if let own = records.first(where: { $0.identifier == identifier }) {
            guard own.request.fingerprint == request.fingerprint else {
                emit(.refused(call: call, DeskRefusal(.identifierUsed, identifier)))
                return
            }
            if let index = index(of: identifier) { return accept(index, call) }
            emit(.accepted(call: call, AttemptReport(own)))
            return
        }
        let others = records.filter { $0.request.sale == request.sale }
        if let refusal = refusal(of: request, others) {
            emit(.refused(call: call, refusal))
            return
        }
        let original = others.first { $0.identifier == request.kind.original }
        let record = AttemptRecord(identifier, request, originalReference: original?.reference, on: date)
        var course = Course(beginning: record)
        course.append(.accepted(call: call, course.report))
        course.append(.begin)
        courses.append(course)
    }

    /// The records of the memory, and those of the journal that are not in it: the memory is newer. An end counts when it is
    /// durable, the beginning of a reversal at once.
    func newest(_ found: [AttemptRecord]) -> [AttemptRecord] {
        courses.map { $0.record.state.isFinal ? $0.written ?? $0.record : $0.record }
            + found.filter { index(of: $0.identifier) == nil }
    }

    /// The sale guard: the reason for which a sale's other attempts forbid a request; nil if they allow it.
    private func refusal(of request: AttemptRequest, _ others: [AttemptRecord]) -> DeskRefusal? {
        if let running = others.first(where: { !$0.state.isFinal || $0.isRunning }) {
            return DeskRefusal(.saleInProgress, running.identifier)
        }
        let approved = others.filter { $0.state == .approved }
        // The host does not have the original yet: it would refuse the request, and might book a late copy of it.
        if let original = approved.first(where: { $0.identifier == request.kind.original }),
            original.delivery?.purpose == .advice
        {
            return DeskRefusal(.saleInProgress, original.identifier)
        }
        switch request.kind {
        case .purchase, .authorisation, .cash:
            return approved.first { $0.request.kind.paysSale }.map { DeskRefusal(.salePaid, $0.identifier) }
        case .capture(let identifier):
            guard let original = approved.first(where: { $0.identifier == identifier }),
                original.request.kind == .authorisation
            else { return DeskRefusal(.originalNotApproved, identifier) }
            if let capture = approved.first(where: { $0.request.kind == request.kind }) {
                return DeskRefusal(.salePaid, capture.identifier)
            }
            return exceeds([request.amount], original) ? DeskRefusal(.amountExceeded, identifier) : nil
        case .refund(let identifier):
            guard let original = approved.first(where: { $0.identifier == identifier }),
                let booked = original.request.kind == .authorisation
                    ? approved.first(where: { $0.request.kind == .capture(of: identifier) }) : original,
                booked.request.kind != .authorisation
            else { return DeskRefusal(.originalNotApproved, identifier) }
            let refunds = approved.filter { $0.request.kind == request.kind }.map { $0.request.amount }
            return exceeds(refunds + [request.amount], booked) ? DeskRefusal(.amountExceeded, identifier) : nil
        }
    }

    /// Whether amounts together exceed that of a record. Each has at most 12 digits, so that a sum does not overflow.
    private func exceeds(_ amounts: [Amount], _ record: AttemptRecord) -> Bool {
        let limit = record.request.amount
        guard amounts.allSatisfy({ $0.currencyCode == limit.currencyCode }) else { return true }
        return amounts.reduce(0) { $0 + $1.minorUnits } > limit.minorUnits
    }
}

extension AttemptRecord {
    /// Whether the payment flow has not ended, although the state is final, as while an approval is being stored.
    var isRunning: Bool { flow.map { $0.outcome == nil } ?? false }
}
