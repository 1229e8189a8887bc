import JackdawCryptography
import JackdawEMV
import JackdawSimulator
import Testing

/// The cards of both decks in a simulated till. The ends are those of the files, which follow from the books.
@Suite struct DeckTests {
    private func till(_ card: DeckName) throws -> (till: Till, ends: CardEnding) {
        let deck = try CardDeck([card.name], LibCryptoPrimitives(mode: .test)) { card.folder.bytes(of: $0) }
        let found = try #require(deck[card.name])
        return (try found.till(LibCryptoPrimitives(mode: .test)), found.ends)
    }

    @Test(arguments: DeckName.all) func theCardEndsAsItsFileSays(_ card: DeckName) throws {
        let (fresh, ends) = try till(card)
        var till = fresh
        #expect(till.run() == ends.outcome)
        #expect(till.payment.journal.entry.map { CardEnding.Interface($0) } == ends.interface)
        #expect(till.reasons.map(\.code) == ends.reasons)
        #expect(till.results == ends.results, "\(till.results?.names ?? [])")
        #expect(till.nextDeadline == nil)
    }

    /// Nothing is held after a payment, and only an approved one is captured, once.
    @Test(arguments: DeckName.all) func theBooksOfTillAndIssuerAgree(_ card: DeckName) throws {
        let (fresh, ends) = try till(card)
        var till = fresh
        till.run()
        let isApproved = ends.outcome.isApproved
        #expect(till.records == (isApproved ? 1 : 0))
        #expect(till.issuer.ledger.held == 0)
        #expect(till.issuer.ledger.captured == (isApproved ? ends.amount : 0))
        #expect(till.refusals == [])
    }

    @Test func theDecksAreLargeEnough() {
        #expect(DeckFolder.deck.names.count >= 40)
        let kinds = ["cvm-downgrade", "ctq-", "authentication-downgrade", "arpc-replayed", "aip-without-signature"]
        for kind in kinds {
            #expect(DeckFolder.attack.names.contains { $0.hasPrefix(kind) }, "\(kind)")
        }
    }

    @Test(arguments: DeckName.all.filter { $0.folder == .attack }) func noAttackMovesMoney(_ card: DeckName) throws {
        let (fresh, ends) = try till(card)
        var till = fresh
        #expect(!ends.outcome.isApproved)
        till.run()
        #expect(till.issuer.ledger.captured == 0)
        #expect(!till.reasons.isEmpty)
    }

    /// Without the attacker the same cards pay.
    @Test(arguments: DeckName.all.filter { $0.folder == .attack }) func withoutTheAttackTheCardIsApproved(
        _ card: DeckName
    ) throws {
        let text = String(decoding: try #require(card.folder.bytes(of: .card(card.name))), as: UTF8.self)
        #expect(text.contains("\"wedge\":"))
        // A wedge that alters nothing.
        let harmless = text.replacing(#/"wedge": \{.*\}(?=\n)/#, with: "\"wedge\": {}")
            // The amounts for which the issuer declines.
            .replacing("\"amount\": 5105", with: "\"amount\": 6000")
        #expect(harmless != text)
        let honest = try DeckCard(card.name, json: Array(harmless.utf8), LibCryptoPrimitives(mode: .test)) {
            card.folder.bytes(of: $0)
        }
        var till = try honest.till(LibCryptoPrimitives(mode: .test))
        #expect(till.run()?.isApproved == true)
    }

    /// The altered copy has the card's own number: only the qualifiers make its signature wrong.
    @Test func theAlteredCopyDiffersInTheQualifiersOnly() throws {
        let name = DeckName(folder: .attack, name: "ctq-and-copy")
        let text = String(decoding: try #require(name.folder.bytes(of: .card(name.name))), as: UTF8.self)
        // The card's own values.
        let harmless = text.replacing("0080\"", with: "4000\"")
        #expect(harmless != text)
        let honest = try DeckCard(name.name, json: Array(harmless.utf8), LibCryptoPrimitives(mode: .test)) {
            name.folder.bytes(of: $0)
        }
        var till = try honest.till(LibCryptoPrimitives(mode: .test))
        #expect(till.run() == .approvedOffline)
        #expect(till.reasons.map(\.code) == ["oda.dda", "cvm.signature"])
    }

    @Test(arguments: DeckName.all) func reasonsHaveNoCardData(_ card: DeckName) throws {
        var (till, _) = try till(card)
        till.run()
        let text = till.reasons.map { "\($0.code) \($0)" }.joined(separator: "\n")
        #expect(!text.contains(#/[0-9]{8}/#))
        #expect(till.reasons.allSatisfy { !$0.text.isEmpty })
    }

    /// The last part may be a tag or a status word in hexadecimal digits.
    @Test(arguments: DeckName.all) func codesOfReasonsAreInSnakeCase(_ card: DeckName) throws {
        let (_, ends) = try till(card)
        for code in ends.reasons {
            #expect(code.wholeMatch(of: #/[a-z0-9_]+(\.[a-z0-9_]+)*(\.[0-9A-F]{2,})?/#) != nil, "\(code)")
        }
    }

    @Test func equalFilesGiveEqualPayments() throws {
        let name = DeckName(folder: .deck, name: "cda-online")
        var (first, _) = try till(name)
        var (second, _) = try till(name)
        first.run()
        second.run()
        #expect(first.log == second.log)
    }
}
