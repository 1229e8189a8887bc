import JackdawBytes

/// Finds the clock and the bits of a swipe together: a segmental Viterbi search (hidden semi-Markov model) in which a
/// state is "a clock transition of polarity p at sample t closes a bit cell of length L".
///
/// Flux transitions alternate in polarity, so a missing or extra pulse breaks a path; this memory gains 7.8 dB over
/// deciding each pulse alone. Scores are 16-bit integers, eight times per vector.
struct SegmentalViterbi: Sendable {
    /// The best path through the sound.
    struct Path {
        /// Cell boundaries in samples of the search, ascending.
        var boundaries: [Float]
        /// Bits in the order of time.
        @Wiped private(set) var bits: [UInt8]
        /// Polarity of the transition at the first boundary: 0 positive, 1 negative.
        var startSign: Int
    }

    /// Steps by which the cell length may change from one cell to the next.
    static let neighbours = 2
    /// Samples kept of the past, beyond the longest cell.
    static let past = 128
    /// Samples after which the past is moved to the front of its buffer.
    static let tile = 512
    /// Samples per row: an odd number of cache lines, so that rows do not evict each other.
    static let rowLength = past + tile + 32
    /// Samples whose states are kept at once: 3.4 MB. Those of a whole search would take 18 MB, so the states that the
    /// path needs are computed again, stretch by stretch, from the past at each stretch's start.
    static let stretch = 32 * tile
    /// Longest search in samples; limits the time.
    static let longestSegment = 80_000

    /// The value to which the best score is reduced at the start of a tile, and the most that a tile may add to it.
    private static let restingScore = 4_096
    private static let maxGain = 24_000
    /// Lowest score of a path that starts. It is 0 less the reductions so far, until another path is far ahead.
    static let lowestStart = -20_480
    /// Below every score that a path can have.
    static let impossible: Int16 = -24_000

    /// Cell lengths searched, in samples: 8 to 127, ascending.
    let lengths: [Int]
    /// The largest magnitude of a pulse's score: a whole tile of them does not overflow.
    let scoreLimit: Int16
    /// Vectors for eight times: two for each length.
    let stateWidth: Int

    init(lengths: [Int]) {
        self.lengths = lengths
        scoreLimit = Int16(Self.maxGain / (2 * (Self.tile / lengths[0] + 1)))
        stateWidth = 2 * lengths.count
    }

    /// - Parameters:
    ///   - scores: scores of pulses, within `scoreLimit`.
    ///   - rateCost: cost of a change of cell length, per squared relative change.
    /// - Returns: the path of the highest score; nil if no score is above zero.
    func bestPath(_ scores: PulseScores, rateCost: Float) -> Path? {
        var workspace = Workspace(search: self, scores: scores, penalties: penalties(rateCost: rateCost * scores.unit))
        defer { workspace.wipe() }
        for stretch in stride(from: 0, to: scores.count, by: Self.stretch) {
            if stretch > 0 { startTile(&workspace, time: stretch) }
            workspace.keepPast()
            advance(&workspace, through: stretch..<min(stretch + Self.stretch, scores.count))
        }
        return bestPath(&workspace)
    }

    /// Computes the states of a range of times, the first of which opens a stretch.
    private func advance(_ workspace: inout Workspace, through times: Range<Int>) {
        for tile in stride(from: times.lowerBound, to: times.upperBound, by: Self.tile) {
            if tile > times.lowerBound { startTile(&workspace, time: tile) }
            advance(&workspace, inTile: tile..<min(tile + Self.tile, times.upperBound))
        }
        workspace.times = times
    }

    /// Makes the states of a time available: if needed, computes those of its stretch again, from the past before it.
    func recall(_ time: Int, _ workspace: inout Workspace) {
        guard !workspace.times.contains(time) else { return }
        let stretch = time / Self.stretch
        workspace.restorePast(ofStretch: stretch)
        advance(&workspace, through: stretch * Self.stretch..<time + 1)
    }

