import JackdawEMV

/// The picture and the table of `docs/payment-flow.md`, from the payment's table.
enum PaymentPage {
    /// The generated part of the page.
    static var text: String { picture + "\n" + PaymentPhase.allCases.map(section).joined(separator: "\n") }

    /// The phases and the events between them. All lead to the end, and a crash is possible in each.
    private static var picture: String {
        var lines = ["```mermaid", "stateDiagram-v2", "    [*] --> Idle"]
        for phase in PaymentPhase.allCases {
            for next in PaymentPhase.allCases where next != phase && next != .crashed && next != .done {
                let events = PaymentTable.rows.filter { $0.phase == phase && $0.next == next }.map(\.event.rawValue)
                guard !events.isEmpty else { continue }
                lines.append("    \(phase.rawValue) --> \(next.rawValue): \(unique(events).joined(separator: ", "))")
            }
        }
        return (lines + ["```", ""]).joined(separator: "\n")
    }

    private static func section(_ phase: PaymentPhase) -> String {
        let rows = PaymentTable.rows.filter { $0.phase == phase }
        let rejected = rows.filter { $0.treatment == .rejected }.map { "`\($0.event.rawValue)`" }
        let ignored = PaymentEvent.allCases.count - Set(rows.map(\.event)).count
        var lines = ["### \(phase.rawValue)", ""]
        let handled = rows.filter { $0.treatment == .handled }
        if !handled.isEmpty {
            lines += ["| event | if | next | changes | effects |", "|---|---|---|---|---|"]
            lines += handled.map(line)
            lines.append("")
        }
        let refusals = rejected.isEmpty ? "" : "Rejected: \(rejected.joined(separator: ", ")). "
        return (lines + ["\(refusals)Ignored: \(ignored) events.", ""]).joined(separator: "\n")
    }

    private static func line(_ row: PaymentRow) -> String {
        let changes = row.changes.map(\.name).joined(separator: "; ")
        let actions = row.actions.map(\.name).joined(separator: "; ")
        return "| `\(row.event.rawValue)` | \(row.condition.rawValue) | \(row.next?.rawValue ?? "") "
            + "| \(changes) | \(actions) |"
    }

    private static func unique(_ names: [String]) -> [String] {
        var seen = Set<String>()
        return names.filter { seen.insert($0).inserted }
    }
}
