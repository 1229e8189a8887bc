import JackdawBytes
import JackdawEMV
import JackdawReaders

extension Sandbox {
    /// A payment as JSON. The members beside `sandbox` have the names of the callback's fields, of the request's keys
    /// and of one-word properties of the iOS SDK's headers; those in `sandbox` are beyond version 3. That an answer is
    /// this object without an envelope has no source.
    func view(_ payment: SandboxPayment, _ caller: Caller, operation: Int? = nil) -> JSONValue {
        let (facts, currency) = (payment.facts, payment.currency)
        func money(_ units: UInt64) -> JSONValue { .money(wire(units, currency)) }
        func time(_ milliseconds: Int64) -> JSONValue {
            .text(CivilTime(milliseconds: milliseconds, offset: caller.merchant.offset).iso8601)
        }
        func record(_ operation: SandboxPayment.Operation) -> JSONValue {
            .object([
                "amount": money(operation.amount), "note": .text(operation.note),
                "triggered_by": .text(operation.user), "created_at": time(operation.time),
                "sandbox": .object([
                    "unique_id": operation.uniqueID.map { .text($0) } ?? .null, "fnc_type": .text(operation.function),
                    "reversed": .flag(operation.isReversed),
                ]),
            ])
        }
        func operations(_ kind: SandboxPayment.Operation.Kind) -> JSONValue {
            .array(payment.operations.filter { $0.kind == kind }.map(record))
        }
        var sandbox: [String: JSONValue] = [
            "number": .whole(payment.number), "booked": money(payment.booked), "captured": money(payment.captured),
            "refunded": money(payment.refunded), "captures": operations(.capture),
            "authorisation_code": .text(facts.authorisationCode),
            "issuer_response": .hexadecimal(facts.issuerResponse), "certificate": .hexadecimal(payment.certificate),
            "has_signature": .flag(payment.signatureSize > 0), "pos_entry_mode": .text(facts.card.entryMode),
        ]
        if let index = operation, payment.operations.indices.contains(index) {
            let chosen = payment.operations[index]
            sandbox["operation"] = .object([
                "kind": .text(chosen.kind.rawValue), "amount": money(chosen.amount),
                "unique_id": chosen.uniqueID.map { .text($0) } ?? .null,
                "reversed": .flag(chosen.isReversed || payment.isReversed),
            ])
        }
        var members: [String: JSONValue] = [
            "unique_id": .text(payment.key.uniqueID), "guwid": .text(facts.reference),
            "merchant_id": .text(payment.key.merchant), "user_id": .text(facts.user),
            "terminal_id": .text(facts.terminalID), "terminal_sn": .text(facts.terminalSerial),
            "amount": money(facts.amount.minorUnits), "currency": .text(currency.alphabeticCode),
            "created_at": time(facts.created), "merchant_name": .text(caller.merchant.name),
            "card_brand": .text(facts.card.brand), "card_number": .text(facts.card.number),
            "state": .text(payment.state.rawValue), "error_code": .text(facts.errorCode),
            "error_message": .text(facts.errorMessage), "aid_label": .text(facts.card.label),
            "aid": .text(facts.card.application), "card_holder": .text(facts.card.holder),
            "transaction_type": .text(facts.kind.rawValue), "receipt_requested": .flag(payment.isReceiptRequested),
            "capturable": .flag(payment.authorised > 0 && payment.captured == 0),
            "reversible": .flag(payment.authorised > 0 && payment.refunded == 0),
            "refundable": .flag(payment.booked > 0),
            "refunds": operations(.refund), "reversals": operations(.reversal),
            "items": .array(
                facts.items.map { item in
                    .object([
                        "note": .text(item.note), "gross_price": .money(item.grossPrice),
                        "quantity": .money(item.quantity), "tax_rate": .money(item.taxRate),
                    ])
                }),
            "sandbox": .object(sandbox),
        ]
        for detail in facts.details where members[detail.name] == nil {
            let number = detail.name == "tip" ? detail.value.wholeNumber : nil
            members[detail.name] = number.map { .money($0) } ?? .text(detail.value)
        }
        return .object(members)
    }
}
