// The form of the payment's table, and how a row is found.

/// How a payment treats an event.
package enum PaymentTreatment: String, Sendable {
    /// The payment goes on.
    case handled
    /// Nothing changes; the event is logged.
    case ignored
    /// Nothing changes; the caller receives a refusal.
    case rejected
}

/// One row of the table.
package struct PaymentRow: Sendable {
    package let phase: PaymentPhase
    package let event: PaymentEvent
    package let condition: PaymentCondition
    package let treatment: PaymentTreatment
    /// The phase that begins, and with it its time limit; nil if the phase and its time limit go on.
    package let next: PaymentPhase?
    package let changes: [PaymentChange]
    package let actions: [PaymentAction]

    /// The end of the payment; nil if the row does not end it.
    package var outcome: PaymentOutcome? {
        guard case .end(let outcome)? = actions.last else { return nil }
        return outcome
    }
}

/// The table of a payment. Cells of phase and event without a row are ignored.
package enum PaymentTable {
    /// A row before its phase is known.
    struct Entry {
        let event: PaymentEvent
        let condition: PaymentCondition
        var treatment = PaymentTreatment.handled
        let next: PaymentPhase?
        var changes: [PaymentChange] = []
        var actions: [PaymentAction] = []
    }

    /// All rows, by phase.
    package static var rows: [PaymentRow] { PaymentPhase.allCases.flatMap(rows(in:)) }

    /// The row that an event selects: the first whose condition holds. Nil if the event is ignored.
    package static func row(for state: PaymentState, _ event: PaymentEvent, _ policy: PaymentPolicy) -> PaymentRow? {
        rows(in: state.phase).first { $0.event == event && $0.condition.holds(in: state, policy) }
    }

    /// A row that is handled.
    /// - Parameters:
    ///   - event: the event.
    ///   - condition: the condition. Default: none.
    ///   - next: the phase that begins. Default: none; the phase goes on.
    ///   - outcome: the end of the payment. Default: none.
    ///   - changes: the changes of the state. Default: none.
    ///   - cause: the reason of a reversal, if the host may have approved. Default: none.
    ///   - actions: the other effects. Default: none.
    /// - Returns: the row, without its phase.
    static func on(
        _ event: PaymentEvent, if condition: PaymentCondition = .always, to next: PaymentPhase? = nil,
        end outcome: PaymentOutcome? = nil, note changes: [PaymentChange] = [], reverse cause: ReversalCause? = nil,
        do actions: [PaymentAction] = []
    ) -> Entry {
        var effects: [PaymentAction] = []
        if let cause { effects.append(.reverse(cause)) }
        effects += actions
        if let outcome { effects.append(.end(outcome)) }
        return Entry(
            event: event, condition: condition, next: outcome == nil ? next : .done, changes: changes,
            actions: effects)
    }

    static func reject(_ event: PaymentEvent) -> Entry {
        Entry(event: event, condition: .always, treatment: .rejected, next: nil)
    }

    /// The rows of a phase in which a payment is under way.
    static func busy(_ phase: PaymentPhase, _ entries: [Entry]...) -> [PaymentRow] {
        rest(phase, entries.flatMap { $0 } + [reject(.start), on(.crash, to: .crashed)])
    }

    /// The rows of a phase in which no payment is under way.
    static func rest(_ phase: PaymentPhase, _ entries: [Entry]) -> [PaymentRow] {
        entries.map {
            PaymentRow(
                phase: phase, event: $0.event, condition: $0.condition, treatment: $0.treatment, next: $0.next,
                changes: $0.changes, actions: $0.actions)
        }
    }
}
