import JackdawCards
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Actions on a payment. Paths, `note` and `fnc_type` are those of the Android archive; the limit of 24 hours is that
/// of the Accept SDK integration guide 1.6.182, 3.3. Identifiers and amounts of actions are this project's.
@Suite struct SandboxOperationTests {
    // MARK: reversals

    @Test func aReversalTakesThePaymentBackOnce() throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a")
        let first = fixture.act("reverse", "a", "note=wrong&fnc_type=technical")
        #expect(first.status == 200)
        #expect(first.state == "reversed")
        #expect(first.booked == 0)
        #expect(first.json["reversible"] == .flag(false))
        fixture.now += .seconds(5)
        #expect(fixture.act("reverse", "a").body == first.body)
        #expect(fixture.sandbox.issuer.ledger.held == 0)
        #expect(fixture.act("refund", "a").error == "reversed")
        // The payment again is reported as it is now.
        fixture.now = SandboxFixture.start
        #expect(fixture.pay("a").state == "reversed")
        guard case .array(let reversals)? = first.json["reversals"] else {
            Issue.record("no reversals")
            return
        }
        #expect(reversals.count == 1)
        #expect(reversals.first?["note"] == .text("wrong"))
        #expect(reversals.first?["triggered_by"] == .text("1"))
    }

    @Test(arguments: [(86_399, 200), (86_400, 422)])
    func aReversalIsPossibleFor24Hours(_ seconds: Int, _ status: Int) throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a")
        fixture.now += .seconds(seconds)
        fixture.logIn()
        let reply = fixture.act("reverse", "a")
        #expect(reply.status == status)
        if status == 422 {
            #expect(reply.error == "too_late")
            #expect(fixture.close("a").error == "too_late")
            #expect(fixture.status("a").state == "approved")
        }
    }

    @Test func aReversalOfALateAuthorisationClosesItsIdentifier() throws {
        var fixture = try SandboxFixture.loggedIn()
        #expect(fixture.act("reverse", "a").status == 404)
        let closed = fixture.close("a")
        #expect(closed.status == 200)
        #expect(closed.state == "reversed")
        #expect(closed.booked == 0)
        #expect(fixture.close("a").body == closed.body)
        let late = fixture.pay("a")
        #expect(late.status == 201)
        #expect(late.state == "rejected")
        #expect(late.json["error_code"] == .text("closed"))
        #expect(fixture.sandbox.issuer.ledger.entries.isEmpty)
        #expect(fixture.pay("a").body == late.body)
        #expect(fixture.close("a").state == "rejected")
        #expect(fixture.status("a").state == "rejected")
    }

    @Test func anIdentifierOfARejectedPaymentHasNothingToTakeBack() throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a", 5105)
        #expect(fixture.act("reverse", "a").error == "not_approved")
        let closed = fixture.close("a")
        #expect(closed.status == 200)
        #expect(closed.state == "rejected")
        #expect(closed.booked == 0)
    }

    @Test(arguments: ["fnc_type=x", "note[]=x", "fnc_type[a]=technical"])
    func otherReversalsAreRefused(_ form: String) throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a")
        #expect(fixture.act("reverse", "a", form).status == 422)
        #expect(fixture.status("a").state == "approved")
    }

    // MARK: refunds

    @Test func refundsAreLimitedByWhatWasCaptured() throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a")
        #expect(fixture.act("refund", "a", "amount=1001").error == "amount_too_high")
        #expect(fixture.act("refund", "a", "amount=0").status == 422)
        let part = fixture.act("refund", "a", "amount=400&unique_id=r1&note=broken")
        #expect(part.state == "approved")
        #expect(part.booked == 600)
        #expect(fixture.act("refund", "a", "amount=601").error == "amount_too_high")
        #expect(fixture.act("reverse", "a").error == "refunded")
        let rest = fixture.act("refund", "a", "unique_id=r2")
        #expect(rest.state == "refunded")
        #expect(rest.booked == 0)
        #expect(fixture.act("refund", "a").error == "refunded")
        #expect(fixture.sandbox.issuer.ledger.captured == 0)
        guard case .array(let refunds)? = rest.json["refunds"] else {
            Issue.record("no refunds")
            return
        }
        #expect(refunds.map { $0["amount"] } == [.number(400), .number(600)])
    }

    @Test func aRefundWithAnIdentifierIsBookedOnce() throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a")
        fixture.pay("b", counter: 2)
        let first = fixture.act("refund", "a", "amount=400&unique_id=r")
        #expect(fixture.act("refund", "a", "amount=400&unique_id=r").body == first.body)
        #expect(fixture.act("refund", "a", "unique_id=r").body == first.body)
        #expect(fixture.act("refund", "a", "amount=401&unique_id=r").error == "unique_id_used")
        #expect(fixture.act("refund", "b", "amount=400&unique_id=r").error == "unique_id_used")
        #expect(fixture.act("refund", "b", "amount=400&unique_id=a").error == "unique_id_used")
        #expect(fixture.pay("r", counter: 3).error == "unique_id_used")
        let status = fixture.status("r")
        #expect(status.json["sandbox"]?["operation"]?["kind"] == .text("refund"))
        #expect(status.json["sandbox"]?["operation"]?["amount"] == .number(400))
        #expect(status.booked == 600)
    }

    @Test func aRefundIsTakenBackByItsIdentifier() throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a")
        fixture.act("refund", "a", "amount=400&unique_id=r")
        let taken = fixture.close("r")
        #expect(taken.booked == 1000)
        #expect(taken.json["sandbox"]?["operation"]?["reversed"] == .flag(true))
        #expect(fixture.close("r").body == taken.body)
        #expect(fixture.status("a").state == "approved")
        // Closed before it came: it is never booked.
        #expect(fixture.close("late").status == 200)
        #expect(fixture.act("refund", "a", "amount=1&unique_id=late").error == "closed")
        #expect(fixture.status("a").booked == 1000)
    }

    @Test func aRejectedPaymentIsNotRefunded() throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a", 5105)
        #expect(fixture.act("refund", "a").error == "not_approved")
        #expect(fixture.act("refund", "no").status == 404)
    }

    // MARK: captures

    @Test(arguments: [("authorize", "authorized"), ("preauthorize", "preauthorized")])
    func anAuthorisationIsCapturedOnce(_ type: String, _ state: String) throws {
        var fixture = try SandboxFixture.loggedIn()
        let paid = fixture.pay("a", more: "payment[transaction_type]=\(type)")
        #expect(paid.state == state)
        #expect(paid.booked == 0)
        #expect(paid.json["capturable"] == .flag(true))
        #expect(fixture.act("refund", "a").error == "not_captured")
        #expect(fixture.act("capture", "a", "amount=1001").error == "amount_too_high")
        let captured = fixture.act("capture", "a", "amount=700&unique_id=c")
        #expect(captured.state == "approved")
        #expect(captured.booked == 700)
        #expect(fixture.act("capture", "a", "unique_id=c").body == captured.body)
        #expect(fixture.act("capture", "a").error == "captured")
        #expect(fixture.act("refund", "a", "amount=701").error == "amount_too_high")
        #expect(fixture.act("refund", "a").state == "refunded")
        #expect(fixture.sandbox.issuer.ledger.captured == 0)
    }

    @Test func aCaptureIsTakenBackByItsIdentifier() throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a", more: "payment[transaction_type]=authorize")
        fixture.act("capture", "a", "unique_id=c")
        #expect(fixture.close("c").state == "authorized")
        #expect(fixture.act("reverse", "a").state == "reversed")
        #expect(fixture.sandbox.issuer.ledger.held == 0)
        #expect(fixture.sandbox.issuer.ledger.captured == 0)
    }

    @Test func aPurchaseIsNotCapturedAgain() throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a")
        #expect(fixture.act("capture", "a").error == "captured")
    }

    // MARK: status

    @Test func theStatusOfAnUnknownIdentifierSaysWhetherItIsClosed() throws {
        var fixture = try SandboxFixture.loggedIn()
        let open = fixture.status("a")
        #expect(open.status == 200)
        #expect(open.json["state"] == .null)
        #expect(open.json["sandbox"] == .object(["booked": .number(0), "known": .flag(false), "closed": .flag(false)]))
        #expect(fixture.pay("a").state == "approved")
        var rules = SandboxRules()
        rules.closesUnknownIdentifiers = true
        fixture = try SandboxFixture.loggedIn("till-1", rules)
        #expect(fixture.status("a").json["sandbox"]?["closed"] == .flag(true))
        #expect(fixture.pay("a").state == "rejected")
    }

    @Test func identifiersInPathsArePercentDecoded() throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a%2Fb%25")
        #expect(fixture.status("a%2Fb%25").json["unique_id"] == .text("a/b%"))
        #expect(fixture.act("reverse", "a%2Fb%25").state == "reversed")
        for path in ["%", "%ZZ", "%FF", "%20", "", String(repeating: "a", count: 65)] {
            #expect(fixture.status(path).status == 404)
        }
    }

    // MARK: receipt, signature, certificate

    @Test func aReceiptGoesToTheAddressOrElseToThePhone() throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a")
        func update(_ form: String) -> SandboxFixture.Reply { fixture.send(.put, "payments/a.json", form) }
        let reply = update(
            "payment[receipt_requested]=true&payment[customer_email]=asd@asd.com&payment[customer_phone]=987654321")
        #expect(reply.json["receipt_requested"] == .flag(true))
        guard case .message(let message)? = reply.output.effects.first else {
            Issue.record("no message")
            return
        }
        // Address and phone number are the guide's, 3.3.
        #expect(message.address == "asd@asd.com")
        #expect(message.kind == .receipt)
        guard
            case .message(let other)? = update("payment[receipt_requested]=1&payment[customer_phone]=987654321").output
                .effects.first
        else {
            Issue.record("no message")
            return
        }
        #expect(other.address == "987654321")
        for form in [
            "payment[receipt_requested]=true", "payment[receipt_requested]=true&payment[customer_email]=asd",
            "payment[receipt_requested]=true&payment[customer_email]=a@b@c",
            "payment[receipt_requested]=true&payment[customer_phone]=12x45", "payment[x]=1", "payment=1", "",
        ] {
            #expect(update(form).status == 422)
        }
    }

    @Test func aSignatureIsCountedAndNotStored() throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a")
        let reply = fixture.send(.put, "payments/a.json", "payment[signature]=iVBORw0KGgo")
        #expect(reply.json["sandbox"]?["has_signature"] == .flag(true))
        #expect(fixture.sandbox.store.payment(1)?.signatureSize == 11)
        let large = String(repeating: "A", count: 65_537)
        #expect(fixture.send(.put, "payments/a.json", "payment[signature]=\(large)").status == 422)
    }

    // MARK: repetitions after a kill

    /// A sandbox that was killed after its books had an operation, and before the issuer was informed.
    private func killed(_ before: SandboxFixture, _ operation: (inout SandboxFixture) -> Void) -> SandboxFixture {
        var after = before
        operation(&after)
        var killed = before
        killed.sandbox = Sandbox(
            .ready, issuer: before.sandbox.issuer, store: after.sandbox.store, hashing: PlainTextHashing(),
            random: SeededRandom(seed: 2))
        killed.logIn()
        return killed
    }

    @Test func aRepeatedOperationInformsTheIssuer() throws {
        var paid = try SandboxFixture.loggedIn()
        paid.pay("a")
        for reverse in [{ $0.act("reverse", "a") }, { $0.close("a") }]
            as [(inout SandboxFixture) -> SandboxFixture.Reply]
        {
            var fixture = killed(paid) { _ = reverse(&$0) }
            #expect(fixture.sandbox.issuer.ledger.held == 1000)
            for _ in 0..<2 {
                #expect(reverse(&fixture).state == "reversed")
                #expect(fixture.sandbox.issuer.ledger.held == 0)
                #expect(fixture.sandbox.issuer.ledger.captured == 0)
            }
        }
        var reserved = try SandboxFixture.loggedIn()
        reserved.pay("b", more: "payment[transaction_type]=authorize")
        var fixture = killed(reserved) { $0.act("capture", "b", "unique_id=c") }
        #expect(fixture.sandbox.issuer.ledger.captured == 0)
        for _ in 0..<2 {
            fixture.act("capture", "b", "unique_id=c")
            #expect(fixture.sandbox.issuer.ledger.captured == 1000)
        }
        fixture = killed(fixture) { $0.act("refund", "b", "unique_id=r") }
        #expect(fixture.sandbox.issuer.ledger.captured == 1000)
        for _ in 0..<2 {
            fixture.act("refund", "b", "unique_id=r")
            #expect(fixture.sandbox.issuer.ledger.captured == 0)
        }
    }

    /// The certificate is the guide's, of the receipt of contact in chapter 4 (S1-81): 9F26, 9F27 and 9F36 in BER-TLV.
    /// Its counter is 10, which the payment's card must have as well.
    @Test func aCertificateMakesTheMoneyDue() throws {
        let certificate = "9f26085e94616bbbb7822b9f2701409f3602000a"
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a", counter: 10)
        fixture.pay("b", counter: 11)
        #expect(fixture.sandbox.issuer.ledger.captured == 0)
        let form = "payment[cnp_transaction_certificate]=\(certificate)"
        let reply = fixture.send(.put, "payments/a.json", form)
        #expect(reply.json["sandbox"]?["certificate"] == .text(certificate.uppercased()))
        #expect(fixture.sandbox.issuer.ledger.captured == 1000)
        #expect(fixture.send(.put, "payments/a.json", form).body == reply.body)
        #expect(fixture.send(.put, "payments/b.json", form).error == "certificate")
        #expect(fixture.send(.put, "payments/b.json", "payment[cnp_transaction_certificate]=9f26").status == 422)
        // A confirmed payment can be reversed as well.
        #expect(fixture.act("reverse", "a").state == "reversed")
        #expect(fixture.sandbox.issuer.ledger.captured == 0)
        #expect(fixture.send(.put, "payments/a.json", form).error == "not_approved")
    }
}
