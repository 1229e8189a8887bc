public import JackdawCards
public import JackdawPayments
import JackdawTransport

// Actions on a payment: the guide 1.6.182, chapter 3.3.

extension Accept {
    /// Executes an operation on a payment.
    ///
    /// - `reverse` takes the whole payment back, within 24 hours of its approval. A repetition has the same answer. A payment
    ///   in the journal becomes `reversing`, so that it is reversed also if the host is silent or the program is killed, and
    ///   then `reversed`: its sale can be paid again. Another one is reversed by a request of its own. Both have the note.
    /// - `refund` returns money, and `capture` takes that of an authorised or pre-authorised payment: all that is left, or
    ///   `amount` of it. Both are attempts of the payment service, which must have the payment in its journal.
    /// - `receipt` sends a receipt by e-mail, or without an address by SMS.
    /// - `signatureUpdate` adds the image of a signature.
    /// - `confirmResponseReceived` is not supported: no published source shows the request.
    ///
    /// The call returns if the host shows the result of the operation: of a reversal another state than before.
    /// - Parameters:
    ///   - paymentID: the identifier that the till gave the payment.
    ///   - accessToken: the token of a login.
    ///   - config: the connection to the host.
    ///   - operation: the operation.
    ///   - parameters: the address of a receipt, the amount, a note. Default: none.
    /// - Returns: the payment after the operation.
    /// - Throws: `paymentNotFound`, `operationNotAllowed`, `reversalTooLate`, `amountInvalid`, `amountExceeded`,
    ///   `contactInvalid`, `saleInProgress`, `identifierUsed`, `needsAttention`, `journalFailed`, `notRunning`,
    ///   `pay(.transactionNotApproved)`, `pay(.tokenExpired)`, `pay(.payConnection)`, `common(.unsupportedFeature)`, and
    ///   the general codes of a request. After `pay(.responseLost)` the outcome is not known: ask ``status(of:)`` about the
    ///   operation, on which the payment service goes on. A reversal can be repeated.
    public func requestOperationOnPaymentWithID(
        _ paymentID: String, andAccessToken accessToken: SecretText, config: AcceptDataServiceConfig,
        operation: AcceptOperationOnPayment,
        paymentUpdateParameters parameters: AcceptPaymentParameters = AcceptPaymentParameters()
    ) async throws(AcceptError) -> AcceptTransaction {
        guard let name = AttemptIdentifier(rawValue: paymentID), AcceptWire.isUsable(name) else {
            throw AcceptError(.paymentNotFound, "An identifier has 1 to 64 characters of ASCII without spaces.")
        }
        guard parameters.note.utf8.count <= AcceptBasketItem.maxNoteBytes else {
            throw AcceptError(.configurationInvalid, "A note has at most \(AcceptBasketItem.maxNoteBytes) bytes.")
        }
        let context = OperationContext(name: name, token: accessToken, config: config, parameters: parameters)
        if let record = try await recordAtTerminal(name) { return try await operate(operation, record, parameters) }
        switch operation {
        case .reverse: return try await reverse(context)
        case .refund: return try await book(context, isRefund: true)
        case .capture: return try await book(context, isRefund: false)
        case .receipt: return try await update(context, parameters.receiptForm())
        case .signatureUpdate:
            return try await addSignature(context)
        case .confirmResponseReceived:
            throw AcceptError(.common(.unsupportedFeature), "The host's request for it is not published.")
        }
    }

    /// ``requestOperationOnPaymentWithID(_:andAccessToken:config:operation:paymentUpdateParameters:)`` with a completion:
    /// the payment or the error.
    public func requestOperationOnPaymentWithID(
        _ paymentID: String, andAccessToken accessToken: SecretText, config: AcceptDataServiceConfig,
        operation: AcceptOperationOnPayment, paymentUpdateParameters parameters: AcceptPaymentParameters,
        completion: @escaping @Sendable (AcceptTransaction?, AcceptError?) -> Void
    ) {
        complete(completion) { () async throws(AcceptError) in
            try await self.requestOperationOnPaymentWithID(
                paymentID, andAccessToken: accessToken, config: config, operation: operation,
                paymentUpdateParameters: parameters)
        }
    }

    /// Reports a payment, a refund or a capture as the journal has it, also after a restart and without the host.
    /// - Parameter attempt: the identifier that the till gave it.
    /// - Returns: the state with the host's reference and reason.
    /// - Throws: `paymentNotFound`, `journalFailed`, `notRunning`.
    public func status(of attempt: String) async throws(AcceptError) -> AttemptReport {
        guard let name = AttemptIdentifier(rawValue: attempt) else {
            throw AcceptError(.paymentNotFound, "An identifier has 1 to 64 characters of ASCII without spaces.")
        }
        let service = try paymentService()
        do throws(DeskRefusal) { return try await service.status(of: name) } catch { throw OperationRules.error(error) }
    }

    /// ``status(of:)`` with a completion: the state or the error.
    public func status(of attempt: String, completion: @escaping @Sendable (AttemptReport?, AcceptError?) -> Void) {
        complete(completion) { () async throws(AcceptError) in try await self.status(of: attempt) }
    }

