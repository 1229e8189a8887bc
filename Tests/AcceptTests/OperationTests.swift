import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import Accept

/// Actions on payments at a sandbox. Source of the calls: the Accept SDK integration guide 1.6.182, chapter 3.3.
@Suite struct OperationTests {
    private let clock = ManualClock()
    private let link: SandboxLink
    private let accept: Accept
    private let service: PaymentService
    private let config = ConfigurationTests.backend

    init() throws {
        let (clock, link) = (clock, try SandboxLink(clock))
        let date: @Sendable () -> RecordedTime = {
            RecordedTime(seconds: (SandboxFixture.start + clock.now.offset).components.seconds, offset: 60)
        }
        self.link = link
        accept = Accept(clock: clock, date: date) { _ throws(AcceptError) in link }
        let tasks = AsyncStream<ReaderTask>.makeStream()
        service = PaymentService(
            host: AcceptWire.profile, wire: AcceptWire(), client: accept.paymentClient, journal: MemoryJournal(),
            clock: clock, date: date, reader: { tasks.continuation.yield($0) })
        accept.use(service)
        InsertedCard.answer(tasks.stream, of: service)
    }

    /// Logs in, and pays 10.00 EUR as attempt A1.
    private func pay(_ type: AcceptTransactionType = .purchase) async throws -> SecretText {
        let token = try await accept.requestAccessToken(
            "till-1", password: secret("till-1-password"), config: config)
        try await service.start()
        var payment = ConfigurationTests.payment(
            AcceptBasket(currencyAsISO4217Code: "EUR", items: [AcceptBasketItem(grossPrice: 1000)]))
        payment.transactionType = type
        let reports = service.reports
        _ = try await service.begin(
            payment.attemptRequest(for: SaleIdentifier(rawValue: "sale")!), identifier: attempt("A1"))
        for await report in reports where report.state.isFinal && report.outcome != nil { break }
        // The certificate of the card follows.
        while true {
            let (seen, activity) = (service.changes.count, await service.activity)
            if activity.requests == 0, !activity.isBusy { break }
            await service.changes.wait(after: seen)
        }
        return token.accessToken
    }

    private func operate(
        _ operation: AcceptOperationOnPayment, _ token: SecretText, on name: String = "A1",
        _ change: (inout AcceptPaymentParameters) -> Void = { _ in }
    ) async throws(AcceptError) -> AcceptTransaction {
        var parameters = AcceptPaymentParameters()
        change(&parameters)
        return try await accept.requestOperationOnPaymentWithID(
            name, andAccessToken: token, config: config, operation: operation, paymentUpdateParameters: parameters)
    }

    private func code(_ body: () async throws(AcceptError) -> Void) async -> AcceptError.Code? {
        do throws(AcceptError) {
            try await body()
            return nil
        } catch { return error.code }
    }

    // MARK: reversals of payments

    @Test func S1_70_anOperationReturnsThePaymentAfterIt() async throws {
        let token = try await pay()
        // The payment service uses the token of the user's login.
        #expect(link.logins == 1)
        let payment = try await operate(.reverse, token) { $0.note = "wrong goods" }
        #expect(payment.uniqueId == "A1")
        #expect(payment.status == .reversed)
        #expect(payment.transactionState == .reversed)
        #expect(payment.reversals.map(\.note) == ["wrong goods"])
        #expect(link.booked("A1") == 0)
    }

    @Test func S1_71_aReversalIsPossibleForADay() async throws {
        var token = try await pay()
        clock.advance(by: .seconds(86_399))
        token = try await accept.requestAccessToken("till-1", password: secret("till-1-password"), config: config)
            .accessToken
        clock.advance(by: .seconds(1))
        let paths = link.paths.count
        let late = await code { () throws(AcceptError) in _ = try await self.operate(.reverse, token) }
        #expect(late == .reversalTooLate)
        #expect(link.paths.dropFirst(paths) == ["/v3/payments/A1.json"])
        #expect(link.booked("A1") == 1000)
    }

