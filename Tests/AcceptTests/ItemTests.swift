import Foundation
import Testing

/// Each item of the SDK's guide that this module is for has a test of its name, or a row in docs/accept.md that says why
/// not. The items of printers, receipts, search, statistics and inventory are not among them.
struct ItemTests {
    private static let items: [(list: String, numbers: [ClosedRange<Int>])] = [
        (
            "S1",
            [
                1...32, 35...35, 42...47, 54...76, 104...122, 124...124, 126...128, 130...140, 142...150,
            ]
        ),
        ("X1", [1...3, 6...9]),
    ]

    @Test func everyItemHasATestOrARow() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let names = try FileManager.default.contentsOfDirectory(at: tests, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
            .flatMap { try String(contentsOf: $0, encoding: .utf8).split(separator: "\n") }
            .filter { $0.contains("func ") }
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/accept.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| S1-") || $0.hasPrefix("| X1-") }
        #expect(rows.count <= 25)
        var explained = 0
        for (list, ranges) in Self.items {
            for number in ranges.joined() {
                let digits = number < 10 ? "0\(number)" : "\(number)"
                let isTested = names.contains { $0.contains("\(list)_\(digits)_") }
                let isExplained = rows.contains { $0.hasPrefix("| \(list)-\(digits) |") }
                #expect(isTested != isExplained, "\(list)-\(digits)")
                if isExplained { explained += 1 }
            }
        }
        #expect(explained == rows.count)
    }
}