    // MARK: the operations, one by one

    /// A payment, with the values that its requests need.
    struct OperationContext: Sendable {
        let name: AttemptIdentifier
        let token: SecretText
        let config: AcceptDataServiceConfig
        let parameters: AcceptPaymentParameters
    }

    /// The payment as the host has it.
    func payment(_ context: OperationContext) async throws(AcceptError) -> AcceptTransaction {
        try await read(operations.payment(context.name), context)
    }

    private func update(_ context: OperationContext, _ form: AcceptForm) async throws(AcceptError) -> AcceptTransaction
    {
        try await read(operations.update(context.name, form), context)
    }

    /// Adds the image of a signature to a payment.
    func addSignature(_ context: OperationContext) async throws(AcceptError) -> AcceptTransaction {
        guard (1...32_768).contains(context.parameters.signatureImage.count) else {
            throw AcceptError(.pay(.signatureRequest), "The image of a signature has 1 to 32,768 bytes.")
        }
        var form = AcceptForm()
        form.add("payment[signature]", digitsOf: HTTPBody(copying: context.parameters.signatureImage.span))
        return try await update(context, form)
    }

    /// Sends the card's answer to a decline of the host.
    func addCertificate(_ sealed: HTTPBody, _ context: OperationContext) async throws(AcceptError) -> AcceptTransaction
    {
        guard sealed.count <= AcceptWire.maxCertificateBytes else {
            throw AcceptError(.configurationInvalid, "The card's data has too many bytes.")
        }
        return try await update(context, AcceptWire.certificate(sealed))
    }

    private func read(
        _ request: HTTPRequest, _ context: OperationContext
    ) async throws(AcceptError) -> AcceptTransaction {
        let answer = try await send(request, context.token, context.config, .operation)
        guard (200...299).contains(answer.status) else { throw AcceptCall.operationError(answer) }
        return try AcceptTransaction(answer.body, of: context.name.rawValue)
    }

    /// Reverses by the payment service, if the payment is in its journal.
    private func reverse(_ context: OperationContext) async throws(AcceptError) -> AcceptTransaction {
        guard let service = try? paymentService(at: context.config), try await isInJournal(context.name, service) else {
            return try await reverseAtHost(context)
        }
        let before: AcceptTransaction?
        do throws(AcceptError) { before = try await payment(context) } catch {
            // The request of an unknown payment may not have reached the host: the journal's reversal closes its identifier.
            guard error.code == .paymentNotFound else { throw error }
            before = nil
        }
        if let before {
            try OperationRules.checkReversal(of: before.amount, amount: context.parameters.amount)
            // The journal may not know a reversal that was made elsewhere: the host answers its repetition as the first one.
            if before.status != .reversed { try OperationRules.checkReversal(of: before, on: date()) }
        }
        let reports = service.reports
        let begun: AttemptReport
        do throws(DeskRefusal) {
            begun = try await service.reverse(context.name, note: context.parameters.reason)
        } catch { throw OperationRules.error(error) }
        if begun.state == .reversed, let before, before.status == .reversed { return before }
        let report = await end(ofReversal: begun, reports)
        guard report.state == .reversed || report.state == .failed else {
            throw OperationRules.error(report)
                ?? AcceptError(.operationNotAllowed, "The payment is still \(report.state.rawValue).")
        }
        guard let before else {
            do throws(DeskRefusal) {
                return AcceptTransaction(reversed: try await service.record(of: context.name))
            } catch { throw OperationRules.error(error) }
        }
        guard let after = try? await payment(context) else {
            // It is reversed, also if the host cannot be asked for it now.
            var reversed = before
            reversed.status = .reversed
            return reversed
        }
        guard after.status == .reversed || after.status != before.status else {
            throw AcceptError(.needsAttention, "The journal has the reversal, and the host the approved payment.")
        }
        return after
    }

    /// The record of a payment whose terminal has a host of its own; nil for one of the Accept host.
    private func recordAtTerminal(_ name: AttemptIdentifier) async throws(AcceptError) -> AttemptRecord? {
        guard let service = try? paymentService() else { return nil }
        do throws(DeskRefusal) { return try await service.recordAtOtherHost(of: name) } catch {
            // Without the service each operation has its own error, or is one of the host alone.
            guard [.unknownAttempt, .notRunning].contains(error.code) else { throw OperationRules.error(error) }
            return nil
        }
    }

