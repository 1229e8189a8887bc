/// Finds the clock and the bits of a swipe at once: a segmental Viterbi search (hidden semi-Markov model) in which a state
/// is "a clock transition of polarity p at sample t closes a bit cell of length L".
///
/// Flux transitions alternate in polarity, so a pulse that is missing or too many breaks a path; that memory is worth
/// 7.8 dB over deciding each pulse alone. Scores are whole numbers of 16 bits, eight times to a vector.
struct SegmentalViterbi: Sendable {
    /// The best path.
    struct Path {
        /// Cell boundaries in samples of the search.
        var boundaries: [Float]
        /// Bits in the order of time.
        @Wiped private(set) var bits: [UInt8]
        /// Polarity of the transition at the first boundary: 0 positive, 1 negative.
        var startSign: Int
    }

    /// How many steps the cell length may change by from one cell to the next.
    private static let neighbours = 2
    /// Samples kept of the past, beyond the longest cell.
    static let past = 128
    /// Samples between two moves of the past to the front of its buffer.
    private static let tile = 512
    /// Samples a row: an odd number of cache lines, so that rows do not crowd each other out.
    private static let rowLength = past + tile + 32
    /// Longest search in samples; bounds memory.
    static let longestSegment = 80_000

    /// What the best score is brought back to at the start of a tile, and the most that a tile may add to it.
    private static let restingScore = 4_096
    private static let mostGain = 24_000
    /// Lowest score of a path that starts: it is 0 less what was taken off before, until another path is far ahead.
    private static let lowestStart = -20_480
    /// Below every score that a path can have.
    private static let impossible: Int16 = -24_000

    /// Cell lengths searched, in samples: 8 to 127, rising.
    let lengths: [Int]
    /// The largest score of a pulse, either way: a tile full of them does not overflow.
    let scoreLimit: Int16
    /// Vectors for eight times: two for each length, with a margin that no path comes from.
    private let stateWidth: Int

    init(lengths: [Int]) {
        self.lengths = lengths
        scoreLimit = Int16(Self.mostGain / (2 * (Self.tile / lengths[0] + 1)))
        stateWidth = 2 * (lengths.count + 2 * Self.neighbours)
    }

    /// Everything that a search writes.
    private struct Workspace {
        /// Best score over nearby lengths for a cell that starts at a time: rows of `rowLength`, two a length (+, -).
        var reached: [Int16]
        /// Scores of all states, by eight times.
        var states: [SIMD8<Int16>]
        /// Best score at each time.
        var ends: [SIMD8<Int16>]
        /// What was taken off the scores of each tile.
        var offsets = [0]

        init(laneCount: Int, stateWidth: Int, count: Int) {
            let blocks = (count + 7) / 8
            reached = .init(repeating: impossible, count: 2 * laneCount * rowLength)
            // All but the margins is written before it is read.
            states = unsafe .init(unsafeUninitializedCapacity: blocks * stateWidth) { states, count in
                let margin = 2 * neighbours
                for block in 0..<blocks {
                    for place in 0..<margin {
                        unsafe states[block * stateWidth + place] = .init(repeating: impossible)
                        unsafe states[(block + 1) * stateWidth - 1 - place] = .init(repeating: impossible)
                    }
                }
                count = blocks * stateWidth
            }
            ends = .init(repeating: .init(repeating: impossible), count: blocks)
        }

        /// What a path starts with in the last tile.
        var start: Int16 { Int16(max(-offsets[offsets.count - 1], lowestStart)) }

        mutating func wipe() {
            reached.wipe()
            states.wipe()
            ends.wipe()
        }
    }

    /// - Parameters:
    ///   - scores: scores of pulses, within `scoreLimit`.
    ///   - rateCost: cost of a change of cell length, per squared relative change.
    /// - Returns: the path of the highest score, or nil where none is above zero.
    func bestPath(_ scores: PulseScores, rateCost: Float) -> Path? {
        let penalties = penalties(rateCost: rateCost * scores.unit)
        var workspace = Workspace(laneCount: lengths.count, stateWidth: stateWidth, count: scores.count)
        defer { workspace.wipe() }
        var tileStart = 0
        for time in stride(from: 0, to: scores.count, by: 8) {
            if time - tileStart == Self.tile {
                startTile(&workspace, time: time)
                tileStart = time
            }
            closeCells(&workspace, scores: scores, time: time, tileStart: tileStart)
            openCells(&workspace, penalties: penalties, time: time, tileStart: tileStart)
        }
        let history = History(
            search: self, penalties: penalties, states: workspace.states, offsets: workspace.offsets)
        return history.bestPath(scores, ends: workspace.ends)
    }

