import Foundation
import JackdawEMV
import JackdawSimulator
import Testing

/// The generated parts of `docs/deck.md` and `docs/attack-deck.md`. `JACKDAW_WRITE_PAGES=1` writes them.
@Suite struct DeckPageTests {
    @Test(arguments: DeckFolder.allCases) func thePageHasTheCardsOfTheFiles(_ folder: DeckFolder) throws {
        let url = URL(filePath: "\(DeckFolder.root)/\(folder.page)")
        let page = try String(contentsOf: url, encoding: .utf8)
        let start = try #require(page.range(of: "<!-- printed by DeckPageTests -->\n"))
        let end = try #require(page.range(of: "<!-- end of the table -->"))
        let text = try Self.table(folder)
        if ProcessInfo.processInfo.environment["JACKDAW_WRITE_PAGES"] == "1" {
            let new = page[..<start.upperBound] + text + page[end.lowerBound...]
            try Data(new.utf8).write(to: url)
            return
        }
        #expect(page[start.upperBound..<end.lowerBound] == text)
    }

    /// The readers that take each presentation of the card.
    private static func readers(_ card: DeckCard) -> String {
        let links = PaymentLink.allCases.filter { $0.takesEachPresentation(of: card.payer) }
        guard links != PaymentLink.allCases else { return "all" }
        let jacks = SwipeLink.all.filter { $0.takesEachPresentation(of: card.payer) }
        return (links.map(\.rawValue) + jacks.map(\.name)).map { "`\($0)`" }.joined(separator: ", ")
    }

    private static func table(_ folder: DeckFolder) throws -> String {
        let cards = try folder.cards().cards
        var lines = ["\(cards.count) cards.", ""]
        lines += ["| card | is | amount | ends | reasons | readers | rule |", "|---|---|---|---|---|---|---|"]
        for card in cards {
            let ends = card.ends
            let currency = ends.currency.reduce(UInt16(0)) { $0 * 100 + UInt16($1 >> 4 * 10 + $1 & 15) }
            let amount = Amount(minorUnits: ends.amount, currencyCode: currency)
            let place = ends.interface.map { ", \($0.rawValue)" } ?? ""
            let reasons = ends.reasons.map { "`\($0)`" }.joined(separator: ", ")
            let link = "[\(card.name)](../cards/\(folder.rawValue)/\(card.name).json)"
            let values = [
                link, card.note, "\(amount)", "`\(ends.outcome.rawValue)`\(place)", reasons, readers(card), ends.rule,
            ]
            lines.append("| \(values.joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
