import JackdawEMV
import JackdawPayments
import JackdawTestSupport
import JackdawTransport

@testable import Accept

// Payments with a card, and the choices of people in them.

extension ErrorSituation {
    private static let signed: [String: [AcceptTerminalEvent]] = ["approved": [.payment(.secondTCWithSignature)]]

    static let payments: [ErrorSituation] = [
        late(.swipeTimeout, "no card for 20 s", 20, "accept"),
        ErrorSituation(.pay(.badSwipe), .reader, "a swipe that cannot be read, and no other card for 20 s") {
            let isSwiped = Lock(false)
            let next = chip()
            let till = try await PayTill { effect in
                guard effect.action == .acceptCard else { return next(effect) }
                let isFirst = isSwiped.withLock { isSwiped in
                    defer { isSwiped = true }
                    return !isSwiped
                }
                return isFirst ? [.payment(.swipeUnreadable, answering: effect.identifier)] : []
            }
            let run = till.accept.startPay(till.config())
            await till.terminals.received { _ in till.terminals.actions.count { $0 == .acceptCard } == 2 }
            await till.wait(AcceptDefaults.paymentTimeout)
            _ = try await run.result()
        },
        late(.terminalTimeOut, "the reader does not end the card's transaction for 60 s", 60, "process"),
        ErrorSituation(
            .pay(.transactionNotApproved), .sandbox, "an amount of 51.05, which the simulated issuer declines"
        ) {
            let till = try await PayTill(chip(5105))
            _ = try await till.pay(till.config(5105))
        },
        ErrorSituation(
            .pay(.dataProcessing), .sandbox, "card data with another amount than the payment, which the sandbox refuses"
        ) {
            let till = try await PayTill(chip(2000))
            _ = try await till.pay(till.config(1000))
        },
        ErrorSituation(.pay(.onlineProcessing), .sandbox, "`garbled` at `POST payments.json`") {
            let till = try await PayTill(chip())
            till.link.plan("garbled", "payments.json")
            _ = try await till.pay()
        },
        ErrorSituation(
            .pay(.terminalNotSetInMerchant), .sandbox, "a terminal of another merchant: the serial number `SN00000003`"
        ) {
            let till = try await PayTill(chip())
            till.terminals.change { $0.serialNumber = "SN00000003" }
            _ = try await till.pay()
        },
        ErrorSituation(.pay(.responseLost), .sandbox, "`status-after=500` at `POST payments.json`") {
            let till = try await PayTill(chip())
            till.link.plan("status-after=500", "payments.json")
            _ = try await till.pay()
        },
        ErrorSituation(
            .pay(.payConnection), .sandbox,
            "a swipe, `token-expired` at `POST payments.json`, and `status=503` at the login that follows"
        ) {
            let next = chip()
            let till = try await PayTill { effect in
                guard effect.action == .acceptCard else { return next(effect) }
                return [
                    .payment(.cardSwiped, answering: effect.identifier, sealed: card(1000, changes: [0x9F39: "90"]))
                ]
            }
            till.link.plan("token-expired", "payments.json")
            till.link.plan("status=503", "oauth2/token")
            _ = try await till.pay()
        },
        ErrorSituation(.pay(.tokenExpired), .program, "a payment 900 s after the last request of the token") {
            let till = try await PayTill(chip())
            till.clock.advance(by: .seconds(900))
            _ = try await till.pay()
        },
        ErrorSituation(.pay(.cantLoadTerminalConfiguration), .program, "a terminal that was never configured") {
            let till = try await PayTill(chip())
            till.terminals.change { $0.dependsOnConfiguration = true }
            _ = try await till.pay()
        },
        ErrorSituation(.common(.vendorNotFound), .program, "a vendor that the program does not have") {
            var config = try await PayTill(chip()).config()
            config.vendorUUID = "other"
            _ = try await PayTill(chip()).pay(config)
        },
        ErrorSituation(.common(.unsupportedFeature), .program, "cash that is authorised first") {
            let till = try await PayTill(chip())
            var config = till.config()
            config.transactionType = .authorize
            _ = try await till.accept.startCashPayment(config)
        },
        ErrorSituation(.notRunning, .program, "a payment without a payment service") {
            let till = try await PayTill(chip())
            await till.service.shutDown()
            _ = try await till.pay()
        },
        ErrorSituation(.journalFailed, .program, "a journal that cannot be written") {
            _ = try await PayTill(journal: MemoryJournal { _ in .notWritten }, chip()).pay()
        },
        ErrorSituation(.identifierUsed, .program, "the identifier of another payment") {
            let till = try await PayTill(chip())
            _ = try await till.pay()
            _ = try await till.pay(till.config(2000))
        },
    ]

    /// A terminal that does not answer a task.
    private static func late(
        _ code: AcceptPayErrorCode, _ text: String, _ seconds: Int, _ step: String
    ) -> ErrorSituation {
        ErrorSituation(.pay(code), .reader, text) {
            let till = try await PayTill(chip(1000, [step: []]))
            let run = till.accept.startPay(till.config())
            await till.terminals.received { action in
                step == "accept" ? action == .acceptCard : action == .processCard
            }
            await till.wait(.seconds(seconds))
            _ = try await run.result()
        }
    }

    static let choices: [ErrorSituation] = [
        ErrorSituation(.pay(.transactionTerminated), .program, "`cancelPay` while a card is awaited") {
            let till = try await PayTill(chip(1000, ["accept": []]))
            let run = till.accept.startPay(till.config())
            await till.terminals.received { $0 == .acceptCard }
            till.accept.cancelPay()
            _ = try await run.result()
        },
        ErrorSituation(.pay(.signatureRequest), .program, "the program has no signature") {
            let till = try await PayTill(chip(1000, signed))
            _ = try await till.pay(nil, AcceptPaymentHandlers(signature: { $0.signatureCallback(nil, nil) }))
        },
        ErrorSituation(.pay(.signatureTimeout), .program, "the signature is not compared within 30 s") {
            let till = try await PayTill(chip(1000, signed))
            let asked = AsyncSignal()
            let handlers = AcceptPaymentHandlers(
                signature: { $0.signatureCallback([1], nil) }, signatureVerification: { _, _ in asked.send() })
            let run = till.accept.startPay(till.config(), handlers: handlers)
            await asked.wait(after: 0)
            await till.wait(AcceptDefaults.signatureWait)
            _ = try await run.result()
        },
        ErrorSituation(
            .pay(.terminalTimeoutApplicationSelection), .program,
            "the program does not choose an application within 30 s"
        ) {
            let till = try await PayTill(chip(1000, ["process": twoApplications]))
            let asked = AsyncSignal()
            let run = till.accept.startPay(
                till.config(), handlers: AcceptPaymentHandlers(appSelection: { _ in asked.send() }))
            await asked.wait(after: 0)
            await till.wait(.seconds(30))
            _ = try await run.result()
        },
        ErrorSituation(
            .pay(.terminalFailedToGetICCApplicationsList), .program,
            "three choices of an application that is not in the list"
        ) {
            let till = try await PayTill(chip(1000, ["process": twoApplications]))
            _ = try await till.pay(nil, AcceptPaymentHandlers(appSelection: { $0.appSelectionCallback(7, nil) }))
        },
    ]

    private static let twoApplications: [AcceptTerminalEvent] = [
        .applications(["Mastercard", "Maestro"]), .payment(.applicationsFound),
    ]
}
