import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The decisions of an issuer, with calculations that protect nothing.
@Suite struct SimulatedIssuerTests {
    private func code(_ decision: IssuerDecision?) -> String? {
        decision.map { String(decoding: $0.response.responseCode.octets, as: UTF8.self) }
    }

    @Test func aCardInOrderIsApproved() throws {
        var issuer = try PlainIssuer.issuer()
        let answer = issuer.authorise("1", PlainIssuer.objects())
        let decision = try #require(answer)
        #expect(decision.verdict == .approved)
        #expect(decision.response.isApproved)
        #expect(code(decision) == "00")
        // Visa's version 10 answers by the response code.
        #expect(decision.response.authenticationData == hex("AC1D020400000001" + "3030"))
        #expect(decision.authorisationCode?.count == 6)
        let entry = try #require(issuer.ledger["1"])
        #expect(entry.held == 1000)
        #expect(entry.captured == 0)
        #expect(entry.reason == .inOrder)
        #expect(entry.account == "999999******0014")
    }

    @Test(
        arguments: [
            ([0x9F26: "AC1D020400000002"], "05", IssuerReason.cryptogram), ([0x9F27: "40"], "05", .cryptogram),
            ([0x95: nil], "05", .cryptogram), ([0x82: "3C"], "05", .cryptogram),
            ([0x9F36: "0002"], "05", .cryptogram), ([0x9F10: "06010A03A000"], "05", .noKeys),
            ([0x9F10: nil], "05", .noKeys), ([0x84: "A0000000031010"], "05", .noKeys),
            ([0x9F10: "06010E03A00000"], "05", .noKeys), ([0x5A: nil], "30", .malformed),
            ([0x5A: "9999990000000014A5"], "30", .malformed), ([0x5A: "999999000000001F14"], "30", .malformed),
            ([0x5A: nil, 0x57: "9999990000000014"], "30", .malformed), ([0x5F34: "0A"], "30", .malformed),
            ([0x9F02: "00000000100A"], "30", .malformed), ([0x5F2A: "0840"], "12", .currency),
            ([0x5A: "9999990000000030"], "14", .unknownAccount), ([0x5A: "9999990000000022"], "41", .status),
            ([0x9F02: "000000090001"], "61", .limit), ([0x9F02: "000000050001"], "51", .funds),
        ] as [([JackdawEMV.Tag: String?], String, IssuerReason)])
    func otherMessagesAreDeclined(_ changes: [JackdawEMV.Tag: String?], _ wanted: String, _ reason: IssuerReason) throws
    {
        var issuer = try PlainIssuer.issuer([("\"stolen\"", "\"lost\"")])
        let answer = issuer.authorise("1", PlainIssuer.objects(changes: changes))
        let decision = try #require(answer)
        #expect(decision.verdict == .declined)
        #expect(!decision.response.isApproved)
        #expect(code(decision) == wanted)
        #expect(decision.authorisationCode == nil)
        #expect(issuer.ledger["1"]?.reason == reason)
        #expect(issuer.ledger.held == 0)
    }

    @Test func aLargeAmountIsReferred() throws {
        var issuer = try PlainIssuer.issuer()
        let answer = issuer.authorise("1", PlainIssuer.objects("000000040001"))
        let decision = try #require(answer)
        #expect(decision.verdict == .referred)
        #expect(code(decision) == "01")
        #expect(issuer.ledger.held == 0)
    }

    /// A swipe has no cryptogram: 57, amount and currency.
    @Test func aSwipeIsDecidedWithoutACryptogram() throws {
        var issuer = try PlainIssuer.issuer()
        var objects = DataObjectStore()
        objects[0x57] = hex("9999990000000014D30122011234500000000F")
        objects[0x9F02] = hex("000000001000")
        objects[0x5F2A] = hex("0978")
        let answer = issuer.authorise("1", objects)
        let decision = try #require(answer)
        #expect(decision.verdict == .approved)
        #expect(decision.response.authenticationData == nil)
    }

    @Test func unknownAccountsAreApprovedIfTheFileAllowsIt() throws {
        var issuer = try PlainIssuer.issuer([("\"delay\": 500", "\"unknown_accounts\": \"approve\"")])
        #expect(issuer.authorise("1", PlainIssuer.objects(account: "9999990000000030"))?.verdict == .approved)
    }

