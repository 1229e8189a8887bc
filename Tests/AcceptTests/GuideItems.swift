import Foundation

/// The items of the SDK's guide that the module is for, with the tests and the rows of docs/accept.md that deal with them.
/// `ItemTests` checks them, and `make items` prints their numbers: both compile this file.
///
/// The items of printers, receipts, search, statistics, inventory, the transfer of configurations and firmware are not among
/// them.
struct GuideItems {
    /// The reason why an item has a row, and no test.
    enum Reason: String, CaseIterable {
        case appleOnly = "Apple only"
        case hardwareOnly = "hardware only"
        /// The row names the issue.
        case laterIssue = "later issue"

        /// The reason of a cell: `Apple only`, `hardware only`, or `later issue` with the name of the issue.
        init?(cell: String) {
            let reason = Self.allCases.first { reason in
                cell == reason.rawValue || cell.hasPrefix("\(reason.rawValue):")
            }
            guard let reason, (reason == .laterIssue) == (cell.count > reason.rawValue.count + 2) else { return nil }
            self = reason
        }
    }

    /// A row of the page.
    struct Row {
        let item: String
        /// Nil if the cell is none of the three reasons.
        let reason: Reason?
    }

    private static let lists: [(name: String, numbers: [ClosedRange<Int>])] = [
        ("S1", [1...32, 35...35, 42...47, 54...76, 104...122, 124...124, 126...128, 130...140, 142...150]),
        ("X1", [1...3, 6...9]),
    ]

    /// The names of all items: `S1-01`.
    static var all: [String] {
        lists.flatMap { list in
            list.numbers.joined().map { "\(list.name)-\($0 < 10 ? "0" : "")\($0)" }
        }
    }

    /// The items in the names of tests: `S1_01_...`.
    let tested: Set<String>
    /// The rows of the page, in their order.
    let rows: [Row]

    /// Reads the tests and the page of the repository.
    init(root: URL) throws {
        let tests = root.appendingPathComponent("Tests/AcceptTests")
        let lines = try FileManager.default.contentsOfDirectory(at: tests, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
            .flatMap { try String(contentsOf: $0, encoding: .utf8).split(separator: "\n") }
            .filter { $0.contains("func ") }
        tested = Set(
            Self.all.filter { item in
                let name = item.replacingOccurrences(of: "-", with: "_") + "_"
                return lines.contains { $0.contains(name) }
            })
        let page = try String(contentsOf: root.appendingPathComponent("docs/accept.md"), encoding: .utf8)
        rows = page.split(separator: "\n").filter { $0.hasPrefix("| S1-") || $0.hasPrefix("| X1-") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return Row(item: cells[0], reason: Reason(cell: cells.last ?? ""))
        }
    }

    /// The items that have neither a test nor a row.
    var missing: [String] {
        Self.all.filter { item in !tested.contains(item) && !rows.contains { $0.item == item } }
    }

    /// The numbers, one a line, for people.
    var summary: String {
        var lines = [
            "\(Self.all.count) items, \(tested.count) with a test, \(rows.count) with a row, \(missing.count) with neither"
        ]
        for reason in Reason.allCases {
            let items = rows.filter { $0.reason == reason }.map(\.item)
            lines.append(
                "\(reason.rawValue): \(items.count)\(items.isEmpty ? "" : " (\(items.joined(separator: ", ")))")")
        }
        if !missing.isEmpty { lines.append("neither: \(missing.joined(separator: ", "))") }
        return lines.joined(separator: "\n")
    }
}
