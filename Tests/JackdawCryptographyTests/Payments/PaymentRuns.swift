import JackdawCryptography
import JackdawEMV
import JackdawSimulator
import Testing

/// Payments with the cards of the decks.
enum PaymentRuns {
    /// A payment that has come to its end, with its outputs.
    struct Ended {
        let run: PaymentRun
        let outputs: [PaymentRun.Output]

        /// The codes of the texts at the till.
        var prompts: [String] {
            outputs.compactMap { if case .prompt(let prompt, _) = $0 { prompt.code } else { nil } }
        }

        /// The entries, as they were returned.
        var entries: [PaymentEntry] {
            outputs.compactMap { if case .entry(let entry) = $0 { entry } else { nil } }
        }

        var events: [String] {
            entries.compactMap { if case .step(let step) = $0 { step.name } else { nil } }
        }
    }

    /// Pays with a card of a deck, perhaps with the files of another cardholder or another issuer.
    static func pay(
        _ card: DeckName, at link: PaymentLink, payer: String? = nil, issuer: String? = nil
    ) throws -> Ended {
        let primitives = LibCryptoPrimitives(mode: .test)
        let setup = try setup(card, payer: payer, issuer: issuer)
        let ends = try #require(setup.ends)
        var run = try PaymentRun(setup, amount: ends.amount, currency: ends.currency, at: link, primitives)
        var outputs = run.start()
        while run.nextDeadline != nil { outputs += run.advance() }
        return Ended(run: run, outputs: outputs)
    }

    /// Pays with a card at a link: each answer comes at the time of its command.
    static func pay(atLink setup: PaymentSetup, _ ends: CardEnding) throws -> Ended {
        var run = try PaymentRun(
            setup, amount: ends.amount, currency: ends.currency, atLinkOf: .kernel, LibCryptoPrimitives(mode: .test))
        var card = setup.card
        _ = card.powerOn()
        var now = Duration.zero
        var outputs = run.start()
        while let next = run.nextDeadline {
            now = max(now, next)
            outputs += run.advance()
            for task in run.takeTasks() {
                switch task {
                case .send(let command): outputs += run.receive(card.receive(command.span).octets, at: now)
                case .resetCard: _ = card.powerOn()
                case .power: Issue.record("a card has no power of its own")
                }
            }
        }
        return Ended(run: run, outputs: outputs)
    }

    /// A card of a deck, perhaps with the files of another cardholder or another issuer.
    static func setup(_ card: DeckName, payer: String? = nil, issuer: String? = nil) throws -> PaymentSetup {
        let primitives = LibCryptoPrimitives(mode: .test)
        let json = try #require(card.folder.bytes(of: .card(card.name)))
        return try PaymentSetup(
            card.name, json: json, payer: payer.map { try SimulatedPayer(json: Array($0.utf8)) },
            issuer: issuer.map { try SimulatedIssuer(json: Array($0.utf8), primitives) }, primitives
        ) { card.folder.bytes(of: $0) }
    }

    /// The end of a payment as the card's file says.
    static func ends(_ card: DeckName) throws -> CardEnding {
        let deck = try CardDeck([card.name], LibCryptoPrimitives(mode: .test)) { card.folder.bytes(of: $0) }
        return try #require(deck[card.name]).ends
    }

    /// The account numbers and tracks of a card's file and of its bases, as digits, and its cardholder's PIN block.
    static func secrets(of card: DeckName) throws -> Set<String> {
        let names = [card.name, "visa-dda", "m-chip-cda"]
        let files = names.compactMap { card.folder.bytes(of: .card($0)) }.map { String(decoding: $0, as: UTF8.self) }
        var secrets: Set<String> = ["241234FFFFFF", "244315FFFFFF"]
        for file in files {
            for match in file.matches(of: #/"(?:5A|57|stripe)": "([0-9]{8,})/#) { secrets.insert(String(match.1)) }
        }
        try #require(secrets.count >= 4)
        return secrets
    }
}
