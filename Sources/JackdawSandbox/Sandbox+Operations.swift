import JackdawBytes
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSimulator

// Actions on a payment: reversal, refund, capture, receipt, signature, certificate; and what is beyond version 3: the
// status of an identifier, and its reversal whether it is known or not.

extension Sandbox {
    /// The payment of an identifier. The guide's 3.3 passes the `unique_id` as the payment's identifier.
    func payment(_ name: String, _ caller: Caller) throws(WireRefusal) -> SandboxPayment {
        let key = SandboxKey(merchant: caller.merchant.identifier, uniqueID: name)
        guard case .payment(let number)? = store.entry(key)?.content, let payment = store.payment(number) else {
            throw .notFound
        }
        return payment
    }

    /// The values that an action has.
    private struct Action {
        var note = ""
        var function = ""
        /// The identifier of the action. Beyond version 3.
        var uniqueID: String?
        /// The money in minor units; nil for the rest. Beyond version 3.
        var amount: UInt64?
    }

    private func action(_ call: SandboxCall, _ currency: Currency?) throws(WireRefusal) -> Action {
        let form = try call.form(rules.limits.form)
        var action = Action()
        action.note = try form.text("note", most: 200) ?? ""
        action.function = try form.text("fnc_type", most: 20) ?? ""
        guard ["", "technical", "void"].contains(action.function) else {
            throw .invalid("fnc_type", "it must be technical or void")
        }
        action.uniqueID = try form.text("unique_id", most: 64)
        guard action.uniqueID?.isIdentifier ?? true else {
            throw .invalid("unique_id", "it must be 1 to 64 characters of ASCII without spaces")
        }
        if let number = try form.number("amount"), let currency {
            guard let units = rules.minorUnits(number, currency), units > 0 else {
                throw .invalid("amount", "it is no amount of this currency")
            }
            action.amount = units
        }
        return action
    }

    private func operation(
        _ kind: SandboxPayment.Operation.Kind, _ action: Action, uniqueID: String?, _ amount: UInt64,
        _ call: SandboxCall, _ caller: Caller
    ) -> SandboxPayment.Operation {
        SandboxPayment.Operation(
            kind: kind, uniqueID: uniqueID, amount: amount, note: action.note, function: action.function,
            user: caller.user.identifier, time: call.now.milliseconds)
    }

    // MARK: reversals, with and without a payment

    /// Takes a payment back. Again: the same answer.
    mutating func reverse(
        _ name: String, _ call: SandboxCall, _ caller: Caller
    ) throws(WireRefusal) -> SandboxOutput {
        let action = try action(call, nil)
        return try reverse(payment(name, caller), action, call, caller)
    }

    private mutating func reverse(
        _ earlier: SandboxPayment, _ action: Action, _ call: SandboxCall, _ caller: Caller
    ) throws(WireRefusal) -> SandboxOutput {
        var payment = earlier
        let reversal = operation(.reversal, action, uniqueID: nil, payment.authorised, call, caller)
        do throws(SandboxPayment.Refusal) {
            try payment.reverse(reversal, before: end(ofReversals: payment.facts.created))
        } catch { throw error.refusal }
        if payment != earlier { try write(SandboxChange(.payment(payment))) }
        // Again too: the sandbox may have been killed, or the issuer silent, after the books had the reversal.
        takeBack(payment, at: call.now)
        return call.answer(view(payment, caller))
    }

    private func end(ofReversals start: Int64) -> Int64 { start + rules.reversalPeriod.milliseconds }

    /// Refuses to take back another payment than the request names by its amount, currency and type. Beyond version 3. The
    /// payment is nil if a capture or a refund has the identifier.
    private func checkReversal(_ payment: SandboxPayment?, _ call: SandboxCall) throws(WireRefusal) {
        let form = try call.form(rules.limits.form)
        let (amount, currency) = (try form.number("amount"), try form.text("currency", most: 3))
        let type = try form.text("transaction_type", most: 20)
        guard let payment else {
            if type != nil { throw .used }
            return
        }
        let isSame = [
            amount.map { $0 == wire(payment.facts.amount.minorUnits, payment.currency) },
            currency.map { $0 == payment.currency.alphabeticCode }, type.map { $0 == payment.facts.kind.rawValue },
        ]
        guard !isSame.contains(false) else { throw .used }
    }

