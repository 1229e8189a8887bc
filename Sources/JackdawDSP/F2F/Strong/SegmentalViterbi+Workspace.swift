extension SegmentalViterbi {
    /// Everything that a search reads and writes.
    struct Workspace {
        let scores: PulseScores
        /// Costs of changes of cell length, by eight times.
        let penalties: [SIMD8<Int16>]
        /// Best score over nearby lengths for a cell that starts at a time: rows of `rowLength`, two a length (+, -).
        var reached: [Int16]
        /// Scores of all states of a stretch, by eight times,
        var states: [SIMD8<Int16>]
        /// and the times that they are of.
        var times = 0..<0
        /// Best score at each time.
        var ends: [SIMD8<Int16>]
        /// What was taken off the scores of each tile.
        var offsets = [0]

        private let stateWidth: Int
        /// What each stretch began with: the past of every row.
        private var pasts: [Int16] = []

        init(search: SegmentalViterbi, scores: PulseScores, penalties: [SIMD8<Int16>]) {
            self.scores = scores
            self.penalties = penalties
            let width = search.stateWidth
            stateWidth = width
            let rows = 2 * search.lengths.count
            reached = .init(repeating: impossible, count: rows * rowLength)
            pasts.reserveCapacity((scores.count + stretch - 1) / stretch * rows * past)
            let blocks = (min(scores.count, stretch) + 7) / 8
            // All but the margins is written before it is read.
            states = unsafe .init(unsafeUninitializedCapacity: blocks * width) { states, count in
                let margin = 2 * neighbours
                for block in 0..<blocks {
                    for place in 0..<margin {
                        unsafe states[block * width + place] = .init(repeating: impossible)
                        unsafe states[(block + 1) * width - 1 - place] = .init(repeating: impossible)
                    }
                }
                count = blocks * width
            }
            ends = .init(repeating: .init(repeating: impossible), count: (scores.count + 7) / 8)
        }

        /// Where the states of a time and the seven beside it lie.
        func block(at time: Int) -> Int { time % stretch / 8 * stateWidth }

        /// What a path starts with in the tile of a time.
        func start(at time: Int) -> Int16 { Int16(max(-offsets[time / tile], lowestStart)) }

        /// Keeps the past that the next stretch begins with.
        mutating func keepPast() {
            for row in stride(from: 0, to: reached.count, by: rowLength) { pasts += reached[row..<row + past] }
        }

        /// Brings back the past that a stretch began with.
        mutating func restorePast(ofStretch stretch: Int) {
            let rows = reached.count / rowLength
            for row in 0..<rows {
                let kept = (stretch * rows + row) * past
                reached.replaceSubrange(row * rowLength..<row * rowLength + past, with: pasts[kept..<kept + past])
            }
        }

        mutating func wipe() {
            reached.wipe()
            states.wipe()
            ends.wipe()
            pasts.wipe()
        }
    }
}
