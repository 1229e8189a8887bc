import JackdawCards
public import JackdawEMV
public import JackdawPayments
import JackdawTransport

// Terminals and payments: the guide 1.6.182, chapters 3.1 and 3.2.

/// The constants of the SDK's demo, release 1.6.219, for programs and for ``Accept/paymentPolicy``.
public enum AcceptDefaults {
    /// The time after which the list of terminals over Bluetooth is read again: 5 s.
    public static let bluetoothRefresh = Duration.seconds(5)
    /// The time for a card: 20 s.
    public static let paymentTimeout = Duration.seconds(20)
    /// The time after which the history is read again: 20 s.
    public static let historyRefresh = Duration.seconds(20)
    /// The lifetime of a token in the demo: 900 s. The host's own counts.
    public static let tokenTimer = Duration.seconds(900)
    /// The time for a signature: 30 s.
    public static let signatureWait = Duration.seconds(30)
    /// The payments on a page of the history: 5.
    public static let pageSize = 5
    /// The greatest advised number of payments on a page: 20.
    public static let maxPageSize = 20
}

extension Accept {
    /// The rules of the payment flow with the SDK's times, for the payment service: a card within 20 s, a signature and its
    /// comparison within 30 s each. A terminal must be ready within 20 s, as a reader on an audio jack may have to be
    /// powered up five times, in 16 s. Other limits are those of `PaymentLimits`.
    public static var paymentPolicy: PaymentPolicy {
        var policy = PaymentPolicy()
        policy.limits.preparation = .seconds(20)
        policy.limits.card = AcceptDefaults.paymentTimeout
        policy.limits.signature = AcceptDefaults.signatureWait
        policy.limits.readerSignature = AcceptDefaults.signatureWait
        return policy
    }

    /// The `reader` of the payment service: it takes the tasks of the payment that is under way. It does not keep this
    /// object in memory.
    public var reader: @Sendable (ReaderTask) -> Void { { [weak self] in self?.receive($0) } }

    private func receive(_ task: ReaderTask) {
        guard let run, run.attempt == task.attempt else { return }
        run.send(.task(task.effect, forCard: task.forCard))
    }

    // MARK: terminals and their batteries

    /// Finds the vendors of terminals that program and `paymentmethods.xml` support.
    public func discoverSupportedVendors() async -> [AcceptTerminalVendor] {
        guard let terminals else { return [] }
        let vendors = await terminals.vendors()
        guard let methods else { return vendors }
        return vendors.filter { methods.vendor($0.uuid) != nil }
    }

    /// Finds the terminals of a vendor that `paymentmethods.xml` supports, with the versions of the configurations that the
    /// journal remembers.
    /// - Throws: `common(.vendorNotFound)`, `journalFailed`, and the errors of ``AcceptTerminals/terminals(of:)``.
    public func discoverTerminalsForVendor(_ vendorUUID: String) async throws(AcceptError) -> [AcceptTerminal] {
        guard let terminals, await discoverSupportedVendors().contains(where: { $0.uuid == vendorUUID }) else {
            throw AcceptError(.common(.vendorNotFound), "No vendor has this identifier.")
        }
        var found = try await terminals.terminals(of: vendorUUID)
        if let methods { found = found.filter { methods.terminal($0.kind, of: vendorUUID) != nil } }
        return try await remembered(found, of: vendorUUID)
    }

    /// Asks for the charge of a terminal's battery.
    /// - Returns: percent; -1 if the vendor is not known or has no such value, -2 if the terminal does not answer, -3 if it
    ///   is charged through a cable. During a payment -2, without a question to the terminal, which would break the payment
    ///   off.
    public func percentageBatteryRemainingForTerminal(_ vendorUUID: String) async -> Int {
        guard run == nil else { return AcceptBatteryLevel.noAnswer.number }
        guard let terminals, await discoverSupportedVendors().contains(where: { $0.uuid == vendorUUID }) else {
            return AcceptBatteryLevel.notAvailable.number
        }
        guard run == nil else { return AcceptBatteryLevel.noAnswer.number }
        return await terminals.batteryLevel(of: vendorUUID).number
    }

    /// Asks whether a vendor's terminal is connected. During a payment it is, without a question to the terminal.
    public func terminalConnectionStatus(_ vendorUUID: String) async -> AcceptExtensionConnectionStatus {
        guard run == nil else { return .connected }
        guard let terminals else { return .unknown }
        return await terminals.connectionStatus(of: vendorUUID)
    }

