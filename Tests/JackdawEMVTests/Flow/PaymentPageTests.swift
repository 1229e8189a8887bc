import Foundation
import Testing

/// The generated part of `docs/payment-flow.md`. `JACKDAW_WRITE_PAGES=1` writes it.
@Suite struct PaymentPageTests {
    @Test func thePageHasTheTableOfTheCode() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let url = root.appendingPathComponent("docs/payment-flow.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        let start = try #require(page.range(of: "<!-- printed by PaymentPageTests -->\n"))
        let end = try #require(page.range(of: "<!-- end of the table -->"))
        if ProcessInfo.processInfo.environment["JACKDAW_WRITE_PAGES"] == "1" {
            let new = page[..<start.upperBound] + PaymentPage.text + page[end.lowerBound...]
            try Data(new.utf8).write(to: url)
            return
        }
        #expect(page[start.upperBound..<end.lowerBound] == PaymentPage.text)
    }
}