    @Test func countersMustIncreaseIfTheFileRequiresIt() throws {
        for (text, verdict) in [("true", IssuerDecision.Verdict.declined), ("false", .approved)] {
            var issuer = try PlainIssuer.issuer([("\"delay\": 500", "\"checks_counters\": \(text)")])
            #expect(issuer.authorise("1", PlainIssuer.objects(counter: "0002"))?.verdict == .approved)
            #expect(issuer.authorise("2", PlainIssuer.objects(counter: "0002"))?.verdict == verdict)
            #expect(issuer.authorise("3", PlainIssuer.objects(counter: "0003"))?.verdict == .approved)
        }
    }

    // MARK: PINs

    @Test func theIssuerVerifiesPINs() throws {
        var issuer = try PlainIssuer.issuer()
        let objects = PlainIssuer.objects()
        let right = issuer.pinBlock(of: SecretOctets(Array("1234".utf8)), for: objects)
        let wrong = issuer.pinBlock(of: SecretOctets(Array("1235".utf8)), for: objects)
        let results = [wrong, right, wrong, wrong, right].enumerated().map { number, block in
            code(issuer.authorise("\(number)", objects, pinBlock: block))
        }
        #expect(results == ["55", "00", "55", "75", "75"])
        #expect(issuer.ledger["3"]?.reason == .pinTries)
    }

    /// The terminal verification results say that a PIN was entered for the issuer.
    @Test func aMissingPINBlockIsAWrongPIN() throws {
        var issuer = try PlainIssuer.issuer()
        let decision = issuer.authorise("1", PlainIssuer.objects(changes: [0x95: "0000040000"]))
        #expect(code(decision) == "55")
        #expect(issuer.ledger["1"]?.reason == .pin)
    }

    @Test func anAccountWithoutPINRefusesAll() throws {
        var issuer = try PlainIssuer.issuer([("\"pin\": \"1234\", ", "")])
        #expect(code(issuer.authorise("1", PlainIssuer.objects(), pinBlock: hex("31323334FFFFFFFF"))) == "55")
    }

    // MARK: rules

    @Test(
        arguments: [
            ("{\"decision\": \"decline\"}", "declined", "05"), ("{\"decision\": \"refer\"}", "referred", "01"),
            ("{\"decision\": \"decline\", \"code\": \"54\"}", "declined", "54"),
            ("{\"account\": \"99999900\", \"decision\": \"decline\"}", "declined", "05"),
            ("{\"account\": \"99999901\", \"decision\": \"decline\"}", "approved", "00"),
            ("{\"from\": 1000, \"to\": 1000, \"decision\": \"decline\"}", "declined", "05"),
            ("{\"from\": 1001, \"decision\": \"decline\"}", "approved", "00"),
            ("{\"message\": \"reversal\", \"delivery\": \"lost\"}", "approved", "00"),
            ("{\"from\": 1}, {\"decision\": \"decline\"}", "approved", "00"),
        ])
    func theFirstRuleThatAppliesDecides(_ rules: String, _ verdict: String, _ wanted: String) throws {
        var issuer = try PlainIssuer.issuer(rules: rules)
        let answer = issuer.authorise("1", PlainIssuer.objects())
        let decision = try #require(answer)
        #expect(decision.verdict.rawValue == verdict)
        #expect(code(decision) == wanted)
    }

    @Test func aRuleAppliesSeveralTimesOnly() throws {
        var issuer = try PlainIssuer.issuer(rules: "{\"times\": 2, \"decision\": \"decline\"}")
        let verdicts = (1...3).map { issuer.authorise("\($0)", PlainIssuer.objects())?.verdict }
        #expect(verdicts == [.declined, .declined, .approved])
    }

    @Test func repliesTakeTheirTime() throws {
        var issuer = try PlainIssuer.issuer(rules: "{\"times\": 1, \"delay\": 60000}")
        for (reference, due) in [("1", Duration.seconds(62)), ("2", .milliseconds(2500))] {
            let request = IssuerRequest(reference: reference, .authorisation(PlainIssuer.objects()))
            guard case .replies(_, let time) = issuer.receive(request, at: .seconds(2)) else {
                Issue.record("no reply")
                continue
            }
            #expect(time == due)
        }
    }