    /// ``terminalConnectionStatus(_:)`` with a completion.
    public func terminalConnectionStatus(
        _ vendorUUID: String, completion: @escaping @Sendable (AcceptExtensionConnectionStatus) -> Void
    ) {
        complete({ (status: AcceptExtensionConnectionStatus?, _: AcceptError?) in completion(status ?? .unknown) }) {
            () async throws(AcceptError) in await self.terminalConnectionStatus(vendorUUID)
        }
    }

    // MARK: payments with a card

    /// Starts a payment with a card. One payment is under way at a time. A repeated call with the same
    /// `transactionUniqueId` and the same basket is the same payment: it ends as the first one did.
    ///
    /// Nothing is sent before the payment is in the journal. A terminal without its configuration, an expired token, a
    /// basket that is not valid, and a card that `paymentmethods.xml` excludes are refused before the host is asked.
    /// - Parameters:
    ///   - config: the terminal, the basket and the token.
    ///   - handlers: the program's part: display, signature, choices. Default: as in ``AcceptPaymentHandlers``.
    /// - Returns: the payment, which goes on until its end. Its errors: `pay(...)` with ``AcceptError/decline``; before it
    ///   begins the errors of ``AcceptPaymentConfig/validate()``, `pay(.tokenExpired)`, `pay(.deviceRooted)`,
    ///   `pay(.terminalNotReady)`, `pay(.cantLoadTerminalConfiguration)`, `pay(.terminalNotSetInMerchant)`,
    ///   `common(.vendorNotFound)`, `common(.unsupportedFeature)`, `saleInProgress`, `operationNotAllowed`,
    ///   `identifierUsed`, `journalFailed`, `notRunning`.
    public func startPay(
        _ config: AcceptPaymentConfig, handlers: AcceptPaymentHandlers = AcceptPaymentHandlers()
    ) -> AcceptPaymentRun {
        let wanted = config.basket.transactionUniqueId.flatMap { AttemptIdentifier(rawValue: $0) }
        let run = AcceptPaymentRun(wanted ?? .random())
        guard begin(run) else {
            run.end(.failure(AcceptError(.pay(.terminalNotReady), "Another payment is under way.")))
            return run
        }
        developer?.begin(run.uniqueId, at: config.terminalUUID)
        Task {
            let result: Result<AcceptTransaction, AcceptError>
            do throws(AcceptError) { result = .success(try await self.pay(config, handlers, run)) } catch {
                result = .failure(error)
            }
            developer?.end(result)
            self.end(run)
            run.end(result)
        }
        return run
    }

    /// ``startPay(_:handlers:)`` with the SDK's callbacks.
    /// - Parameters:
    ///   - config: the terminal, the basket and the token.
    ///   - completion: the payment or the error, once, last.
    ///   - progress: the steps for the user's display.
    ///   - signature: a request for a signature.
    ///   - signatureVerification: the payment, and the callback for the merchant's comparison of the signature. The error
    ///     is always nil.
    ///   - appSelection: a request for the choice of an application.
    public func startPay(
        _ config: AcceptPaymentConfig, completion: @escaping @Sendable (AcceptTransaction?, AcceptError?) -> Void,
        progress: @escaping @Sendable (AcceptStateUpdate) -> Void,
        signature: @escaping @Sendable (AcceptSignatureRequest) -> Void,
        signatureVerification:
            @escaping @Sendable (
                AcceptTransaction?, @escaping AcceptSignatureVerificationResultCallback, AcceptError?
            ) -> Void,
        appSelection: @escaping @Sendable (AcceptAppSelectionRequest) -> Void
    ) {
        let handlers = AcceptPaymentHandlers(
            progress: progress, signature: signature,
            signatureVerification: { payment, callback in signatureVerification(payment, callback, nil) },
            appSelection: appSelection)
        let run = startPay(config, handlers: handlers)
        complete(completion) { () async throws(AcceptError) in try await run.result() }
    }

    /// Cancels the payment that is under way, if its state allows it (``AcceptPaymentRun/cancelPay()``). Without a payment
    /// nothing happens.
    public func cancelPay() { run?.cancelPay() }

    // MARK: the course of a payment