    /// Takes back whatever has an identifier, and closes it if nothing has. Beyond version 3.
    mutating func close(_ name: String, _ call: SandboxCall, _ caller: Caller) throws(WireRefusal) -> SandboxOutput {
        let action = try action(call, nil)
        let key = SandboxKey(merchant: caller.merchant.identifier, uniqueID: name)
        switch store.entry(key)?.content {
        case nil:
            try write(SandboxChange(.closed(key, time: call.now.milliseconds)))
            return call.answer(Self.nothing(name, isClosed: true))
        case .closed: return call.answer(Self.nothing(name, isClosed: true))
        case .payment:
            let payment = try payment(name, caller)
            try checkReversal(payment, call)
            // An explicit decline has nothing to take back.
            guard payment.facts.isApproved else { return call.answer(view(payment, caller)) }
            return try reverse(payment, action, call, caller)
        case .operation(let number, let place):
            guard var payment = store.payment(number) else { throw .notFound }
            try checkReversal(nil, call)
            let chosen = payment.operations[place]
            let reversal = operation(.reversal, action, uniqueID: name, chosen.amount, call, caller)
            do throws(SandboxPayment.Refusal) {
                try payment.reverse(operation: place, reversal, before: end(ofReversals: chosen.time))
            } catch { throw error.refusal }
            if !chosen.isReversed { try write(SandboxChange(.payment(payment))) }
            return call.answer(view(payment, caller, operation: place))
        }
    }

    /// The status of an identifier. Beyond version 3. If nothing is booked, the answer says whether it can be.
    mutating func status(_ name: String, _ call: SandboxCall, _ caller: Caller) throws(WireRefusal) -> SandboxOutput {
        let key = SandboxKey(merchant: caller.merchant.identifier, uniqueID: name)
        switch store.entry(key)?.content {
        case nil:
            if rules.closesUnknownIdentifiers { try write(SandboxChange(.closed(key, time: call.now.milliseconds))) }
            return call.answer(Self.nothing(name, isClosed: rules.closesUnknownIdentifiers))
        case .closed: return call.answer(Self.nothing(name, isClosed: true))
        case .payment: return call.answer(view(try payment(name, caller), caller))
        case .operation(let number, let place):
            guard let payment = store.payment(number) else { throw .notFound }
            return call.answer(view(payment, caller, operation: place))
        }
    }

    private static func nothing(_ name: String, isClosed: Bool) -> JSONValue {
        .object([
            "unique_id": .text(name), "state": isClosed ? .text("reversed") : .null,
            "sandbox": .object(["booked": .whole(0), "known": .flag(false), "closed": .flag(isClosed)]),
        ])
    }

    // MARK: refunds and captures

    /// Refunds or captures. With an identifier, the same request again gives the same answer.
    mutating func operate(
        _ kind: SandboxPayment.Operation.Kind, _ name: String, _ call: SandboxCall, _ caller: Caller
    ) throws(WireRefusal) -> SandboxOutput {
        var payment = try payment(name, caller)
        let action = try action(call, payment.currency)
        if let uniqueID = action.uniqueID {
            switch store.entry(SandboxKey(merchant: caller.merchant.identifier, uniqueID: uniqueID))?.content {
            case nil: break
            case .operation(payment.number, let place):
                let known = payment.operations[place]
                guard known.kind == kind, action.amount ?? known.amount == known.amount else { throw .used }
                informIssuer(payment, at: call.now)
                return call.answer(view(payment, caller, operation: place))
            case .closed: throw WireRefusal(409, "closed", "this identifier was reversed before")
            default: throw .used
            }
        }
        try checkRoom()
        let rest = kind == .refund ? payment.booked : payment.authorised
        let operation = operation(kind, action, uniqueID: action.uniqueID, action.amount ?? rest, call, caller)
        do throws(SandboxPayment.Refusal) {
            if kind == .refund { try payment.refund(operation) } else { try payment.capture(operation) }
        } catch { throw error.refusal }
        payment.isDueAtIssuer = true
        try write(SandboxChange(.payment(payment)))
        informIssuer(payment, at: call.now)
        return call.answer(view(payment, caller, operation: payment.operations.count - 1))
    }