    /// Executes an operation on a payment whose terminal has a host of its own: it can be reversed at the terminal.
    private func operate(
        _ operation: AcceptOperationOnPayment, _ record: AttemptRecord, _ parameters: AcceptPaymentParameters
    ) async throws(AcceptError) -> AcceptTransaction {
        guard operation == .reverse else {
            throw AcceptError(
                .common(.unsupportedFeature), "The terminal's own host has the payment: only a reversal is possible.")
        }
        let service = try paymentService()
        let reversed = AcceptTransaction(reversed: record)
        try OperationRules.checkReversal(of: reversed.amount, amount: parameters.amount)
        if record.state == .approved, let now = date(),
            now.seconds - record.began.seconds >= TransactionTime.reversalPeriod
        {
            throw AcceptError(.reversalTooLate, "A payment can be reversed for 24 hours.")
        }
        let reports = service.reports
        let begun: AttemptReport
        do throws(DeskRefusal) {
            begun = try await service.reverse(record.identifier, note: parameters.reason)
        } catch { throw OperationRules.error(error) }
        let report = await end(ofReversal: begun, reports)
        guard report.state == .reversed else {
            throw OperationRules.error(report)
                ?? AcceptError(.operationNotAllowed, "The payment is still \(report.state.rawValue).")
        }
        return reversed
    }

    private func isInJournal(_ name: AttemptIdentifier, _ service: PaymentService) async throws(AcceptError) -> Bool {
        do throws(DeskRefusal) {
            _ = try await service.status(of: name)
            return true
        } catch {
            guard error.code != .unknownAttempt else { return false }
            throw OperationRules.error(error)
        }
    }

    /// Waits until a reversal has ended, at most ``requestLimit``: the till goes on with it after that.
    private func end(
        ofReversal begun: AttemptReport, _ reports: AsyncStream<AttemptReport>
    ) async -> AttemptReport {
        if begun.isEndOfReversal { return begun }
        let waiting = Task {
            for await report in reports where report.attempt == begun.attempt && report.isEndOfReversal {
                return report
            }
            return begun
        }
        let deadline = clock.now() + Self.requestLimit
        let limit = Task { [clock] in
            try? await clock.sleep(deadline)
            waiting.cancel()
        }
        defer { limit.cancel() }
        return await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.cancel()
        }
    }

    /// Reverses a payment that the journal does not have, such as one of another till, by a request of its own.
    private func reverseAtHost(_ context: OperationContext) async throws(AcceptError) -> AcceptTransaction {
        let before = try await payment(context)
        guard before.status != .reversed else { return before }
        try OperationRules.checkReversal(of: before.amount, amount: context.parameters.amount)
        try OperationRules.checkReversal(of: before, on: date())
        let after: AcceptTransaction
        do throws(AcceptError) {
            after = try await read(operations.reversal(context.name, note: context.parameters.note), context)
        } catch {
            // Without an answer the reversal may have been made: its repetition is safe.
            let codes: [AcceptError.Code] = [
                .pay(.payConnection), .common(.genericRequestTimeout), .answerUnreadable, .hostError, .cancelled,
            ]
            guard codes.contains(error.code) else { throw error }
            throw AcceptError(.pay(.responseLost), "The outcome is not known. Repeat the reversal: it is made once.")
        }
        guard after.status != before.status else {
            throw AcceptError(.operationNotAllowed, "The payment is still \(after.status.rawValue).")
        }
        return after
    }

    /// Refunds or captures by the payment service.
    private func book(_ context: OperationContext, isRefund: Bool) async throws(AcceptError) -> AcceptTransaction {
        let service = try paymentService(at: context.config)
        let before = try await payment(context)
        let original = try await status(of: context.name.rawValue)
        let amount = try OperationRules.amount(context.parameters.amount, of: before, isRefund: isRefund)
        let kind = isRefund ? AttemptKind.refund(of: context.name) : .capture(of: context.name)
        let request: AttemptRequest
        do throws(RequestError) {
            request = try AttemptRequest(sale: original.sale, kind: kind, amount: amount)
        } catch { throw AcceptError(.amountInvalid, error.message) }
        var identifier = AttemptIdentifier.random()
        if let text = context.parameters.operationId {
            guard let name = AttemptIdentifier(rawValue: text), AcceptWire.isUsable(name) else {
                throw AcceptError(.identifierUsed, "An identifier has 1 to 64 characters of ASCII without spaces.")
            }
            identifier = name
        }
        let report = try await result(of: request, identifier, service)
        if let error = OperationRules.error(report) { throw error }
        return try await payment(context)
    }

    /// Begins an attempt without a card, and waits until the till knows its outcome, or that it does not.
    func result(
        of request: AttemptRequest, _ identifier: AttemptIdentifier, _ service: PaymentService
    ) async throws(AcceptError) -> AttemptReport {
        let reports = service.reports
        let begun: AttemptReport
        do throws(DeskRefusal) { begun = try await service.begin(request, identifier: identifier) } catch {
            throw OperationRules.error(error)
        }
        func isOver(_ report: AttemptReport) -> Bool {
            report.state.isFinal || report.state == .unknown || report.state == .needsAttention
        }
        if isOver(begun) { return begun }
        for await report in reports where report.attempt == begun.attempt && isOver(report) { return report }
        var error = AcceptError(.notRunning, "The payment service was shut down.")
        if Task.isCancelled { error = AcceptError(.cancelled, "The task was cancelled; the operation goes on.") }
        error.attempt = identifier.rawValue
        throw error
    }
}

extension AttemptReport {
    /// Whether a reversal goes on without the caller, or is over.
    fileprivate var isEndOfReversal: Bool { state.isFinal || state == .needsAttention }
}
