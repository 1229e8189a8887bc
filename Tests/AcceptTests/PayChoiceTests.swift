import Accept
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

/// The people's part of a payment: signatures, the choice of an application, cancellation. Source of the calls: the Accept SDK integration guide 1.6.182,
/// chapter 3.2.
@Suite struct PayChoiceTests {
    // MARK: closures of the program

    @TaskLocal private static var isRunByTheProgram = false

    @Test func allClosuresOfAPaymentAreRunByTheProgram() async throws {
        let till = try await PayTill(
            callbacks: { body in Self.$isRunByTheProgram.withValue(true) { body() } },
            Self.applications(chip(1000, Self.signed)))
        let calls = Lock<[String]>([])
        @Sendable func note(_ name: String) {
            calls.withLock { calls in
                let call = Self.isRunByTheProgram ? name : "\(name), by a thread of Accept"
                if calls.last != call { calls.append(call) }
            }
        }
        let (results, end) = AsyncStream<AcceptTransaction?>.makeStream()
        till.accept.startPay(
            till.config(),
            completion: { payment, _ in
                note("completion")
                end.yield(payment)
                end.finish()
            }, progress: { _ in note("progress") },
            signature: { request in
                note("signature")
                request.signatureCallback([1], nil)
            },
            signatureVerification: { _, callback, _ in
                note("comparison")
                callback(.approved)
            },
            appSelection: { request in
                note("application")
                request.appSelectionCallback(0, nil)
            })
        for await payment in results { #expect(payment?.isAccepted == true) }
        #expect(
            calls.withLock { $0 } == [
                "progress", "application", "progress", "signature", "progress", "comparison", "progress",
                "completion",
            ])
    }

    // MARK: signatures

    private static let signed: [String: [AcceptTerminalEvent]] = ["approved": [.payment(.secondTCWithSignature)]]

    @Test func S1_63_aSignatureIsCapturedAndSent() async throws {
        let till = try await PayTill(chip(1000, Self.signed))
        let asked = Lock<[String]>([])
        var config = till.config(900)
        config.basket.addTip(100)
        config.allowGratuity = true
        let payment = try await till.pay(
            config,
            AcceptPaymentHandlers(
                signature: { request in
                    asked.withLock {
                        $0 = [request.maskedPAN, request.cardHolderName, request.gratuityAmount.description]
                    }
                    request.signatureCallback([1, 2, 3], nil)
                    request.signatureCallback(nil, nil)
                }, signatureVerification: { _, callback in callback(.approved) }))
        #expect(payment.isAccepted)
        #expect(asked.withLock { $0 } == ["999999******0014", "A. N. OTHER", "1.00"])
        #expect(till.link.payment("A1")["sandbox"]?["has_signature"] == .flag(true))
    }

    @Test func S1_64_S1_124_theMerchantComparesTheSignatureAfterTheHost() async throws {
        let till = try await PayTill(chip(1000, Self.signed))
        let seen = Lock<AcceptTransaction?>(nil)
        let handlers = AcceptPaymentHandlers(
            signature: { $0.signatureCallback([1], nil) },
            signatureVerification: { payment, callback in
                seen.withLock { $0 = payment }
                callback(.notDefined)
                callback(.rejected)
                callback(.approved)
            })
        let error = await failure { () throws(AcceptError) in try await till.pay(nil, handlers) }
        #expect(error?.code == .pay(.signatureRequest))
        #expect(error?.decline?.reversalReason == .signatureDeclined)
        #expect(seen.withLock { $0 }?.status == .approved)
        try await reversed(till)
    }

