import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The books of an issuer: no order of messages loses or doubles money.
@Suite struct IssuerLedgerTests {
    /// Messages by a short name, about the transaction of a card with a counter.
    private func content(_ name: Character, _ counter: String = "0001") -> IssuerRequest.Content {
        switch name {
        case "A": .authorisation(PlainIssuer.objects(counter: counter))
        case "D": .authorisation(PlainIssuer.objects("000000095000", counter: counter))
        case "R": .reversal()
        case "r": .reversal(PlainIssuer.objects(counter: counter))
        case "F": .refund
        case "C": .confirmation(PlainIssuer.objects(counter: counter, type: "40", changes: [0x9F5B: "2000000001"]))
        default: .advice(PlainIssuer.objects(counter: counter, type: "40"))
        }
    }

    @Test(
        arguments: [
            ("A", "approved", 1000, 0), ("AA", "approved", 1000, 0), ("AC", "accepted", 0, 1000),
            ("ACC", "accepted", 0, 1000), ("ACA", "approved", 0, 1000), ("AR", "accepted", 0, 0),
            ("Ar", "accepted", 0, 0), ("r", "accepted", 0, 0), ("Dr", "refused other_content", 0, 0),
            ("ARR", "accepted", 0, 0), ("ARA", "approved", 0, 0), ("ARC", "refused reversed", 0, 0),
            ("ACR", "refused captured", 0, 1000), ("C", "refused not_approved", 0, 0), ("R", "accepted", 0, 0),
            ("RA", "declined", 0, 0), ("RAC", "refused not_approved", 0, 0), ("D", "declined", 0, 0),
            ("DR", "accepted", 0, 0), ("DC", "refused not_approved", 0, 0), ("AD", "refused other_content", 1000, 0),
            ("O", "accepted", 0, 1000), ("OO", "accepted", 0, 1000), ("OR", "accepted", 0, 1000),
            ("OA", "declined", 0, 1000), ("OC", "refused not_approved", 0, 1000),
            // The issuer approved, the till did not hear of it, and the card approved alone.
            ("ARO", "accepted", 0, 1000), ("AO", "accepted", 1000, 1000), ("AOR", "accepted", 0, 1000),
            ("ROA", "declined", 0, 1000), ("AOC", "refused captured", 1000, 1000),
            ("ACO", "refused captured", 0, 1000), ("DO", "refused other_content", 0, 0),
            // Only what was taken is given back, once and for good.
            ("ACF", "accepted", 0, 0), ("ACFF", "accepted", 0, 0), ("ACFC", "accepted", 0, 0),
            ("ACFR", "refused captured", 0, 0), ("OF", "accepted", 0, 0), ("OFO", "accepted", 0, 0),
            ("F", "refused not_captured", 0, 0), ("AF", "refused not_captured", 1000, 0),
            ("ARF", "refused not_captured", 0, 0), ("DF", "refused not_captured", 0, 0),
        ])
    func everyOrderOfMessagesMovesMoneyOnce(
        _ messages: String, _ reply: String, _ held: UInt64, _ captured: UInt64
    ) throws {
        var issuer = try PlainIssuer.issuer()
        var last = ""
        for message in messages { last = issuer.send("1", content(message))?.name ?? "" }
        #expect(last == reply)
        #expect(issuer.ledger.held == held)
        #expect(issuer.ledger.captured == captured)
        #expect(issuer.ledger.entries.count <= 1)
    }

    /// Any order of many messages about few payments: what is captured was approved once, by issuer or card, and the
    /// money of the account is that of the books.
    @Test(arguments: UInt64(0)..<20) func anyMessagesKeepTheBooks(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var issuer = try PlainIssuer.issuer([("\"refer_above\": 40000", "\"refer_above\": 90000")], seed: seed)
        for _ in 0..<400 {
            let number = Int.random(in: 0..<20, using: &random)
            let reference = "\(number)"
            let before = issuer.ledger[reference]
            // Now and then the card's transaction is that of another payment.
            let transaction = Bool.random(using: &random) ? number : Int.random(in: 0..<20, using: &random)
            let counter = String(String(0x10000 + transaction, radix: 16).dropFirst())
            _ = issuer.send(reference, content("AADRrCOF".randomElement(using: &random) ?? "A", counter))
            guard let entry = issuer.ledger[reference] else { continue }
            // A capture, a reversal and a decision are for good.
            #expect(before?.capture == nil || entry.capture == before?.capture)
            #expect(before?.isReversed != true || entry.isReversed)
            #expect(before?.verdict == nil || entry.verdict == before?.verdict)
            #expect(entry.capture != .online || entry.verdict == .approved && !entry.isReversed)
            #expect(entry.captured <= entry.amount && entry.held <= entry.amount)
        }
        // The rest of the account can be spent, and not a cent more.
        let spent = issuer.ledger.entries.reduce(0) { $0 + $1.held + $1.captured }
        let rest = 50_000 - spent
        #expect(issuer.authorise("more", PlainIssuer.objects(amount(rest + 1)))?.verdict == .declined)
        #expect(issuer.authorise("rest", PlainIssuer.objects(amount(rest)))?.verdict == .approved)
    }