    private func pay(
        _ config: AcceptPaymentConfig, _ handlers: AcceptPaymentHandlers, _ run: AcceptPaymentRun
    ) async throws(AcceptError) -> AcceptTransaction {
        let sale = config.saleIdentifier.isEmpty ? run.uniqueId : config.saleIdentifier
        guard let sale = SaleIdentifier(rawValue: sale), AcceptWire.isUsable(run.attempt) else {
            throw AcceptError(.basketInvalid, "An identifier has 1 to 64 characters of ASCII without spaces.")
        }
        var request = try config.attemptRequest(for: sale)
        guard let token = config.accessToken, isValid(token) else {
            throw AcceptError(.pay(.tokenExpired), "The user must log in before a payment.")
        }
        guard await protection?() ?? true else {
            throw AcceptError(.pay(.deviceRooted), "The protection of this computer was removed.")
        }
        let service = try paymentService(at: config.backendConfig)
        let terminal = try await terminal(of: config)
        guard !terminal.isUnconfigured else {
            throw AcceptError(.pay(.cantLoadTerminalConfiguration), "The terminal was never configured.")
        }
        try await checkMerchant(has: terminal, token, config.backendConfig)
        guard let terminals else { throw AcceptError(.pay(.terminalNotReady), "No terminals were handed in.") }
        if terminal.hasOwnHost { request = try Self.request(request, at: terminal, of: config.vendorUUID) }
        let session = try await terminals.open(
            terminal, of: config.vendorUUID, amount: request.amount, as: run.attempt,
            events: { run.send(.terminal($0)) })
        defer { session.close() }
        guard run.begin() else { throw AcceptPaymentRun.cancelledBefore }
        let reports = Task { [reports = service.reports] in
            for await report in reports where report.attempt == run.attempt { run.send(.report(report)) }
            // The service was shut down.
            run.finishEvents()
        }
        defer { reports.cancel() }
        do throws(DeskRefusal) {
            // A repeated call is the same attempt, which may be over: nothing else reports its end then.
            run.send(.report(try await service.begin(request, identifier: run.attempt)))
        } catch { throw OperationRules.error(error) }
        let methods = methods?.terminal(terminal.kind, of: config.vendorUUID)
        var machine = AcceptPayMachine(
            exclusion: methods, entries: terminal.entries, hasOwnHost: terminal.hasOwnHost)
        let context = OperationContext(
            name: run.attempt, token: token, config: config.backendConfig, parameters: AcceptPaymentParameters())
        var last: AttemptReport?
        for await event in run.events {
            if case .report(let report) = event { last = report }
            for effect in machine.receive(event) {
                if case .end(let report, let error, let signature) = effect {
                    run.endCancellations()
                    if let error { throw error }
                    if terminal.hasOwnHost { return AcceptTransaction(report, config) }
                    return await transaction(report, config, context, signature, service)
                }
                developer?.note(effect)
                await carryOut(effect, session, service, run, handlers, config, context, last)
            }
        }
        throw AcceptError(.notRunning, "The payment service was shut down; the next one goes on with the payment.")
    }

    private func terminal(of config: AcceptPaymentConfig) async throws(AcceptError) -> AcceptTerminal {
        let found = try await discoverTerminalsForVendor(config.vendorUUID)
        guard let terminal = found.first(where: { $0.uuid == config.terminalUUID }) else {
            throw AcceptError(.pay(.terminalNotReady), "The terminal is off, or away.")
        }
        return terminal
    }

    /// Refuses a terminal that the host does not have for the merchant. Without a clear answer the payment goes on: an
    /// offline approval needs no host.
    private func checkMerchant(
        has terminal: AcceptTerminal, _ token: SecretText, _ config: AcceptDataServiceConfig
    ) async throws(AcceptError) {
        guard !terminal.serialNumber.isEmpty else { return }
        guard terminal.serialNumber.utf8.count <= 64 else {
            throw AcceptError(.pay(.terminalNotSetInMerchant), "A serial number has at most 64 bytes.")
        }
        let answer: HTTPAnswer
        do throws(AcceptError) {
            answer = try await send(requests.terminal(terminal.serialNumber), token, config, .terminal)
        } catch {
            guard error.isTokenExpired else { return }
            throw error
        }
        guard answer.status != 404 || HostError(answer).code != "not_found" else {
            throw AcceptError(
                .pay(.terminalNotSetInMerchant), "The host does not have the terminal for this merchant.")
        }
    }

    /// The request of a payment that the terminal's own host has.
    private static func request(
        _ request: AttemptRequest, at terminal: AcceptTerminal, of vendorUUID: String
    ) throws(AcceptError) -> AttemptRequest {
        guard AcceptWire.transactionType(of: request) == AcceptWire.purchase else {
            throw AcceptError(.common(.unsupportedFeature), "The terminal takes purchases alone.")
        }
        do throws(RequestError) {
            return try AttemptRequest(
                sale: request.sale, kind: request.kind, amount: request.amount,
                details: request.details + [SPm20Place.detail(of: terminal.uuid, vendorUUID)])
        } catch { throw AcceptError(.basketInvalid, error.message) }
    }

