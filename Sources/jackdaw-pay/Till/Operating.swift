#if Payments
import Accept
import JackdawConsole
import JackdawEMV
import JackdawPayments

/// An operation on a payment: a refund, a reversal, a capture, or a receipt.
struct Operating: Sendable {
    let till: OpenTill
    /// The identifier of the payment.
    let payment: String
    let operation: AcceptOperationOnPayment
    let parameters: AcceptPaymentParameters
    /// The time for messages to the host after the operation.
    let wait: Duration
    let printer: TillPrinter

    /// Carries the operation out, and prints the payment after it. A refund or a capture is an attempt of its own, whose
    /// identifier is printed before it begins.
    /// - Returns: `done`; of a refund or a capture the status of its state.
    /// - Throws: `CommandError`: `nothingFound` if the host or the journal refuses the operation, `unsettled` if its outcome
    ///   is not known.
    func run() async throws(CommandError) -> ExitStatus {
        var parameters = parameters
        var attempt: AttemptIdentifier?
        if operation == .refund || operation == .capture {
            let name = parameters.operationId.flatMap { AttemptIdentifier(rawValue: $0) } ?? .random()
            parameters.operationId = name.rawValue
            attempt = name
            printer.print("operation", ["\(operation) \(name)"]) { object in
                object.add("payment", name.rawValue)
                object.add("original", payment)
            }
        }
        let end: AcceptError?
        do throws(AcceptError) {
            let after = try await till.accept.requestOperationOnPaymentWithID(
                payment, andAccessToken: till.login.token, config: till.login.config, operation: operation,
                paymentUpdateParameters: parameters)
            printer.print(after)
            end = nil
        } catch { end = error }
        if end?.code == .amountInvalid, parameters.amount == nil {
            throw CommandError(.nothingFound, "nothing of the payment is left")
        }
        guard let attempt, end == nil || end?.code != .identifierUsed else {
            if let end { throw CommandError(end) }
            return .done
        }
        guard let record = try await till.settledRecord(of: attempt, within: wait) else {
            throw end.map { CommandError($0) } ?? CommandError(.unavailable, "the operation did not begin")
        }
        printer.print(record)
        return record.state.exitStatus
    }
}

extension TillPrinter {
    /// Prints a payment as the host has it.
    func print(_ payment: AcceptTransaction) {
        let card = [payment.cardType, payment.cardNumber].filter { !$0.isEmpty }.joined(separator: " ")
        var line = "\(payment.state): \(payment.transactionType) of \(payment.amount) \(payment.currency)"
        if !card.isEmpty { line += ", \(card)" }
        var lines = [line]
        for refund in payment.refunds where !refund.isReversed { lines.append("  refunded \(refund.amount)") }
        if let booked = payment.bookedAmount { lines.append("  booked \(booked)") }
        print("payment", lines) { object in
            object.add("payment", payment.uniqueId)
            object.add("state", payment.state)
            object.add("kind", payment.transactionType)
            object.add("amount", payment.units(payment.amount))
            object.add("currency", payment.currency)
            object.add("booked", payment.bookedAmount.flatMap { payment.units($0) })
            object.add("card", payment.cardNumber)
            object.add("brand", payment.cardType)
            object.add("reference", payment.guwid)
            object.add("reversible", payment.reversible)
            object.add("refundable", payment.refundable)
            object.add("capturable", payment.capturable)
        }
    }
}

extension AcceptTransaction {
    /// An amount in minor units of the payment's currency; nil if the currency is not known, or has no such amount.
    fileprivate func units(_ amount: AcceptHundredths) -> Int? {
        Currency.find(alphabeticCode: currency).flatMap { amount.minorUnits(of: $0) }.flatMap { Int(exactly: $0) }
    }
}
#endif