    @Test func S1_71_aReversalInTheLastSecondIsMade() async throws {
        _ = try await pay()
        clock.advance(by: .seconds(86_398))
        let token = try await accept.requestAccessToken("till-1", password: secret("till-1-password"), config: config)
        #expect(try await operate(.reverse, token.accessToken).status == .reversed)
    }

    @Test func S1_76_aReversalSucceedsIfTheStateChanges() async throws {
        let token = try await pay()
        #expect(try await operate(.reverse, token).status == .reversed)
        let paths = link.paths.count
        // Again: the same answer, without another reversal.
        #expect(try await operate(.reverse, token).status == .reversed)
        #expect(link.paths.dropFirst(paths) == ["/v3/payments/A1.json"])
        #expect(link.payment("A1")["reversals"].map(Self.count) == 1)
    }

    private static func count(_ json: JSONValue) -> Int {
        guard case .array(let elements) = json else { return -1 }
        return elements.count
    }

    /// Waits until a request was sent, and the service waits for the clock alone.
    private func waitForIdleness(after path: String) async {
        while true {
            let seen = service.changes.count
            let (requests, isBusy) = await service.activity
            if link.paths.contains(path), requests == 0, !isBusy { return }
            await service.changes.wait(after: seen)
        }
    }

    /// Advances the clock until a reversal has ended, as the journal has it.
    private func waitForReversal() async throws {
        while try await accept.status(of: "A1").state != .reversed {
            let seen = service.changes.count
            let (requests, isBusy) = await service.activity
            if isBusy || (requests > 0 && link.active == 0) {
                await service.changes.wait(after: seen)
            } else if let wait = await service.untilDeadline {
                clock.advance(by: max(wait, .milliseconds(1)))
                await Task.yield()
            }
        }
    }

    @Test(arguments: ["silent-after", "cut=7", "garbled", "silent-before", "status=503"])
    func aReversalWithoutAnAnswerIsRepeatedUntilItIsMade(fault: String) async throws {
        let token = try await pay()
        link.plan(fault, "unique_ids/A1/reverse.json")
        let reversal = Task {
            await self.code { () throws(AcceptError) in _ = try await self.operate(.reverse, token) }
        }
        if fault.hasPrefix("silent") {
            // The lifetime of the token, the limits of the call and of the request, and the silence.
            await clock.sleepers(4)
            #expect(try await accept.status(of: "A1").state == .reversing)
            clock.advance(by: Accept.requestLimit)
        } else {
            // The answer is of no use, and the next attempt follows after a wait.
            await waitForIdleness(after: "/v3/unique_ids/A1/reverse.json")
            #expect(try await accept.status(of: "A1").state == .reversing)
            clock.advance(by: .seconds(5))
        }
        #expect(await reversal.value == (fault.hasPrefix("silent") ? .pay(.responseLost) : nil))
        try await waitForReversal()
        #expect(link.booked("A1") == 0)
        #expect(link.payment("A1")["reversals"].map(Self.count) == 1)
        #expect(try await operate(.reverse, token).status == .reversed)
        #expect(link.payment("A1")["reversals"].map(Self.count) == 1)
    }

    @Test func aReversalIsKnownToTheJournalAndTheSaleIsPaidAgain() async throws {
        let token = try await pay()
        _ = try await operate(.reverse, token)
        #expect(try await accept.status(of: "A1").state == .reversed)
        let refused = await code { () throws(AcceptError) in
            _ = try await self.operate(.refund, token) { $0.amount = 1 }
        }
        #expect(refused == .operationNotAllowed)
        let again = ConfigurationTests.payment(
            AcceptBasket(currencyAsISO4217Code: "EUR", items: [AcceptBasketItem(grossPrice: 1000)]))
        let begun = try await service.begin(
            again.attemptRequest(for: SaleIdentifier(rawValue: "sale")!), identifier: attempt("A2"))
        #expect(begun.state == .open)
    }

    @Test func aPaymentThatIsCapturedOrRefundedIsNotReversed() async throws {
        let token = try await pay()
        _ = try await operate(.refund, token) { $0.amount = 300 }
        let refused = await code { () throws(AcceptError) in _ = try await self.operate(.reverse, token) }
        #expect(refused == .operationNotAllowed)
        #expect(try await accept.status(of: "A1").state == .approved)
        #expect(link.booked("A1") == 700)
    }

