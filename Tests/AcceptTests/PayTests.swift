import Accept
import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import JackdawTransport
import Testing

/// Payments with a card at a scripted terminal and a sandbox. Source of the calls: the Accept SDK integration guide
/// 1.6.182, chapters 3.1 and 3.2.
@Suite struct PayTests {
    // MARK: terminals

    private static func methods() throws -> AcceptPaymentMethods {
        func device(_ id: String, _ isEnabled: Bool, _ content: String) -> String {
            """
            <item><id>\(id)</id><type>dict</type><items><item><id>enabled</id><type>bool</type>
            <value><dict><key>bool</key><\(isEnabled)/></dict></value></item>\(content)</items></item>
            """
        }
        let excluded = """
            <item><id>cardsExclusion</id><type>list</type><value><dict><key>list</key><array><dict><key>issuer</key>
            <string>visa</string><key>cardType</key><string>credit_card</string></dict></array></dict></value></item>
            """
        let text = """
            <item><id>supportedPaymentMethods</id><type>dict</type><items>
            \(device("ENABLE_SPIRE", true, device("PosMate", true, excluded)))
            \(device("ENABLE_IDTECH", false, device("UnimagPro", true, "")))
            </items></item>
            """
        return try AcceptPaymentMethods(xml: Array(text.utf8))
    }

    @Test func S1_31_vendorsAreThoseOfTheProgramAndTheFile() async throws {
        var till = try await PayTill(chip())
        #expect(await till.accept.discoverSupportedVendors().map(\.displayName) == ["Spire", "ID-Tech"])
        till = try await PayTill(methods: Self.methods(), chip())
        #expect(await till.accept.discoverSupportedVendors().map(\.uuid) == [AcceptSpireVendorUUID])
    }

