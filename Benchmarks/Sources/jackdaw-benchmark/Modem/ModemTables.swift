import Foundation

/// What the readers made of a corpus, as tables.
struct ModemTables {
    /// What one reader made of one recording.
    struct Entry: Sendable {
        let family: String
        let condition: String
        let reader: String
        /// Seconds of sound.
        let seconds: Double
        let alignment: ByteAlignment
        /// Words that were read and sent, where words are counted.
        var words: WordCount?
        /// Frames that were read whole and sent, where frames are counted.
        var frames: WordCount?
    }

    /// How many words were read.
    struct WordCount: Sendable, Hashable {
        var read = 0
        var sent = 0

        /// Counts a word in what was read.
        init(of word: String, in read: [UInt8], sent: Int) {
            self.read = read.ranges(of: Array(word.utf8)).count
            self.sent = sent
        }

        /// Counts a frame that stands as a whole in what was read.
        init(ofFrame frame: [UInt8], in read: [UInt8]) {
            self.read = read.ranges(of: frame).isEmpty ? 0 : 1
            sent = 1
        }

        /// Both added up.
        static func + (left: WordCount, right: WordCount) -> WordCount {
            var sum = left
            sum.read += right.read
            sum.sent += right.sent
            return sum
        }
    }

    private struct Place: Hashable {
        let family: String
        let condition: String
        let reader: String
    }

    private let alignments: [Place: ByteAlignment]
    private let seconds: [Place: Double]
    private let words: [Place: WordCount]
    private let frames: [Place: WordCount]
    private let families: [String]
    private let conditions: [String]
    private let readers: [String]

    init(_ entries: [Entry]) {
        var alignments: [Place: ByteAlignment] = [:]
        var seconds: [Place: Double] = [:]
        var words: [Place: WordCount] = [:]
        var frames: [Place: WordCount] = [:]
        for entry in entries {
            let place = Place(family: entry.family, condition: entry.condition, reader: entry.reader)
            alignments[place] = (alignments[place] ?? ByteAlignment()) + entry.alignment
            seconds[place, default: 0] += entry.seconds
            if let count = entry.words { words[place] = words[place].map { $0 + count } ?? count }
            if let count = entry.frames { frames[place] = frames[place].map { $0 + count } ?? count }
        }
        self.alignments = alignments
        self.seconds = seconds
        self.words = words
        self.frames = frames
        families = Self.inOrder(entries.map(\.family))
        conditions = Self.inOrder(entries.map(\.condition))
        readers = Self.inOrder(entries.map(\.reader))
    }

    /// All tables that the corpus has figures for.
    var markdown: String {
        let isCurve = conditions.allSatisfy { Self.decibels($0) != nil }
        let hasBytes = alignments.values.contains { $0.sent > 0 }
        var parts: [String] = []
        if !words.isEmpty {
            parts.append(countTable("Words read, of those sent", words) { "\($0.read)/\($0.sent)" })
        } else if !frames.isEmpty {
            parts.append(
                countTable("Frames not read whole, of those sent", frames) {
                    Self.share(1 - Double($0.read) / Double(max(1, $0.sent)))
                })
        } else if hasBytes {
            let limit = isCurve ? "1 % at" : nil
            parts.append(
                table("Bytes wrong or missing, of those sent", limit: limit, isCurve: isCurve) { $0.byteError })
            parts.append(table("Bits wrong, of those sent", limit: nil, isCurve: isCurve) { $0.bitError })
            parts.append(table("Bytes received that were not sent", isCurve: isCurve) { String($0.inserted) })
        } else {
            parts.append(falseBytes)
        }
        return parts.joined(separator: "\n")
    }

    private func table(
        _ title: String, limit: String?, isCurve: Bool, _ value: @escaping (ByteAlignment) -> Double?
    ) -> String {
        table(title, limit: limit, isCurve: isCurve) { value($0).map(Self.share) ?? "-" }
    }

