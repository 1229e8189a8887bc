import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawSimulator
import JackdawTestSupport
import Testing

/// New payments. Keys of the request are those of the Android archive; the names of the callback's fields are those of
/// the Accept SDK integration guide 1.6.182, 3.2.1. The values are this project's: the guide has none.
@Suite struct SandboxPaymentTests {
    @Test func aPaymentIsBookedAtOnceAndAnsweredWhenTheIssuerAnswers() throws {
        var fixture = try SandboxFixture.loggedIn()
        let reply = fixture.pay("a")
        #expect(reply.status == 201)
        #expect(reply.due == SandboxFixture.start + .milliseconds(500))
        #expect(reply.state == "approved")
        #expect(reply.json["amount"] == .number(1000))
        #expect(reply.json["currency"] == .text("EUR"))
        #expect(reply.json["created_at"] == .text("2016-01-28T15:47:07+01:00"))
        #expect(reply.json["card_number"] == .text("999999******0014"))
        #expect(reply.json["aid"] == .text("A0000009990101"))
        #expect(reply.json["aid_label"] == .text("PLAIN"))
        #expect(reply.json["card_holder"] == .text("****/****"))
        #expect(reply.booked == 1000)
        // 8A 3030, then 91: the cryptogram and the issuer's answer.
        #expect(reply.json["sandbox"]?["issuer_response"] == .text("8A023030910AAC000000000000013030"))
        #expect(fixture.sandbox.store.paymentCount == 1)
        #expect(fixture.sandbox.issuer.ledger.held == 1000)
    }

    @Test func theSameIdentifierWithTheSameContentGivesTheSameAnswer() throws {
        var fixture = try SandboxFixture.loggedIn()
        let first = fixture.pay("a", more: "payment[items][][gross_price]=1000&payment[items][][note]=tea")
        fixture.now += .seconds(100)
        let second = fixture.pay("a", more: "payment[items][][gross_price]=1000&payment[items][][note]=tea")
        #expect(second.status == first.status)
        #expect(second.body == first.body)
        #expect(second.output.effects.isEmpty)
        #expect(fixture.sandbox.store.paymentCount == 1)
        #expect(fixture.sandbox.issuer.ledger.entries.count == 1)
    }