    /// Has the issuer take the money of a capture, or give back that of a refund. The issuer knows whole payments only: it
    /// takes the whole amount, and gives it back when all is refunded. A repetition changes nothing at the issuer.
    private mutating func informIssuer(_ payment: SandboxPayment, at now: Duration) {
        guard !payment.isCash else { return }
        let reference = payment.facts.issuerReference
        if !payment.isReversed {
            _ = issuer.receive(IssuerRequest(reference: reference, .confirmation(DataObjectStore())), at: now)
        }
        if payment.state == .refunded { _ = issuer.receive(IssuerRequest(reference: reference, .refund), at: now) }
    }

    // MARK: receipt, signature, certificate

    /// Adds a receipt's address, a signature or a certificate to a payment. The names of the fields are those of the
    /// iOS SDK's headers in this project's spelling.
    mutating func update(_ name: String, _ call: SandboxCall, _ caller: Caller) throws(WireRefusal) -> SandboxOutput {
        let earlier = try payment(name, caller)
        var payment = earlier
        guard let fields = try call.form(rules.limits.form).object("payment") else {
            throw .invalid("payment", "it is missing")
        }
        var effects: [SandboxEffect] = []
        var isKnown = false
        if try fields.flag("receipt_requested") == true {
            isKnown = true
            payment.isReceiptRequested = true
            let address = try Self.address(fields)
            effects = [.message(SandboxMessage(.receipt, to: address, payment.key.uniqueID))]
        }
        if let signature = try fields.secret("signature", most: rules.limits.signatureBytes) {
            isKnown = true
            guard !signature.isEmpty else { throw .invalid(fields.place(of: "signature"), "it is empty") }
            payment.signatureSize = signature.count
        }
        var confirmed: DataObjectStore?
        if let text = try fields.secret("cnp_transaction_certificate", most: 512) {
            isKnown = true
            guard let card = CardData(text, .tagLengthValue) else {
                throw .invalid(fields.place(of: "cnp_transaction_certificate"), "it is no data of a card")
            }
            // The card's answer to a decline is kept, too.
            let isDecline = !payment.facts.isApproved && card.isDeclined
            guard isDecline || (payment.facts.isApproved && !payment.isReversed && !payment.isCash) else {
                throw SandboxPayment.Refusal.notApproved.refusal
            }
            // Only values that may be shown are stored.
            var builder = TagLengthValueBuilder()
            for tag in card.objects.tags where DataElement.sensitivity(of: tag) == .open {
                builder.append(tag, card.objects[tag] ?? [])
            }
            payment.certificate = builder.octets
            if !isDecline {
                payment.isDueAtIssuer = true
                confirmed = card.objects
            }
        }
        guard isKnown else { throw .invalid("payment", "it has nothing to change") }
        if payment != earlier { try checkRoom() }
        if let confirmed {
            let request = IssuerRequest(reference: payment.facts.issuerReference, .confirmation(confirmed))
            if case .replies(.refused(.otherContent), _) = issuer.receive(request, at: call.now) {
                throw WireRefusal(422, "certificate", "the certificate is of another payment")
            }
        }
        if payment != earlier { try write(SandboxChange(.payment(payment))) }
        var output = call.answer(view(payment, caller))
        output.effects = effects
        return output
    }

    /// The address of a receipt: the e-mail if there is one, or else the phone number (guide, 3.3).
    private static func address(_ fields: WireFields) throws(WireRefusal) -> String {
        if let email = try fields.text("customer_email", most: 200), !email.isEmpty {
            let parts = email.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && !$0.contains(" ") }) else {
                throw .invalid(fields.place(of: "customer_email"), "it is no address")
            }
            return email
        }
        let phone = try fields.required("customer_phone", most: 20)
        let digits = phone.utf8.first == UInt8(ascii: "+") ? phone.dropFirst() : phone[...]
        guard digits.utf8.count >= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .invalid(fields.place(of: "customer_phone"), "it is no phone number")
        }
        return phone
    }
}

extension SandboxPayment.Refusal {
    var refusal: WireRefusal {
        let message =
            switch self {
            case .notApproved: "the payment is not approved"
            case .reversed: "the payment is reversed"
            case .tooLate: "the time for reversals is over"
            case .refunded: "the payment is refunded"
            case .captured: "the payment is captured"
            case .notCaptured: "nothing is captured"
            case .amount: "the amount is too high"
            case .tooMany: "the payment has too many operations"
            }
        return WireRefusal(422, rawValue, message)
    }
}
