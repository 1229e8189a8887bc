#if Payments
import Accept
import JackdawConsole
import JackdawEMV
import JackdawPayments

extension TillPrinter {
    /// Prints an attempt as the journal has it.
    /// - Parameters:
    ///   - record: the attempt.
    ///   - payment: the payment as the host has it, for the masked number of the card. Default: nil, not known.
    func print(_ record: AttemptRecord, _ payment: AcceptTransaction? = nil) {
        let card = payment.map { [$0.cardType, $0.cardNumber].filter { !$0.isEmpty }.joined(separator: " ") } ?? ""
        print("attempt", Self.lines(record) + (card.isEmpty ? [] : ["  card \(card)"])) { object in
            object.add("payment", record.identifier.rawValue)
            object.add("sale", record.request.sale.rawValue)
            object.add("kind", record.request.kind.name)
            object.add("original", record.request.kind.original?.rawValue)
            object.add("state", record.state.rawValue)
            object.add("amount", Int(record.request.amount.minorUnits))
            object.add("currency", record.request.amount.alphabeticCode)
            object.add("outcome", record.flow?.outcome?.rawValue)
            object.add("card", payment?.cardNumber.nonEmpty)
            object.add("brand", payment?.cardType.nonEmpty)
            object.add("reference", record.reference?.rawValue)
            object.add("reason", (record.attention?.reason ?? record.refusal)?.text)
            object.add("queued", record.isDeliveryQueued ? record.delivery?.purpose.name : nil)
            object.add("began", record.began.text)
            object.add("changed", record.changed.text)
        }
    }

    /// Prints a record that cannot be read.
    func print(_ record: UnreadableRecord) {
        let name = record.attempt?.rawValue ?? "unknown"
        print("unreadable", ["unreadable: \(name), \(record.error)"]) { object in
            object.add("payment", record.attempt?.rawValue)
            object.add("sale", record.sale?.rawValue)
            object.add("code", record.error.code.name)
        }
    }

    private static func lines(_ record: AttemptRecord) -> [String] {
        var lines = ["\(record.state.rawValue): \(record.request.kind.name) of \(record.request.amount)"]
        lines.append("  payment \(record.identifier)")
        if record.request.sale.rawValue != record.identifier.rawValue { lines.append("  sale \(record.request.sale)") }
        if let original = record.request.kind.original { lines.append("  of payment \(original)") }
        if let outcome = record.flow?.outcome, outcome != .approved { lines.append("  ended as \(outcome.rawValue)") }
        if let reason = record.attention?.reason ?? record.refusal, !reason.text.isEmpty {
            lines.append("  reason: \(reason.text)")
        }
        if record.isDeliveryQueued, let purpose = record.delivery?.purpose.name {
            lines.append("  queued for the host: \(purpose)")
        }
        return lines
    }
}

extension AttemptState {
    /// The exit status of a command about a payment in this state.
    var exitStatus: ExitStatus {
        switch self {
        case .approved: .done
        case .declined, .cancelled, .failed, .reversed: .nothingFound
        case .open, .asked, .unknown, .reversing, .needsAttention: .unsettled
        }
    }
}

extension String {
    /// The text; nil if it is empty.
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

extension Amount {
    /// The three letters of the currency; nil if it is not known.
    fileprivate var alphabeticCode: String? { currencyCode.flatMap { Currency.find($0)?.alphabeticCode } }
}

extension RecordedTime {
    /// The time in UTC, in the form of all events.
    fileprivate var text: String { WallClock.text(.seconds(seconds)) }
}
#endif
