#if Payments
import Accept
import JackdawConsole
import JackdawEMV
import JackdawPayments
import JackdawTransport

/// A sale at a terminal, from the basket to the end of the payment.
struct Selling: Sendable {
    /// The sale as the command line describes it.
    struct Order: Sendable {
        var items: [AcceptBasketItem] = []
        var tip: AcceptHundredths?
        /// The currency by its three letters; nil for the merchant's own.
        var currency: String?
        var kind = AcceptTransactionType.purchase
        var note = ""
        /// The identifier of the payment, so that a repetition is the same payment; nil for a new one.
        var payment: AttemptIdentifier?
        /// The sale that is paid; empty for one of its own.
        var sale = ""
        /// The image of the customer's signature, which the merchant has compared; empty without one.
        var signature: [UInt8] = []
        /// The name of the card's application that is chosen; nil for the first one.
        var application: String?
    }

    let till: OpenTill
    let terminal: TillTerminal
    let order: Order
    /// The time for messages to the host after the end of the payment.
    let wait: Duration
    let printer: TillPrinter

    /// Sells. If the task is cancelled, the payment is, as long as its state allows it.
    /// - Returns: the status of the payment's state; `interrupted` if it was cancelled by the task.
    /// - Throws: `CommandError` if the payment does not begin.
    func run() async throws(CommandError) -> ExitStatus {
        let payment = order.payment ?? .random()
        let end: Result<AcceptTransaction, AcceptError>
        do throws(AcceptError) {
            let basket = try await basket(payment.rawValue)
            let lines = try basket.lines()
            let total = try basket.amount()
            printer.print("basket", lines + ["payment \(payment)"]) { object in
                object.add("payment", payment.rawValue)
                object.add("amount", Int(total.minorUnits))
                object.add("currency", basket.currencyAsISO4217Code)
                object.add("link", terminal.link.description)
            }
            end = await pay(basket)
        } catch { throw CommandError(error) }
        // The payment did not begin; the journal may have another one with its identifier.
        if case .failure(let error) = end, error.decline == nil { throw CommandError(error) }
        guard let record = try await till.settledRecord(of: payment, within: wait) else {
            throw CommandError(.inputOutput, "the journal has no record of the payment")
        }
        report(record, end)
        if Task.isCancelled, record.state == .cancelled { return .interrupted }
        return record.state.exitStatus
    }

    /// The basket with the rules of the merchant, whom the host names. The request also shows that the login is valid before
    /// a card is read.
    private func basket(_ payment: String) async throws(AcceptError) -> AcceptBasket {
        let merchant = try await till.accept.requestMerchantInfo(till.login.token, config: till.login.config).merchant
        var basket = AcceptBasket(
            currencyAsISO4217Code: order.currency ?? merchant.currency, items: order.items,
            netTaxation: merchant.netTaxation, note: order.note, transactionUniqueId: payment)
        if let tip = order.tip { basket.addTip(tip) }
        try basket.validate()
        try merchant.check(basket)
        return basket
    }

    /// - Returns: the approved payment, or the error with which it ended.
    private func pay(_ basket: AcceptBasket) async -> Result<AcceptTransaction, AcceptError> {
        var config = AcceptPaymentConfig(
            vendorUUID: terminal.kind.vendor.uuid, terminalUUID: terminal.terminal.uuid,
            backendConfig: till.login.config, basket: basket, accessToken: till.login.token,
            allowGratuity: order.tip != nil, transactionType: order.kind)
        config.saleIdentifier = order.sale
        till.accept.use(terminal.terminals(till.ownHost))
        do throws(AcceptError) { try await configure() } catch { return .failure(error) }
        let run = till.accept.startPay(config, handlers: handlers)
        return await withTaskCancellationHandler {
            do throws(AcceptError) { return .success(try await run.result()) } catch { return .failure(error) }
        } onCancel: {
            run.cancelPay()
        }
    }

    /// Gives the terminal its first configuration, if it needs one. The journal remembers it.
    private func configure() async throws(AcceptError) {
        let vendor = terminal.kind.vendor.uuid
        let found = try await till.accept.discoverTerminalsForVendor(vendor)
        for terminal in found where terminal.isUnconfigured {
            _ = try await till.accept.configure(
                terminal, of: vendor, andToken: till.login.token, config: till.login.config)
        }
    }

    private var handlers: AcceptPaymentHandlers {
        let (printer, order) = (printer, order)
        return AcceptPaymentHandlers(
            progress: { step in
                guard printer.isJSON || step.text != nil else { return }
                printer.print("step", step.text.map { [$0] } ?? []) { $0.add("step", "\(step)") }
            },
            signature: { $0.signatureCallback(order.signature.isEmpty ? nil : order.signature, nil) },
            signatureVerification: { _, decide in decide(order.signature.isEmpty ? .rejected : .approved) },
            appSelection: { request in
                let index = order.application.flatMap { request.appsArray.firstIndex(of: $0) } ?? 0
                request.appSelectionCallback(index, nil)
            })
    }

    private func report(_ record: AttemptRecord, _ end: Result<AcceptTransaction, AcceptError>) {
        printer.print(record, try? end.get())
        guard case .failure(let error) = end, let decline = error.decline else { return }
        printer.print("decline", ["  \(decline.group.rawValue): \(decline.advice.text)"]) { object in
            object.add("code", error.code.name)
            object.add("number", error.code.number)
            object.add("group", decline.group.rawValue)
            object.add("advice", decline.advice.rawValue)
            object.add("text", decline.text)
            object.add("reversal_reason", decline.reversalReason.map { "\($0)" })
        }
    }
}

extension AcceptDecline.Advice {
    /// The advice in words.
    fileprivate var text: String {
        switch self {
        case .tryAgain: "try again"
        case .useOtherCard: "use another card"
        case .checkTerminal: "check the terminal and its link"
        case .checkConnection: "check the connection to the host"
        case .waitForOutcome: "the outcome is not known yet: do not sell the goods before it is"
        }
    }
}
#endif