    @Test func S1_32_terminalsOfAVendorAreFound() async throws {
        let till = try await PayTill(methods: Self.methods(), chip())
        let found = try await till.accept.discoverTerminalsForVendor(AcceptSpireVendorUUID)
        #expect(found.map(\.uuid) == ["PosMate 1"])
        #expect(found.first?.alternativeDisplayName == "PosMate 1")
        for vendor in [AcceptIDTECHVendorUUID, "other"] {
            do throws(AcceptError) {
                _ = try await till.accept.discoverTerminalsForVendor(vendor)
                Issue.record("it was found")
            } catch { #expect(error.code == .common(.vendorNotFound)) }
        }
        till.terminals.change { $0.model = "SPm9" }
        #expect(try await till.accept.discoverTerminalsForVendor(AcceptSpireVendorUUID).isEmpty)
    }

    @Test(arguments: [
        (AcceptBatteryLevel.percent(55), 55), (.percent(0), 0), (.percent(101), 100), (.notAvailable, -1),
        (.noAnswer, -2), (.charging, -3),
    ])
    func S1_42_S1_43_S1_44_S1_45_batteriesHaveTheNumbersOfTheSDK(level: AcceptBatteryLevel, number: Int) async throws {
        let till = try await PayTill(chip())
        till.terminals.setLevel(level)
        #expect(await till.accept.percentageBatteryRemainingForTerminal(AcceptSpireVendorUUID) == number)
        #expect(await till.accept.percentageBatteryRemainingForTerminal("other") == -1)
    }

    @Test func S1_46_aPaymentIsNotInterruptedByAQuestionForTheBattery() async throws {
        let till = try await PayTill(chip(1000, ["accept": []]))
        let run = till.accept.startPay(till.config())
        await till.terminals.received { $0 == .acceptCard }
        #expect(await till.accept.percentageBatteryRemainingForTerminal(AcceptSpireVendorUUID) == -2)
        #expect(await till.accept.terminalConnectionStatus(AcceptSpireVendorUUID) == .connected)
        #expect(till.terminals.batteryQuestions == 0)
        #expect(await run.cancel())
        #expect(await till.accept.percentageBatteryRemainingForTerminal(AcceptSpireVendorUUID) == 80)
    }

    @Test func S1_47_anEmptyBatteryStopsThePayment() async throws {
        let till = try await PayTill(
            chip(1000, ["prepare": [.reason(.lowBatteryLevel), .payment(.preparationFailed)]]))
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.lowBatteryLevel))
        #expect(error?.decline?.advice == .checkTerminal)
        #expect(till.link.paymentCount == 0)
    }

    @Test func S1_137_theConnectionOfATerminalIsKnown() async throws {
        let till = try await PayTill(chip())
        #expect(await till.accept.terminalConnectionStatus(AcceptSpireVendorUUID) == .connected)
        #expect(await till.accept.terminalConnectionStatus(AcceptIDTECHVendorUUID) == .disconnected)
    }

    // MARK: payments that are approved

    @Test func S1_60_aSaleIsPaidWithTheSDKsCallbacks() async throws {
        let till = try await PayTill(chip())
        let done = AsyncSignal()
        let log = Lock<[String]>([])
        till.accept.startPay(
            till.config(),
            completion: { payment, error in
                log.withLock { $0.append("end \(payment?.state ?? "none") \(error?.code.name ?? "none")") }
                done.send()
            }, progress: { step in log.withLock { $0.append("\(step)") } },
            signature: { $0.signatureCallback(nil, nil) },
            signatureVerification: { _, callback, _ in callback(.approved) },
            appSelection: { $0.appSelectionCallback(0, nil) })
        await done.wait(after: 0)
        // S1-61: the completion comes once, at the very end.
        #expect(
            log.withLock { $0 } == [
                "initialize", "insertOrSwipeCard", "checkingCard", "onlineProcessingData", "processingData",
                "removeCard",
                "end approved none",
            ])
        #expect(till.link.booked("A1") == 1000)
        #expect(till.terminals.amounts == [Amount(minorUnits: 1000, currencyCode: 978)])
        #expect(till.link.logins == 1)
    }

    @Test func S1_61_theEndIsThePaymentAsTheHostHasIt() async throws {
        let till = try await PayTill(chip())
        let run = till.accept.startPay(till.config())
        #expect(run.uniqueId == "A1")
        let payment = try await run.result()
        #expect(payment.uniqueId == "A1")
        #expect(payment.isAccepted)
        #expect(payment.amount == 1000)
        #expect(payment.cardNumber == "999999******0014")
        // A second question has the same answer.
        #expect(try await run.result() == payment)
        #expect(try await till.accept.status(of: "A1").state == .approved)
    }

    @Test func S1_62_theStepsAreAStreamToo() async throws {
        let till = try await PayTill(chip())
        let run = till.accept.startPay(till.config())
        _ = try await run.result()
        var steps: [AcceptStateUpdate] = []
        for await step in run.updates { steps.append(step) }
        #expect(steps.first == .initialize)
        #expect(steps.last == .removeCard)
        // None is repeated.
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test(arguments: [AcceptTransactionType.authorize, .preauthorize])
    func S1_59_anAuthorisationIsPaidByACapture(type: AcceptTransactionType) async throws {
        let till = try await PayTill(chip())
        var config = till.config()
        config.transactionType = type
        let payment = try await till.pay(config)
        #expect(payment.status == (type == .authorize ? .authorized : .preauthorized))
        #expect(!payment.isAccepted)
        #expect(till.link.booked("A1") == 0)
    }

    @Test func S1_112_theTerminalReturnsToItsIdleStateAfterEachPayment() async throws {
        let till = try await PayTill(chip())
        _ = try await till.pay()
        #expect(till.terminals.closed == 1)
        var config = till.config(1000, "A2")
        config.terminalUUID = "away"
        let error = await failure { () throws(AcceptError) in try await till.pay(config) }
        #expect(error?.code == .pay(.terminalNotReady))
        #expect(till.terminals.closed == 1)
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

    @Test func S1_106_eachReversalOfTheTillHasItsReason() async throws {
        let till = try await PayTill(chip(1000, ["approved": [.payment(.secondAAC)]]))
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.transactionDeclined))
        #expect(error?.decline?.reversalReason == .cardDeclined)
        #expect(error?.decline?.group == .card)
        try await reversed(till)
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

    // MARK: payments that do not begin

    @Test func S1_67_aTerminalThatWasNeverConfiguredIsRefused() async throws {
        let till = try await PayTill(chip())
        till.terminals.change { $0.dependsOnConfiguration = true }
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.cantLoadTerminalConfiguration))
        #expect(till.terminals.amounts.isEmpty)
        till.terminals.change { $0.configurationVersion = "1" }
        #expect(try await till.pay().isAccepted)
    }

    @Test(arguments: [
        AcceptError.Code.pay(.hardwareAccessPermission), .pay(.failedBluetoothConnection), .pay(.noDUKPT),
        .pay(.monoAudioEnabled), .pay(.deviceRooted),
    ])
    func S1_10_S1_13_aTerminalThatCannotBeOpenedHasItsError(code: AcceptError.Code) async throws {
        let till = try await PayTill(chip())
        till.terminals.fail(code)
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == code)
        #expect(error?.decline == nil)
        #expect(till.link.paymentCount == 0)
    }

    @Test func S1_19_S1_20_anExpiredTokenEndsAPaymentBeforeItBegins() async throws {
        let till = try await PayTill(chip())
        till.clock.advance(by: .seconds(900))
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.isTokenExpired == true)
        #expect(till.terminals.amounts.isEmpty)
        // The basket is paid after the next login.
        var config = till.config()
        config.accessToken = try await till.accept.requestAccessToken(
            "till-1", password: secret("till-1-password"), config: ConfigurationTests.backend
        ).accessToken
        #expect(try await till.pay(config).isAccepted)
    }

    @Test func aSaleIsPaidOnce() async throws {
        let till = try await PayTill(chip())
        var config = till.config()
        config.saleIdentifier = "order-17"
        _ = try await till.pay(config)
        config.basket.transactionUniqueId = "A2"
        let error = await failure { [config] () throws(AcceptError) in try await till.pay(config) }
        #expect(error?.code == .operationNotAllowed)
        #expect(till.link.paymentCount == 1)
    }

    @Test func aRepeatedPaymentIsTheSamePayment() async throws {
        let till = try await PayTill(chip())
        let first = try await till.pay()
        #expect(try await till.pay() == first)
        #expect(till.link.paymentCount == 1)
        let error = await failure { () throws(AcceptError) in try await till.pay(till.config(2000)) }
        #expect(error?.code == .identifierUsed)
        #expect(till.link.booked("A1") == 1000)
    }

    @Test func aRepeatedPaymentThatWasDeclinedIsDeclined() async throws {
        let till = try await PayTill(chip(5105))
        for _ in 0..<2 {
            let error = await failure { () throws(AcceptError) in try await till.pay(till.config(5105)) }
            #expect(error?.code == .pay(.transactionNotApproved))
        }
        #expect(till.link.paths.count { $0 == "/v3/payments.json" } == 1)
    }

    // MARK: payments that are not approved

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
            methods: Self.methods(),
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
        let other = try await PayTill(methods: Self.methods(), chip())
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
