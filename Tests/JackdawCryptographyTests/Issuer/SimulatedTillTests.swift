import JackdawCryptography
import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

typealias Till = SimulatedTill<LibCryptoPrimitives>

/// A till for the cards of the folder `cards`, with the files of `issuers` and `payers`.
struct TillMaker {
    var file = ChipCardFile.visa
    var amount: UInt64 = 6000
    var policy = PaymentPolicy()
    /// Changes of the card's file.
    var card: [String: String] = [:]
    /// Further rules of the issuer, before those of its file.
    var rules = ""
    /// The payer's file; nil for that of the card.
    var payer: String?

    func till(card last: VirtualCard? = nil, reference: String = "1") throws -> Till {
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: 0x22), capabilities: try #require(TerminalCapabilities(hex("E0F8C8"))),
            additionalCapabilities: try #require(AdditionalTerminalCapabilities(hex("F000F0F001"))),
            country: hex("0528"), applicationVersion: hex(file == .visa ? "0096" : "0002"))
        configuration.limits = RiskLimits(floorLimit: 10_000)
        configuration.keys = AuthenticationKeys([try file.authority])
        var settings = TillSettings(applications: [
            TerminalApplication(
                try SupportedApplication(Array(file.name.prefix(5)), allowsPartialName: true), configuration)
        ])
        settings.policy = policy
        let issuer = try IssuerFile.text.replacing("\"rules\": [", with: "\"rules\": [\(rules)")
        let payer = try payer ?? IssuerFile.payer(file.rawValue)
        return try SimulatedTill(
            settings, reference: reference,
            KernelTransaction(
                amount: amount, currency: hex("0978"), type: .purchase,
                date: try #require(CardDate(year: 2026, month: 1, day: 15))),
            card: last ?? file.card(card), payer: SimulatedPayer(json: Array(payer.utf8)),
            issuer: SimulatedIssuer(json: Array(issuer.utf8), LibCryptoPrimitives(mode: .test)),
            LibCryptoPrimitives(mode: .test))
    }
}

extension Till {
    /// The events that the payment received.
    var events: [PaymentEvent] {
        log.compactMap { if case .event(let event) = $0.content { event } else { nil } }
    }

    /// The number of times that a message was sent.
    func attempts(_ message: TillMessage) -> Int { log.count { $0.content == .sent(message) } }

    /// The reasons for which the books of till and issuer do not agree; empty if they do.
    var disagreements: [String] {
        let isApproved = payment.outcome?.isApproved == true
        let entry = issuer.ledger["1"]
        let digits = kernelOutcome?.objects[0x9F02] ?? []
        let amount = digits.reduce(UInt64(0)) { $0 * 100 + UInt64($1 >> 4 * 10 + $1 & 15) }
        var found: [String] = []
        if payment.outcome == nil { found.append("no outcome") }
        if issuer.ledger.held != 0 { found.append("\(issuer.ledger.held) are held") }
        if (entry?.captured ?? 0) != (isApproved ? amount : 0) { found.append("\(entry?.captured ?? 0) are captured") }
        if records != (isApproved ? 1 : 0) { found.append("\(records) records") }
        if !refusals.isEmpty { found.append("the issuer refused \(refusals)") }
        if issuer.ledger.entries.count > 1 { found.append("the issuer knows other payments") }
        return found
    }
}

/// Whole payments: virtual card, contact kernel, payment flow, simulated cardholder and issuer. Each ends as the flow's
/// rules say, and the issuer's books agree.
@Suite struct SimulatedTillTests {
    // MARK: the issuer answers

    /// The card verifies the issuer's cryptogram: by EXTERNAL AUTHENTICATE, or in CDOL2.
    @Test(arguments: ChipCardFile.allCases) func theIssuerApproves(_ file: ChipCardFile) throws {
        var till = try TillMaker(file: file).till()
        #expect(till.run() == .approved)
        #expect(till.disagreements == [])
        #expect(till.decision?.verdict == .approved)
        #expect(till.issuer.ledger["1"]?.capture == .online)
        #expect(till.issuer.ledger["1"]?.messages == 2)
        #expect(till.kernelOutcome?.objects[0x8A] == hex("3030"))
        let statuses = till.steps.compactMap { if case .issuerAuthentication(let status) = $0 { status } else { nil } }
        #expect(statuses == (file == .visa ? [.success] : []))
        #expect(till.kernelOutcome?.tvr == [])
        // Card 1.5 s, PIN 3 s, issuer 0.8 s.
        #expect(till.now > .seconds(6) && till.now < .seconds(9))
        // The card has had the issuer's approval: a small amount is then offline.
        #expect(try lastOnline(till.card, file) == [0, 1])
    }

