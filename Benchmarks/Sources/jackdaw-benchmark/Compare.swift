import ArgumentParser

/// What changed between two accuracy runs.
struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the cells that two accuracy runs differ in.",
        discussion: "Ends with 1 if a recording was lost: the earlier run read it and the later one did not.")

    @Argument(help: "JSON of the earlier run.") var old: String
    @Argument(help: "JSON of the later run.") var new: String
    @Flag(help: "Lists the recordings gained and lost.") var files = false

    func run() throws {
        let (before, after) = (try Report(contentsOf: old), try Report(contentsOf: new))
        print(comparison(of: before, with: after, listsFiles: files))
        guard after.lost(since: before).isEmpty else { throw ExitCode(1) }
    }
}

extension Report {
    /// Recordings that an earlier run read and this one did not, if it had them.
    func lost(since old: Report) -> [String] { changed(from: true, since: old) }

    /// Recordings that this run read and an earlier one did not, if it had them.
    func gained(since old: Report) -> [String] { changed(from: false, since: old) }

    private func changed(from wasRead: Bool, since old: Report) -> [String] {
        let readBefore = Dictionary(old.trials.map { ($0.path, $0.readBy != nil) }, uniquingKeysWith: { $1 })
        return trials.filter { ($0.readBy == nil) == wasRead && readBefore[$0.path] == wasRead }.map(\.path)
    }
}

/// The cells that differ, the means, and the recordings gained and lost.
func comparison(of old: Report, with new: Report, listsFiles: Bool) -> String {
    func change(_ before: Int, _ after: Int) -> String {
        before == after ? "\(after)" : "\(before) -> \(after)"
    }
    var lines: [String] = []
    let oldCells = Dictionary(uniqueKeysWithValues: old.cells.map { ($0.cell, $0) })
    for after in new.cells {
        guard let before = oldCells[after.cell] else {
            lines.append("\(after.cell): new, read \(after.read) of \(after.files), wrong \(after.wrong)")
            continue
        }
        guard (before.files, before.read, before.wrong) != (after.files, after.read, after.wrong) else { continue }
        lines.append(
            "\(after.cell): read \(change(before.read, after.read)) of \(change(before.files, after.files)), "
                + "wrong \(change(before.wrong, after.wrong))")
    }
    let newCells = Set(new.cells.map(\.cell))
    lines += old.cells.filter { !newCells.contains($0.cell) }.map { "\($0.cell): gone" }
    for (track, after) in new.means.sorted(by: { $0.key < $1.key }) {
        let before = old.means[track]?.formatted(decimals: 2) ?? "none"
        lines.append("track \(track): mean \(before) -> \(after.formatted(decimals: 2)) %")
    }

    let (gained, lost) = (new.gained(since: old), new.lost(since: old))
    lines.append("recordings: \(gained.count) gained, \(lost.count) lost")
    if listsFiles { lines += gained.map { "gained: \($0)" } + lost.map { "lost: \($0)" } }
    lines.append(
        "processor time: \(old.processorSeconds.formatted(decimals: 1)) -> "
            + "\(new.processorSeconds.formatted(decimals: 1)) s")
    return lines.joined(separator: "\n")
}
