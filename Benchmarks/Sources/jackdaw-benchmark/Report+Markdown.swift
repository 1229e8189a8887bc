import Foundation

extension Report {
    /// The figures for docs/results.md: what counts first, then every condition, tracks across.
    var markdown: String {
        let rates = Self.rates(of: trials)
        var seen: Set<String> = []
        let conditions = trials.map { Self.condition(of: $0.cell) }.filter { seen.insert($0).inserted }
        let wrong = Dictionary(grouping: trials, by: { Self.condition(of: $0.cell) })
            .mapValues { $0.count { !$0.wrong.isEmpty } }
        let rows = conditions.map { condition in
            let columns = columns { rates[condition]?[$0].map { "\($0.formatted(decimals: 0)) %" } }
            return "| \(condition) | \(columns) | \(wrong[condition] ?? 0) |"
        }
        return """
            | | track 1 | track 2 | track 3 |
            |---|---|---|---|
            | mean over all cells | \(columns { means[$0].map { "\($0.formatted(decimals: 1)) %" } }) |
            | white noise: lowest level that reads 95 % or more | \
            \(columns { noiseLimit(track: $0, rates).map { "\($0) dB" } }) |

            \(total.read.grouped) of \(total.files.grouped) files read, \(total.fast.grouped) of them by the fast \
            tier; wrong text in \(total.wrong.grouped).

            | condition | track 1 | track 2 | track 3 | files with wrong text |
            |---|---|---|---|---|
            \(rows.joined(separator: "\n"))

            """
    }

    private func columns(_ value: (Int) -> String?) -> String {
        (1...3).map { value($0) ?? "-" }.joined(separator: " | ")
    }

    /// The lowest signal to noise ratio (dB) of the cells `snr_...` that reads 95 % or more, with all above it; nil
    /// where not even the highest does.
    func noiseLimit(track: Int, _ rates: [String: [Int: Double]]) -> Int? {
        let levels = rates.compactMap { condition, rates -> (level: Int, rate: Double)? in
            guard let level = condition.wholeMatch(of: /snr_([+-]\d+)/).flatMap({ Int($0.1) }), let rate = rates[track]
            else { return nil }
            return (level, rate)
        }
        return levels.sorted { $0.level > $1.level }.prefix { $0.rate >= 95 }.last?.level
    }
}

extension Int {
    /// The number with a comma before every three digits.
    fileprivate var grouped: String { formatted(.number.locale(Locale(identifier: "en_US"))) }
}