    /// Moves the past to the front, less what the last tile added.
    private func startTile(_ workspace: inout Workspace, time: Int) {
        let last = workspace.ends[(time - Self.tile) / 8..<time / 8].reduce(
            SIMD8(repeating: Self.impossible), SIMD8.larger)
        let excess = max(Int((0..<8).reduce(Self.impossible) { max($0, last[$1]) }) - Self.restingScore, 0)
        let taken = SIMD8(repeating: Int16(excess))
        let lowest = SIMD8(repeating: Int16(Self.lowestStart))
        unsafe workspace.reached.withUnsafeMutableBytes { reached in
            for row in 0..<2 * lengths.count {
                let target = unsafe reached.baseAddress! + 2 * row * Self.rowLength
                for index in stride(from: 0, to: Self.past, by: 8) {
                    let score = unsafe Self.load(target + 2 * (index + Self.tile))
                    // No score is lower than lowestStart less a few thousand, so that this does not overflow.
                    let moved: SIMD8<Int16> = .larger(.larger(score, lowest &+ taken) &- taken, lowest)
                    unsafe (target + 2 * index).storeBytes(of: moved, as: SIMD8<Int16>.self)
                }
            }
        }
        workspace.offsets.append(workspace.offsets[workspace.offsets.count - 1] + excess)
    }

    /// Scores of closing a cell of each length at eight times.
    private func closeCells(_ workspace: inout Workspace, scores: PulseScores, time: Int, tileStart: Int) {
        let start = SIMD8(repeating: workspace.start)
        let rowBytes = 2 * Self.rowLength
        let scoreRowBytes = 2 * scores.rowStep
        let firstState = time / 8 * stateWidth + 2 * Self.neighbours
        let place = 2 * (Self.past + time - tileStart)
        let scorePlace = 2 * (PulseScores.lead + time)
        unsafe workspace.states.withUnsafeMutableBufferPointer { states in
            unsafe workspace.reached.withUnsafeBytes { reached in
                unsafe scores.positive.withUnsafeBytes { positive in
                    unsafe scores.negative.withUnsafeBytes { negative in
                        var state = unsafe states.baseAddress! + firstState
                        var row = unsafe reached.baseAddress! + place
                        for lane in 0..<lengths.count {
                            let opening = -2 &* lengths[lane]
                            let middle = opening &+ 2 &* (lengths[lane] >> 1)
                            let scoreRow = (lane >> 3) &* scoreRowBytes &+ scorePlace
                            let plus = unsafe positive.baseAddress! + scoreRow
                            let minus = unsafe negative.baseAddress! + scoreRow
                            let openPlus = unsafe Self.load(row + opening)
                            let openMinus = unsafe Self.load(row + (rowBytes &+ opening))
                            // A cell that closes with +: a 0 opened with -; a 1 opened with + and has - in its middle.
                            let onePlus = unsafe openPlus &+ Self.load(minus + middle)
                            let oneMinus = unsafe openMinus &+ Self.load(plus + middle)
                            unsafe state[0] = .larger(.larger(openMinus, onePlus), start) &+ Self.load(plus)
                            unsafe state[1] = .larger(.larger(openPlus, oneMinus), start) &+ Self.load(minus)
                            unsafe state += 2
                            unsafe row += 2 &* rowBytes
                        }
                    }
                }
            }
        }
    }

    /// From each closed cell to the next one, whose length may differ by a few steps.
    private func openCells(_ workspace: inout Workspace, penalties: [SIMD8<Int16>], time: Int, tileStart: Int) {
        let steps = 2 * Self.neighbours + 1
        let place = 2 * (Self.past + time - tileStart)
        let block = time / 8 * stateWidth
        var end = SIMD8(repeating: Self.impossible)
        unsafe workspace.states.withUnsafeBufferPointer { states in
            unsafe penalties.withUnsafeBufferPointer { penalties in
                unsafe workspace.reached.withUnsafeMutableBytes { reached in
                    var state = unsafe states.baseAddress! + block
                    var penalty = penalties.baseAddress!
                    var row = unsafe reached.baseAddress! + place
                    for _ in 0..<lengths.count {
                        for _ in 0..<2 {
                            // The same length again costs nothing.
                            var top = unsafe state[2 * Self.neighbours]
                            end = .larger(end, top)
                            for step in 0..<steps where step != Self.neighbours {
                                top = unsafe .larger(top, state[2 &* step] &- penalty[step])
                            }
                            unsafe row.storeBytes(of: top, as: SIMD8<Int16>.self)
                            unsafe state += 1
                            unsafe row += 2 * Self.rowLength
                        }
                        unsafe penalty += steps
                    }
                }
            }
        }
        workspace.ends[time / 8] = end
    }

