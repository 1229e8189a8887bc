import JackdawCards
import JackdawCryptography
import JackdawEMV
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Payments with cards that a reader on the audio jack swipes, simulated or at a link, and with the cards of a head.
@Suite struct SwipeRunTests {
    private static let primitives = LibCryptoPrimitives(mode: .test)

    private static func reader(_ link: SwipeLink, isSimulated: Bool = true) throws -> SwipingReader {
        let family = try #require(ReaderFamily.named(link.family))
        let simulated = try #require(SimulatedFamily.named(link.family))
        let model: (any ReaderModel)? = isSimulated ? simulated.makeModel() : nil
        return try SwipingReader(family, profile: family.simulatedProfile, model: model)
    }

    private static func run(_ card: String, _ reader: SwipingReader?, amount: UInt64 = 6000) throws -> PaymentRun {
        let setup = try PaymentRuns.setup(DeckName(folder: .deck, name: card))
        return try PaymentRun(setup, amount: amount, currency: [0x09, 0x78], swipedAt: reader, primitives)
    }

    private static func pay(_ card: String, _ link: SwipeLink, amount: UInt64 = 6000) throws -> PaymentRuns.Ended {
        var run = try run(card, reader(link), amount: amount)
        var outputs = run.start()
        while run.nextDeadline != nil { outputs += run.advance() }
        return PaymentRuns.Ended(run: run, outputs: outputs)
    }

    private static func texts(_ ended: PaymentRuns.Ended) -> [String] {
        ended.outputs.compactMap { if case .prompt(let prompt, _) = $0 { prompt.text } else { nil } }
    }

    private func check(_ ended: PaymentRuns.Ended, of card: String) throws {
        let recording = ended.run.recording
        let read = try PaymentRecording(recording.octets)
        #expect(read == recording)
        #expect(PaymentReplay(read).difference == nil)
        let shown =
            String(decoding: recording.octets, as: UTF8.self) + ended.outputs.map { "\($0)" }.joined(separator: "\n")
        let characters = shown.filter { $0 != " " }.uppercased()
        for secret in try PaymentRuns.secrets(of: DeckName(folder: .deck, name: card)) {
            #expect(!characters.contains(secret) && !characters.contains(hexadecimal(secret.utf8)), "\(secret)")
        }
    }

