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
    /// The time for messages to the host after a refund or a capture.
    let wait: Duration
    let printer: TillPrinter

    /// Carries the operation out, and prints the payment after it. A refund or a capture is an attempt of its own, whose
    /// identifier is printed before it begins. If the journal has it already, it is not made again.
    /// - Returns: `done`; of a refund or a capture the status of its state.
    /// - Throws: `CommandError`: `nothingFound` if the host or the journal refuses the operation, or the journal has its
    ///   identifier for another one; `unsettled` if its outcome is not known.
    func run() async throws(CommandError) -> ExitStatus {
        try await checkTerminal()
        guard operation == .refund || operation == .capture else {
            do throws(AcceptError) { try await ask(self.parameters) } catch { throw CommandError(error) }
            return .done
        }
        var parameters = self.parameters
        let name = parameters.operationId.flatMap { AttemptIdentifier(rawValue: $0) } ?? .random()
        parameters.operationId = name.rawValue
        printer.print("operation", ["\(operation) \(name)"]) { object in
            object.add("payment", name.rawValue)
            object.add("original", payment)
        }
        var end: AcceptError?
        // The call would be refused if the operation was made before: nothing of the payment may be left.
        if let known = try await till.record(of: name) {
            guard isSame(known) else {
                throw CommandError(.nothingFound, "the journal has this identifier for another request")
            }
        } else {
            do throws(AcceptError) { try await ask(parameters) } catch { end = error }
        }
        guard let record = try await till.settledRecord(of: name, within: wait) else {
            guard let end else { throw CommandError(.unavailable, "the operation did not begin") }
            guard end.code != .amountInvalid || parameters.amount != nil else {
                let part = operation == .refund ? "refunded" : "captured"
                throw CommandError(.nothingFound, "nothing of the payment can be \(part)")
            }
            throw CommandError(end)
        }
        printer.print(record)
        return record.state.exitStatus
    }

    /// Refuses to take a payment back at a simulated SPm20, which has forgotten it with the command that sold.
    private func checkTerminal() async throws(CommandError) {
        guard operation == .reverse, let name = AttemptIdentifier(rawValue: payment),
            let known = try await till.record(of: name), till.ownHost.takes(known.request)
        else { return }
        throw CommandError(.nothingFound, "the simulated SPm20 of the payment and its books ended with 'sell'")
    }

    /// Has the host carry the operation out, and prints the payment after it.
    private func ask(_ parameters: AcceptPaymentParameters) async throws(AcceptError) {
        let after = try await till.accept.requestOperationOnPaymentWithID(
            payment, andAccessToken: till.login.token, config: till.login.config, operation: operation,
            paymentUpdateParameters: parameters)
        printer.print(after)
    }

    /// Whether a record is the refund or the capture of this command: its kind, its payment, and its amount, if one is given.
    private func isSame(_ record: AttemptRecord) -> Bool {
        guard let original = AttemptIdentifier(rawValue: payment) else { return false }
        let kind: AttemptKind = operation == .refund ? .refund(of: original) : .capture(of: original)
        guard record.request.kind == kind else { return false }
        guard let amount = parameters.amount else { return true }
        let currency = record.request.amount.currencyCode.flatMap { Currency.find($0) }
        return currency.flatMap { amount.minorUnits(of: $0) } == record.request.amount.minorUnits
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
