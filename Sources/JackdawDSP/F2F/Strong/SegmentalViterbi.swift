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
        static let lead = SegmentalViterbi.depth
        let count: Int
        /// One row for all cell lengths, or one for each eight of them.
        private(set) var rows = 0
        /// `rows` times `lead + count` scores.
        private(set) var positive: [Float] = []
        private(set) var negative: [Float] = []
        var stride: Int { Self.lead + count }

        init(count: Int) { self.count = count }

        mutating func appendRow(positive: [Float], negative: [Float]) {
            let lead = [Float](repeating: SegmentalViterbi.impossible, count: Self.lead)
            self.positive += lead + positive
            self.negative += lead + negative
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
    private static let neighbours = 4
    /// Rows kept of the past: a power of two beyond the longest cell.
    fileprivate static let depth = 128
    /// Longest search in samples; bounds memory.
    static let longestSegment = 160_000

    /// Cell lengths searched, in samples, below 128; a multiple of eight of them.
    let lengths: [Int]

    /// - Parameters:
    ///   - emissions: scores of pulses.
    ///   - rateCost: cost of a change of cell length, per squared relative change.
    /// - Returns: the path of the highest score, or nil where none is above zero.
    func bestPath(_ emissions: PulseScores, rateCost: Float) -> Path? {
        let laneCount = lengths.count
        let vectors = laneCount / 8
        let margin = Self.neighbours
        let width = laneCount + 2 * margin
        let penalties = penalties(rateCost: rateCost)
        // Ring of rows: the best score over nearby lengths, for a cell that starts at the row's time.
        var ring = [Float](repeating: Self.impossible, count: Self.depth * 2 * laneCount)
        var row = [Float](repeating: Self.impossible, count: 2 * width)
        // For one time, lane by lane: openings +, openings -, middles +, middles -.
        var gathered = [Float](repeating: Self.impossible, count: 4 * laneCount)
        var codes = [SIMD8<Int32>](repeating: .zero, count: 2 * vectors)
        var origins = [UInt8](repeating: 0, count: emissions.count * 2 * laneCount)
        var best = Node(time: 0, lane: 0, polarity: 0, score: Self.impossible)
        let stride = emissions.rows == 1 ? 0 : emissions.stride
        let never = SIMD8<Float>(repeating: Self.impossible)

        unsafe ring.withUnsafeMutableBufferPointer { ring in
        unsafe row.withUnsafeMutableBufferPointer { row in
        unsafe gathered.withUnsafeMutableBufferPointer { gathered in
        unsafe codes.withUnsafeMutableBufferPointer { codes in
        unsafe origins.withUnsafeMutableBufferPointer { origins in
        unsafe penalties.withUnsafeBufferPointer { penalties in
        unsafe lengths.withUnsafeBufferPointer { lengths in
        unsafe emissions.positive.withUnsafeBufferPointer { plus in
        unsafe emissions.negative.withUnsafeBufferPointer { minus in
        for time in 0..<emissions.count {
            let now = PulseScores.lead + time
            for lane in 0..<laneCount {
                let length = unsafe lengths[lane]
                let opening = ((time &- length) & (Self.depth - 1)) &* 2 &* laneCount &+ lane
                let middle = (lane >> 3) &* stride &+ now &- length &+ (length >> 1)
                unsafe gathered[lane] = ring[opening]
                unsafe gathered[laneCount &+ lane] = ring[opening &+ laneCount]
                unsafe gathered[2 &* laneCount &+ lane] = plus[middle]
                unsafe gathered[3 &* laneCount &+ lane] = minus[middle]
            }
            let inputs = unsafe UnsafeRawPointer(gathered.baseAddress!)
            let states = unsafe UnsafeMutableRawPointer(row.baseAddress!)
            for vector in 0..<vectors {
                let offset = 32 * vector
                let openPlus = unsafe inputs.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                let openMinus = unsafe inputs.loadUnaligned(
                    fromByteOffset: offset + 4 * laneCount, as: SIMD8<Float>.self)
                let middlePlus = unsafe inputs.loadUnaligned(
                    fromByteOffset: offset + 8 * laneCount, as: SIMD8<Float>.self)
                let middleMinus = unsafe inputs.loadUnaligned(
                    fromByteOffset: offset + 12 * laneCount, as: SIMD8<Float>.self)
                // A cell that closes with +: a 0 opened with -; a 1 opened with + and has - in its middle.
                let closedPlus = Self.close(zero: openMinus, one: openPlus + middleMinus)
                let closedMinus = Self.close(zero: openPlus, one: openMinus + middlePlus)
                let scorePlus = unsafe closedPlus.score + plus[vector &* stride &+ now]
                let scoreMinus = unsafe closedMinus.score + minus[vector &* stride &+ now]
                unsafe codes[vector] = closedPlus.code
                unsafe codes[vectors + vector] = closedMinus.code
                let place = 4 * (margin + 8 * vector)
                unsafe states.storeBytes(of: scorePlus, toByteOffset: place, as: SIMD8<Float>.self)
                unsafe states.storeBytes(of: scoreMinus, toByteOffset: place + 4 * width, as: SIMD8<Float>.self)
                best.improve(with: scorePlus, time: time, vector: vector, polarity: 0)
                best.improve(with: scoreMinus, time: time, vector: vector, polarity: 1)
            }
            let slot = (time & (Self.depth - 1)) * 2 * laneCount
            for polarity in 0..<2 {
                for vector in 0..<vectors {
                    let base = 4 * (polarity * width + 8 * vector)
                    var top = never
                    var chosen = SIMD8<Int32>.zero
                    for step in 0...2 * margin {
                        let value = unsafe states.loadUnaligned(fromByteOffset: base + 4 * step, as: SIMD8<Float>.self)
                            - penalties[vector * (2 * margin + 1) + step]
                        let better = value .> top
                        top.replace(with: value, where: better)
                        chosen.replace(with: SIMD8(repeating: Int32(truncatingIfNeeded: step)), where: better)
                    }
                    let place = polarity * laneCount + 8 * vector
                    unsafe UnsafeMutableRawPointer(ring.baseAddress! + slot + place).storeBytes(
                        of: top, as: SIMD8<Float>.self)
                    let code = unsafe SIMD8<UInt8>(truncatingIfNeeded: codes[polarity * vectors + vector] | chosen)
                    unsafe UnsafeMutableRawPointer(origins.baseAddress! + time * 2 * laneCount + place).storeBytes(
                        of: code, as: SIMD8<UInt8>.self)
                }
            }
        }
        }}}}}}}}}
        guard best.score > 0 else { return nil }
        return trace(from: best, origins: origins)
    }

    static let impossible: Float = -1e9
    /// A state's code: the step to its best neighbour in the low four bits, then its bit, then whether a path starts.
    private static let oneCode: Int32 = 16
    private static let startCode: Int32 = 32

    private struct Node {
        var time: Int
        var lane: Int
        var polarity: Int
        var score: Float

        mutating func improve(with scores: SIMD8<Float>, time: Int, vector: Int, polarity: Int) {
            guard any(scores .> score) else { return }
            for lane in 0..<8 where scores[lane] > score {
                self = Node(time: time, lane: 8 * vector + lane, polarity: polarity, score: scores[lane])
            }
        }
    }

    /// The better of the two bits for each length, or a fresh start where both would lose.
    private static func close(
        zero: SIMD8<Float>, one: SIMD8<Float>
    ) -> (score: SIMD8<Float>, code: SIMD8<Int32>) {
        let isOne = one .> zero
        let score = zero.replacing(with: one, where: isOne)
        let starts = score .<= 0
        let code = SIMD8<Int32>.zero.replacing(with: SIMD8(repeating: oneCode), where: isOne)
        return (
            score.replacing(with: SIMD8<Float>.zero, where: starts),
            code.replacing(with: SIMD8(repeating: startCode), where: starts)
        )
    }

    private func penalties(rateCost: Float) -> [SIMD8<Float>] {
        (0..<lengths.count / 8).flatMap { group in
            (0...2 * Self.neighbours).map { step in
                var penalty = SIMD8<Float>.zero
                for lane in 0..<8 {
                    let here = lengths[8 * group + lane]
                    let there = lengths[min(max(8 * group + lane + step - Self.neighbours, 0), lengths.count - 1)]
                    let change = Float(there - here) / Float(here)
                    penalty[lane] = rateCost * change * change
                }
                return penalty
            }
        }
    }

    private func trace(from end: Node, origins: [UInt8]) -> Path {
        var node = end
        var boundaries = [Float(end.time)]
        var bits: [UInt8] = []
        while true {
            let code = Int32(origins[(node.time * 2 + node.polarity) * lengths.count + node.lane])
            guard code & Self.startCode == 0 else { break }
            let bit: UInt8 = code & Self.oneCode == 0 ? 0 : 1
            bits.append(bit)
            node.time -= lengths[node.lane]
            if bit == 0 { node.polarity = 1 - node.polarity }
            let step = Int(origins[(node.time * 2 + node.polarity) * lengths.count + node.lane] & 15)
            node.lane += step - Self.neighbours
            boundaries.append(Float(node.time))
        }
        return Path(
            boundaries: boundaries.reversed(), bits: bits.reversed(), startSign: node.polarity,
            score: end.score)
    }
}