    /// Those whose readers report swipes, and no others.
    @Test func theReadersAreThoseOfTheAudioJack() {
        #expect(SwipeLink.all.map(\.name) == ["sim:ips", "sim:ipsenterprise", "sim:udynamo", "sim:unimag"])
        #expect(SwipeLink(name: "sim:unimag")?.family == "unimag")
        for name in ["sim:hijack", "sim:miura", "sim:idtech", "unimag", ""] { #expect(SwipeLink(name: name) == nil) }
        #expect(SwipeLink(family: "flojack") == nil)
    }

    // MARK: simulated readers

    @Test(arguments: SwipeLink.all) func cardsThatAreOnlySwipedEndAsTheirFilesSay(_ link: SwipeLink) throws {
        var count = 0
        for card in DeckName.all where link.takesEachPresentation(of: try PaymentRuns.setup(card).payer) {
            count += 1
            let ends = try PaymentRuns.ends(card)
            let ended = try Self.pay(card.name, link, amount: ends.amount)
            let result = ended.run.result
            #expect(result.outcome == ends.outcome && result.entry == .swipe && result.isSettled, "\(card.name)")
            #expect(result.reasons.map(\.code) == ends.reasons, "\(card.name)")
            #expect(result.captured == (ends.outcome.isApproved ? ends.amount : 0), "\(card.name)")
            #expect(ended.run.header.link == link.name)
            try check(ended, of: card.name)
        }
        #expect(count >= 3)
    }

    @Test(arguments: SwipeLink.all) func theTextsAskForASwipeAndASignature(_ link: SwipeLink) throws {
        let ended = try Self.pay("stripe-only", link)
        #expect(ended.prompts == ["card", "issuer", "sign", "compare_signature"])
        #expect(Self.texts(ended).first == "60.00 EUR: swipe the card.")
    }

    /// The messages of the reader, the swipe in them masked.
    @Test(arguments: SwipeLink.all) func recordingsHaveTheMessagesOfTheReader(_ link: SwipeLink) throws {
        let recording = try Self.pay("stripe-only", link).run.recording
        let messages = PaymentReplay(recording).messages.flatMap { $0 }
        #expect(messages.contains { $0.isSent } && messages.contains { !$0.isSent })
    }

    @Test func equalFilesGiveEqualRecordings() throws {
        let link = try #require(SwipeLink(family: "unimag"))
        #expect(try Self.pay("stripe-only", link).run.recording == Self.pay("stripe-only", link).run.recording)
    }

    /// Amounts of 51.05 are declined by the issuer's file, 51.98 is not sent, and of 51.97 the answer is lost.
    @Test(
        arguments: [
            (5105, .declinedOnline, .declined), (5198, .failedUnableOnline, .failed),
            (5197, .failedHostTimeout, .reversed),
        ] as [(UInt64, PaymentOutcome, PaymentResult.Verdict)])
    func theIssuerDecides(_ amount: UInt64, _ outcome: PaymentOutcome, _ verdict: PaymentResult.Verdict) throws {
        let ended = try Self.pay("stripe-only", #require(SwipeLink(family: "unimag")), amount: amount)
        #expect(ended.run.result.outcome == outcome && ended.run.result.verdict == verdict)
        #expect(ended.run.result.captured == 0 && ended.run.result.isSettled)
        try check(ended, of: "stripe-only")
    }

    /// EMV Book 4, 6.6: the service code begins with 2. This reader has no contacts for the chip.
    @Test(arguments: SwipeLink.all) func aCardWithAChipIsNotTaken(_ link: SwipeLink) throws {
        let ended = try Self.pay("chip-card-swiped", link)
        let result = ended.run.result
        #expect(result.outcome == .failedTimeout && result.entry == nil && result.captured == 0)
        #expect(result.reasons.map(\.code) == ["swipe_chip_card", "timer"])
        #expect(result.account == nil)
        #expect(ended.prompts == ["card", "use_chip", "card"])
        #expect(Self.texts(ended)[1] == "This card has a chip, which this reader cannot read: use another card.")
        try check(ended, of: "chip-card-swiped")
    }

    @Test func aStripeThatCannotBeReadIsAskedForAgain() throws {
        let ended = try Self.pay("stripe-unreadable", #require(SwipeLink(family: "unimag")))
        #expect(ended.run.result.outcome == .failedTimeout)
        #expect(ended.run.result.reasons.map(\.code) == ["swipe_bad", "timer"])
        #expect(Self.texts(ended).contains("The card could not be read. Try again."))
    }

    @Test func aProgramThatIsKilledLosesNoMoney() throws {
        var verdicts: Set<PaymentResult.Verdict> = []
        for steps in 0...200 {
            var run = try Self.run("stripe-only", Self.reader(#require(SwipeLink(family: "unimag"))))
            _ = run.start()
            for _ in 0..<steps where run.nextDeadline != nil { _ = run.advance() }
            let isOver = run.nextDeadline == nil
            _ = run.kill()
            while run.nextDeadline != nil { _ = run.advance() }
            #expect(run.result.isSettled, "after \(steps)")
            #expect(run.result.captured == (run.result.verdict == .approved ? 6000 : 0), "after \(steps)")
            #expect(PaymentReplay(run.recording).difference == nil)
            verdicts.insert(run.result.verdict)
            if isOver { break }
        }
        #expect(verdicts == [.failed, .reversed, .approved])
    }

    // MARK: readers at links

    /// The driver switches the power, and sends its requests, until it gives up.
    @Test func aReaderThatDoesNotAnswerIsNotPrepared() throws {
        var run = try Self.run(
            "stripe-only", Self.reader(#require(SwipeLink(family: "unimag")), isSimulated: false))
        var powers: [String] = []
        _ = run.start()
        repeat {
            for case .power(let power) in run.takeTasks() { powers.append("\(power)") }
            _ = run.advance()
        } while run.nextDeadline != nil
        for case .power(let power) in run.takeTasks() { powers.append("\(power)") }
        #expect(run.result.outcome == .failedPreparation)
        #expect(powers.first == "connecting" && powers.last == "off")
        #expect(run.header.link == "unimag")
    }

    @Test func aLinkThatIsLostBeforeTheSwipeEndsThePayment() throws {
        var run = try Self.run("stripe-only", Self.reader(#require(SwipeLink(family: "ips")), isSimulated: false))
        _ = run.start()
        _ = run.loseLink(at: .seconds(1))
        #expect(run.result.outcome == .failedLink)
    }

    // MARK: the sound of a head

    private static func event(_ track: String) -> CardEvent {
        let octets = Array(track.utf8)
        return CardEvent([.init(2, octets.span)], source: .sound)
    }

    private static let plain = ";4761739001010010=30121011234500000000?"

    @Test func aCardOfAHeadPays() throws {
        var run = try Self.run("stripe-only", nil)
        _ = run.start()
        #expect(run.isAwaitingSwipe && run.header.link == "head")
        _ = run.receive(CardEvent([], source: .sound), at: .seconds(1))
        #expect(run.isAwaitingSwipe)
        _ = run.receive(Self.event(Self.plain), at: .seconds(2))
        // Another card, and the end of the file, when the payment waits for none.
        #expect(!run.isAwaitingSwipe)
        _ = run.receive(Self.event(";5413330089020011=30121010000?"), at: .seconds(2))
        _ = run.loseLink(at: .seconds(2))
        while run.nextDeadline != nil { _ = run.advance() }
        #expect(run.result.outcome == .approved && run.result.entry == .swipe)
        #expect(run.result.account?.hasSuffix("0010") == true)
        #expect(run.result.reasons.map(\.code) == ["swipe_bad"])
        #expect(PaymentReplay(run.recording).difference == nil)
    }

    @Test func aHeadThatReadsNoMoreCardsEndsThePayment() throws {
        var run = try Self.run("stripe-only", nil)
        _ = run.start()
        _ = run.loseLink(at: .seconds(1))
        #expect(run.result.outcome == .failedLink)
        var other = try Self.run("stripe-only", nil)
        _ = other.start()
        _ = other.receive(Self.event(";4761739001010010=30122011234500000000?"), at: .seconds(1))
        #expect(other.isAwaitingSwipe)
        _ = other.loseLink(at: .seconds(2))
        #expect(other.result.outcome == .failedLink)
        #expect(other.result.reasons.map(\.code) == ["swipe_chip_card", "link_lost"])
    }

    // MARK: the texts at the till

    /// The first text asks for what the reader takes.
    @Test(arguments: [
        (PaymentLink.kernel, "insert, tap or swipe"), (.miura, "insert"), (.posmate, "insert"), (.spm20, "insert"),
    ])
    func theTextAsksForWhatTheReaderTakes(_ link: PaymentLink, _ ways: String) throws {
        let ended = try PaymentRuns.pay(DeckName(folder: .deck, name: "approved-online"), at: link)
        #expect(Self.texts(ended).first == "60.00 EUR: \(ways) the card.")
    }

    /// A card in a reader with contacts only, whose chip fails twice.
    @Test func aReaderWithContactsAsksForNoSwipe() throws {
        let setup = try PaymentRuns.setup(DeckName(folder: .deck, name: "approved-online"))
        var run = try PaymentRun(
            setup, amount: 6000, currency: [0x09, 0x78], atLinkOf: .kernel, Self.primitives)
        var outputs = run.start()
        var now = Duration.zero
        while let next = run.nextDeadline {
            now = max(now, next)
            outputs += run.advance()
            for case .send in run.takeTasks() { outputs += run.receive([0x6F], at: now) }
        }
        let texts = Self.texts(PaymentRuns.Ended(run: run, outputs: outputs))
        #expect(texts.contains("60.00 EUR: insert the card."))
        #expect(texts.allSatisfy { !$0.contains("swipe") && !$0.contains("tap") }, "\(texts)")
    }
}