    @Test func aReversalThatTheHostRefusesNeedsAPerson() async throws {
        let token = try await pay()
        // Another till has refunded a part, so that the host refuses.
        link.refund("A1", 300)
        let refused = await code { () throws(AcceptError) in _ = try await self.operate(.reverse, token) }
        #expect(refused == .needsAttention)
        #expect(await service.needingAttention.map(\.attempt) == [attempt("A1")])
        #expect(link.booked("A1") == 700)
        _ = try await service.attend(attempt("A1"), .paid, note: ReasonText("refunded elsewhere"))
        #expect(try await accept.status(of: "A1").state == .approved)
    }

    @Test func aReversalThatWasMadeElsewhereReachesTheJournal() async throws {
        let token = try await pay()
        link.reverse("A1")
        #expect(try await accept.status(of: "A1").state == .approved)
        #expect(try await operate(.reverse, token).status == .reversed)
        #expect(try await accept.status(of: "A1").state == .reversed)
        #expect(link.payment("A1")["reversals"].map(Self.count) == 1)
    }

    // MARK: refunds and captures of payments

    @Test func S1_72_aRefundReturnsTheWholePayment() async throws {
        let token = try await pay()
        let payment = try await operate(.refund, token)
        #expect(payment.status == .refunded)
        #expect(payment.refunds.map(\.amount) == [1000])
        #expect(payment.bookedAmount == 0)
        #expect(link.booked("A1") == 0)
    }

    @Test func S1_108_aPaymentHasItsRefundsAndReversals() async throws {
        let token = try await pay()
        var payment = try await operate(.refund, token) { $0.amount = 300 }
        #expect(payment.refunds.map(\.amount) == [300])
        #expect(payment.bookedAmount == 700)
        payment = try await operate(.refund, token) { $0.amount = 100 }
        #expect(payment.refunds.map(\.amount) == [300, 100])
        let tooMuch = await code { () throws(AcceptError) in
            _ = try await self.operate(.refund, token) { $0.amount = 601 }
        }
        #expect(tooMuch == .amountExceeded)
        // Without an amount: all that is left.
        payment = try await operate(.refund, token)
        #expect(payment.refunds.map(\.amount) == [300, 100, 600])
        #expect(payment.status == .refunded)
        #expect(payment.reversals.isEmpty)
        let nothing = await code { () throws(AcceptError) in _ = try await self.operate(.refund, token) }
        #expect(nothing == .amountInvalid)
    }

    @Test(arguments: [AcceptTransactionType.authorize, .preauthorize])
    func S1_75_aCaptureTakesTheMoneyOfAnAuthorisation(type: AcceptTransactionType) async throws {
        let token = try await pay(type)
        #expect(link.booked("A1") == 0)
        let early = await code { () throws(AcceptError) in _ = try await self.operate(.refund, token) { $0.amount = 1 }
        }
        #expect(early == .operationNotAllowed)
        let payment = try await operate(.capture, token) { $0.amount = 800 }
        #expect(payment.status == .approved)
        #expect(link.booked("A1") == 800)
        let again = await code { () throws(AcceptError) in _ = try await self.operate(.capture, token) { $0.amount = 1 }
        }
        #expect(again == .operationNotAllowed)
        let tooMuch = await code { () throws(AcceptError) in
            _ = try await self.operate(.refund, token) { $0.amount = 801 }
        }
        #expect(tooMuch == .amountExceeded)
        #expect(try await operate(.refund, token).bookedAmount == 0)
    }

    @Test func aPurchaseIsNotCaptured() async throws {
        let token = try await pay()
        let refused = await code { () throws(AcceptError) in _ = try await self.operate(.capture, token) }
        #expect(refused == .operationNotAllowed)
        #expect(link.booked("A1") == 1000)
    }

