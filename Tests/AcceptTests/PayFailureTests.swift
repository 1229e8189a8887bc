import Accept
import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawTestSupport
import JackdawTransport
import Testing

/// Payments that are not approved. Source of the calls: the Accept SDK integration guide 1.6.182, chapter 3.2 and revision
/// history.
@Suite struct PayFailureTests {
    @Test func S1_126_aDeclineHasGroupCodeTextAndAdvice() async throws {
        // The simulated issuer declines this amount.
        let till = try await PayTill(chip(5105))
        let error = await failure { () throws(AcceptError) in try await till.pay(till.config(5105)) }
        #expect(error?.code == .pay(.transactionNotApproved))
        #expect(error?.decline?.group == .host)
        #expect(error?.decline?.advice == .useOtherCard)
        #expect(error?.decline?.reversalReason == nil)
        // The code of ISO 8583:1987, field 39, and the host's text.
        #expect(error?.decline?.text.hasPrefix("05: ") == true)
        #expect((error?.decline?.text.count ?? 0) > 4)
        #expect(try await till.accept.status(of: "A1").state == .declined)
    }

    /// The host refuses the content: the card's data has another amount than the payment.
    @Test func S1_126_aRefusalOfTheDataHasItsErrorAndItsText() async throws {
        let till = try await PayTill(chip(2000))
        let error = await failure { () throws(AcceptError) in try await till.pay(till.config(1000)) }
        #expect(error?.code == .pay(.dataProcessing))
        #expect(error?.decline?.text.isEmpty == false)
        #expect(error?.message.contains(error?.decline?.text ?? "?") == true)
        #expect(till.link.paymentCount == 0)
    }

