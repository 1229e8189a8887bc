import Accept
import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

/// Payments in cash at a sandbox. Source: the Accept SDK integration guide 1.6.182, revision history (135). The request
/// is this project's.
@Suite struct CashTests {
    private func operate(
        _ operation: AcceptOperationOnPayment, _ till: PayTill, _ hundredths: AcceptHundredths? = nil
    ) async throws(AcceptError) -> AcceptTransaction {
        var parameters = AcceptPaymentParameters()
        parameters.amount = hundredths
        return try await till.accept.requestOperationOnPaymentWithID(
            "A1", andAccessToken: till.token, config: ConfigurationTests.backend, operation: operation,
            paymentUpdateParameters: parameters)
    }

    @Test func S1_140_aBasketIsPaidInCash() async throws {
        let till = try await PayTill(chip())
        let payment = try await till.accept.startCashPayment(till.config())
        #expect(payment.isCash && payment.isAccepted)
        #expect(payment.uniqueId == "A1" && payment.amount == 1000 && payment.items.count == 1)
        #expect(payment.cardNumber.isEmpty && payment.cardType.isEmpty)
        #expect(till.link.booked("A1") == 1000)
        // No terminal has a part in it.
        #expect(till.terminals.amounts.isEmpty)
        #expect(try await till.accept.status(of: "A1").state == .approved)
        // A repeated call is the same payment.
        #expect(try await till.accept.startCashPayment(till.config()) == payment)
        #expect(till.link.paymentCount == 1)
        #expect(try await !PayTill(chip()).pay().isCash)
    }

    @Test func S1_140_theStepsOfCashComeBeforeItsEnd() async throws {
        let till = try await PayTill(chip())
        let steps = Lock<[AcceptStateUpdate]>([])
        let (results, end) = AsyncStream<AcceptTransaction?>.makeStream()
        till.accept.startCashPayment(
            till.config(),
            completion: { payment, _ in
                #expect(steps.withLock { $0 } == [.onlineProcessingData])
                end.yield(payment)
                end.finish()
            }, progress: { step in steps.withLock { $0.append(step) } })
        for await payment in results { #expect(payment?.isCash == true) }
        // Nothing is shown of a payment that does not begin.
        var config = till.config(1000, "A2")
        config.transactionType = .authorize
        _ = await failure { [config] () throws(AcceptError) in
            try await till.accept.startCashPayment(config) { step in steps.withLock { $0.append(step) } }
        }
        #expect(steps.withLock { $0.count } == 1)
    }

    @Test func cashIsRefundedAndReversed() async throws {
        let till = try await PayTill(chip())
        _ = try await till.accept.startCashPayment(till.config())
        #expect(try await operate(.refund, till, 300).bookedAmount == 700)
        let refused = await failure { () throws(AcceptError) in try await operate(.reverse, till) }
        #expect(refused?.code == .operationNotAllowed)
        let other = try await PayTill(chip())
        _ = try await other.accept.startCashPayment(other.config())
        #expect(try await operate(.reverse, other).status == .reversed)
        #expect(other.link.booked("A1") == 0)
    }

    @Test func aSaleIsPaidOnceInCashOrByCard() async throws {
        let till = try await PayTill(chip())
        var config = till.config()
        config.saleIdentifier = "order-17"
        _ = try await till.accept.startCashPayment(config)
        config.basket.transactionUniqueId = "A2"
        let card = await failure { [config] () throws(AcceptError) in try await till.pay(config) }
        #expect(card?.code == .operationNotAllowed)
        let cash = await failure { [config] () throws(AcceptError) in try await till.accept.startCashPayment(config) }
        #expect(cash?.code == .operationNotAllowed)
        #expect(till.link.paymentCount == 1)
    }

    @Test func cashWithoutAnAnswerIsClearedUp() async throws {
        let till = try await PayTill(chip())
        till.link.plan("status-after=500", "payments.json")
        let lost = await failure { () throws(AcceptError) in try await till.accept.startCashPayment(till.config()) }
        #expect(lost?.code == .pay(.responseLost))
        let reports = till.service.reports
        if try await till.accept.status(of: "A1").state == .unknown {
            for await report in reports where report.state.isFinal { break }
        }
        #expect(try await till.accept.status(of: "A1").state == .approved)
        #expect(till.link.booked("A1") == 1000 && till.link.paymentCount == 1)
    }

    @Test func cashThatIsNotBookedHasItsError() async throws {
        let till = try await PayTill(chip())
        // Above the merchant's limit.
        let refused = await failure { () throws(AcceptError) in
            try await till.accept.startCashPayment(till.config(500_001))
        }
        #expect(refused?.code == .pay(.transactionNotApproved))
        var config = till.config(1000, "A2")
        config.transactionType = .authorize
        let authorised = await failure { [config] () throws(AcceptError) in
            try await till.accept.startCashPayment(config)
        }
        #expect(authorised?.code == .common(.unsupportedFeature))
        till.clock.advance(by: .seconds(900))
        let late = await failure { () throws(AcceptError) in
            try await till.accept.startCashPayment(till.config(1000, "A3"))
        }
        #expect(late?.code == .pay(.tokenExpired))
        #expect(till.link.paymentCount == 0)
    }
}
