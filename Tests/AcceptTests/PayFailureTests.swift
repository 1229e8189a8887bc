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
        #expect(error?.decline?.text.isEmpty == false)
        #expect(try await till.accept.status(of: "A1").state == .declined)
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

    @Test(arguments: ["process", "approved"]) func S1_105_aCardThatIsRemovedEndsThePayment(step: String) async throws {
        let till = try await PayTill(chip(1000, [step: [.payment(.cardRemoved)]]))
        let run = till.accept.startPay(till.config())
        if step == "process" {
            // The terminal waits for a card again, and takes the same one: without an end, but for the cancellation.
            await till.terminals.received { $0 == .processCard }
            _ = await run.cancel()
        }
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error != nil)
        if step == "approved" { try await reversed(till) }
        #expect(till.link.booked("A1") <= 0)
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

    @Test func S1_08_S1_136_anExcludedCardIsRefusedBeforeAnythingIsSent() async throws {
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
