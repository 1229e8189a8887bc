/// Finds the clock and the bits of a swipe at once: a segmental Viterbi search (hidden semi-Markov model) in which a state
/// is "a clock transition of polarity p at sample t closes a bit cell of length L".
///
/// Flux transitions alternate in polarity, so a pulse that is missing or too many breaks a path; that memory is worth
/// 7.8 dB over deciding each pulse alone.
struct SegmentalViterbi: Sendable {
    /// The best path.
    struct Path {
        /// Cell boundaries in samples of the search.
        var boundaries: [Float]
        /// Bits in the order of time.
        var bits: [UInt8]
        /// Polarity of the transition at the first boundary: 0 positive, 1 negative.
        var startSign: Int
        /// Sum of the pulses' scores less the costs.
        var score: Float
    }

    /// Score of a pulse of either polarity at each sample; none scores 0.
    struct PulseScores {
        /// Samples before the first one, in which no pulse can be; spares the search a check.
        static let lead = SegmentalViterbi.past
        /// Samples after the last one: the search takes eight at a time.
        static let trail = 8
        let count: Int
        /// One row for all cell lengths, or one for each eight of them.
        private(set) var rows = 0
        /// `rows` times `lead + count` scores.
        private(set) var positive: [Float] = []
        private(set) var negative: [Float] = []
        var stride: Int { Self.lead + count + Self.trail }

        init(count: Int) { self.count = count }

        mutating func appendRow(positive: [Float], negative: [Float]) {
            let lead = [Float](repeating: SegmentalViterbi.impossible, count: Self.lead)
            let trail = [Float](repeating: SegmentalViterbi.impossible, count: Self.trail)
            self.positive += lead + positive + trail
            self.negative += lead + negative + trail
            rows += 1
        }

        /// Where the sound was lost at a rail, a pulse of its sign is neither seen nor missed.
        mutating func forgive(lostSign: (Int) -> Int8) {
            for time in 0..<count {
                let sign = lostSign(time)
                guard sign != 0 else { continue }
                for row in 0..<rows {
                    let place = row * stride + Self.lead + time
                    if sign > 0 {
                        positive[place] = max(positive[place], 0)
                    } else {
                        negative[place] = max(negative[place], 0)
                    }
                }
            }
        }
    }

    /// How many steps the cell length may change by from one cell to the next.
    private static let neighbours = 2
    /// Samples kept of the past, beyond the longest cell.
    fileprivate static let past = 128
    /// Samples between two moves of the past to the front of its buffer.
    private static let tile = 512
    /// Samples a row: an odd number of cache lines, so that rows do not crowd each other out.
    private static let rowLength = past + tile + 16
    /// Longest search in samples; bounds memory.
    static let longestSegment = 160_000

    /// Cell lengths searched, in samples: 8 to 127, rising, at most 64 of them.
    let lengths: [Int]

    static let impossible: Float = -1e9
    /// A state's code: the step to its best neighbour in the low bits, then its bit, then whether a path starts there.
    private static let stepMask: Int32 = 7
    private static let oneCode: Int32 = 8
    private static let startCode: Int32 = 16

    /// Everything that a search writes, reused from search to search.
    private struct Workspace {
        /// Best score over nearby lengths for a cell that starts at a time: rows of `rowLength`, two a length (+, -).
        var reached: [Float]
        /// Scores of the eight times under way, two vectors a length, with a margin that no path comes from.
        var states: [SIMD8<Float>]
        var codes: [SIMD8<Int32>]
        /// For each length and polarity, a code for each time.
        var origins: [UInt8]
        /// Best state at each time: its score with length and polarity in the low bits.
        var ends: [Float]

        init(laneCount: Int, count: Int) {
            reached = .init(repeating: impossible, count: 2 * laneCount * rowLength)
            states = .init(repeating: .init(repeating: impossible), count: 2 * (laneCount + 2 * neighbours))
            codes = .init(repeating: .zero, count: 2 * laneCount)
            origins = .init(repeating: 0, count: 2 * laneCount * (count + 8))
            ends = .init(repeating: impossible, count: count + 8)
        }
    }

