import Foundation
import JackdawPayments
import Testing

/// The table of states. The expected pairs are those of the design, written by hand; `docs/payments.md` shows them.
@Suite struct AttemptTableTests {
    /// The allowed changes, one a line: state, change, next state.
    private static let allowed = """
        open ask asked
        open approve approved
        open decline declined
        open cancel cancelled
        open fail failed
        asked notSent open
        asked approve approved
        asked decline declined
        asked doubt unknown
        asked reverse reversing
        unknown decline declined
        unknown findBooked reversing
        unknown confirm approved
        unknown findNothing failed
        unknown acknowledge reversed
        unknown refuse needsAttention
        reversing findNothing failed
        reversing acknowledge reversed
        reversing refuse needsAttention
        approved takeBack reversing
        approved refuse needsAttention
        needsAttention settlePaid approved
        needsAttention settleUnpaid failed
        needsAttention deliverAgain approved
        needsAttention reverseAgain unknown
        """

    @Test func allPairsOfStatesAndChangesAreAsDesigned() {
        var lines: [String] = []
        for state in AttemptState.allCases {
            for change in AttemptChange.allCases {
                guard let next = AttemptTable.next(state, change) else { continue }
                lines.append("\(state.rawValue) \(change.rawValue) \(next.rawValue)")
            }
        }
        let expected = Set(Self.allowed.split(separator: "\n").map(String.init))
        #expect(Set(lines) == expected, "\(lines.joined(separator: "\n"))")
        #expect(lines.count == expected.count)
    }

    @Test func aRefusedChangeLeavesTheRecordUnchanged() throws {
        for state in AttemptState.allCases {
            for change in AttemptChange.allCases where AttemptTable.next(state, change) == nil {
                var record = try sampleRecord()
                record.state = state
                let before = record
                let isApplied = record.apply(change)
                #expect(!isApplied && record == before)
            }
        }
    }

    @Test func finalStatesMoveNoMoneyAnyMore() {
        for state in AttemptState.allCases where state.isFinal && state != .approved {
            #expect(AttemptTable.rows[state] == nil, "\(state)")
        }
        // An approval can be taken back by the merchant. If it is found refused, a person's work alone makes it final again.
        #expect(AttemptTable.rows[.approved] == [.takeBack: .reversing, .refuse: .needsAttention])
    }

    /// `JACKDAW_WRITE_PAGES=1` writes the table into the page.
    @Test func thePageHasTheTableOfTheCode() throws {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let url = root.appendingPathComponent("docs/payments.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        let start = try #require(page.range(of: "<!-- printed by AttemptTableTests -->\n"))
        let end = try #require(page.range(of: "<!-- end of the table -->"))
        if ProcessInfo.processInfo.environment["JACKDAW_WRITE_PAGES"] == "1" {
            let new = page[..<start.upperBound] + Self.table + page[end.lowerBound...]
            try Data(new.utf8).write(to: url)
            return
        }
        #expect(page[start.upperBound..<end.lowerBound] == Self.table)
    }

    private static var table: String {
        var lines = ["| state | change | next |", "|---|---|---|"]
        for state in AttemptState.allCases {
            for change in AttemptChange.allCases {
                guard let next = AttemptTable.next(state, change) else { continue }
                lines.append("| `\(state.rawValue)` | \(change.rawValue) | `\(next.rawValue)` |")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