    private func amount(_ minor: UInt64) -> String {
        let digits = String(minor)
        return String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// A certificate under another reference, and one of a transaction that the issuer approved, are no further money.
    @Test(arguments: ["O", "AC", "A", "AR", "D"]) func theCardsTransactionIsOnePayment(_ messages: String) throws {
        var issuer = try PlainIssuer.issuer()
        for message in messages { _ = issuer.send("1", content(message)) }
        let (held, captured) = (issuer.ledger.held, issuer.ledger.captured)
        #expect(issuer.send("2", content("O"))?.name == "refused replayed")
        #expect(issuer.ledger.held == held)
        #expect(issuer.ledger.captured == captured)
        #expect(issuer.ledger["2"] == nil)
        // The next transaction of the card is another payment, and so is one of another card.
        #expect(issuer.send("2", content("O", "0002"))?.name == "accepted")
        let other = PlainIssuer.objects(type: "40", changes: [0x5F34: "01"])
        #expect(issuer.send("3", .advice(other))?.name == "accepted")
        #expect(issuer.ledger.captured == captured + 2_000)
    }

    /// Account, amount, currency and counter are those of the first message of the payment.
    @Test(
        arguments: ["A", "O"] as [Character],
        [
            [0x5A: "9999990000000030"], [0x9F02: "000000001001"], [0x5F34: "01"], [0x5F2A: "0840"],
            [0x9F36: "0002", 0x9F26: "AC1D020400000002"],
        ] as [[JackdawEMV.Tag: String?]])
    func aMessageIsAboutItsPayment(_ first: Character, _ changes: [JackdawEMV.Tag: String?]) throws {
        var issuer = try PlainIssuer.issuer()
        _ = issuer.send("1", content(first))
        let before = issuer.ledger
        let objects = PlainIssuer.objects(type: "40", changes: changes)
        let isForeign = changes[0x5F2A] != nil
        #expect(issuer.send("1", .advice(objects))?.name == "refused \(isForeign ? "malformed" : "other_content")")
        #expect(issuer.send("1", .reversal(objects))?.name == "refused other_content")
        let refusal = first == "A" ? "other_content" : "not_approved"
        #expect(issuer.send("1", .confirmation(objects))?.name == "refused \(refusal)")
        #expect(issuer.ledger.entries == before.entries)
        // The money of the account is that of the books.
        #expect(issuer.authorise("2", PlainIssuer.objects("000000040000", counter: "0003"))?.verdict == .approved)
        #expect(issuer.authorise("3", PlainIssuer.objects("000000009001", counter: "0004"))?.verdict == .declined)
        #expect(issuer.authorise("4", PlainIssuer.objects("000000009000", counter: "0005"))?.verdict == .approved)
    }

    @Test func anAdviceNeedsTheCardsCertificate() throws {
        for (type, data) in [("80", "06010A03A00000"), ("40", "06010A03A0000000"), ("40", "00")] {
            var issuer = try PlainIssuer.issuer()
            var objects = PlainIssuer.objects(type: type, changes: [0x9F10: data])
            if data.count == 16 { objects[0x9F26] = hex("AC1D020400000002") }
            #expect(issuer.send("1", .advice(objects))?.name == "refused certificate")
            #expect(issuer.ledger.entries.isEmpty)
        }
    }

    @Test func resultsOfScriptsAreStored() throws {
        var issuer = try PlainIssuer.issuer()
        _ = issuer.authorise("1", PlainIssuer.objects())
        _ = issuer.send("1", content("C"))
        #expect(issuer.ledger["1"]?.scriptResults == hex("2000000001"))
        #expect(issuer.ledger["1"]?.messages == 2)
    }

    @Test(arguments: ["", String(repeating: "1", count: 65)]) func referencesAreBounded(reference: String) throws {
        var issuer = try PlainIssuer.issuer()
        #expect(issuer.send(reference, content("A"))?.name == "refused malformed")
        #expect(issuer.ledger.entries.isEmpty)
    }

    @Test func theSeedMakesTheAuthorisationCodes() throws {
        let codes = try [UInt64(1), 1, 2].map { seed in
            var issuer = try PlainIssuer.issuer(seed: seed)
            return issuer.authorise("1", PlainIssuer.objects())?.authorisationCode ?? ""
        }
        #expect(codes[0] == codes[1])
        #expect(codes[0] != codes[2])
        #expect(codes.allSatisfy { $0.count == 6 && $0.allSatisfy(\.isNumber) })
    }
}