    @inline(__always)
    private static func load(_ source: UnsafeRawPointer) -> SIMD8<Int16> {
        unsafe source.loadUnaligned(as: SIMD8<Int16>.self)
    }

    /// [lane * steps + step]: cost of a cell of the lane's length after one of the length `step - neighbours` further on.
    private func penalties(rateCost: Float) -> [SIMD8<Int16>] {
        lengths.indices.flatMap { lane in
            (-Self.neighbours...Self.neighbours).map { step in
                let before = lengths[min(max(lane + step, 0), lengths.count - 1)]
                let change = Float(before - lengths[lane]) / Float(lengths[lane])
                return SIMD8(repeating: Int16(min(rateCost * change * change, 4_096).rounded()))
            }
        }
    }

    /// What a search leaves behind: the path is found from the scores of its states, backwards.
    private struct History {
        let search: SegmentalViterbi
        let penalties: [SIMD8<Int16>]
        let states: [SIMD8<Int16>]
        let offsets: [Int]

        private struct Node {
            var time: Int
            var lane: Int
            /// 0 positive, 1 negative.
            var sign: Int
        }

        func bestPath(_ scores: PulseScores, ends: [SIMD8<Int16>]) -> Path? {
            var best = (score: 0, time: 0)
            for time in 0..<scores.count {
                let score = Int(ends[time / 8][time % 8]) + offsets[time / SegmentalViterbi.tile]
                if score > best.score { best = (score, time) }
            }
            guard best.score > 0 else { return nil }
            let time = best.time
            let states = search.lengths.indices.flatMap {
                [Node(time: time, lane: $0, sign: 0), Node(time: time, lane: $0, sign: 1)]
            }
            let end = states.max { self.score(of: $0) < self.score(of: $1) }
            return end.map { path(to: $0, scores) }
        }

        private func path(to end: Node, _ scores: PulseScores) -> Path {
            var node = end
            var boundaries = [Float(end.time)]
            var bits: [UInt8] = []
            bits.reserveCapacity(end.time / search.lengths[0])  // growing would leave unwiped copies behind
            while true {
                let length = search.lengths[node.lane]
                let opening = node.time - length
                guard opening >= 0 else { break }
                let zero = opened(Node(time: opening, lane: node.lane, sign: 1 - node.sign))
                let one = opened(Node(time: opening, lane: node.lane, sign: node.sign))
                let middle = scores.score(at: opening + length / 2, lane: node.lane, sign: 1 - node.sign)
                let isOne = one.score + middle > zero.score
                let start = max(0, offsets[node.time / SegmentalViterbi.tile] + SegmentalViterbi.lowestStart)
                guard max(one.score + middle, zero.score) > start else { break }
                bits.append(isOne ? 1 : 0)
                node = isOne ? one.node : zero.node
                boundaries.append(Float(node.time))
            }
            bits.reverse()
            return Path(boundaries: boundaries.reversed(), bits: bits, startSign: node.sign)
        }

        private func score(of node: Node) -> Int {
            let row = 2 * (node.lane + SegmentalViterbi.neighbours) + node.sign
            return Int(states[node.time / 8 * search.stateWidth + row][node.time % 8])
                + offsets[node.time / SegmentalViterbi.tile]
        }

        /// The state from which a cell of a length was best reached.
        private func opened(_ node: Node) -> (score: Int, node: Node) {
            let reach = SegmentalViterbi.neighbours
            var best = (score: score(of: node), node: node)
            for step in -reach...reach where search.lengths.indices.contains(node.lane + step) {
                let from = Node(time: node.time, lane: node.lane + step, sign: node.sign)
                let score = score(of: from) - Int(penalties[node.lane * (2 * reach + 1) + step + reach][0])
                if score > best.score { best = (score, from) }
            }
            return best
        }
    }
}
