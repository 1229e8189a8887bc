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

    /// A row of the page: of an item, or of the part of an item that has no test.
    struct Row {
        let item: String
        /// Whether another part of the item has a test: the cell is `S1-144, in part`.
        let isPart: Bool
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
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        var tested: Set<String> = []
        for file in files ?? [] {
            tested.formUnion(Self.items(testedBy: try String(contentsOf: file, encoding: .utf8)))
        }
        self.tested = tested.intersection(Self.all)
        let page = try String(contentsOf: root.appendingPathComponent("docs/accept.md"), encoding: .utf8)
        rows = page.split(separator: "\n").filter { $0.hasPrefix("| S1-") || $0.hasPrefix("| X1-") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let item = cells[0].replacingOccurrences(of: ", in part", with: "")
            return Row(item: item, isPart: item != cells[0], reason: Reason(cell: cells.last ?? ""))
        }
    }

    /// The items at the beginning of the names of tests in a source: of each function after `@Test` that is not disabled.
    static func items(testedBy source: String) -> Set<String> {
        let code = source.components(separatedBy: "\n").filter {
            !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//")
        }.joined(separator: "\n")
        var items: Set<String> = []
        // What follows an attribute, up to the next one.
        for part in code.components(separatedBy: "@Test").dropFirst() {
            guard let function = part.range(of: "func "), !part[..<function.lowerBound].contains(".disabled") else {
                continue
            }
            var words = part[function.upperBound...].prefix { $0 != "(" }.split(separator: "_")[...]
            while words.count > 2, lists.contains(where: { $0.name == words.first ?? "" }) {
                items.insert(words.prefix(2).joined(separator: "-"))
                words = words.dropFirst(2)
            }
        }
        return items
    }

    /// The items that have neither a test nor a row.
    var missing: [String] {
        Self.all.filter { item in !tested.contains(item) && !rows.contains { $0.item == item } }
    }

    /// The numbers, one a line, for people.
    var summary: String {
        var lines = [
            "\(Self.all.count) items, \(tested.count) with a test, \(rows.count) with a row, \(missing.count) with neither",
            "of them with a test and a row for the rest: \(rows.count { $0.isPart })",
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
