import Foundation
import JackdawEMV
import JackdawPayments
import Testing

@testable import Accept

/// The table of scenarios and readers in `docs/accept.md`. `JACKDAW_WRITE_PAGES=1` writes it.
struct FlowScenarioPageTests {
    private static var text: String {
        let reasons = AcceptReaderTerminals.Model.Reason.allCases
        let titles = FlowFamily.allCases.map(\.title)
        var lines = [
            "| scenario | " + titles.joined(separator: " | ") + " |",
            "|---|" + String(repeating: "---|", count: titles.count),
        ]
        var counts = [Int](repeating: 0, count: titles.count)
        for scenario in FlowScenario.all {
            var cells = ["\(scenario.model.number) \(scenario.model.name)"]
            for (column, family) in FlowFamily.allCases.enumerated() {
                if let reason = family.reason(scenario.model.events), let index = reasons.firstIndex(of: reason) {
                    cells.append("\(index + 1)")
                } else {
                    cells.append("yes")
                    counts[column] += 1
                }
            }
            lines.append("| " + cells.joined(separator: " | ") + " |")
        }
        lines.append("| all \(FlowScenario.all.count) | " + counts.map { "\($0)" }.joined(separator: " | ") + " |")
        lines.append("")
        lines += reasons.enumerated().map { "\($0 + 1). \($1.rawValue)" }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test func thePageHasTheScenariosOfTheCode() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/accept.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        let start = try #require(page.range(of: "<!-- printed by FlowScenarioPageTests -->\n"))
        let end = try #require(page.range(of: "<!-- end of the scenarios -->"))
        if ProcessInfo.processInfo.environment["JACKDAW_WRITE_PAGES"] == "1" {
            let new = page[..<start.upperBound] + Self.text + page[end.lowerBound...]
            try Data(new.utf8).write(to: url)
            return
        }
        #expect(page[start.upperBound..<end.lowerBound] == Self.text)
    }

    @Test func oneFamilyReachesThirtyOfTheScenarios() {
        #expect(FlowScenario.all.count == 38)
        let counts = FlowFamily.allCases.map { family in
            FlowScenario.all.count { family.reason($0.model.events) == nil }
        }
        #expect(counts.max() ?? 0 >= 30)
    }

    /// Each scenario that a reader has runs with a setup of its own.
    @Test func eachScenarioHasASetupOrAReason() {
        for scenario in FlowScenario.all {
            let isReached = FlowFamily.allCases.contains { $0.reason(scenario.model.events) == nil }
            #expect(isReached == (FlowSetup.all[scenario.model.number] != nil), "\(scenario.testDescription)")
        }
    }
}