    /// - Parameters:
    ///   - scores: scores of pulses.
    ///   - rateCost: cost of a change of cell length, per squared relative change.
    /// - Returns: the path of the highest score, or nil where none is above zero.
    func bestPath(_ scores: PulseScores, rateCost: Float) -> Path? {
        let penalties = penalties(rateCost: rateCost)
        var workspace = Workspace(laneCount: lengths.count, count: scores.count)
        var tileStart = 0
        for time in stride(from: 0, to: scores.count, by: 8) {
            if time - tileStart == Self.tile {
                movePast(&workspace)
                tileStart = time
            }
            closeCells(&workspace, scores: scores, time: time, tileStart: tileStart)
            openCells(&workspace, penalties: penalties, time: time, tileStart: tileStart, count: scores.count)
        }
        guard let end = workspace.ends[..<scores.count].indices.max(by: { workspace.ends[$0] < workspace.ends[$1] }),
            workspace.ends[end] > 0
        else { return nil }
        let packed = Int(workspace.ends[end].bitPattern & 127)
        return trace(
            from: Node(time: end, lane: packed >> 1, sign: packed & 1), score: workspace.ends[end],
            origins: workspace.origins, stride: scores.count + 8)
    }

    private func movePast(_ workspace: inout Workspace) {
        for row in 0..<2 * lengths.count {
            let start = row * Self.rowLength
            for index in start..<start + Self.past {
                workspace.reached[index] = workspace.reached[index + Self.tile]
            }
        }
    }