    private func lastOnline(_ card: VirtualCard, _ file: ChipCardFile) throws -> [UInt8]? {
        var card = card
        _ = card.powerOn()
        var run = ChipCardRun(file, card)
        _ = try run.transmit(try CardCommand.select(file.name))
        return try run.transmit(try CardCommand.getData(0x9F13)).requested(0x9F13)
    }

    @Test(arguments: ChipCardFile.allCases) func aWrongCryptogramOfTheIssuerIsReversed(_ file: ChipCardFile) throws {
        var till = try TillMaker(file: file, amount: 5141).till()
        #expect(till.run() == .declinedByCard)
        #expect(till.disagreements == [])
        #expect(till.decision?.verdict == .approved)
        #expect(till.issuer.ledger["1"]?.isReversed == true)
        #expect(try lastOnline(till.card, file) == [0, 0])
    }

    @Test(arguments: [
        (UInt64(5105), PaymentOutcome.declinedOnline, PaymentEvent.hostDeclined),
        (5101, .declinedOnline, .hostReferred), (5142, .approved, .hostApproved),
        (5198, .approvedOffline, .hostUnreachable), (1000, .approvedOffline, .firstTC),
        (250_000, .declinedOffline, .firstAAC),
    ])
    func paymentsEndAsTheIssuerSays(_ amount: UInt64, _ outcome: PaymentOutcome, _ event: PaymentEvent) throws {
        for file in ChipCardFile.allCases {
            var till = try TillMaker(file: file, amount: amount).till()
            #expect(till.run() == outcome)
            #expect(till.events.contains(event))
            #expect(till.disagreements == [])
            // Nothing is reversed that was declined, or was not sent.
            #expect(till.attempts(.reversal) == 0)
        }
    }

    /// The certificates of payments without the issuer are those of the card: Y1 and Y3.
    @Test(arguments: [UInt64(1000), 5198]) func offlinePaymentsAreCapturedByAnAdvice(_ amount: UInt64) throws {
        for file in ChipCardFile.allCases {
            var till = try TillMaker(file: file, amount: amount).till()
            till.run()
            #expect(till.issuer.ledger["1"]?.capture == .offline)
            #expect(till.issuer.ledger["1"]?.verdict == nil)
            #expect(till.attempts(.advice) == 1)
        }
    }

    // MARK: the issuer does not answer

    /// Processed without an answer, lost, unreadable, late: the payment fails, and is reversed.
    @Test(arguments: [UInt64(5196), 5197, 5199, 5195]) func aRequestWithoutAnAnswerIsReversed(_ amount: UInt64) throws {
        for file in ChipCardFile.allCases {
            var till = try TillMaker(file: file, amount: amount).till()
            #expect(till.run() == .failedHostTimeout)
            #expect(till.disagreements == [])
            let entry = try #require(till.issuer.ledger["1"])
            #expect(entry.isReversed)
            #expect(entry.verdict == (amount == 5197 ? nil : .approved))
            #expect(till.events.contains(.secondAAC))
            #expect(till.log.contains { $0.content == .action(.ignore(.hostAnsweredLate)) } == (amount == 5195))
        }
    }

    /// EMV Book 4, 12.2.3: the default action codes decide, the request is reversed, and the card's approval counts.
    @Test(arguments: [UInt64(5196), 5197, 5199, 5195]) func theCardMayApproveAfterATimeOut(_ amount: UInt64) throws {
        var policy = PaymentPolicy()
        policy.approvesOfflineAfterHostTimeout = true
        for file in ChipCardFile.allCases {
            var till = try TillMaker(file: file, amount: amount, policy: policy).till()
            #expect(till.run() == .approvedOffline)
            #expect(till.disagreements == [])
            #expect(till.kernelOutcome?.objects[0x8A] == Array("Y3".utf8))
            #expect(till.issuer.ledger["1"]?.isReversed == true)
            #expect(till.issuer.ledger["1"]?.capture == .offline)
        }
    }

    @Test func aReversalIsRepeatedUntilTheIssuerAnswers() throws {
        let rules = """
            {"message": "reversal", "times": 1, "delivery": "silent"},
            {"message": "reversal", "times": 1, "delivery": "lost"},
            {"message": "reversal", "times": 1, "delivery": "unreachable"},
            {"message": "reversal", "times": 1, "delivery": "unreadable"},
            """
        var till = try TillMaker(amount: 5141, rules: rules).till()
        #expect(till.run() == .declinedByCard)
        #expect(till.attempts(.reversal) == 5)
        #expect(till.disagreements == [])
        #expect(till.nextDeadline == nil)
    }

