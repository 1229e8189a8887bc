import JackdawCryptography
import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Payments with the cards of the decks at each simulated reader, and their recordings.
@Suite struct PaymentRunTests {
    /// One payment, as all of them take long: its end, its recording, and that nothing shows card data.
    @Test(arguments: DeckName.all, PaymentLink.allCases)
    func theCardEndsAsItsFileSays(_ card: DeckName, _ link: PaymentLink) throws {
        let ended = try PaymentRuns.pay(card, at: link)
        let (result, ends) = (ended.run.result, try PaymentRuns.ends(card))
        if link == .kernel {
            checkEnd(result, ends)
        } else if ends.interface == .contact, link.takesEachPresentation(of: try PaymentRuns.setup(card).payer) {
            checkEnd(result, ends, card, link)
        }
        if card.folder == .attack {
            #expect(result.verdict != .approved)
            #expect(result.captured == 0)
        }
        try checkReplay(ended)
        try checkSecrets(ended, of: card)
    }

    private func checkEnd(_ result: PaymentResult, _ ends: CardEnding) {
        #expect(result.outcome == ends.outcome)
        #expect(result.entry.map { CardEnding.Interface($0) } == ends.interface)
        #expect(result.reasons.map(\.code) == ends.reasons)
        #expect(result.isSettled)
        #expect(result.captured == (ends.outcome.isApproved ? ends.amount : 0))
        #expect((result.verdict == .approved) == ends.outcome.isApproved)
    }

    /// The reader reports less than the kernel knows: a card that is lost in a transaction is to it a card that was removed.
    private static let otherOutcomes = ["mute-chip-in-transaction": PaymentOutcome.failedCardRemoved]

    /// An SPm20 reports whether it approves, and no reason. An issuer that cannot be reached closes the tunnel after the
    /// request: the terminal cannot know that it was not sent.
    private static func outcomeAtSPm20(_ card: DeckName, _ outcome: PaymentOutcome) -> PaymentOutcome {
        if card.name == "approved-issuer-unreachable" { return .declinedOnline }
        switch outcome {
        case .approved, .approvedOffline: return .approved
        case .failedTimeout: return .failedHostTimeout
        default: return .declinedOnline
        }
    }

    /// The end at a reader with a kernel of its own.
    private func checkEnd(_ result: PaymentResult, _ ends: CardEnding, _ card: DeckName, _ link: PaymentLink) {
        // The simulated SPm20 has no signature compared.
        if link == .spm20, ends.outcome == .declinedSignature { return }
        let outcome = Self.otherOutcomes[card.name] ?? ends.outcome
        #expect(result.outcome == (link == .spm20 ? Self.outcomeAtSPm20(card, outcome) : outcome))
        #expect(result.entry == (link == .spm20 ? nil : .chip))
        #expect(result.isSettled)
        #expect(result.captured == (result.outcome?.isApproved == true ? ends.amount : 0))
        // What the kernel in the reader decided.
        let kernel = ["oda.", "cvm.", "online.", "denial.", "default.", "card.", "issuer"]
        func decided(_ codes: [String]) -> [String] {
            codes.filter { code in
                // Over the tunnel no request is known not to have been sent.
                kernel.contains { code.hasPrefix($0) } && !(link == .spm20 && code.hasPrefix("default."))
            }
        }
        let (found, expected) = (decided(result.reasons.map(\.code)), decided(ends.reasons))
        // The till learns the issuer's reason last.
        #expect(link == .spm20 ? Set(found) == Set(expected) : found == expected, "\(found)")
    }

    /// The recording as a file replays equal.
    private func checkReplay(_ ended: PaymentRuns.Ended) throws {
        let recording = ended.run.recording
        #expect(recording.entries == ended.entries)
        let read = try PaymentRecording(recording.octets)
        #expect(read == recording)
        let replay = PaymentReplay(read)
        #expect(replay.difference == nil)
        #expect(replay.journal(after: replay.steps.count - 1).outcome == ended.run.result.outcome)
    }