    /// Moves the past to the front and subtracts the score that the last tile added.
    private func startTile(_ workspace: inout Workspace, time: Int) {
        let tile = time / Self.tile
        if tile == workspace.offsets.count {
            let last = workspace.ends[(time - Self.tile) / 8..<time / 8].reduce(
                SIMD8(repeating: Self.impossible), SIMD8.larger)
            let excess = max(Int((0..<8).reduce(Self.impossible) { max($0, last[$1]) }) - Self.restingScore, 0)
            workspace.offsets.append(workspace.offsets[tile - 1] + excess)
        }
        let excess = workspace.offsets[tile] - workspace.offsets[tile - 1]
        let taken = SIMD8(repeating: Int16(excess))
        let lowest = SIMD8(repeating: Int16(Self.lowestStart))
        unsafe workspace.reached.withUnsafeMutableBytes { reached in
            for row in 0..<2 * lengths.count {
                let target = unsafe reached.baseAddress! + 2 * row * Self.rowLength
                for index in stride(from: 0, to: Self.past, by: 8) {
                    let score = unsafe Self.load(target + 2 * (index + Self.tile))
                    // No score is below lowestStart by more than a few thousand, so this does not overflow.
                    let moved: SIMD8<Int16> = .larger(.larger(score, lowest &+ taken) &- taken, lowest)
                    unsafe (target + 2 * index).storeBytes(of: moved, as: SIMD8<Int16>.self)
                }
            }
        }
    }