    /// Scores of closing a cell of each length at eight times.
    private func closeCells(_ workspace: inout Workspace, scores: PulseScores, time: Int, tileStart: Int) {
        let rowLength = Self.rowLength
        let stride = scores.rows == 1 ? 0 : scores.stride
        let zero = SIMD8<Float>.zero
        unsafe workspace.reached.withUnsafeBufferPointer { reached in
            unsafe scores.positive.withUnsafeBufferPointer { positive in
                unsafe scores.negative.withUnsafeBufferPointer { negative in
                    for lane in 0..<lengths.count {
                        let length = lengths[lane]
                        let opening = unsafe UnsafeRawPointer(
                            reached.baseAddress! + 2 * lane * rowLength + Self.past + time - tileStart - length)
                        let row = (lane >> 3) * stride + PulseScores.lead + time
                        let plusRow = unsafe UnsafeRawPointer(positive.baseAddress! + row)
                        let minusRow = unsafe UnsafeRawPointer(negative.baseAddress! + row)
                        let middle = 4 * ((length >> 1) - length)
                        let openPlus = unsafe opening.loadUnaligned(as: SIMD8<Float>.self)
                        let openMinus = unsafe opening.loadUnaligned(
                            fromByteOffset: 4 * rowLength, as: SIMD8<Float>.self)
                        let middlePlus = unsafe plusRow.loadUnaligned(fromByteOffset: middle, as: SIMD8<Float>.self)
                        let middleMinus = unsafe minusRow.loadUnaligned(fromByteOffset: middle, as: SIMD8<Float>.self)
                        // A cell that closes with +: a 0 opened with -; a 1 opened with + and has - in its middle.
                        let onePlus = openPlus + middleMinus
                        let oneMinus = openMinus + middlePlus
                        let isOnePlus = onePlus .> openMinus
                        let isOneMinus = oneMinus .> openPlus
                        let bestPlus = openMinus.replacing(with: onePlus, where: isOnePlus)
                        let bestMinus = openPlus.replacing(with: oneMinus, where: isOneMinus)
                        let startsPlus = bestPlus .<= zero
                        let startsMinus = bestMinus .<= zero
                        let closePlus = unsafe plusRow.loadUnaligned(as: SIMD8<Float>.self)
                        let closeMinus = unsafe minusRow.loadUnaligned(as: SIMD8<Float>.self)
                        let state = 2 * (lane + Self.neighbours)
                        workspace.states[state] = bestPlus.replacing(with: zero, where: startsPlus) + closePlus
                        workspace.states[state + 1] = bestMinus.replacing(with: zero, where: startsMinus) + closeMinus
                        workspace.codes[2 * lane] = Self.code(isOne: isOnePlus, starts: startsPlus)
                        workspace.codes[2 * lane + 1] = Self.code(isOne: isOneMinus, starts: startsMinus)
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func code(isOne: SIMDMask<SIMD8<Int32>>, starts: SIMDMask<SIMD8<Int32>>) -> SIMD8<Int32> {
        SIMD8<Int32>.zero.replacing(with: SIMD8(repeating: oneCode), where: isOne)
            .replacing(with: SIMD8(repeating: startCode), where: starts)
    }

    /// From each closed cell to the next one, whose length may differ by a few steps. The number of steps rides in the low
    /// bits of the scores, so that one maximum finds both.
    private func openCells(
        _ workspace: inout Workspace, penalties: [SIMD8<Float>], time: Int, tileStart: Int, count: Int
    ) {
        let rowLength = Self.rowLength
        let laneCount = lengths.count
        let steps = 2 * Self.neighbours + 1
        let place = Self.past + time - tileStart
        var end = SIMD8<Float>(repeating: Self.impossible)
        unsafe workspace.states.withUnsafeBufferPointer { states in
            unsafe workspace.codes.withUnsafeBufferPointer { codes in
                unsafe penalties.withUnsafeBufferPointer { penalties in
                    unsafe workspace.reached.withUnsafeMutableBytes { reached in
                        unsafe workspace.origins.withUnsafeMutableBytes { origins in
                            for lane in 0..<laneCount {
                                for sign in 0..<2 {
                                    let row = 2 * lane + sign
                                    var top = SIMD8<Float>(repeating: Self.impossible)
                                    for step in 0..<steps {
                                        let value = unsafe states[row + 2 * step] - penalties[lane * steps + step]
                                        top = Self.larger(Self.marked(value, with: step, keeping: ~7), top)
                                    }
                                    unsafe reached.storeBytes(
                                        of: top, toByteOffset: 4 * (row * rowLength + place), as: SIMD8<Float>.self)
                                    let step = unsafe unsafeBitCast(top, to: SIMD8<Int32>.self) & Self.stepMask
                                    unsafe origins.storeBytes(
                                        of: SIMD8<UInt8>(truncatingIfNeeded: codes[row] | step),
                                        toByteOffset: row * (count + 8) + time, as: SIMD8<UInt8>.self)
                                    let state = unsafe states[row + 2 * Self.neighbours]
                                    end = Self.larger(Self.marked(state, with: row, keeping: ~127), end)
                                }
                            }
                        }
                    }
                }
            }
        }
        unsafe workspace.ends.withUnsafeMutableBytes { ends in
            unsafe ends.storeBytes(of: end, toByteOffset: 4 * time, as: SIMD8<Float>.self)
        }
    }

    /// The larger lane by lane; the library's own form is not vectorised.
    @inline(__always)
    private static func larger(_ left: SIMD8<Float>, _ right: SIMD8<Float>) -> SIMD8<Float> {
        right.replacing(with: left, where: left .> right)
    }

    /// Scores with a number in the bits that are not kept.
    @inline(__always)
    private static func marked(_ scores: SIMD8<Float>, with number: Int, keeping mask: UInt32) -> SIMD8<Float> {
        let bits = unsafe unsafeBitCast(scores, to: SIMD8<UInt32>.self)
        let marked = bits & SIMD8(repeating: mask) | SIMD8(repeating: UInt32(truncatingIfNeeded: number))
        return unsafe unsafeBitCast(marked, to: SIMD8<Float>.self)
    }

    /// [lane * steps + step]: cost of a cell of the lane's length after one of the length `step - neighbours` further on.
    private func penalties(rateCost: Float) -> [SIMD8<Float>] {
        lengths.indices.flatMap { lane in
            (-Self.neighbours...Self.neighbours).map { step in
                let before = lengths[min(max(lane + step, 0), lengths.count - 1)]
                let change = Float(before - lengths[lane]) / Float(lengths[lane])
                return SIMD8(repeating: rateCost * change * change)
            }
        }
    }

    private struct Node {
        var time: Int
        var lane: Int
        /// 0 positive, 1 negative.
        var sign: Int
    }

    private func trace(from end: Node, score: Float, origins: [UInt8], stride: Int) -> Path {
        var node = end
        var boundaries = [Float(end.time)]
        var bits: [UInt8] = []
        while true {
            let code = Int32(origins[(2 * node.lane + node.sign) * stride + node.time])
            guard code & Self.startCode == 0, node.time >= lengths[node.lane] else { break }
            let bit: UInt8 = code & Self.oneCode == 0 ? 0 : 1
            bits.append(bit)
            node.time -= lengths[node.lane]
            if bit == 0 { node.sign = 1 - node.sign }
            let step = Int32(origins[(2 * node.lane + node.sign) * stride + node.time]) & Self.stepMask
            node.lane += Int(step) - Self.neighbours
            boundaries.append(Float(node.time))
        }
        return Path(
            boundaries: boundaries.reversed(), bits: bits.reversed(), startSign: node.sign, score: score)
    }
}
