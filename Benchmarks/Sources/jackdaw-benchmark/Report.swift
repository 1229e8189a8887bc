import Foundation

/// The figures of one cell.
struct CellScore: Codable, Sendable {
    let cell: String
    let files: Int
    /// Files whose message was read exactly.
    let read: Int
    /// Files for which a message was accepted that they do not hold.
    let wrong: Int
    /// Files with a swipe that was not read.
    let missed: Int
    /// Files read by each tier.
    let fast: Int
    let strong: Int
    /// Files read exactly, but as another track's.
    let misnumbered: Int
    /// Files read exactly, but reported more than once.
    let repeated: Int

    /// The figures of some trials.
    init(_ cell: String, _ trials: some Collection<Trial>) {
        func count(_ isCounted: (Trial) -> Bool) -> Int { trials.count(where: isCounted) }
        self.cell = cell
        files = trials.count
        read = count { $0.readBy != nil }
        wrong = count { !$0.wrong.isEmpty }
        missed = count(\.isMissed)
        fast = count { $0.readBy == "fast" }
        strong = count { $0.readBy == "strong" }
        misnumbered = count(\.isMisnumbered)
        repeated = count(\.isRepeated)
    }
}

/// The outcome of an accuracy run; what `--json` writes and `compare` reads.
struct Report: Codable, Sendable {
    let cells: [CellScore]
    /// Mean over all cells, by track number, of the share read exactly (%).
    let means: [Int: Double]
    /// Processor time of reading and decoding all files.
    let processorSeconds: Double
    let trials: [Trial]

    /// The figures of a run, cells in the order of their first file.
    init(_ trials: [Trial], processorSeconds: Double) {
        self.trials = trials
        self.processorSeconds = processorSeconds
        let byCell = Dictionary(grouping: trials, by: \.cell)
        var seen: Set<String> = []
        cells = trials.map(\.cell).filter { seen.insert($0).inserted }.map { CellScore($0, byCell[$0] ?? []) }
        let rates = Self.rates(of: trials)
        means = Dictionary(
            uniqueKeysWithValues: (1...3).compactMap { track in
                let values = rates.values.compactMap { $0[track] }
                return values.isEmpty ? nil : (track, values.reduce(0, +) / Double(values.count))
            })
    }

    /// The figures of all files together.
    var total: CellScore { CellScore("all", trials) }

    /// Share read exactly (%), by condition and by track; a cell's name without its track is its condition.
    static func rates(of trials: [Trial]) -> [String: [Int: Double]] {
        Dictionary(grouping: trials, by: { condition(of: $0.cell) }).mapValues { trials in
            var rates: [Int: Double] = [:]
            for (track, trials) in Dictionary(grouping: trials, by: \.track) {
                guard let track else { continue }
                rates[track] = 100 * Double(trials.count { $0.readBy != nil }) / Double(trials.count)
            }
            return rates
        }
    }

    /// `snr_t2_+03` becomes `snr_+03`.
    static func condition(of cell: String) -> String { cell.replacing(/_t[123]/, with: "") }
}

extension Report {
    /// One line a cell, then all, then the means.
    var text: String {
        var lines = [row("cell", ["files", "read", "wrong", "missed", "fast", "strong"])]
        for score in cells + [total] {
            let counts = [score.files, score.read, score.wrong, score.missed, score.fast, score.strong]
            lines.append(row(score.cell, counts.map(String.init)))
        }
        lines.append("")
        for (track, mean) in means.sorted(by: { $0.key < $1.key }) {
            lines.append("track \(track): \(mean.formatted(decimals: 1)) % mean over all cells")
        }
        if total.misnumbered > 0 { lines.append("read as another track: \(total.misnumbered)") }
        if total.repeated > 0 { lines.append("read more than once: \(total.repeated)") }
        lines.append("\(total.files) files in \(processorSeconds.formatted(decimals: 1)) s of processor time")
        return lines.joined(separator: "\n")
    }
}

/// A line of a table: a name to the left, values to the right of their columns.
func row(_ name: String, _ values: [String]) -> String {
    name.padding(toLength: 18, withPad: " ", startingAt: 0)
        + values.map { String(repeating: " ", count: max(1, 11 - $0.count)) + $0 }.joined()
}

extension Double {
    /// The value with a fixed number of decimals.
    func formatted(decimals: Int) -> String { String(format: "%.\(decimals)f", self) }
}
