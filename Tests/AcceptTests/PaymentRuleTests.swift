import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import Accept

/// Rules of payments and of operations on them: whole reversals, one host, ends of cancellations, swipes with enciphered data.
@Suite struct PaymentRuleTests {
    private static func operate(
        _ operation: AcceptOperationOnPayment, _ till: PayTill, on name: String = "A1",
        _ change: (inout AcceptPaymentParameters) -> Void = { _ in }
    ) async throws(AcceptError) -> AcceptTransaction {
        var parameters = AcceptPaymentParameters()
        change(&parameters)
        return try await till.accept.requestOperationOnPaymentWithID(
            name, andAccessToken: till.token, config: ConfigurationTests.backend, operation: operation,
            paymentUpdateParameters: parameters)
    }

    // MARK: reversals

    @Test func aReversalTakesTheWholePaymentBack() async throws {
        let till = try await PayTill(chip())
        _ = try await till.pay()
        let part = await failure { () throws(AcceptError) in try await Self.operate(.reverse, till) { $0.amount = 100 }
        }
        #expect(part?.code == .amountInvalid)
        #expect(till.link.booked("A1") == 1000)
        let whole = try await Self.operate(.reverse, till) { $0.amount = 1000 }
        #expect(whole.status == .reversed)
    }

    /// The host has not received the payment, and the journal does not know that.
    @Test func aPaymentThatTheHostDoesNotKnowIsReversed() async throws {
        let till = try await PayTill(chip())
        till.link.plan("silent-before", "payments.json")
        till.link.plan("status=503", "A1/reverse.json")
        let run = till.accept.startPay(till.config())
        await till.terminals.received { $0 == .askHost || $0 == .processCard }
        // The lifetime of the token, the limit of the payment flow, and that of the request.
        await till.clock.sleepers(3)
        till.clock.advance(by: AcceptWire.profile.answerLimit)
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .pay(.responseLost))
        let reversal = Task { () throws(AcceptError) in try await Self.operate(.reverse, till) }
        let reports = till.service.reports
        if try await till.accept.status(of: "A1").state != .reversed {
            till.clock.advance(by: .seconds(5))
            for await report in reports where report.state == .reversed { break }
        }
        let reversed = try await reversal.value
        #expect(reversed.uniqueId == "A1")
        #expect(reversed.status == .reversed)
        #expect(reversed.amount == 1000)
        #expect(till.link.booked("A1") == 0)
    }

    /// Another till has the payment, so that the reversal is a request of its own.
    @Test(arguments: ["status-after=500", "status-after=503"])
    func aReversalWithoutAClearAnswerIsNotKnown(fault: String) async throws {
        let till = try await PayTill(chip())
        _ = try await till.pay()
        let link = till.link
        let other = Accept(clock: till.clock) { _ throws(AcceptError) in link }
        let token = try await other.requestAccessToken(
            "till-1", password: secret("till-1-password"), config: ConfigurationTests.backend
        ).accessToken
        link.plan(fault, "payments/A1/reverse.json")
        let error = await failure { () throws(AcceptError) in
            try await other.requestOperationOnPaymentWithID(
                "A1", andAccessToken: token, config: ConfigurationTests.backend, operation: .reverse)
        }
        #expect(error?.code == .pay(.responseLost))
        #expect(till.link.booked("A1") == 0)
    }

    @Test func aLostRefundNamesItsAttempt() async throws {
        let till = try await PayTill(chip())
        _ = try await till.pay()
        till.link.plan("status-after=500", "A1/refund.json")
        let error = await failure { () throws(AcceptError) in try await Self.operate(.refund, till) { $0.amount = 300 }
        }
        #expect(error?.code == .pay(.responseLost))
        let name = try #require(error?.attempt)
        #expect(try await till.accept.status(of: name).attempt.rawValue == name)
    }

    // MARK: one host for a journal

    @Test func paymentsStayWithTheHostOfTheFirstLogin() async throws {
        let till = try await PayTill(chip())
        let other = AcceptDataServiceConfig(
            url: "https://other.example.com", clientId: "jackdaw", clientSecret: secret("jackdaw-secret"))
        _ = try await till.accept.requestAccessToken("till-1", password: secret("till-1-password"), config: other)
        var config = till.config()
        config.backendConfig = other
        let error = await failure { [config] () throws(AcceptError) in try await till.pay(config) }
        #expect(error?.code == .configurationInvalid)
        #expect(till.link.paymentCount == 0)
        #expect(try await till.pay().isAccepted)
    }

    @Test func aNewPasswordEndsTheTokenAndServesThePaymentService() async throws {
        let till = try await PayTill(chip())
        let new = secret("new-password")
        try await till.accept.changePasswordForToken(
            till.token, newPassword: new, reNewPassword: new, config: ConfigurationTests.backend)
        #expect(!till.accept.isValid(till.token))
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.tokenExpired))
        let logins = till.link.logins
        let answer = try await till.accept.paymentClient.send(
            HTTPRequest(.get, "/v3/user.json", headers: AcceptWire.headers), limit: .seconds(30))
        #expect(answer.status == 200)
        #expect(till.link.logins == logins + 1)
    }

    /// A till whose payments are all declined makes no other requests by the user's token.
    @Test func thePaymentServiceUsesTheTokenToo() async throws {
        let till = try await PayTill(chip())
        for _ in 0..<3 {
            till.clock.advance(by: .seconds(600))
            let answer = try await till.accept.paymentClient.send(
                HTTPRequest(.get, "/v3/user.json", headers: AcceptWire.headers), limit: .seconds(30))
            #expect(answer.status == 200)
            #expect(till.accept.isValid(till.token))
        }
    }

    // MARK: ends of cancellations, and the signature

    @Test func aPaymentIsCancelledWhileItsTerminalIsOpened() async throws {
        let till = try await PayTill(chip())
        till.terminals.hold()
        let run = till.accept.startPay(till.config())
        #expect(await run.cancel())
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .pay(.transactionTerminated))
        #expect(error?.decline == nil)
        #expect(await !run.cancel())
        till.terminals.release()
        while till.terminals.closed == 0 { await till.terminals.changes.wait(after: till.terminals.changes.count) }
        #expect(till.terminals.actions.isEmpty)
        let unknown = await #expect(throws: AcceptError.self) { try await till.accept.status(of: "A1") }
        #expect(unknown?.code == .paymentNotFound)
        #expect(till.link.paymentCount == 0)
    }

    /// The host is silent after it has approved, and the merchant is asked all the same.
    @Test func theMerchantComparesASignatureWithoutTheHost() async throws {
        let signed: [String: [AcceptTerminalEvent]] = ["approved": [.payment(.secondTCWithSignature)]]
        let till = try await PayTill(chip(1000, signed))
        till.link.plan("silent-before", "payments/A1.json")
        let compared = Lock<AcceptTransaction?>(nil)
        let handlers = AcceptPaymentHandlers(
            signature: { $0.signatureCallback([1], nil) },
            signatureVerification: { payment, decide in
                compared.withLock { $0 = payment }
                decide(.approved)
            })
        let run = till.accept.startPay(till.config(), handlers: handlers)
        await till.terminals.received { $0 == .end(.approved) }
        #expect(compared.withLock { $0?.uniqueId } == "A1")
        #expect(compared.withLock { $0?.amount } == 1000)
        await till.clock.sleepers(2)
        till.clock.advance(by: Accept.requestLimit)
        #expect(try await run.result().isAccepted)
    }

    // MARK: swipes, tips, descriptions

    /// The wire cannot read enciphered data, and takes the way from the payment flow.
    @Test func aSwipeWithEncipheredDataIsSigned() throws {
        let sale = try AttemptRequest(
            sale: SaleIdentifier(rawValue: "sale")!, kind: .purchase,
            amount: Amount(minorUnits: 1000, currencyCode: 978))
        var record = AttemptRecord(attempt("A1"), sale, on: RecordedTime(seconds: 1_453_992_427, offset: 60))
        for (entry, mode) in [(CardEntry.swipe, "90"), (.chip, "05"), (.tap, "07")] {
            var flow = PaymentJournal()
            flow.entry = entry
            record.flow = flow
            let request = HostRequest(.authorise, record, octets: body("enciphered"))
            let form = text(try AcceptWire().encode(request).body)
            #expect(form.contains("pos_entry_mode%5D=\(mode)"), "\(form)")
            let answer = HTTPAnswer(
                status: 200, headers: [],
                body: body(
                    #"{"unique_id":"A1","state":"approved","amount":1000,"currency":"EUR","transaction_type":"purchase"}"#
                ))
            guard case .approved(let approval) = try AcceptWire().decode(answer, to: request) else {
                Issue.record("\(entry)")
                continue
            }
            #expect(approval.needsSignature == (entry == .swipe))
        }
    }

    @Test func aTipOfNetPricesIsSentWithoutItsTax() throws {
        var basket = AcceptBasket(
            currencyAsISO4217Code: "EUR", items: [AcceptBasketItem(grossPrice: 1000)], netTaxation: .net)
        basket.addTip(100, taxRate: 1900)
        #expect(try basket.details().first { $0.name == "tip" }?.value == "100")
        basket.netTaxation = .gross
        #expect(try basket.details().first { $0.name == "tip" }?.value == "100")
    }

    @Test func eventsAndEffectsHideTheCard() throws {
        let event = AcceptTerminalEvent.card(accountNumber("4111111111111111"), name: "A. N. OTHER")
        let effect = AcceptPayEffect.askSignature(
            cardHolder: "A. N. OTHER", maskedPAN: "411111******1111", cardType: "visa", request: 1)
        var dumped = ""
        dump(event, to: &dumped)
        dump(effect, to: &dumped)
        for text in ["\(event)", "\(effect)", String(reflecting: event), String(reflecting: effect), dumped] {
            #expect(!text.contains("OTHER") && !text.contains("4111111111111111"), "\(text)")
        }
    }
}
