import JackdawBytes
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSimulator

// A new payment: its checks, the issuer's decision, the books, the callback.

extension Sandbox {
    func wire(_ units: UInt64, _ currency: Currency) -> UInt64 { rules.wire(units, currency) }

    /// Books a payment, or refuses it. The same identifier again with the same content gives the payment as it is now.
    mutating func create(_ call: SandboxCall, _ caller: Caller) throws(WireRefusal) -> SandboxOutput {
        let request = try PaymentRequest(try call.form(rules.limits.form), caller.merchant, rules)
        let key = SandboxKey(merchant: caller.merchant.identifier, uniqueID: request.uniqueID ?? mintIdentifier(caller))
        var isClosed = false
        switch store.entry(key)?.content {
        case nil: break
        case .closed: isClosed = true
        case .operation: throw .used
        case .payment(let number):
            guard let payment = store.payment(number), payment.facts.fingerprint == request.fingerprint else {
                throw .used
            }
            return call.answer(view(payment, caller), status: rules.createdStatus)
        }
        guard store.paymentCount < rules.limits.payments else { throw .full }
        try checkRoom()
        try checkLimits(request, caller.merchant, call.now)
        let number = store.paymentCount + 1
        let issuerReference = "\(number).\(digits(8))"
        let decision =
            isClosed
            ? IssuerOutcome(.rejected("closed", "the payment was reversed before"), at: call.now)
            : ask(request, issuerReference, call.now)
        let facts = facts(request, caller, decision, issuerReference, call.now)
        var payment = SandboxPayment(number: number, key: key, facts: facts)
        payment.isDueAtIssuer = decision.isOffline && facts.isApproved
        do throws(WireRefusal) { try write(SandboxChange(.payment(payment))) } catch {
            // The issuer must not hold money that no book has.
            if facts.isApproved { takeBack(payment, at: call.now) }
            throw error
        }
        let due = max(call.now, decision.due)
        var output = SandboxOutput(
            .answer(HTTPAnswer(status: rules.createdStatus, json: view(payment, caller)), at: due))
        if let url = request.callbackURL {
            output.effects = [
                .callback(SandboxCallback(url: url, fields: callbackFields(payment, caller.merchant), due: due))
            ]
        }
        return output
    }

    /// An identifier for a payment whose client gave none.
    private mutating func mintIdentifier(_ caller: Caller) -> String {
        while true {
            let name = digits(16)
            let key = SandboxKey(merchant: caller.merchant.identifier, uniqueID: name)
            if store.entry(key) == nil { return name }
        }
    }

    private func checkLimits(
        _ request: PaymentRequest, _ merchant: SandboxDirectory.Merchant, _ now: Duration
    ) throws(WireRefusal) {
        let units = request.amount.minorUnits
        let limits = merchant.limits
        guard units >= limits.lower ?? 0 else { throw WireRefusal(422, "amount_lower_limit", "the amount is too low") }
        guard units <= limits.upper ?? .max else {
            throw WireRefusal(422, "amount_upper_limit", "the amount is too high")
        }
        guard let daily = limits.daily else { return }
        let today = CivilTime(milliseconds: now.milliseconds, offset: merchant.offset).dayNumber
        var sum = units
        // Times do not decrease with numbers, unless the clock was set back.
        var number = store.paymentCount
        while number > 0, let payment = store.payment(number) {
            let day = CivilTime(milliseconds: payment.facts.created, offset: merchant.offset).dayNumber
            guard day >= today else { break }
            let counts = payment.key.merchant == merchant.identifier && day == today
            if counts, payment.facts.amount.currencyCode == request.amount.currencyCode { sum += payment.authorised }
            number -= 1
        }
        guard sum <= daily else { throw WireRefusal(422, "amount_daily_limit", "the amount of the day is too high") }
    }

    // MARK: questions to the issuer

    /// The outcome at the issuer, with the time at which the host knows it.
    private struct IssuerOutcome {
        enum Verdict {
            case approved(IssuerDecision?)
            case declined(IssuerDecision, reason: String)
            case rejected(String, String)
        }

        let verdict: Verdict
        let due: Duration
        var isOffline = false

        init(_ verdict: Verdict, at due: Duration, isOffline: Bool = false) {
            self.verdict = verdict
            self.due = due
            self.isOffline = isOffline
        }
    }