    @Test func aRepeatedRefundWithItsIdentifierIsMadeOnce() async throws {
        let token = try await pay()
        for _ in 0..<2 {
            let payment = try await operate(.refund, token) {
                $0.amount = 300
                $0.operationId = "R1"
            }
            #expect(payment.refunds.map(\.amount) == [300])
        }
        let other = await code { () throws(AcceptError) in
            _ = try await self.operate(.refund, token) {
                $0.amount = 200
                $0.operationId = "R1"
            }
        }
        #expect(other == .identifierUsed)
        #expect(link.booked("A1") == 700)
    }

    @Test func aRefundWhoseOutcomeIsUnknownIsClearedUp() async throws {
        let token = try await pay()
        link.plan("status-after=500", "A1/refund.json")
        let lost = await code { () throws(AcceptError) in
            _ = try await self.operate(.refund, token) {
                $0.amount = 300
                $0.operationId = "R1"
            }
        }
        #expect(lost == .pay(.responseLost))
        let reports = service.reports
        if try await accept.status(of: "R1").state == .unknown {
            for await report in reports where report.attempt == attempt("R1") && report.state.isFinal { break }
        }
        #expect(try await accept.status(of: "R1").state == .approved)
        #expect(link.booked("A1") == 700)
    }

    // MARK: receipts and signatures

    @Test func S1_73_aReceiptIsSentByMailOrElseBySMS() async throws {
        let token = try await pay()
        let payment = try await operate(.receipt, token) {
            $0.receiptRequested = true
            $0.customerEmail = "asd@asd.com"
            $0.customerPhone = "987654321"
        }
        #expect(payment.receiptRequested)
        _ = try await operate(.receipt, token) {
            $0.receiptRequested = true
            $0.customerPhone = "+49 (89) 4424-1000"
        }
        #expect(link.messages.map(\.kind) == [.receipt, .receipt])
        #expect(link.messages.map(\.address) == ["asd@asd.com", "+498944241000"])
    }

    @Test func S1_74_aMalformedAddressIsNotSent() async throws {
        let token = try await pay()
        let paths = link.paths.count
        for (email, phone) in [("asd", "987654321"), ("", ""), ("", "12"), ("a@b", "")] {
            let refused = await code { () throws(AcceptError) in
                _ = try await self.operate(.receipt, token) {
                    $0.receiptRequested = true
                    $0.customerEmail = email
                    $0.customerPhone = phone
                }
            }
            #expect(refused == .contactInvalid)
        }
        let unwanted = await code { () throws(AcceptError) in
            _ = try await self.operate(.receipt, token) { $0.customerEmail = "asd@asd.com" }
        }
        #expect(unwanted == .contactInvalid)
        #expect(link.paths.count == paths)
    }

    @Test func aSignatureIsAddedAfterACompletion() async throws {
        let token = try await pay()
        _ = try await operate(.signatureUpdate, token) { $0.signatureImage = [0x89, 0x50, 0x4E, 0x47] }
        #expect(link.payment("A1")["sandbox"]?["has_signature"] == .flag(true))
        let empty = await code { () throws(AcceptError) in _ = try await self.operate(.signatureUpdate, token) }
        #expect(empty == .pay(.signatureRequest))
        let other = await code { () throws(AcceptError) in
            _ = try await self.operate(.confirmResponseReceived, token)
        }
        #expect(other == .common(.unsupportedFeature))
    }

    // MARK: errors of operations

    @Test(arguments: AcceptOperationOnPayment.allCases.filter { $0 != .confirmResponseReceived })
    func anUnknownPaymentIsAnError(operation: AcceptOperationOnPayment) async throws {
        let token = try await pay()
        for name in ["A2", "", "a b", "search", "x.json", "../user"] {
            let failed = await code { () throws(AcceptError) in
                _ = try await self.operate(operation, token, on: name) {
                    $0.receiptRequested = true
                    $0.customerEmail = "asd@asd.com"
                    $0.signatureImage = [1]
                }
            }
            #expect(failed == .paymentNotFound, "\(name)")
        }
        #expect(link.booked("A1") == 1000)
    }

    @Test func anExpiredTokenIsAnErrorOfItsOwn() async throws {
        let token = try await pay()
        link.plan("token-expired", "A1.json")
        do throws(AcceptError) {
            _ = try await operate(.reverse, token)
            Issue.record("it was reversed")
        } catch {
            #expect(error.code == .pay(.tokenExpired))
            #expect(error.isTokenExpired)
        }
        #expect(link.booked("A1") == 1000)
    }

