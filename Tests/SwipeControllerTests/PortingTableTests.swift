import Foundation
import Testing

/// Each item of the vendor's text has a test of its name, or a row that says why not.
struct PortingTableTests {
    private let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private var page: URL { tests.deletingLastPathComponent().appendingPathComponent("docs/swipe-controller.md") }

    /// X0-10: that headphones are ready, too, is in a header of the vendor's and not in the text.
    @Test func X0_10_theAnswerOfHeadphonesIsListedAsOpen() throws {
        let text = try String(contentsOf: page, encoding: .utf8)
        let open = try #require(text.range(of: "What the texts leave open")).upperBound
        let items = text[open...].split(separator: "\n").filter { $0.hasPrefix("- ") }
        #expect(items.contains { $0.contains("IPS readers: what headphones answer") })
    }

    @Test func everyItemHasATestOrARow() throws {
        let names = try ["SwipeControllerTests", "JackdawSimulatorTests"].map(tests.appendingPathComponent)
            .flatMap { try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil) }
            .filter { $0.pathExtension == "swift" }
            .flatMap { try String(contentsOf: $0, encoding: .utf8).split(separator: "\n") }
            .filter { $0.contains("func ") }
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("|") }
        let items = (1...93).map { ("S0", $0) } + (1...10).map { ("X0", $0) }
        for (list, number) in items {
            let digits = number < 10 ? "0\(number)" : "\(number)"
            let isTested = names.contains { $0.contains("\(list)_\(digits)_") }
            let isExplained = rows.contains { $0.contains("\(list)-\(digits)") }
            #expect(isTested || isExplained, "\(list)-\(digits)")
        }
    }
}
