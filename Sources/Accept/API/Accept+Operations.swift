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
        if let record = try await recordAtTerminal(name) {
            guard operation == .reverse else {
                throw AcceptError(
                    .common(.unsupportedFeature),
                    "The terminal's own host has the payment: only a reversal is possible.")
            }
            return try await carryOut(.reverseAtTerminal(record), context, try paymentService())
        }
        switch operation {
        case .reverse:
            let service = try? paymentService(at: config)
            return try await carryOut(.reverse(hasJournal: service != nil), context, service)
        case .refund, .capture:
            let service = try paymentService(at: config)
            return try await carryOut(booking(context, isRefund: operation == .refund), context, service)
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
        let image = HTTPBody(copying: context.parameters.signatureImage.span)
        guard (1...Delivery.maxSignatureBytes).contains(image.count) else {
            throw AcceptError(
                .pay(.signatureRequest), "The image of a signature has 1 to \(Delivery.maxSignatureBytes) bytes.")
        }
        return try await update(context, AcceptWire.signature(image))
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

    /// The record of a payment whose terminal has a host of its own; nil for one of the Accept host.
    private func recordAtTerminal(_ name: AttemptIdentifier) async throws(AcceptError) -> AttemptRecord? {
        guard let service = try? paymentService() else { return nil }
        do throws(DeskRefusal) { return try await service.recordAtOtherHost(of: name) } catch {
            // Without the service each operation has its own error, or is one of the host alone.
            guard [.unknownAttempt, .notRunning].contains(error.code) else { throw OperationRules.error(error) }
            return nil
        }
    }

    /// The machine of a refund or a capture.
    private func booking(
        _ context: OperationContext, isRefund: Bool
    ) throws(AcceptError) -> AcceptOperationMachine {
        var identifier = AttemptIdentifier.random()
        if let text = context.parameters.operationId {
            guard let name = AttemptIdentifier(rawValue: text), AcceptWire.isUsable(name) else {
                throw AcceptError(.identifierUsed, "An identifier has 1 to 64 characters of ASCII without spaces.")
            }
            identifier = name
        }
        return machine(isRefund ? .refund(identifier) : .capture(identifier), context)
    }

    private func machine(
        _ kind: AcceptOperationMachine.Kind, _ context: OperationContext
    ) -> AcceptOperationMachine {
        AcceptOperationMachine(
            kind, on: context.name, context.parameters, limit: Self.requestLimit, basePath: operations.basePath)
    }

    /// Carries out an operation to its end. Without a payment service its calls of it fail with `notRunning`.
    func carryOut(
        _ kind: AcceptOperationMachine.Kind, _ context: OperationContext, _ service: PaymentService?
    ) async throws(AcceptError) -> AcceptTransaction {
        try await carryOut(machine(kind, context), context, service)
    }

    private func carryOut(
        _ operation: AcceptOperationMachine, _ context: OperationContext, _ service: PaymentService?
    ) async throws(AcceptError) -> AcceptTransaction {
        var machine = operation
        var reports: AsyncStream<AttemptReport>?
        var effect = machine.begin(at: clock.now(), on: date())
        while true {
            let event: AcceptOperationEvent
            switch effect {
            case .send(let request):
                do throws(AcceptError) {
                    event = .answered(try await send(request, context.token, context.config, .operation))
                } catch { event = .failed(error) }
            case .status(let attempt):
                event = await Self.call(service) { (service) throws(DeskRefusal) in
                    .accepted(try await service.status(of: attempt))
                }
            case .begin(let request, let identifier):
                reports = service?.reports
                event = await Self.call(service) { (service) throws(DeskRefusal) in
                    .accepted(try await service.begin(request, identifier: identifier))
                }
            case .reverse(let attempt, let note):
                reports = service?.reports
                event = await Self.call(service) { (service) throws(DeskRefusal) in
                    .accepted(try await service.reverse(attempt, note: note))
                }
            case .find(let attempt):
                event = await Self.call(service) { (service) throws(DeskRefusal) in
                    .found(try await service.record(of: attempt))
                }
            case .awaitReport(let attempt, let deadline):
                event = await nextReport(of: attempt, reports, until: deadline)
            case .end(let result): return try result.get()
            }
            effect = machine.receive(event, at: clock.now(), on: date())
        }
    }

    private static func call(
        _ service: PaymentService?, _ body: (PaymentService) async throws(DeskRefusal) -> AcceptOperationEvent
    ) async -> AcceptOperationEvent {
        guard let service else { return .refused(DeskRefusal(.notRunning)) }
        do throws(DeskRefusal) { return try await body(service) } catch { return .refused(error) }
    }

    /// Waits for the next report of an attempt.
    private func nextReport(
        of attempt: AttemptIdentifier, _ reports: AsyncStream<AttemptReport>?, until deadline: Duration?
    ) async -> AcceptOperationEvent {
        guard let reports else { return .stopped(isCancelled: false) }
        let waiting = Task<AttemptReport?, Never> {
            for await report in reports where report.attempt == attempt { return report }
            return nil
        }
        let limit = deadline.map { deadline in
            Task { [clock] in
                try? await clock.sleep(deadline)
                waiting.cancel()
            }
        }
        defer { limit?.cancel() }
        let report = await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.cancel()
        }
        if let report { return .report(report) }
        if Task.isCancelled { return .stopped(isCancelled: true) }
        return deadline.map { clock.now() >= $0 } ?? false ? .timer : .stopped(isCancelled: false)
    }
}