    @Test func withoutAPaymentServiceThereAreNoRefunds() async throws {
        let token = try await pay()
        let link = link
        let other = Accept(clock: clock) { _ throws(AcceptError) in link }
        let failed = await code { () throws(AcceptError) in
            _ = try await other.requestOperationOnPaymentWithID(
                "A1", andAccessToken: token, config: self.config, operation: .refund)
        }
        #expect(failed == .notRunning)
        let status = await code { () throws(AcceptError) in _ = try await other.status(of: "A1") }
        #expect(status == .notRunning)
        // Without a date of the till the host decides on a reversal.
        let payment = try await other.requestOperationOnPaymentWithID(
            "A1", andAccessToken: token, config: config, operation: .reverse)
        #expect(payment.status == .reversed)
    }

    @Test func aRequestThatTheHostsFormatCannotExpressNamesItsCause() {
        let error = OperationRules.error(DeskRefusal(.notWritable, reason: ReasonText("no such detail")))
        #expect(error.code == .configurationInvalid && error.message == "no such detail")
    }

    @Test func beforeALoginNoRequestOfTheJournalIsSent() async {
        do throws(HTTPFailure) {
            _ = try await accept.paymentClient.send(HTTPRequest(.get, "/v3/user.json"), limit: .seconds(1))
            Issue.record("it was sent")
        } catch {
            #expect(error.code == .notLoggedIn)
            #expect(error.isCertainlyNotSent)
        }
        #expect(link.paths.isEmpty)
    }

    // MARK: views of payments

    @Test func S1_131_aCardNumberKeepsTheFirstSixDigits() async throws {
        let token = try await pay()
        let payment = try await operate(.reverse, token)
        #expect(payment.cardNumber == "999999******0014")
        #expect(AcceptTransaction.masked("4111111111111111") == "411111******1111")
        #expect(AcceptTransaction.masked("4111-1111-1111-1111") == "4111-11**-****-1111")
        // The form of the guide's receipt, chapter 4.
        #expect(AcceptTransaction.masked("XXXX-XXXX-XXXX-0465") == "XXXX-XXXX-XXXX-0465")
        #expect(AcceptTransaction.masked("12345678") == "****5678")
        #expect(AcceptTransaction.masked("") == "")
        #expect(!"\(payment)".contains("0014"))
    }

    @Test func aDeclinedPaymentHasTheHostsCodeAndText() throws {
        let text = #"""
            {"unique_id":"A1","state":"rejected","amount":1000,"currency":"EUR","error_code":"51",
            "error_message":"insufficient funds","card_number":"4111111111111111"}
            """#
        let payment = try AcceptTransaction(body(text), of: "A1")
        #expect(payment.errorCode == "51")
        #expect(payment.technicalMessage == "insufficient funds")
        #expect(payment.transactionState == .declined)
        #expect(!payment.isAccepted)
        #expect(payment.cardNumber == "411111******1111")
        #expect(throws: AcceptError.self) { try AcceptTransaction(body(text), of: "A2") }
    }

    @Test(
        arguments: [
            ("2016-01-28T15:47:07+01:00", 1_453_992_427), ("2016-01-28T14:47:07Z", 1_453_992_427),
            ("2016-01-28T14:47:07.123Z", 1_453_992_427), ("2016-01-28T09:17:07-0530", 1_453_992_427),
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:60Z", 951_868_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Int64)])
    func timesAreRead(text: String, seconds: Int64) { #expect(TransactionTime.seconds(text) == seconds) }

    @Test(arguments: [
        "", "2016-01-28", "2016-01-28T14:47:07", "2016-13-28T14:47:07Z", "2016-01-28 14:47:07Z", "2016-01-28T24:47:07Z",
        "2016-01-28T14:47:07+1", "2016-01-28T14:47:07.Z1", "1969-12-31T23:59:59Z", "2016-01-28T14:47:07+19:00",
    ])
    func otherTextsAreNoTimes(text: String) { #expect(TransactionTime.seconds(text) == nil) }
}