    /// Asks the issuer, or presents the card's own approval. Without a usable reply in time the payment is rejected,
    /// and reversed at the issuer.
    private mutating func ask(_ request: PaymentRequest, _ reference: String, _ now: Duration) -> IssuerOutcome {
        guard let card = request.card else { return IssuerOutcome(.approved(nil), at: now) }
        let isOffline = card.isApprovedOffline
        let objects = card.completed(request.amount, request.currency)
        let content: IssuerRequest.Content =
            isOffline ? .advice(objects) : .authorisation(objects, pinBlock: card.pinBlock)
        let reaction = issuer.receive(IssuerRequest(reference: reference, content), at: now)
        guard case .replies(let reply, let due) = reaction, due - now <= rules.issuerLimit else {
            if case .isUnreachable(let due) = reaction {
                return IssuerOutcome(.rejected("unreachable", "the issuer cannot be reached"), at: due)
            }
            undo(reference, isOffline: isOffline, now)
            return IssuerOutcome(.rejected("no_answer", "the issuer does not answer"), at: now + rules.issuerLimit)
        }
        switch reply {
        case .decision(let decision) where decision.verdict == .approved:
            return IssuerOutcome(.approved(decision), at: due)
        case .decision(let decision):
            let reason = issuer.ledger[reference]?.reason?.rawValue ?? decision.verdict.rawValue
            return IssuerOutcome(.declined(decision, reason: reason), at: due)
        case .accepted: return IssuerOutcome(.approved(nil), at: due, isOffline: true)
        case .refused(let refusal):
            return IssuerOutcome(.rejected(refusal.rawValue, "the issuer refuses the payment"), at: due)
        case .unreadable:
            undo(reference, isOffline: isOffline, now)
            return IssuerOutcome(.rejected("unreadable", "the issuer's answer is damaged"), at: due)
        }
    }

    private mutating func undo(_ reference: String, isOffline: Bool, _ now: Duration) {
        if !isOffline {
            let reaction = issuer.receive(IssuerRequest(reference: reference, .reversal()), at: now)
            guard case .replies(.refused(.captured), _) = reaction else { return }
        }
        _ = issuer.receive(IssuerRequest(reference: reference, .refund), at: now)
    }

    /// Takes the money of a payment back at the issuer.
    mutating func takeBack(_ payment: SandboxPayment, at now: Duration) {
        guard !payment.isCash else { return }
        undo(payment.facts.issuerReference, isOffline: payment.isDueAtIssuer, now)
    }

    // MARK: the entry of the books

    private mutating func facts(
        _ request: PaymentRequest, _ caller: Caller, _ outcome: IssuerOutcome, _ issuerReference: String,
        _ now: Duration
    ) -> SandboxPayment.Facts {
        var facts = SandboxPayment.Facts()
        facts.kind = request.kind
        facts.user = caller.user.identifier
        facts.terminalSerial = caller.terminal?.serial ?? ""
        facts.terminalID = caller.terminal?.identifier ?? ""
        facts.amount = request.amount
        facts.created = now.milliseconds
        facts.fingerprint = request.fingerprint
        // The form of the real host's references is not published.
        facts.reference = "SANDBOX-\(digits(8))"
        facts.issuerReference = issuerReference
        facts.items = request.items
        facts.details = request.details
        facts.card.number = issuer.ledger[issuerReference]?.account ?? ""
        facts.card.brand = CardData.brand(ofMasked: facts.card.number)
        if let card = request.card {
            facts.card.label = card.label
            facts.card.application = card.application
            facts.card.holder = card.holder
        }
        facts.card.entryMode = request.entryMode
        switch outcome.verdict {
        case .approved(let decision):
            facts.isApproved = true
            facts.authorisationCode = decision?.authorisationCode ?? ""
            facts.issuerResponse = decision?.response.encoded ?? []
        case .declined(let decision, let reason):
            facts.errorCode = String(decoding: decision.response.responseCode.octets, as: UTF8.self)
            facts.errorMessage = reason
            facts.issuerResponse = decision.response.encoded
        case .rejected(let code, let message):
            facts.errorCode = code
            facts.errorMessage = message
        }
        return facts
    }

    /// The 18 fields of a callback, in the order of the guide.
    private func callbackFields(_ payment: SandboxPayment, _ merchant: SandboxDirectory.Merchant) -> [HTTPField] {
        let facts = payment.facts
        return [
            HTTPField("unique_id", payment.key.uniqueID), HTTPField("guwid", facts.reference),
            HTTPField("merchant_id", merchant.identifier), HTTPField("user_id", facts.user),
            HTTPField("terminal_id", facts.terminalID), HTTPField("terminal_sn", facts.terminalSerial),
            HTTPField("amount", "\(wire(facts.amount.minorUnits, payment.currency))"),
            HTTPField("currency", payment.currency.alphabeticCode),
            HTTPField("created_at", CivilTime(milliseconds: facts.created, offset: merchant.offset).iso8601),
            HTTPField("merchant_name", merchant.name), HTTPField("card_brand", facts.card.brand),
            HTTPField("card_number", facts.card.number), HTTPField("state", payment.state.rawValue),
            HTTPField("error_code", facts.errorCode), HTTPField("error_message", facts.errorMessage),
            HTTPField("aid_label", facts.card.label), HTTPField("aid", facts.card.application),
            HTTPField("card_holder", facts.card.holder),
        ]
    }
}

extension SandboxPayment {
    /// The currency. Payments have none but those of ISO 4217.
    var currency: Currency {
        guard let currency = facts.amount.currencyCode.flatMap({ Currency.find($0) }) else {
            preconditionFailure("a payment has a currency")
        }
        return currency
    }
}

extension HostResponse {
    /// The content for the card in BER-TLV: 8A, 91, 71 and 72.
    fileprivate var encoded: [UInt8] {
        var builder = TagLengthValueBuilder()
        builder.append(0x8A, responseCode.octets)
        if let authenticationData { builder.append(0x91, authenticationData) }
        return builder.octets + scripts.octets
    }
}