    /// The host does not have the terminal for the merchant.
    @Test func S1_126_aWrongTerminalHasItsError() async throws {
        let till = try await PayTill(chip())
        till.terminals.change { $0.serialNumber = "SN00000003" }
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.terminalNotSetInMerchant))
        #expect(error?.message.isEmpty == false)
        #expect(till.link.paymentCount == 0)
    }

    /// The chip has no application of the terminal, and the program takes no swipe instead of it.
    @Test func S1_136_aCardThatIsNotSupportedHasItsError() async throws {
        var policy = Accept.paymentPolicy
        policy.fallsBackWithoutCommonApplication = false
        let till = try await PayTill(policy: policy, chip(1000, ["process": [.payment(.noCommonApplication)]]))
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.notSupportedCardType))
        #expect(error?.decline?.group == .card)
        #expect(error?.decline?.advice == .useOtherCard)
        #expect(till.link.paymentCount == 0)
    }

    /// Names as cards have them (EMV Book 3, annex A: 2 to 26 characters), and one in UTF-8.
    @Test(arguments: [
        "D'ARC-O'NEILL/JEANNE M.DR", "VAN DER BERG /J", "MÜLLER/ÄNNE", "OTHER/", "/", "X", "1/2", "",
    ])
    func S1_136_namesOfCardholdersStayAsTheyAre(name: String) async throws {
        let next = chip()
        let till = try await PayTill { effect in
            switch effect.action {
            case .processCard:
                [
                    .card(accountNumber("9999990000000014"), name: name),
                    .payment(
                        .firstARQC, answering: effect.identifier,
                        sealed: card(1000, changes: [0x5F20: name.isEmpty ? nil : hexadecimal(name.utf8)])),
                ]
            case .completeCard: [.payment(.secondTCWithSignature, answering: effect.identifier)]
            default: next(effect)
            }
        }
        let shown = Lock<String?>(nil)
        let payment = try await till.pay(
            nil,
            AcceptPaymentHandlers(
                signature: { request in
                    shown.withLock { $0 = request.cardHolderName }
                    request.signatureCallback([1], nil)
                }, signatureVerification: { $1(.approved) }))
        #expect(payment.isAccepted)
        #expect(shown.withLock { $0 } == name)
    }

    @Test func S1_110_aSwipeThatDoesNotComeHasItsError() async throws {
        let till = try await PayTill(chip(1000, ["accept": []]))
        till.terminals.change { $0.entries = [.swipe] }
        let run = till.accept.startPay(till.config())
        await till.terminals.received { $0 == .acceptCard }
        // X1-07: the SDK's limit of 20 s.
        await till.wait(.seconds(20))
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .pay(.swipeTimeout))
        var steps: [AcceptStateUpdate] = []
        for await step in run.updates { steps.append(step) }
        #expect(steps.contains(.waitingForSwipe))
    }

    @Test func X1_07_theTimesOfTheDemoOverrideThoseOfTheFlow() {
        let limits = Accept.paymentPolicy.limits
        #expect(limits.card == .seconds(20))
        #expect(limits.signature == .seconds(30))
        #expect(limits.readerSignature == .seconds(30))
        #expect(limits.host == PaymentLimits().host)
        #expect(AcceptDefaults.bluetoothRefresh == .seconds(5))
        #expect(AcceptDefaults.historyRefresh == .seconds(20))
        #expect(AcceptDefaults.tokenTimer == .seconds(900))
        #expect(AcceptDefaults.pageSize == 5)
        #expect(AcceptDefaults.maxPageSize == 20)
    }

    @Test func S1_114_aLinkThatIsLostAfterTheApprovalReversesThePayment() async throws {
        let till = try await PayTill(chip(1000, ["approved": [.payment(.linkLost)]]))
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.decline?.reversalReason == .terminalTerminated)
        #expect(error?.decline?.group == .terminal)
        try await reversed(till)
    }

    @Test func S1_105_aCardThatIsRemovedBeforeTheHostEndsThePayment() async throws {
        let till = try await PayTill(chip(1000, ["process": [.payment(.cardRemoved)]]))
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.decline?.outcome == .failedCardRemoved)
        #expect(error?.code == .pay(.transactionTerminated))
        #expect(till.terminals.actions.contains(.stopReader))
        #expect(till.link.paymentCount == 0)
        #expect(till.terminals.closed == 1)
    }

    /// After the host's approval, and before the card's decision or the comparison of the signature at the terminal.
    @Test(arguments: [[PaymentEvent.cardRemoved], [.readerSignatureRequested, .cardRemoved]])
    func S1_105_aCardThatIsRemovedAfterTheApprovalReversesThePayment(events: [PaymentEvent]) async throws {
        let till = try await PayTill(chip(1000, ["approved": events.map { .payment($0) }]))
        let run = till.accept.startPay(till.config())
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.decline?.outcome == .failedAutoReversed)
        #expect(error?.decline?.reversalReason == .terminalTerminated)
        var steps: [AcceptStateUpdate] = []
        for await step in run.updates { steps.append(step) }
        #expect(steps.contains(.cardRemoved))
        try await reversed(till)
        #expect(till.link.reversalNotes("A1") == ["card_removed"])
    }

    @Test func S1_105_aCardIsNotNeededForASignatureAfterItsDecision() async throws {
        let till = try await PayTill(
            chip(1000, ["approved": [.payment(.secondTCWithSignature), .payment(.cardRemoved)]]))
        let isCompared = Lock(false)
        let payment = try await till.pay(
            nil,
            AcceptPaymentHandlers(
                signature: { $0.signatureCallback([1], nil) },
                signatureVerification: { _, callback in
                    isCompared.withLock { $0 = true }
                    callback(.approved)
                }))
        #expect(isCompared.withLock { $0 })
        #expect(payment.isAccepted)
        #expect(till.link.booked("A1") == 1000)
    }

    @Test func S1_122_aChipWithoutAReachableApplicationIsDamaged() async throws {
        let tries = Lock(0)
        let chip = chip()
        let till = try await PayTill { effect in
            switch effect.action {
            case .processCard: return [.payment(.noCommonApplication, answering: effect.identifier)]
            case .acceptCard
            where tries.withLock({
                $0 += 1; return $0
            }) > 1: return []
            default: return chip(effect)
            }
        }
        let run = till.accept.startPay(till.config())
        var isDamaged = false
        for await step in run.updates where step == .damagedChipAndWaitingForSwipe {
            isDamaged = true
            break
        }
        #expect(isDamaged)
        #expect(await run.cancel())
    }

    @Test func S1_08_anExcludedCardIsRefusedBeforeAnythingIsSent() async throws {
        let till = try await PayTill(
            methods: PayTill.methods(),
            chip(
                1000,
                [
                    "process": [
                        .card(accountNumber("4111111111111111"), name: ""), .payment(.firstARQC, sealed: card(1000)),
                    ]
                ]))
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.blockedCardType))
        #expect(error?.decline?.advice == .useOtherCard)
        #expect(till.link.paymentCount == 0)
        #expect(!till.link.paths.contains("/v3/payments.json"))
        // Another card is taken.
        let other = try await PayTill(methods: PayTill.methods(), chip())
        #expect(try await other.pay().isAccepted)
    }

    @Test func anUnknownOutcomeIsReportedAndClearedUp() async throws {
        let till = try await PayTill(chip())
        till.link.plan("status-after=500", "payments.json")
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.responseLost))
        #expect(error?.decline?.advice == .waitForOutcome || error?.decline?.reversalReason == .noEFTResponse)
        try await reversed(till)
    }

    @Test func aShutDownEndsThePaymentOfTheProgram() async throws {
        let till = try await PayTill(chip(1000, ["accept": []]))
        let run = till.accept.startPay(till.config())
        await till.terminals.received { $0 == .acceptCard }
        await till.service.shutDown()
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .notRunning)
        #expect(till.terminals.closed == 1)
    }

    @Test func stepsOfTheTerminalAndThePINAreShown() async throws {
        let chip = chip()
        let isAsked = Lock(false)
        let till = try await PayTill { effect in
            guard effect.action == .processCard, !isAsked.withLock({ $0 }) else { return chip(effect) }
            isAsked.withLock { $0 = true }
            return [
                .state(.confirmAmount), .state(.amountConfirmed), .payment(.pinRequested, answering: effect.identifier),
                .state(.pinEntryLastTry),
            ]
        }
        let run = till.accept.startPay(till.config())
        for await step in run.updates where step == .pinEntryLastTry { break }
        #expect(await run.cancel())
        var steps: [AcceptStateUpdate] = []
        for await step in run.updates { steps.append(step) }
        #expect(
            steps == [
                .initialize, .insertOrSwipeCard, .checkingCard, .confirmAmount, .amountConfirmed, .askingForPIN,
                .pinEntryLastTry,
            ] || steps.last == .removeCard)
    }
}