    private func table(
        _ title: String, limit: String? = nil, isCurve: Bool, _ cell: (ByteAlignment) -> String
    ) -> String {
        func text(_ family: String, _ condition: String, _ reader: String) -> String {
            alignments[Place(family: family, condition: condition, reader: reader)].map(cell) ?? "-"
        }
        var rows: [[String]]
        if isCurve {
            rows = [["mode", "reader"] + conditions + (limit.map { [$0] } ?? [])]
            for family in families {
                for reader in readers where has(family, reader) {
                    let last = limit == nil ? [] : [limitText(family, reader)]
                    rows.append([family, reader] + conditions.map { text(family, $0, reader) } + last)
                }
            }
        } else {
            let columns = families.flatMap { family in readers.map { (family, $0) } }.filter { has($0.0, $0.1) }
            rows = [["condition"] + columns.map { "\($0.0), \($0.1)" }]
            for condition in conditions {
                rows.append([condition] + columns.map { text($0.0, condition, $0.1) })
            }
        }
        return "\(title):\n\n\(Self.markdown(rows))"
    }

    private func countTable(
        _ title: String, _ counts: [Place: WordCount], _ cell: (WordCount) -> String
    ) -> String {
        var rows = [["recording", "reader"] + conditions]
        for family in families {
            for reader in readers where has(family, reader) {
                let cells = conditions.map { condition in
                    counts[Place(family: family, condition: condition, reader: reader)].map(cell) ?? "-"
                }
                rows.append([family, reader] + cells)
            }
        }
        return "\(title):\n\n\(Self.markdown(rows))"
    }

    /// Bytes a minute out of noise alone.
    private var falseBytes: String {
        var rows = [["mode", "sound", "minutes"] + readers]
        for family in families {
            for condition in conditions {
                let places = readers.map { Place(family: family, condition: condition, reader: $0) }
                guard let minutes = places.compactMap({ seconds[$0] }).first.map({ $0 / 60 }), minutes > 0 else {
                    continue
                }
                let rates = places.map { place in
                    alignments[place].map { (Double($0.inserted) / minutes).formatted(decimals: 1) } ?? "-"
                }
                rows.append([family, condition, minutes.formatted(decimals: 1)] + rates)
            }
        }
        return "False bytes a minute:\n\n\(Self.markdown(rows))"
    }

    private func has(_ family: String, _ reader: String) -> Bool {
        conditions.contains { alignments[Place(family: family, condition: $0, reader: reader)] != nil }
    }

    private func limitText(_ family: String, _ reader: String) -> String {
        let points = conditions.compactMap { condition -> (decibels: Double, error: Double)? in
            let place = Place(family: family, condition: condition, reader: reader)
            guard let decibels = Self.decibels(condition), let error = alignments[place]?.byteError else { return nil }
            return (decibels, error)
        }
        guard let limit = Self.crossing(points, at: 0.01) else { return "-" }
        return "\(limit.isLower ? "< " : "")\(limit.decibels.formatted(decimals: 1)) dB"
    }

    /// Where a falling curve comes down to a share of errors for good, by the logarithm of the
    /// errors in between two points.
    /// - Returns: nil where it never does; the lowest point, as a bound, where it is there from the start.
    static func crossing(
        _ points: [(decibels: Double, error: Double)], at share: Double
    ) -> (decibels: Double, isLower: Bool)? {
        let points = points.sorted { $0.decibels < $1.decibels }
        let below = points.reversed().prefix { $0.error <= share }.count
        guard below > 0 else { return nil }
        guard below < points.count else { return (points[0].decibels, true) }
        let (upper, lower) = (points[points.count - below - 1], points[points.count - below])
        // A point without an error stands for half of one in 3,000.
        let (high, low) = (log(upper.error), log(max(lower.error, 1 / 6_000)))
        let part = (high - log(share)) / (high - low)
        return (upper.decibels + part * (lower.decibels - upper.decibels), false)
    }

    private static func decibels(_ condition: String) -> Double? {
        condition.wholeMatch(of: /([\d.]+)dB/).flatMap { Double($0.1) }
    }

    private static func share(_ value: Double) -> String {
        value == 0 ? "0" : String(value.formatted(decimals: value < 0.001 ? 5 : 4).drop { $0 == "0" })
    }

    private static func inOrder(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// Rows as a table; the first one is the heading.
    static func markdown(_ rows: [[String]]) -> String {
        var lines = rows.map { "| \($0.joined(separator: " | ")) |" }
        lines.insert("|" + String(repeating: "---|", count: rows.first?.count ?? 0), at: min(1, lines.count))
        return lines.joined(separator: "\n") + "\n"
    }
}