    @Test(arguments: [
        SandboxFixture.form("a", 1001), SandboxFixture.form("a", 1000, counter: 2),
        SandboxFixture.form("a", 1000, more: "payment[tip]=1"),
        SandboxFixture.form("a", 1000, more: "payment[transaction_type]=authorize"),
        SandboxFixture.form("a", 1000, more: "payment[items][][note]=x"),
        SandboxFixture.form("a", 1000, more: "payment[callback_url]=http://x"),
    ])
    func theSameIdentifierWithAnotherContentIsRefused(_ form: String) throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a")
        let reply = fixture.send(.post, "payments.json", form)
        #expect(reply.status == 409)
        #expect(reply.error == "unique_id_used")
        #expect(fixture.sandbox.store.paymentCount == 1)
    }

    @Test func eachMerchantHasItsOwnIdentifiers() throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a")
        fixture.logIn("other")
        #expect(fixture.status("a").json["sandbox"]?["known"] == .flag(false))
        #expect(fixture.act("reverse", "a").status == 404)
        #expect(fixture.pay("a", 1200, counter: 2).status == 201)
        #expect(fixture.status("a").json["amount"] == .number(1200))
    }

    @Test func aPaymentWithoutAnIdentifierGetsOne() throws {
        var fixture = try SandboxFixture.loggedIn()
        let form = SandboxFixture.form("a").replacing("payment[unique_id]=a&", with: "")
        let first = fixture.send(.post, "payments.json", form)
        let second = fixture.send(.post, "payments.json", form)
        #expect(first.json["unique_id"]?.text?.utf8.count == 32)
        #expect(first.json["unique_id"] != second.json["unique_id"])
    }

    @Test(arguments: [
        (UInt64(5105), "05", 500), (40_001, "01", 500), (90_001, "61", 500), (5195, "no_answer", 30_000),
        (5196, "no_answer", 30_000), (5197, "no_answer", 30_000), (5198, "unreachable", 500), (5199, "unreadable", 500),
    ])
    func anythingButAnApprovalInTimeIsRejectedAndHoldsNoMoney(_ amount: UInt64, _ code: String, _ delay: Int) throws {
        var fixture = try SandboxFixture.loggedIn()
        let reply = fixture.pay("a", amount)
        #expect(reply.status == 201)
        #expect(reply.state == "rejected")
        #expect(reply.json["error_code"] == .text(code))
        #expect(reply.due == SandboxFixture.start + .milliseconds(delay))
        #expect(reply.booked == 0)
        #expect(fixture.sandbox.issuer.ledger.held == 0)
        #expect(fixture.pay("a", amount).body == reply.body)
    }

    @Test func aSwipeIsPaidByItsTrack() throws {
        var fixture = try SandboxFixture.loggedIn()
        let form = SandboxFixture.form("a", card: "57119999990000000014D3012201123450000F")
        let reply = fixture.send(.post, "payments.json", form)
        #expect(reply.state == "approved")
        #expect(reply.json["card_number"] == .text("999999******0014"))
    }

    @Test func theCardsOwnApprovalIsTakenOnce() throws {
        var fixture = try SandboxFixture.loggedIn()
        let form = SandboxFixture.form("a", card: SandboxFixture.card(1000, type: 0x40))
        let reply = fixture.send(.post, "payments.json", form)
        #expect(reply.state == "approved")
        #expect(fixture.sandbox.issuer.ledger.captured == 1000)
        // The same transaction of the card under another identifier is a replay.
        let other = fixture.send(
            .post, "payments.json", SandboxFixture.form("b", card: SandboxFixture.card(1000, type: 0x40)))
        #expect(other.state == "rejected")
        #expect(other.json["error_code"] == .text("replayed"))
        #expect(fixture.act("reverse", "a").state == "reversed")
        #expect(fixture.sandbox.issuer.ledger.captured == 0)
    }

    @Test func aCallbackHasTheEighteenFieldsOfTheGuide() throws {
        var fixture = try SandboxFixture.loggedIn()
        let reply = fixture.pay("a", more: "payment[callback_url]=https://example.com/done")
        guard case .callback(let callback)? = reply.output.effects.first else {
            Issue.record("no callback")
            return
        }
        #expect(callback.url == "https://example.com/done")
        #expect(callback.due == reply.due)
        #expect(
            callback.fields.map(\.name) == [
                "unique_id", "guwid", "merchant_id", "user_id", "terminal_id", "terminal_sn", "amount", "currency",
                "created_at", "merchant_name", "card_brand", "card_number", "state", "error_code", "error_message",
                "aid_label", "aid", "card_holder",
            ])
        let values = Dictionary(uniqueKeysWithValues: callback.fields.map { ($0.name, $0.value) })
        #expect(values["unique_id"] == "a")
        #expect(values["amount"] == "1000")
        #expect(values["terminal_sn"] == "SN00000001")
        #expect(values["card_number"] == "999999******0014")
        #expect(values["state"] == "approved")
        let body = callback.body.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
        #expect(body.hasPrefix("unique_id=a&guwid=SANDBOX-"))
        #expect(body.contains("&card_number=999999%2A%2A%2A%2A%2A%2A0014&"))
        #expect(!"\(callback)".contains("0014"))
    }

    @Test(arguments: [
        "ftp://x", "https://a b", "javascript:1", "https://\u{1}", "x",
    ])
    func otherAddressesOfCallbacksAreRefused(_ url: String) throws {
        var fixture = try SandboxFixture.loggedIn()
        #expect(fixture.pay("a", more: "payment[callback_url]=\(url)").status == 422)
        #expect(fixture.sandbox.store.paymentCount == 0)
    }

    // MARK: payments in cash

    @Test func cashIsBookedWithoutTheIssuer() throws {
        var fixture = try SandboxFixture.loggedIn()
        let form = "payment[unique_id]=a&payment[amount]=1000&payment[currency]=EUR&payment[payment_method]=cash"
        let reply = fixture.send(.post, "payments.json", form)
        #expect(reply.status == 201 && reply.state == "approved" && reply.booked == 1000)
        #expect(reply.due == SandboxFixture.start)
        #expect(reply.json["payment_method"] == .text("cash"))
        #expect(reply.json["card_number"] == .text(""))
        #expect(fixture.send(.post, "payments.json", form).body == reply.body)
        #expect(fixture.act("refund", "a", "amount=400").booked == 600)
        #expect(fixture.act("refund", "a", "amount=600").state == "refunded")
        // No other content, and no certificate of a card.
        #expect(fixture.pay("a").status == 409)
        let certificate = SandboxFixture.card(1000, type: 0x40)
        let update = fixture.send(.put, "payments/a.json", "payment[cnp_transaction_certificate]=\(certificate)")
        #expect(update.status == 422)
        _ = fixture.send(.post, "payments.json", form.replacing("unique_id]=a", with: "unique_id]=b"))
        #expect(fixture.act("reverse", "b").state == "reversed")
        #expect(fixture.sandbox.issuer.ledger.held == 0)
        let store = try #require(fixture.sandbox.store as? MemorySandboxStore)
        #expect(try MemorySandboxStore(lines: store.lines).payment(2)?.isCash == true)
    }

    @Test(arguments: [
        "payment[payment_method]=cash&payment[raw_data]=5A089999990000000014",
        "payment[payment_method]=cash&payment[transaction_type]=authorize", "payment[payment_method]=cheque",
        "payment[payment_method]=card", "payment[payment_method]=",
    ])
    func otherMethodsAreRefused(form: String) throws {
        var fixture = try SandboxFixture.loggedIn()
        let reply = fixture.send(
            .post, "payments.json", "payment[unique_id]=a&payment[amount]=1000&payment[currency]=EUR&" + form)
        #expect(reply.status == 422)
        #expect(fixture.sandbox.store.paymentCount == 0)
    }

    /// Guide, 3.2: amounts are multiplied by 100. Decimals: ISO 4217.
    @Test(arguments: [
        ("EUR", "1050", UInt64?(1050)), ("JPY", "105000", 1050), ("JPY", "105050", nil), ("KWD", "1050", 10_500),
        ("EUR", "0", nil), ("EUR", "10.50", nil), ("EUR", "-1", nil), ("EUR", "1e3", nil), ("EUR", "", nil),
        ("EUR", "9999999999999999", nil), ("XXX", "1", nil), ("GBP", "1", nil),
    ])
    func amountsAreHundredthsOnTheWire(_ currency: String, _ amount: String, _ units: UInt64?) throws {
        var fixture = try SandboxFixture.loggedIn()
        let card = "5A089999990000000014"
        let reply = fixture.send(
            .post, "payments.json",
            "payment[unique_id]=a&payment[amount]=\(amount)&payment[currency]=\(currency)&payment[raw_data]=\(card)")
        #expect(fixture.sandbox.store.payment(1)?.facts.amount.minorUnits == units)
        #expect(reply.status == (units == nil ? 422 : 201))
        if units != nil { #expect(reply.json["amount"]?.number == Double(amount)) }
    }

    @Test(arguments: [
        "", "5A", "5A08999999000000001", "ZZ", "5A089999990000000014%00", "9F02", "99019F",
        SandboxFixture.card(999), SandboxFixture.card(1000, changes: [0x5F2A: "0840"]),
        SandboxFixture.card(1000) + SandboxFixture.card(1000), "9908000000000000000",
        String(repeating: "00", count: 5_000),
    ])
    func otherCardDataIsRefused(_ card: String) throws {
        var fixture = try SandboxFixture.loggedIn()
        let reply = fixture.send(.post, "payments.json", SandboxFixture.form("a", card: card))
        #expect(reply.status == 422)
        #expect(fixture.sandbox.store.paymentCount == 0)
    }

    /// The values are those of the Android archive.
    @Test func entryModesAreThoseOfTheSource() throws {
        var fixture = try SandboxFixture.loggedIn()
        for (number, mode) in ["00", "01", "02", "03", "04", "05", "07", "79", "80", "90", "91"].enumerated() {
            let form = SandboxFixture.form("\(mode)x", counter: number + 1).replacing("mode]=05", with: "mode]=\(mode)")
            #expect(fixture.send(.post, "payments.json", form).status == 201)
        }
        for mode in ["06", "5", "99", "055"] {
            let form = SandboxFixture.form("a").replacing("mode]=05", with: "mode]=\(mode)")
            #expect(fixture.send(.post, "payments.json", form).status == 422)
        }
    }

    @Test func furtherValuesComeBack() throws {
        var fixture = try SandboxFixture.loggedIn()
        let reply = fixture.pay(
            "a",
            more: "payment[tip]=100&payment[tip_tax_rate]=700&payment[net_taxation]=false&payment[note]=thank+you"
                + "&payment[sub_merchant][name]=Stall&payment[custom_fields][table]=7"
                + "&payment[items][][gross_price]=500&payment[items][][quantity]=2&payment[items][][tax_rate]=1900")
        #expect(reply.json["tip"] == .number(100))
        #expect(reply.json["tip_tax_rate"] == .text("700"))
        #expect(reply.json["note"] == .text("thank you"))
        #expect(reply.json["sub_merchant[name]"] == .text("Stall"))
        #expect(reply.json["custom_fields[table]"] == .text("7"))
        #expect(
            reply.json["items"]
                == .array([
                    .object([
                        "gross_price": .number(500), "quantity": .number(2), "tax_rate": .number(1900),
                        "note": .text(""),
                    ])
                ]))
        // The lengths are those of the Android archive.
        #expect(fixture.pay("b", more: "payment[sub_merchant][country]=DEU").status == 422)
    }

    @Test func theLimitsOfAMerchantHold() throws {
        var fixture = try SandboxFixture.loggedIn("other")
        #expect(fixture.pay("a", 99).error == "amount_lower_limit")
        #expect(fixture.pay("b", 20_001).error == "amount_upper_limit")
        #expect(fixture.pay("c", 20_000).state == "approved")
        #expect(fixture.pay("d", 20_000, counter: 2).state == "approved")
        #expect(fixture.pay("e", 10_001, counter: 3).error == "amount_daily_limit")
        #expect(fixture.pay("e", 10_000, counter: 3).state == "approved")
        #expect(fixture.pay("f", 100, counter: 4).status == 422)
        // A reversal makes room, and so does the next day.
        #expect(fixture.act("reverse", "e").state == "reversed")
        #expect(fixture.pay("f", 100, counter: 4).state == "approved")
        fixture.now += .seconds(86_400)
        fixture.logIn("other")
        #expect(fixture.pay("g", 20_000, counter: 5).state == "approved")
    }

    @Test func aFullSandboxRefusesAndAsksNoIssuer() throws {
        var rules = SandboxRules()
        rules.limits.payments = 1
        var fixture = try SandboxFixture.loggedIn("till-1", rules)
        fixture.pay("a")
        let reply = fixture.pay("b", counter: 2)
        #expect(reply.status == 507)
        #expect(fixture.sandbox.issuer.ledger.entries.count == 1)
        #expect(fixture.pay("a").state == "approved")
    }

    @Test func aFailedWriteLeavesNoMoneyAnywhere() throws {
        var fixture = try SandboxFixture.loggedIn(store: FailingStore(failures: 1))
        #expect(fixture.pay("a").status == 507)
        #expect(fixture.sandbox.issuer.ledger.held == 0)
        #expect(fixture.status("a").json["sandbox"]?["known"] == .flag(false))
        #expect(fixture.pay("a", counter: 2).state == "approved")
        #expect(fixture.sandbox.issuer.ledger.held == 1000)
    }
}

/// Books whose first writes fail.
struct FailingStore: SandboxStore {
    private var books = MemorySandboxStore()
    private var failures: Int

    init(failures: Int) { self.failures = failures }

    var paymentCount: Int { books.paymentCount }
    func payment(_ number: Int) -> SandboxPayment? { books.payment(number) }
    func entry(_ key: SandboxKey) -> SandboxEntry? { books.entry(key) }
    func passwordHash(ofUser user: String) -> String? { books.passwordHash(ofUser: user) }

    mutating func write(_ change: SandboxChange) throws(SandboxStoreError) {
        guard failures == 0 else {
            failures -= 1
            throw SandboxStoreError(.notWritten, "for a test")
        }
        try books.write(change)
    }
}
