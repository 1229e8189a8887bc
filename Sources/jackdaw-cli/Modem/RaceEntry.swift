/// A burst that one of several decoders reads, for the choice between them.
struct RaceEntry {
    /// The decoder, in the order in which equals are preferred.
    let runner: Int
    /// Its events among those of the runner.
    let events: Range<Int>
    /// In samples; the end is infinite where the burst goes on.
    let start: Double
    let end: Double
    /// How much of the sound it explains, over 0.
    let score: Double
    /// Whether the characters are as sure as those of noise seldom are.
    let isPlain: Bool
    /// Whether the sound looks like the runner's mode, or the mode could not be told by its looks.
    let standing: Standing

    enum Standing {
        /// The sound looks like it.
        case confirmed
        /// What the mode sounds like cannot be told from other sound.
        case unknown
        /// The sound does not look like it, as far as can be told.
        case doubtful
    }
}

extension [RaceEntry] {
    /// Of the sets of bursts that do not overlap each other the one with the highest sum of scores, in the order of time: of
    /// several readings of a place the best one, or two that lie side by side.
    /// - Parameter gap: so many samples lie between the bursts of two runners, at least. A burst right behind one of another
    ///   mode is in the same place: there the carrier goes on without data, and may look like data of other tones.
    /// - Returns: the bursts.
    func best(gap: Double) -> [RaceEntry] {
        let entries = sorted { ($0.end, $0.runner, $0.start) < ($1.end, $1.runner, $1.start) }
        /// For each entry the best sum of a set that ends with it, and the entry before it in that set.
        var sums: [(sum: Double, before: Int?)] = []
        for entry in entries {
            var best = (sum: entry.score, before: Int?.none)
            for (index, other) in entries[..<sums.count].enumerated() {
                let isApart = entry.start >= other.end + (entry.runner == other.runner ? 0 : gap)
                if isApart, sums[index].sum + entry.score > best.sum {
                    best = (sums[index].sum + entry.score, index)
                }
            }
            sums.append(best)
        }
        // Of equals the first.
        var next = sums.indices.max { sums[$0].sum < sums[$1].sum || (sums[$0].sum == sums[$1].sum && $0 > $1) }
        var chosen: [RaceEntry] = []
        while let index = next {
            chosen.append(entries[index])
            next = sums[index].before
        }
        return chosen.reversed()
    }
}