    /// What the till sees, and what the issuer knows.
    @Test(arguments: [
        ("replies", "approved", true), ("silent", "silence", true), ("lost", "silence", false),
        ("unreachable", "unreachable", false), ("unreadable", "unreadable", true),
    ])
    func messagesMayBeLost(_ delivery: String, _ seen: String, isKnown: Bool) throws {
        var issuer = try PlainIssuer.issuer(rules: "{\"times\": 1, \"delivery\": \"\(delivery)\"}")
        let request = IssuerRequest(reference: "1", .authorisation(PlainIssuer.objects()))
        let name =
            switch issuer.receive(request, at: .zero) {
            case .replies(let reply, _): reply.name
            case .staysSilent: "silence"
            case .isUnreachable: "unreachable"
            }
        #expect(name == seen)
        #expect((issuer.ledger["1"]?.verdict == .approved) == isKnown)
        // The same message again gets the answer, once.
        #expect(issuer.authorise("1", PlainIssuer.objects())?.verdict == .approved)
        #expect(issuer.ledger.held == 1000)
    }

    @Test(arguments: [
        ("none", nil), ("wrong", "531D020400000001" + "3030"), ("right", "AC1D020400000001" + "3030"),
    ])
    func theAuthenticationDataMayBeWrong(_ kind: String, _ data: String?) throws {
        var issuer = try PlainIssuer.issuer(rules: "{\"authentication\": \"\(kind)\"}")
        let decision = issuer.authorise("1", PlainIssuer.objects())
        #expect(decision?.response.authenticationData == data.map { hex($0) })
    }

    @Test(arguments: [
        ("06011203A00000", "", "00800000"), ("06011203A00000", "\"decision\": \"decline\"", "00000000"),
        ("06011203A00000", "\"answer\": \"00A0000001\"", "00A0000001"),
        ("1F220103A0000000" + String(repeating: "00", count: 24), "", "00800000"),
        ("0110A00000000000000000000000000000FF", "", "0012"),
        ("0114A00000000000000000000000000000FF", "\"decision\": \"decline\"", "0000"),
        ("06010A03A00000", "\"decision\": \"decline\", \"code\": \"51\"", "3531"),
    ])
    func theAnswerIsThatOfTheScheme(_ data: String, _ rule: String, _ answer: String) throws {
        var issuer = try PlainIssuer.issuer(rules: "{\(rule)}")
        // The number of octets that the cryptogram covers.
        let counts = ["060112": "07", "06010A": "04", "1F2201": "20"]
        let cryptogram = "AC1D02\(counts[String(data.prefix(6))] ?? "06")00000001"
        let decision = issuer.authorise("1", PlainIssuer.objects(changes: [0x9F10: data, 0x9F26: cryptogram]))
        #expect(decision?.response.authenticationData == hex(cryptogram + answer))
    }

    /// A code of `PlainCryptography` repeats the number of octets of the data.
    @Test func scriptsHaveTheirCommands() throws {
        let rule = """
            {"scripts": [
              {"template": "72", "commands": [{"command": "block_card"}, {"command": "send", "value": "00A40000"}]},
              {"identifier": "01020304", "commands": [
                {"command": "block_application"}, {"command": "unblock_application"}, {"command": "unblock_pin"},
                {"command": "change_pin", "pin": "4321"},
                {"command": "put_data", "tag": "9F4F", "value": "AABB"}
              ]}
            ]}
            """
        var issuer = try PlainIssuer.issuer([
            ("\"rules\": []", "\"rules\": [\(rule)]"), ("\"prefix\"", "\"mac_length\": 4, \"prefix\""),
        ])
        let answer = issuer.authorise("1", PlainIssuer.objects())
        let decision = try #require(answer)
        let first =
            "9F180401020304" + "8609841E00000400000000" + "8609841800000400000000" + "8609842400000400000000"
            + "861184240002 0C 0101010101010101 08080808" + "860B84DA9F4F 06 AABB 02020202"
        let second = "8609841600000400000000" + "860400A40000"
        let wanted = TagLengthValueBuilder.encode(0x71, hex(first)) + TagLengthValueBuilder.encode(0x72, hex(second))
        #expect(decision.response.scripts.octets == wanted)
    }

    @Test func aSwipeGetsOnlyCommandsWithoutACode() throws {
        let commands = "{\"command\": \"block_card\"}, {\"command\": \"send\", \"value\": \"00A40000\"}"
        let rule = "{\"scripts\": [{\"commands\": [\(commands)]}]}"
        var issuer = try PlainIssuer.issuer(rules: rule)
        let answer = issuer.authorise("1", PlainIssuer.objects(changes: [0x9F26: nil]))
        let decision = try #require(answer)
        #expect(decision.response.scripts.octets == hex("7106860400A40000"))
    }
}
