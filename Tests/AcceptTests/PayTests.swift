import Accept
import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawTestSupport
import JackdawTransport
import Testing

/// Payments with a card at a scripted terminal and a sandbox: those that are approved, and those that do not begin.
/// Source of the calls: the Accept SDK integration guide 1.6.182, chapters 3.1 and 3.2.
@Suite struct PayTests {
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

    @Test func S1_59_aDirectDebitIsBookedAtOnceAndTakenBack() async throws {
        let till = try await PayTill(chip())
        var config = till.config()
        config.transactionType = .sepa
        let payment = try await till.pay(config)
        #expect(payment.isAccepted)
        #expect(payment.transactionType == "sepa")
        #expect(till.link.booked("A1") == 1000)
        _ = try await till.accept.requestOperationOnPaymentWithID(
            "A1", andAccessToken: till.token, config: ConfigurationTests.backend, operation: .reverse,
            paymentUpdateParameters: AcceptPaymentParameters())
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

    // MARK: payments that do not begin

    @Test func S1_67_aTerminalThatWasNeverConfiguredIsRefused() async throws {
        let till = try await PayTill(chip())
        till.terminals.change { $0.dependsOnConfiguration = true }
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.cantLoadTerminalConfiguration))
        #expect(till.terminals.amounts.isEmpty)
        // One that reports its configuration needs no other.
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
        var config = till.config()
        let error = await failure { [config] () throws(AcceptError) in try await till.pay(config) }
        #expect(error?.isTokenExpired == true)
        #expect(till.terminals.amounts.isEmpty)
        // The same payment goes on after the next login: nothing of it is used up.
        config.accessToken = try await till.logIn()
        let payment = try await till.pay(config)
        #expect(payment.uniqueId == "A1" && payment.isAccepted)
        #expect(till.link.paymentCount == 1)
    }

    /// The answer to a payment is lost, and the token expires before the till knows its outcome.
    @Test func S1_20_anUnfinishedPaymentIsRecoveredAfterTheNextLogin() async throws {
        let cards = Lock(0)
        let next = chip()
        let till = try await PayTill { effect in
            guard effect.action == .processCard else { return next(effect) }
            // The counter of the card, which the issuer compares.
            let counter = cards.withLock { cards in
                cards += 1
                return cards
            }
            return [.payment(.firstARQC, answering: effect.identifier, sealed: card(1000, counter: counter))]
        }
        till.link.plan("status-after=500", "payments.json")
        var config = till.config()
        let lost = await failure { [config] () throws(AcceptError) in try await till.pay(config) }
        #expect(lost?.code == .pay(.responseLost))
        try await reversed(till)
        till.clock.advance(by: .seconds(900))
        let late = await failure { [config] () throws(AcceptError) in try await till.pay(config) }
        #expect(late?.isTokenExpired == true)
        // The kept basket is the same payment, whose end the till knows; with another identifier it is paid.
        config.accessToken = try await till.logIn()
        let known = await failure { [config] () throws(AcceptError) in try await till.pay(config) }
        #expect(known?.decline?.reversalReason == .noEFTResponse)
        #expect(till.link.booked("A1") == 0)
        config.basket.transactionUniqueId = "A2"
        #expect(try await till.pay(config).isAccepted)
        #expect(till.link.booked("A2") == 1000)
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
}