    @Test func S1_107_aSignatureThatNoOneComparesIsReversed() async throws {
        let till = try await PayTill(chip(1000, Self.signed))
        let asked = AsyncSignal()
        let run = till.accept.startPay(
            till.config(),
            handlers: AcceptPaymentHandlers(
                signature: { $0.signatureCallback([1], nil) }, signatureVerification: { _, _ in asked.send() }))
        await asked.wait(after: 0)
        await till.wait(.seconds(30))
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .pay(.signatureTimeout))
        #expect(error?.decline?.reversalReason == .signatureVerificationTimeout)
        try await reversed(till)
    }

    /// The program has the SDK's reason, and the host this project's word for it.
    @Test(
        arguments: [
            (.secondAAC, .transactionDeclined, .cardDeclined, "card_declined"),
            (.linkLost, .failedToSendOnlineEMV, .terminalTerminated, "link_lost"),
            (.cardRemoved, .failedToSendOnlineEMV, .terminalTerminated, "card_removed"),
            (.kernelFailed, .failedToSendOnlineEMV, .terminalTerminated, "kernel_failed"),
            (.secondTCWithSignature, .signatureRequest, .signatureDeclined, "signature_rejected"),
        ] as [(PaymentEvent, AcceptPayErrorCode, AcceptReversalReason, String)])
    func S1_106_eachReversalOfTheTillHasItsReason(
        event: PaymentEvent, code: AcceptPayErrorCode, reason: AcceptReversalReason, word: String
    ) async throws {
        let till = try await PayTill(chip(1000, ["approved": [.payment(event)]]))
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(code))
        #expect(error?.decline?.reversalReason == reason)
        try await reversed(till)
        #expect(till.link.reversalNotes("A1") == [word])
    }

    @Test func S1_106_aReversalWithoutAnAnswerHasItsReason() async throws {
        let till = try await PayTill(chip())
        till.link.plan("status-after=500", "payments.json")
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.decline?.reversalReason == .noEFTResponse)
        try await reversed(till)
        #expect(till.link.reversalNotes("A1") == ["timeout"])
    }

    // MARK: choice of an application

    private static func applications(_ next: @escaping ScriptedTerminals.Script) -> ScriptedTerminals.Script {
        let isChosen = Lock(false)
        return { effect in
            guard effect.action == .processCard, !isChosen.withLock({ $0 }) else { return next(effect) }
            isChosen.withLock { $0 = true }
            return [
                .applications(["Mastercard", "Maestro"]), .payment(.applicationsFound, answering: effect.identifier),
            ]
        }
    }

    @Test func S1_65_anApplicationIsChosenIfTheChipHasMoreThanOne() async throws {
        let till = try await PayTill(Self.applications(chip()))
        let asked = Lock<[[String]]>([])
        let run = till.accept.startPay(
            till.config(),
            handlers: AcceptPaymentHandlers(appSelection: { request in
                asked.withLock { $0.append(request.appsArray) }
                request.appSelectionCallback(1, nil)
                request.appSelectionCallback(0, nil)
            }))
        #expect(try await run.result().isAccepted)
        #expect(asked.withLock { $0 } == [["Mastercard", "Maestro"]])
        #expect(till.terminals.chosen == [1])
        var steps: [AcceptStateUpdate] = []
        for await step in run.updates { steps.append(step) }
        #expect(steps.contains(.applicationSelectionStarted))
        #expect(steps.contains(.applicationSelectionFinished))
    }

    @Test func S1_130_anApplicationThatIsNotChosenEndsThePayment() async throws {
        var till = try await PayTill(Self.applications(chip()))
        let asked = AsyncSignal()
        let run = till.accept.startPay(
            till.config(), handlers: AcceptPaymentHandlers(appSelection: { _ in asked.send() }))
        await asked.wait(after: 0)
        await till.wait(.seconds(30))
        var error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .pay(.terminalTimeoutApplicationSelection))
        // A program without a choice is not asked without end.
        till = try await PayTill(Self.applications(chip()))
        let count = Lock(0)
        error = await failure { [till] () throws(AcceptError) in
            try await till.pay(
                nil,
                AcceptPaymentHandlers(appSelection: { request in
                    count.withLock { $0 += 1 }
                    request.appSelectionCallback(7, nil)
                }))
        }
        #expect(error?.code == .pay(.terminalFailedToGetICCApplicationsList))
        #expect(count.withLock { $0 } == 3)
        #expect(till.link.paymentCount == 0)
    }

    // MARK: cancellation

    @Test func S1_66_aPaymentIsCancelledWhileACardIsAwaited() async throws {
        let till = try await PayTill(chip(1000, ["accept": []]))
        let run = till.accept.startPay(till.config())
        await till.terminals.received { $0 == .acceptCard }
        till.accept.cancelPay()
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .pay(.transactionTerminated))
        #expect(error?.decline?.group == .person)
        #expect(till.link.paymentCount == 0)
        #expect(await !run.cancel())
        // The next payment begins.
        till.accept.cancelPay()
        let next = till.accept.startPay(till.config(1000, "A2"))
        #expect(await next.cancel())
    }

    @Test func X1_08_aPaymentIsNotCancelledAfterTheHostWasAsked() async throws {
        let till = try await PayTill(chip(1000, ["approved": []]))
        let run = till.accept.startPay(till.config())
        await till.terminals.received { $0 == .completeCard(.approved) }
        #expect(await !run.cancel())
        till.terminals.send(.payment(.kernelFailed))
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.decline?.reversalReason == .terminalTerminated)
        try await reversed(till)
    }

    @Test func X1_08_aPaymentIsCancelledWhileASignatureIsAwaited() async throws {
        let till = try await PayTill(chip(1000, Self.signed))
        let asked = AsyncSignal()
        let run = till.accept.startPay(
            till.config(), handlers: AcceptPaymentHandlers(signature: { _ in asked.send() }))
        await asked.wait(after: 0)
        #expect(await run.cancel())
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.decline?.outcome == .declinedSignature)
        try await reversed(till)
    }

    @Test func onePaymentIsUnderWayAtATime() async throws {
        let till = try await PayTill(chip(1000, ["accept": []]))
        let run = till.accept.startPay(till.config())
        await till.terminals.received { $0 == .acceptCard }
        let error = await failure { () throws(AcceptError) in try await till.pay(till.config(1000, "A2")) }
        #expect(error?.code == .pay(.terminalNotReady))
        #expect(await run.cancel())
    }
}