    /// Computes the states of times in one tile, eight at a time.
    private func advance(_ workspace: inout Workspace, inTile times: Range<Int>) {
        let scores = workspace.scores
        let start = SIMD8(repeating: workspace.start(at: times.lowerBound))
        unsafe workspace.states.withUnsafeMutableBufferPointer { states in
            unsafe workspace.reached.withUnsafeMutableBytes { reached in
                unsafe scores.positive.withUnsafeBytes { positive in
                    unsafe scores.negative.withUnsafeBytes { negative in
                        unsafe workspace.penalties.withUnsafeBufferPointer { penalties in
                            for time in stride(from: times.lowerBound, to: times.upperBound, by: 8) {
                                let place = 2 &* (PulseScores.lead &+ time)
                                workspace.ends[time / 8] = unsafe advance(
                                    states: states.baseAddress! + time % Self.stretch / 8 &* stateWidth,
                                    reached: reached.baseAddress! + 2 &* (Self.past &+ time % Self.tile),
                                    positive: positive.baseAddress! + place, negative: negative.baseAddress! + place,
                                    scoreRow: 2 &* scores.rowStep, penalties: penalties.baseAddress!, start: start)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Computes the scores of closing a cell of each length at eight times, and steps from each closed cell to the next
    /// one, whose length may differ by a few steps.
    /// - Returns: the best score at each time.
    @inline(__always)
    private func advance(
        states: UnsafeMutablePointer<SIMD8<Int16>>, reached: UnsafeMutableRawPointer, positive: UnsafeRawPointer,
        negative: UnsafeRawPointer, scoreRow: Int, penalties: UnsafePointer<SIMD8<Int16>>, start: SIMD8<Int16>
    ) -> SIMD8<Int16> {
        let rowBytes = 2 &* Self.rowLength
        let none = SIMD8(repeating: Self.impossible)
        var end = none
        // The closed cells of five lengths, the newest last, of either polarity.
        var plus = Lengths(none)
        var minus = Lengths(none)
        var state = unsafe states
        var row = UnsafeRawPointer(reached)
        var opened = unsafe reached
        var penalty = unsafe penalties
        for lane in 0..<lengths.count &+ Self.neighbours {
            if lane < lengths.count {
                let opening = -2 &* lengths[lane]
                let middle = opening &+ 2 &* (lengths[lane] >> 1)
                let offset = (lane >> 3) &* scoreRow
                let openPlus = unsafe Self.load(row + opening)
                let openMinus = unsafe Self.load(row + (rowBytes &+ opening))
                // A cell that closes with +: a 0 that opened with -, or a 1 that opened with + and has - in its middle.
                let onePlus = unsafe openPlus &+ Self.load(negative + (offset &+ middle))
                let oneMinus = unsafe openMinus &+ Self.load(positive + (offset &+ middle))
                plus.push(unsafe .larger(.larger(openMinus, onePlus), start) &+ Self.load(positive + offset))
                minus.push(unsafe .larger(.larger(openPlus, oneMinus), start) &+ Self.load(negative + offset))
                unsafe state[0] = plus.newest
                unsafe state[1] = minus.newest
                end = .larger(end, .larger(plus.newest, minus.newest))
                unsafe state += 2
                unsafe row += 2 &* rowBytes
            } else {
                plus.push(none)
                minus.push(none)
            }
            guard lane >= Self.neighbours else { continue }
            unsafe opened.storeBytes(of: plus.best(penalty), as: SIMD8<Int16>.self)
            unsafe (opened + rowBytes).storeBytes(of: minus.best(penalty), as: SIMD8<Int16>.self)
            unsafe opened += 2 &* rowBytes
            unsafe penalty += 2 &* Self.neighbours &+ 1
        }
        return end
    }

    /// Scores of cells of five neighbouring lengths.
    private struct Lengths {
        private var shortest: SIMD8<Int16>
        private var shorter: SIMD8<Int16>
        private var middle: SIMD8<Int16>
        private var longer: SIMD8<Int16>
        private(set) var newest: SIMD8<Int16>

        init(_ score: SIMD8<Int16>) {
            (shortest, shorter, middle, longer, newest) = (score, score, score, score, score)
        }

        @inline(__always)
        mutating func push(_ score: SIMD8<Int16>) {
            (shortest, shorter, middle, longer, newest) = (shorter, middle, longer, newest, score)
        }

        /// The best score for a next cell of the middle length; keeping the length costs nothing.
        @inline(__always)
        func best(_ penalties: UnsafePointer<SIMD8<Int16>>) -> SIMD8<Int16> {
            let near = unsafe SIMD8<Int16>.larger(shorter &- penalties[1], longer &- penalties[3])
            let far = unsafe SIMD8<Int16>.larger(shortest &- penalties[0], newest &- penalties[4])
            return .larger(middle, .larger(near, far))
        }
    }

    @inline(__always)
    private static func load(_ source: UnsafeRawPointer) -> SIMD8<Int16> {
        unsafe source.loadUnaligned(as: SIMD8<Int16>.self)
    }

    /// [lane * steps + step]: cost of a cell of the lane's length after one whose length is `step - neighbours` further
    /// on.
    private func penalties(rateCost: Float) -> [SIMD8<Int16>] {
        lengths.indices.flatMap { lane in
            (-Self.neighbours...Self.neighbours).map { step in
                let before = lengths[min(max(lane + step, 0), lengths.count - 1)]
                let change = Float(before - lengths[lane]) / Float(lengths[lane])
                return SIMD8(repeating: Int16(min(rateCost * change * change, 4_096).rounded()))
            }
        }
    }
}

extension SegmentalViterbi {
    /// A state: a clock transition of a polarity at a time closes a bit cell of a length.
    private struct Node {
        var time: Int
        var lane: Int
        /// Polarity: 0 positive, 1 negative.
        var sign: Int
    }

    /// Traces the path backwards from the scores of its states.
    func bestPath(_ workspace: inout Workspace) -> Path? {
        var best = (score: 0, time: 0)
        for time in 0..<workspace.scores.count {
            let score = Int(workspace.ends[time / 8][time % 8]) + workspace.offsets[time / Self.tile]
            if score > best.score { best = (score, time) }
        }
        guard best.score > 0 else { return nil }
        recall(best.time, &workspace)
        let nodes = lengths.indices.flatMap {
            [Node(time: best.time, lane: $0, sign: 0), Node(time: best.time, lane: $0, sign: 1)]
        }
        let end = nodes.max { score(of: $0, workspace) < score(of: $1, workspace) }
        return end.map { path(to: $0, &workspace) }
    }

    private func path(to end: Node, _ workspace: inout Workspace) -> Path {
        var node = end
        var boundaries = [Float(end.time)]
        var bits: [UInt8] = []
        bits.reserveCapacity(end.time / lengths[0])  // growing would leave unwiped copies
        while true {
            let length = lengths[node.lane]
            let opening = node.time - length
            guard opening >= 0 else { break }
            recall(opening, &workspace)
            let zero = opened(Node(time: opening, lane: node.lane, sign: 1 - node.sign), workspace)
            let one = opened(Node(time: opening, lane: node.lane, sign: node.sign), workspace)
            let middle = workspace.scores.score(at: opening + length / 2, lane: node.lane, sign: 1 - node.sign)
            let isOne = one.score + middle > zero.score
            let start = max(0, workspace.offsets[node.time / Self.tile] + Self.lowestStart)
            guard max(one.score + middle, zero.score) > start else { break }
            bits.append(isOne ? 1 : 0)
            node = isOne ? one.node : zero.node
            boundaries.append(Float(node.time))
        }
        bits.reverse()
        return Path(boundaries: boundaries.reversed(), bits: bits, startSign: node.sign)
    }

    @inline(__always)
    private func score(of node: Node, _ workspace: Workspace) -> Int {
        let row = 2 * node.lane + node.sign
        return Int(workspace.states[workspace.block(at: node.time) + row][node.time % 8])
            + workspace.offsets[node.time / Self.tile]
    }

    /// The best state from which a cell of a length was reached.
    @inline(__always)
    private func opened(_ node: Node, _ workspace: Workspace) -> (score: Int, node: Node) {
        let reach = Self.neighbours
        var best = (score: score(of: node, workspace), node: node)
        for step in -reach...reach where lengths.indices.contains(node.lane + step) {
            let from = Node(time: node.time, lane: node.lane + step, sign: node.sign)
            let penalty = Int(workspace.penalties[node.lane * (2 * reach + 1) + step + reach][0])
            let score = score(of: from, workspace) - penalty
            if score > best.score { best = (score, from) }
        }
        return best
    }
}

extension SegmentalViterbi {
    /// The data that a search reads and writes.
    struct Workspace {
        let scores: PulseScores
        /// Costs of changes of cell length, eight equal lanes each.
        let penalties: [SIMD8<Int16>]
        /// Best score over nearby lengths for a cell that starts at a time: rows of `rowLength`, two per length (+, -).
        var reached: [Int16]
        /// Scores of all states of a stretch, eight times per vector,
        var states: [SIMD8<Int16>]
        /// and the times that they cover.
        var times = 0..<0
        /// Best score at each time.
        var ends: [SIMD8<Int16>]
        /// The sum subtracted from the scores of each tile.
        var offsets = [0]

        private let stateWidth: Int
        /// The start of each stretch: the past of every row.
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
            // The search writes every state before it reads it.
            states = unsafe .init(unsafeUninitializedCapacity: blocks * width) { _, count in count = blocks * width }
            ends = .init(repeating: .init(repeating: impossible), count: (scores.count + 7) / 8)
        }

        /// Index of the states of a time and the seven beside it.
        func block(at time: Int) -> Int { time % stretch / 8 * stateWidth }

        /// The score with which a path starts in the tile of a time.
        func start(at time: Int) -> Int16 { Int16(max(-offsets[time / tile], lowestStart)) }

        /// Stores the past with which the next stretch begins.
        mutating func keepPast() {
            for row in stride(from: 0, to: reached.count, by: rowLength) { pasts += reached[row..<row + past] }
        }

        /// Restores the past with which a stretch began.
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
