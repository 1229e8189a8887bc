import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The books of an issuer: no order of messages loses or doubles money.
@Suite struct IssuerLedgerTests {
    /// Messages by a short name.
    private func content(_ name: Character) -> IssuerRequest.Content {
        switch name {
        case "A": .authorisation(PlainIssuer.objects())
        case "D": .authorisation(PlainIssuer.objects("000000095000"))
        case "R": .reversal
        case "C": .confirmation(PlainIssuer.objects(type: "40", changes: [0x9F5B: "2000000001"]))
        default: .advice(PlainIssuer.objects(type: "40"))
        }
    }

    @Test(
        arguments: [
            ("A", "approved", 1000, 0), ("AA", "approved", 1000, 0), ("AC", "accepted", 0, 1000),
            ("ACC", "accepted", 0, 1000), ("ACA", "approved", 0, 1000), ("AR", "accepted", 0, 0),
            ("ARR", "accepted", 0, 0), ("ARA", "approved", 0, 0), ("ARC", "refused reversed", 0, 0),
            ("ACR", "refused captured", 0, 1000), ("C", "refused notApproved", 0, 0), ("R", "accepted", 0, 0),
            ("RA", "declined", 0, 0), ("RAC", "refused notApproved", 0, 0), ("D", "declined", 0, 0),
            ("DR", "accepted", 0, 0), ("DC", "refused notApproved", 0, 0), ("AD", "refused otherContent", 1000, 0),
            ("O", "accepted", 0, 1000), ("OO", "accepted", 0, 1000), ("OR", "accepted", 0, 1000),
            ("OA", "declined", 0, 1000), ("OC", "refused notApproved", 0, 1000),
            // The issuer approved, the till did not hear of it, and the card approved alone.
            ("ARO", "accepted", 0, 1000), ("AO", "accepted", 1000, 1000), ("AOR", "accepted", 0, 1000),
            ("ROA", "declined", 0, 1000), ("AOC", "refused captured", 1000, 1000),
            ("ACO", "refused captured", 0, 1000), ("DO", "refused otherContent", 0, 0),
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
            let reference = "\(Int.random(in: 0..<20, using: &random))"
            let before = issuer.ledger[reference]
            _ = issuer.send(reference, content("AADRCO".randomElement(using: &random) ?? "A"))
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