    private func carryOut(
        _ effect: AcceptPayEffect, _ session: any AcceptTerminalSession, _ service: PaymentService,
        _ run: AcceptPaymentRun, _ handlers: AcceptPaymentHandlers, _ config: AcceptPaymentConfig,
        _ context: OperationContext, _ report: AttemptReport?
    ) async {
        switch effect {
        case .progress(let step):
            run.show(step)
            callbacks { handlers.progress(step) }
        case .carryOut(let effect, let forCard): session.carryOut(effect, forCard: forCard)
        case .choose(let index): session.choose(application: index)
        case .send(let event, let answered, let sealed):
            await service.receive(event, of: run.attempt, answering: answered, sealed: sealed)
        case .askSignature(let cardHolder, let maskedPAN, let cardType, let request):
            let asked = AcceptSignatureRequest(
                cardHolderName: cardHolder, maskedPAN: maskedPAN, cardType: cardType,
                gratuityAmount: (try? config.basket.tip()) ?? 0,
                signatureCallback: { image, error in
                    run.send(.signature(error == nil ? image : nil, request: request))
                })
            callbacks { handlers.signature(asked) }
        case .askVerification(let request):
            // The time for the comparison runs: the host is not asked for its view.
            let payment = report.map { AcceptTransaction($0, config) }
            callbacks {
                handlers.signatureVerification(payment) { run.send(.verification($0, request: request)) }
            }
        case .askApplication(let names, let request):
            let asked = AcceptAppSelectionRequest(appsArray: names) { index, error in
                run.send(.application(error == nil ? index : nil, request: request))
            }
            callbacks { handlers.appSelection(asked) }
        case .cancelled(let isDone): run.cancelled(isDone)
        case .sendDecline(let sealed):
            // The till does not wait for it, and nothing depends on it.
            Task { _ = try? await self.addCertificate(sealed, context) }
        case .end: break
        }
    }

    /// The approved payment as the host has it, with its signature; as the till has it if the host does not answer. A signature
    /// that the host does not take now is in the journal, and follows.
    private func transaction(
        _ report: AttemptReport, _ config: AcceptPaymentConfig, _ context: OperationContext, _ signature: [UInt8],
        _ service: PaymentService
    ) async -> AcceptTransaction {
        if !signature.isEmpty {
            var parameters = context.parameters
            parameters.signatureImage = signature
            let signed = OperationContext(
                name: context.name, token: context.token, config: context.config, parameters: parameters)
            // The host does not have a payment yet that the card approved without it.
            if report.outcome == .approved, let payment = try? await addSignature(signed) { return payment }
            // A journal that cannot be written now does not hold up a payment that is approved.
            let (isKept, image) = (AsyncSignal(), HTTPBody(copying: signature.span))
            Task {
                _ = try? await service.sign(report.attempt, image)
                isKept.send()
            }
            await isKept.wait(after: 0, until: clock.now() + Self.signingLimit, on: clock)
        }
        if let payment = try? await payment(context) { return payment }
        return AcceptTransaction(report, config)
    }
}

extension AcceptTerminal {
    /// The identifier in `paymentmethods.xml`.
    var kind: String { model.isEmpty ? uuid : model }
}

// MARK: the calls with completions

extension Accept {
    /// ``discoverSupportedVendors()`` with a completion.
    public func discoverSupportedVendors(_ completion: @escaping @Sendable ([AcceptTerminalVendor]) -> Void) {
        complete({ (vendors: [AcceptTerminalVendor]?, _: AcceptError?) in completion(vendors ?? []) }) {
            () async throws(AcceptError) in await self.discoverSupportedVendors()
        }
    }

    /// ``discoverTerminalsForVendor(_:)`` with a completion: the terminals or the error.
    public func discoverTerminalsForVendor(
        _ vendorUUID: String, completion: @escaping @Sendable ([AcceptTerminal]?, AcceptError?) -> Void
    ) {
        complete(completion) { () async throws(AcceptError) in
            try await self.discoverTerminalsForVendor(vendorUUID)
        }
    }

    /// ``percentageBatteryRemainingForTerminal(_:)`` with a completion.
    public func percentageBatteryRemainingForTerminal(
        _ vendorUUID: String, completion: @escaping @Sendable (Int) -> Void
    ) {
        complete({ (level: Int?, _: AcceptError?) in completion(level ?? AcceptBatteryLevel.notAvailable.number) }) {
            () async throws(AcceptError) in await self.percentageBatteryRemainingForTerminal(vendorUUID)
        }
    }
}
