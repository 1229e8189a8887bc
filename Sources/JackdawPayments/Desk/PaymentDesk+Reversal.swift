// The merchant's reversal: an approved payment is taken back as a whole.

extension PaymentDesk {
    /// Decides on a reversal, with the records of the sale that the journal has.
    mutating func reverse(
        _ identifier: AttemptIdentifier, _ sale: SaleIdentifier, _ note: ReasonText?, _ call: Int,
        _ found: [AttemptRecord]
    ) {
        let records = newest(found).filter { $0.request.sale == sale }
        guard let own = records.first(where: { $0.identifier == identifier }) else {
            emit(.refused(call: call, DeskRefusal(.unknownAttempt, identifier)))
            return
        }
        if let refusal = refusal(ofReversalOf: own, records) {
            emit(.refused(call: call, refusal))
            return
        }
        guard own.state == .approved else {
            // A repetition, or a payment that the desk reverses by itself.
            if let index = index(of: identifier) { return accept(index, call) }
            emit(.accepted(call: call, AttemptReport(own)))
            return
        }
        if index(of: identifier) == nil { courses.append(Course(restoring: own, at: now)) }
        guard let index = index(of: identifier) else { return ignore() }
        courses[index].modify(on: date) { record in
            // A completion or a signature that waits is not needed any more.
            guard record.apply(.takeBack) else { return }
            record.delivery = Delivery(.reversal(nil), note: note)
            record.signature = HTTPBody()
        }
        // The host has answered that it approved, so that it need not be asked first.
        courses[index].resumeDelivery()
        courses[index].mustEnquire = false
        courses[index].append(.accepted(call: call, courses[index].report))
        courses[index].append(.report(courses[index].report))
    }

    /// The reason why a payment cannot be reversed; nil if it can be, or is reversed.
    private func refusal(ofReversalOf own: AttemptRecord, _ records: [AttemptRecord]) -> DeskRefusal? {
        guard own.request.kind.paysSale else { return DeskRefusal(.originalNotApproved, own.identifier) }
        switch own.state {
        // The desk asks for the state of cash, and does not reverse it by itself.
        case .unknown where own.request.kind == .cash: return DeskRefusal(.saleInProgress, own.identifier)
        case .unknown, .reversing, .reversed: return nil
        case .declined, .cancelled, .failed: return DeskRefusal(.originalNotApproved, own.identifier)
        case .open, .asked, .needsAttention: return DeskRefusal(.saleInProgress, own.identifier)
        case .approved: break
        }
        if let running = records.first(where: { !$0.state.isFinal || $0.isRunning }) {
            return DeskRefusal(.saleInProgress, running.identifier)
        }
        // The host does not have the payment yet, and might book it after the reversal.
        if own.delivery?.purpose == .advice { return DeskRefusal(.saleInProgress, own.identifier) }
        let part = records.first { $0.state == .approved && $0.request.kind.original == own.identifier }
        return part.map { DeskRefusal(.hasParts, $0.identifier) }
    }
}