    /// No account number, no PIN and no track of the card in the recording, in the texts and in the result.
    private func checkSecrets(_ ended: PaymentRuns.Ended, of card: DeckName) throws {
        let recorded = String(decoding: ended.run.recording.octets, as: UTF8.self)
        let shown = ended.outputs.map { "\($0)" }.joined(separator: "\n")
        let result = ended.run.result.reasons.map { "\($0.code) \($0)" }.joined(separator: "\n")
        let secrets = try PaymentRuns.secrets(of: card)
        for text in [recorded, shown, result] {
            let characters = text.filter { $0 != " " }.uppercased()
            for secret in secrets {
                #expect(!characters.contains(secret) && !characters.contains(hexadecimal(secret.utf8)), "\(secret)")
            }
        }
        // Of 13 digits, three are masked.
        #expect(ended.run.result.account?.contains("***") ?? true)
    }

    /// The kernel in the till, and the card in a reader at a link, such as PC/SC.
    @Test(arguments: DeckName.all) func aCardAtALinkEndsAsItsFileSays(_ card: DeckName) throws {
        let setup = try PaymentRuns.setup(card)
        let ends = try #require(setup.ends)
        // Cards without a chip that answers, and other presentations, are no cards for such a reader.
        guard ends.interface == .contact, PaymentLink.miura.takesEachPresentation(of: setup.payer), !setup.card.isMute
        else { return }
        let ended = try PaymentRuns.pay(atLink: setup, ends)
        // A card that falls silent is lost with its link.
        if card.name == "mute-chip-in-transaction" { return #expect(ended.run.result.captured == 0) }
        checkEnd(ended.run.result, ends)
        try checkReplay(ended)
        try checkSecrets(ended, of: card)
    }

    /// After each step of a payment that the issuer approves: the journal decides whether it is taken back. An SPm20 is
    /// asked how the payment ended, and refunds it.
    @Test(arguments: PaymentLink.allCases) func aProgramThatIsKilledLosesNoMoney(_ link: PaymentLink) throws {
        let card = DeckName(folder: .deck, name: "approved-online")
        let (setup, ends) = (try PaymentRuns.setup(card), try PaymentRuns.ends(card))
        var verdicts: [PaymentResult.Verdict: Int] = [:]
        for steps in 0... {
            var run = try PaymentRun(
                setup, amount: ends.amount, currency: ends.currency, at: link, LibCryptoPrimitives(mode: .test))
            var outputs = run.start()
            for _ in 0..<steps where run.nextDeadline != nil { outputs += run.advance() }
            let isOver = run.nextDeadline == nil
            outputs += run.kill()
            while run.nextDeadline != nil { outputs += run.advance() }
            let ended = PaymentRuns.Ended(run: run, outputs: outputs)
            #expect(run.result.isSettled, "after \(steps)")
            #expect(run.result.captured == (run.result.verdict == .approved ? ends.amount : 0), "after \(steps)")
            try checkReplay(ended)
            verdicts[run.result.verdict, default: 0] += 1
            if isOver { break }
        }
        // Before the issuer is asked, while it may have approved, and after the record is stored.
        #expect(Set(verdicts.keys) == [.failed, .reversed, .approved], "\(verdicts)")
    }

    /// At an SPm20, in the payment and again while the terminal is asked or refunds it: no refund is sent twice.
    @Test func aProgramThatIsKilledTwiceLosesNoMoney() throws {
        let card = DeckName(folder: .deck, name: "approved-online")
        let (setup, ends) = (try PaymentRuns.setup(card), try PaymentRuns.ends(card))
        for first in stride(from: 0, to: 160, by: 8) {
            for second in stride(from: 0, to: 40, by: 4) {
                var run = try PaymentRun(
                    setup, amount: ends.amount, currency: ends.currency, at: .spm20, LibCryptoPrimitives(mode: .test))
                _ = run.start()
                for count in [first, second] {
                    for _ in 0..<count where run.nextDeadline != nil { _ = run.advance() }
                    _ = run.kill()
                }
                while run.nextDeadline != nil { _ = run.advance() }
                let captured = run.result.verdict == .approved ? ends.amount : 0
                #expect(run.result.isSettled && run.result.captured == captured, "after \(first) and \(second)")
            }
        }
    }

    /// The link to an SPm20 is lost after each step, and opened again: the terminal is asked how the payment ended.
    @Test func aLinkThatIsLostLosesNoMoney() throws {
        let card = DeckName(folder: .deck, name: "approved-online")
        let (setup, ends) = (try PaymentRuns.setup(card), try PaymentRuns.ends(card))
        var verdicts: [PaymentResult.Verdict: Int] = [:]
        for steps in 0... {
            var run = try PaymentRun(
                setup, amount: ends.amount, currency: ends.currency, at: .spm20, LibCryptoPrimitives(mode: .test))
            var outputs = run.start()
            for _ in 0..<steps where run.nextDeadline != nil { outputs += run.advance() }
            let isOver = run.nextDeadline == nil
            outputs += run.loseLink(at: .zero)
            while run.nextDeadline != nil { outputs += run.advance() }
            let ended = PaymentRuns.Ended(run: run, outputs: outputs)
            #expect(run.result.isSettled, "after \(steps)")
            #expect(run.result.captured == (run.result.verdict == .approved ? ends.amount : 0), "after \(steps)")
            // The terminal knows the end at once: no one waits for the limit of the payment.
            #expect(!ended.events.contains("timer"), "after \(steps)")
            try checkReplay(ended)
            verdicts[run.result.verdict, default: 0] += 1
            if isOver { break }
        }
        #expect(verdicts[.approved, default: 0] > 0 && verdicts[.failed, default: 0] > 0, "\(verdicts)")
        #expect(verdicts[.reversed] == nil, "\(verdicts)")
    }

    /// The cardholder enters the PIN shortly before the limit of the payment at an SPm20, and the issuer approves after it.
    @Test func aLateApprovalIsRefunded() throws {
        let rules = "\"rules\": [{\"delay\": 20000, \"times\": 1},"
        let issuer = try IssuerFile.text.replacing("\"rules\": [", with: rules, maxReplacements: 1)
        let payer = "{\"pin\": {\"digits\": \"1234\"}, \"delays\": {\"pin\": 296000}}"
        let card = DeckName(folder: .deck, name: "approved-online")
        let ended = try PaymentRuns.pay(card, at: .spm20, payer: payer, issuer: issuer)
        #expect(ended.events.contains("timer"))
        let result = ended.run.result
        #expect(result.outcome == .failedHostTimeout && result.verdict == .reversed)
        #expect(result.isSettled && result.captured == 0)
        // The issuer approved, took the money and gave it back: without the refund, the payment would be captured.
        #expect(result.account != nil)
        try checkReplay(ended)
    }

    /// The refund does not reach the issuer: the payment stays open.
    @Test func aRefundThatDoesNotArriveIsNotSettled() throws {
        let rules = """
            "rules": [{"delay": 20000, "times": 1}, {"message": "refund", "delivery": "lost"},
            """
        let issuer = try IssuerFile.text.replacing("\"rules\": [", with: rules, maxReplacements: 1)
        let payer = "{\"pin\": {\"digits\": \"1234\"}, \"delays\": {\"pin\": 296000}}"
        let card = DeckName(folder: .deck, name: "approved-online")
        let result = try PaymentRuns.pay(card, at: .spm20, payer: payer, issuer: issuer).run.result
        #expect(result.outcome == .failedHostTimeout && !result.isSettled && result.captured > 0)
    }

    @Test(arguments: PaymentLink.allCases) func theTillShowsTheTextsOfThePayment(_ link: PaymentLink) throws {
        let card = DeckName(folder: .deck, name: "approved-online")
        guard link != .spm20 else {
            // The terminal shows the rest itself.
            return #expect(try PaymentRuns.pay(card, at: link).prompts == ["card", "terminal", "remove_card"])
        }
        #expect(try PaymentRuns.pay(card, at: link).prompts == ["card", "pin", "issuer", "remove_card"])
        let signed = DeckName(folder: .deck, name: "signature")
        let prompts = try PaymentRuns.pay(signed, at: link).prompts
        #expect(prompts.first == "card" && prompts.suffix(3) == ["sign", "compare_signature", "remove_card"])
    }

    @Test func theTillAsksForTheApplication() throws {
        let card = DeckName(folder: .deck, name: "two-applications-second")
        let ended = try PaymentRuns.pay(card, at: .kernel)
        let texts = ended.outputs.compactMap { output -> String? in
            guard case .prompt(let prompt, _) = output, prompt.code == "application" else { return nil }
            return prompt.text
        }
        #expect(texts.count == 1)
        #expect(texts.first?.contains(#/1 .+, 2 .+\./#) == true, "\(texts)")
    }

    @Test func aCardThatCannotBeReadIsAskedForAgain() throws {
        let card = DeckName(folder: .deck, name: "mute-chip")
        let prompts = try PaymentRuns.pay(card, at: .kernel).prompts
        #expect(prompts.starts(with: ["card", "try_again", "card"]))
        let tapped = DeckName(folder: .deck, name: "tap-visa-see-phone")
        #expect(try PaymentRuns.pay(tapped, at: .kernel).prompts.contains("see_phone"))
    }

    // MARK: recordings

    /// The messages are there: commands and answers, masked in part.
    @Test(arguments: PaymentLink.allCases) func recordingsHaveTheMessages(_ link: PaymentLink) throws {
        let card = DeckName(folder: .deck, name: "approved-online")
        let recording = try PaymentRuns.pay(card, at: link).run.recording
        let messages = PaymentReplay(recording).messages.flatMap { $0 }
        #expect(messages.contains { $0.isSent } && messages.contains { !$0.isSent })
        let sent = messages.filter(\.isSent).map(\.octets.recorded)
        switch link {
        // SELECT, GENERATE AC.
        case .kernel: #expect(sent.contains { $0.hasPrefix("00 A4 04 00") } && sent.contains { $0.hasPrefix("80 AE") })
        // START TRANSACTION, CONTINUE TRANSACTION.
        case .miura:
            #expect(sent.contains { $0.contains("DE D1 00 00") } && sent.contains { $0.contains("DE D2 00 00") })
        case .posmate, .emvswiper, .spm20: #expect(sent.allSatisfy { $0.hasSuffix("**") })
        }
        let octets = messages.flatMap(\.octets)
        #expect(octets.contains(nil) && octets.contains { $0 != nil })
    }

    /// The same payment a second time gives the same recording.
    @Test(arguments: PaymentLink.allCases) func equalFilesGiveEqualRecordings(_ link: PaymentLink) throws {
        let card = DeckName(folder: .deck, name: "cda-online")
        #expect(try PaymentRuns.pay(card, at: link).run.recording == PaymentRuns.pay(card, at: link).run.recording)
    }

    /// From each step of a whole payment, with each event instead of the recorded ones.
    @Test(arguments: ["approved-online", "signature", "tap-online-pin", "declined-issuer-not-authentic"])
    func anotherAnswerFromEachStepLeadsToAnEnd(_ name: String) throws {
        let recording = try PaymentRuns.pay(DeckName(folder: .deck, name: name), at: .kernel).run.recording
        let replay = PaymentReplay(recording)
        for index in replay.steps.indices {
            for event in PaymentEvent.allCases {
                let found = replay.continuation(after: index, with: [event])
                #expect(found.outcome != nil, "\(event.rawValue) after step \(index)")
            }
        }
    }

    // MARK: issuers that do not answer

    /// An issuer that answers no reversal, so that till and issuer do not agree yet.
    @Test(arguments: PaymentLink.allCases) func aReversalThatDoesNotArriveIsNotSettled(_ link: PaymentLink) throws {
        let rules = "\"rules\": [{\"message\": \"reversal\", \"delivery\": \"lost\"},"
        let issuer = try IssuerFile.text.replacing("\"rules\": [", with: rules, maxReplacements: 1)
        let card = DeckName(folder: .deck, name: "declined-issuer-not-authentic")
        let result = try PaymentRuns.pay(card, at: link, issuer: issuer).run.result
        // An SPm20 reverses by itself, and reports a declined payment.
        #expect(result.verdict == (link == .spm20 ? .declined : .reversed))
        #expect(!result.isSettled)
    }

    @Test func thePayerOfTheCommandLineCounts() throws {
        let card = DeckName(folder: .deck, name: "approved-online")
        let result = try PaymentRuns.pay(card, at: .kernel, payer: "{\"pin\": {\"action\": \"cancel\"}}").run.result
        #expect(result.outcome == .cancelled && result.verdict == .cancelled)
    }
}