    @Test func anIssuerThatIsSilentForGoodLeavesTheReversalQueued() throws {
        var till = try TillMaker(amount: 5141, rules: "{\"message\": \"reversal\", \"delivery\": \"silent\"},").till()
        #expect(till.run(for: .seconds(36_000)) == .declinedByCard)
        #expect(till.nextDeadline != nil)
        // The waits grow to ten minutes.
        #expect((50..<80).contains(till.attempts(.reversal)))
    }

    // MARK: the cardholder

    @Test(
        arguments: [
            ("{\"pin\": {\"digits\": \"1234\", \"wrong_first\": 2}}", .approved, [.pinEntered]),
            (
                "{\"pin\": {\"digits\": \"1234\", \"wrong_first\": 3}}", .approved,
                [.pinTriesExceeded, .secondTCWithSignature]
            ),
            ("{\"pin\": {\"action\": \"bypass\"}}", .approved, [.pinBypassed, .secondTCWithSignature]),
            (
                "{\"pin\": {\"action\": \"bypass\"}, \"signature\": \"wrong\"}", .declinedSignature,
                [.signatureCaptured, .signatureRejected]
            ),
            (
                "{\"pin\": {\"action\": \"bypass\"}, \"signature\": \"refused\"}", .declinedSignature,
                [.signatureRefused]
            ),
            ("{\"pin\": {\"action\": \"bypass\"}, \"signature\": \"none\"}", .declinedSignature, [.timer]),
            ("{\"pin\": {\"action\": \"cancel\"}}", .cancelled, [.pinCancelled]),
            ("{\"delays\": {\"card\": 61000}}", .failedTimeout, [.timer]),
            ("{\"pin\": {\"digits\": \"1234\"}, \"delays\": {\"pin\": 76000}}", .failedTimeout, [.timer]),
        ] as [(String, PaymentOutcome, [PaymentEvent])])
    func paymentsEndAsTheCardholderActs(
        _ payer: String, _ outcome: PaymentOutcome, _ events: [PaymentEvent]
    ) throws {
        var till = try TillMaker(payer: payer).till()
        #expect(till.run() == outcome)
        for event in events { #expect(till.events.contains(event), "\(event)") }
        #expect(till.disagreements == [])
        #expect(till.attempts(.reversal) == (outcome == .declinedSignature ? 1 : 0))
    }

    @Test func wrongPINsAreCounted() throws {
        var till = try TillMaker(payer: "{\"pin\": {\"digits\": \"1234\", \"wrong_first\": 2}}").till()
        till.run()
        let pins = till.events.filter { [.pinRequested, .pinWrong, .pinEntered].contains($0) }
        #expect(pins == [.pinRequested, .pinWrong, .pinWrong, .pinEntered])
    }

    /// A card whose PIN the issuer verifies.
    @Test(arguments: [("1234", PaymentOutcome.approved, nil), ("1235", .declinedOnline, IssuerReason.pin)])
    func theIssuerVerifiesThePIN(_ pin: String, _ outcome: PaymentOutcome, _ reason: IssuerReason?) throws {
        var till = try TillMaker(
            card: ["41031E031F00": "42031E031F00"], payer: "{\"pin\": {\"digits\": \"\(pin)\"}}"
        ).till()
        #expect(till.run() == outcome)
        #expect(till.issuer.ledger["1"]?.reason == reason ?? .inOrder)
        #expect(till.disagreements == [])
    }

    /// The card is removed after each of its answers. Before the request nothing is booked, while the issuer is asked
    /// and before the card has decided the payment is reversed, after that it is approved.
    @Test(arguments: ChipCardFile.allCases, [0, 100])
    func theCardIsRemovedAfterEachExchange(_ file: ChipCardFile, delay: Int) throws {
        var outcomes: [PaymentOutcome] = []
        for exchange in 1...60 {
            let pin = file == .visa ? "1234" : "4315"
            let removal = "{\"after_exchange\": \(exchange), \"delay\": \(delay)}"
            let payer = "{\"pin\": {\"digits\": \"\(pin)\"}, \"removal\": \(removal)}"
            var till = try TillMaker(file: file, payer: payer).till()
            let outcome = till.run()
            outcomes.append(try #require(outcome))
            #expect(till.disagreements == [], "after \(exchange)")
            guard till.events.contains(.cardRemoved) else { break }
        }
        #expect(outcomes.last == .approved)
        let ends = outcomes.reduce(into: [PaymentOutcome]()) { if $0.last != $1 { $0.append($1) } }
        #expect(ends == [.failedCardRemoved, .failedAutoReversed, .approved])
        #expect(outcomes.count < 60)
    }

    @Test func theLinkIsLostWhileTheIssuerIsAsked() throws {
        var till = try TillMaker().till()
        till.start()
        while till.payment.phase != .awaitingHost { till.advance() }
        till.receive(.linkLost)
        #expect(till.run() == .failedAutoReversed)
        #expect(till.disagreements == [])
    }

    // MARK: scripts

    @Test(arguments: ChipCardFile.allCases) func theIssuerBlocksTheApplication(_ file: ChipCardFile) throws {
        var till = try TillMaker(file: file, amount: 5172).till()
        #expect(till.run() == .approved)
        #expect(till.issuer.ledger["1"]?.scriptResults == hex("2000000001"))
        var next = try TillMaker(file: file).till(card: till.card)
        #expect(next.run() == .notAccepted)
        #expect(next.events.contains(.applicationBlocked))
        #expect(next.disagreements == [])
    }

    // MARK: the program is killed

    /// After each step of payments of several ends.
    @Test(arguments: [UInt64(1000), 6000, 5105, 5141, 5196, 5197, 5198])
    func theProgramIsKilledAfterEachStep(_ amount: UInt64) throws {
        let fresh = try TillMaker(amount: amount).till()
        for steps in 1...300 {
            var till = fresh
            till.start()
            var taken = 0
            while taken < steps, till.advance() { taken += 1 }
            guard taken == steps else { break }
            till.kill()
            till.run()
            // A payment that was killed before its kernel's end has no amount, and is not approved.
            #expect(till.disagreements == [], "after \(steps)")
            // Twice is as good as once.
            till.kill()
            till.run()
            #expect(till.disagreements == [], "twice after \(steps)")
        }
    }

    // MARK: any of it

    /// Random issuers, cardholders, losses and kills, from seeds.
    @Test(arguments: UInt64(0)..<12) func noMoneyIsLostOrDoubled(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for number in 0..<12 {
            let maker = maker(&random)
            var till = try maker.till()
            till.start()
            let interference = Int.random(in: 0..<120, using: &random)
            for step in 0..<2_000 {
                if step == interference { interfere(&till, &random) }
                guard till.advance() else { break }
            }
            #expect(till.disagreements == [], "seed \(seed), payment \(number)")
            #expect(till.nextDeadline == nil)
        }
    }

    private func interfere(_ till: inout Till, _ random: inout SeededRandom) {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: till.kill()
        case 1: till.receive(.linkLost)
        case 2: till.receive(.cancelled)
        case 3: till.receive(.cardRemoved)
        default: break
        }
    }

    private func maker(_ random: inout SeededRandom) -> TillMaker {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        let deliveries = ["replies", "silent", "lost", "unreachable", "unreadable"]
        let messages = ["authorisation", "reversal", "confirmation", "advice"]
        let rules = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            "{\"message\": \"\(pick(messages))\", \"times\": \(Int.random(in: 1...3, using: &random)), "
                + "\"delivery\": \"\(pick(deliveries))\", \"delay\": \(pick([0, 900, 50_000]))},"
        }
        let file = pick(ChipCardFile.allCases)
        let pin = "\"digits\": \"\(file == .visa ? "1234" : "4315")\", \"wrong_first\": \(pick([0, 0, 1, 3]))"
        var payer = "{\"pin\": {\(pick([pin, pin, "\"action\": \"bypass\"", "\"action\": \"cancel\""]))}"
        payer += ", \"signature\": \"\(pick(["right", "wrong", "refused", "none"]))\""
        if Bool.random(using: &random) {
            payer += ", \"removal\": {\"after_exchange\": \(Int.random(in: 1...50, using: &random)), "
            payer += "\"delay\": \(pick([0, 30, 1000]))}"
        }
        var policy = PaymentPolicy()
        policy.approvesOfflineAfterHostTimeout = Bool.random(using: &random)
        return TillMaker(
            file: file,
            amount: pick([1000, 6000, 5101, 5105, 5141, 5142, 5172, 5195, 5196, 5197, 5198, 5199, 250_000]),
            policy: policy, rules: rules.joined(), payer: payer + "}")
    }
}
