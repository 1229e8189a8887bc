import JackdawBytes

/// The most likely whole message: zeros, start sentinel, characters of odd parity, end sentinel, the matching LRC,
/// zeros.
///
/// A valid character has an odd number of ones in an odd number of bits, so it inverts the polarity an even number of
/// times: the polarity at every character boundary of a message is the one at its start. The exact search therefore
/// needs one state per value of the running LRC, for each of `bitsPerCharacter` alignments and two polarities.
struct CodeTrellis {
    /// A whole message, and its margin over any other.
    struct Reading {
        let code: CharacterCode
        /// Data values from start sentinel to LRC.
        @Wiped private(set) var values: [UInt8]
        /// First cell of the start sentinel.
        let startCell: Int
        /// One past the last cell of the LRC.
        var endCell: Int { startCell + values.count * code.bitsPerCharacter }
        /// Polarity at the start: 0 positive, 1 negative.
        let sign: Int
        /// Log-likelihood (nats) of all cells with this message.
        let score: Float
        /// The log-likelihood (nats) by which it exceeds the best other message.
        var margin: Float

        /// Bits of the message. The caller must overwrite the array.
        var bits: [UInt8] { code.bits(of: values) }
    }

    /// Cost (nats) of a one outside the message, among the clocking zeros.
    static let strayOneCost: Float = 2
    /// Shortest message: start sentinel, one character, end sentinel, LRC.
    private static let leastCharacters = 4

    private let code: CharacterCode
    private let width: Int
    private let valueCount: Int
    private let cellCount: Int
    /// Best score of the cells before cell k if it opens with a polarity, [2 * k + sign]; and of those from k on.
    private var before: [Float]
    private var after: [Float]
    /// Scores of every character value at every cell and polarity, [(2 * k + sign) * valueCount + value].
    private var characters: [Float]
    /// The best score over all character values, [2 * k + sign].
    private var bests: [Float]

    /// - Parameters:
    ///   - evidence: the cells.
    ///   - patterns: the scores of their bit patterns, which the codes share; default: calculated.
    ///   - code: the code of the characters.
    init(evidence: CellEvidence, patterns: [Float]? = nil, code: CharacterCode) {
        self.code = code
        width = code.bitsPerCharacter
        valueCount = 1 << code.dataBits
        cellCount = evidence.count
        let scores = evidence.scores
        before = Self.strayBefore(scores, count: cellCount)
        after = Self.strayAfter(scores, count: cellCount)
        var low = patterns ?? Self.patternScores(evidence)
        defer { if patterns == nil { low.wipe() } }
        characters = Self.characterScores(scores, low: low, count: cellCount, code: code)
        bests = Self.bests(of: characters, valueCount: valueCount)
    }

    /// Overwrites the evidence in the tables; they hold no valid scores after that. The owner of the only copy calls
    /// this: the tables are used in hot loops, and a reference type that wipes them automatically would be too slow.
    mutating func wipe() {
        before.wipe()
        after.wipe()
        characters.wipe()
        bests.wipe()
    }

    /// One way to divide the cells into characters.
    struct Lane {
        /// The first cell of a character, less than the bits of a character.
        let alignment: Int
        /// The polarity: 0 or 1.
        let sign: Int
        /// The upper bound of the scores of this lane's messages.
        let bound: Float
    }

    /// All alignments and polarities with their upper bounds.
    func lanes() -> [Lane] {
        guard cellCount >= Self.leastCharacters * width else { return [] }
        return (0..<width).flatMap { alignment in
            (0..<2).map { sign in
                Lane(alignment: alignment, sign: sign, bound: upperBound(alignment: alignment, sign: sign))
            }
        }
    }

    private func score(_ cell: Int, _ sign: Int, _ value: Int) -> Float {
        characters[(2 * cell + sign) * valueCount + value]
    }

    private func slots(alignment: Int) -> Int { (cellCount - alignment) / width }

    /// Best score without the constraint of the LRC: never less than the exact one.
    private func upperBound(alignment: Int, sign: Int) -> Float {
        let slots = slots(alignment: alignment)
        var inside: Float = -1e30
        var best: Float = -1e30
        let start = Int(code.startSentinel)
        let end = Int(code.endSentinel)
        for slot in 0..<slots {
            let cell = alignment + slot * width
            if slot + 1 < slots {
                let next = cell + width
                let close = inside + score(cell, sign, end) + bests[2 * next + sign] + after[2 * (next + width) + sign]
                best = max(best, close)
            }
            inside = max(inside + bests[2 * cell + sign], before[2 * cell + sign] + score(cell, sign, start))
        }
        return best
    }

    /// The best message of a lane with its margin over the others of the lane; nil if no message fits.
    func bestReading(in lane: Lane) -> Reading? {
        let alignment = lane.alignment
        let sign = lane.sign
        let slots = slots(alignment: alignment)
        guard slots >= Self.leastCharacters else { return nil }
        let start = Int(code.startSentinel)
        let end = Int(code.endSentinel)
        let impossible: Float = -1e30
        let blocks = valueCount / 8
        // forward[slot]: best score of an open message before the slot, by running LRC.
        var forward = [SIMD8<Float>](repeating: .init(repeating: impossible), count: (slots + 1) * blocks)
        // backward[slot]: best score from the slot to the end, by running LRC.
        var backward = forward
        var lanes = LaneExclusiveOr(blocks: blocks)
        defer {
            forward.wipe()
            backward.wipe()
            lanes.wipe()
        }
        var best: (score: Float, slot: Int, lrc: Int) = (impossible, 0, 0)
        for slot in 0..<slots {
            let cell = alignment + slot * width
            let here = slot * blocks
            let next = here + blocks
            if slot >= Self.leastCharacters - 2, slot + 1 < slots {
                for lrc in 0..<valueCount {
                    let arrived = forward[here + lrc / 8][lrc % 8]
                    let total = arrived + closing(slot: slot, alignment: alignment, sign: sign, lrc: lrc)
                    if total > best.score { best = (total, slot, lrc) }
                }
            }
            advance(&forward, from: here, to: next, cell: cell, sign: sign, &lanes)
            let opened = before[2 * cell + sign] + score(cell, sign, start)
            let place = next + start / 8
            forward[place][start % 8] = max(forward[place][start % 8], opened)
        }
        guard best.score > impossible / 2 else { return nil }
        for slot in stride(from: slots - 2, through: 0, by: -1) {
            let cell = alignment + slot * width
            let here = slot * blocks
            advance(&backward, from: here + blocks, to: here, cell: cell, sign: sign, &lanes)
            for lrc in 0..<valueCount {
                let closed = closing(slot: slot, alignment: alignment, sign: sign, lrc: lrc)
                backward[here + lrc / 8][lrc % 8] = max(backward[here + lrc / 8][lrc % 8], closed)
            }
        }

        // Trace back from the end sentinel along the path of the best score.
        var values: [UInt8] = []
        values.reserveCapacity(slots)  // growing would leave unwiped copies
        values += [UInt8(best.lrc ^ end), UInt8(end)]
        var slot = best.slot
        var lrc = best.lrc
        while true {
            slot -= 1
            let cell = alignment + slot * width
            let target = forward[(slot + 1) * blocks + lrc / 8][lrc % 8]
            let opened = before[2 * cell + sign] + score(cell, sign, start)
            if lrc == start, opened >= target { break }
            var chosen = -1
            var top = impossible
            for value in 0..<valueCount where value != end {
                let source = lrc ^ value
                let total = forward[slot * blocks + source / 8][source % 8] + score(cell, sign, value)
                if total > top {
                    top = total
                    chosen = value
                }
            }
            guard chosen >= 0, slot > 0 else {
                values.wipe()
                return nil
            }
            values.append(UInt8(chosen))
            lrc ^= chosen
        }
        values.append(UInt8(start))
        values.reverse()

        let runnerUp = runnerUp(
            values: values, startSlot: slot, alignment: alignment, sign: sign, forward: forward, backward: backward,
            &lanes)
        return Reading(
            code: code, values: values, startCell: alignment + slot * width, sign: sign, score: best.score,
            margin: best.score - runnerUp)
    }

    /// Score of ending the message here: the end sentinel, the matching LRC, zeros.
    private func closing(slot: Int, alignment: Int, sign: Int, lrc: Int) -> Float {
        let cell = alignment + slot * width
        let next = cell + width
        let end = Int(code.endSentinel)
        return score(cell, sign, end) + score(next, sign, lrc ^ end) + after[2 * (next + width) + sign]
    }

    /// Advances by one character, over every value except the end sentinel: `target[lrc ^ value] = max(source[lrc] +
    /// score)`.
    private func advance(
        _ states: inout [SIMD8<Float>], from source: Int, to target: Int, cell: Int, sign: Int,
        _ turned: inout LaneExclusiveOr
    ) {
        let blocks = valueCount / 8
        turned.load(states, from: source)
        let base = (2 * cell + sign) * valueCount
        for value in 0..<valueCount where value != Int(code.endSentinel) {
            let added = characters[base + value]
            for block in 0..<blocks {
                states[target + block] = .larger(states[target + block], turned[block, value] + added)
            }
        }
    }

    /// Best score of any message of this alignment and polarity that differs from the best one.
    private func runnerUp(
        values: [UInt8], startSlot: Int, alignment: Int, sign: Int, forward: [SIMD8<Float>], backward: [SIMD8<Float>],
        _ turned: inout LaneExclusiveOr
    ) -> Float {
        let start = Int(code.startSentinel)
        let end = Int(code.endSentinel)
        let slots = slots(alignment: alignment)
        let blocks = valueCount / 8
        var other: Float = -1e30
        // Another start: later, or earlier, so that the first character is already inside a message.
        for slot in 0..<slots - 1 where slot != startSlot {
            let cell = alignment + slot * width
            let opened = before[2 * cell + sign] + score(cell, sign, start)
            other = max(other, opened + backward[(slot + 1) * blocks + start / 8][start % 8])
        }
        // Another value at some position in the message.
        for (offset, chosen) in values.dropLast().enumerated().dropFirst() {
            let slot = startSlot + offset
            let cell = alignment + slot * width
            let arrived = slot * blocks
            turned.load(backward, from: arrived + blocks)
            for value in 0..<valueCount where value != Int(chosen) && value != end {
                var top = forward[arrived] + turned[0, value]
                for block in 1..<blocks { top = .larger(top, forward[arrived + block] + turned[block, value]) }
                other = max(other, top.max() + score(cell, sign, value))
            }
            if Int(chosen) != end, slot + 1 < slots {
                for lrc in 0..<valueCount {
                    let closed = closing(slot: slot, alignment: alignment, sign: sign, lrc: lrc)
                    other = max(other, forward[arrived + lrc / 8][lrc % 8] + closed)
                }
            }
        }
        return other
    }
}

extension CodeTrellis {
    /// Bits of a character that select the lane of a vector.
    private static let lowBits = 3

    static func strayBefore(_ cells: CellEvidence.Scores, count: Int) -> [Float] {
        var scores = [Float](repeating: 0, count: 2 * (count + 1))
        for cell in 0..<count {
            for sign in 0..<2 {
                let viaZero = scores[2 * cell + 1 - sign] + cells.zero(cell, 1 - sign)
                let viaOne = scores[2 * cell + sign] + cells.one(cell, sign) - strayOneCost
                scores[2 * (cell + 1) + sign] = max(viaZero, viaOne)
            }
        }
        return scores
    }

    static func strayAfter(_ cells: CellEvidence.Scores, count: Int) -> [Float] {
        var scores = [Float](repeating: 0, count: 2 * (count + 1))
        for cell in stride(from: count - 1, through: 0, by: -1) {
            for sign in 0..<2 {
                let viaZero = scores[2 * (cell + 1) + 1 - sign] + cells.zero(cell, sign)
                let viaOne = scores[2 * (cell + 1) + sign] + cells.one(cell, sign) - strayOneCost
                scores[2 * cell + sign] = max(viaZero, viaOne)
            }
        }
        return scores
    }

    /// Scores of every character, eight values at a time: their three low bits select the lane of a vector. The
    /// polarity after some bits follows from the number of zeros among them.
    private static func characterScores(
        _ cells: CellEvidence.Scores, low: [Float], count: Int, code: CharacterCode
    ) -> [Float] {
        let width = code.bitsPerCharacter
        let valueCount = 1 << code.dataBits
        let highBits = code.dataBits - lowBits
        guard count >= width else { return [] }
        var high = highBits == lowBits ? low : patternScores(cells, count: count, bits: highBits)
        defer { if highBits != lowBits { high.wipe() } }
        // With an even number of zeros, three bits keep the polarity and have an odd number of ones.
        let turns: SIMDMask<SIMD8<Int32>> = SIMD8<Int32>((0..<8).map { Int32(1 - $0.nonzeroBitCount & 1) }) .== 1
        var scores = [Float](repeating: 0, count: 2 * (count - width + 1) * valueCount)
        unsafe scores.withUnsafeMutableBytes { scores in
            unsafe low.withUnsafeBytes { low in
                for place in 0..<2 * (count - width + 1) {
                    let (cell, sign) = (place / 2, place & 1)
                    let lanes = unsafe low.loadUnaligned(fromByteOffset: 32 * place, as: SIMD8<Float>.self)
                    let last = cell + code.dataBits
                    for value in 0..<1 << highBits {
                        /// The high bits and the parity bit, opening with a polarity after an odd or even number of
                        /// ones.
                        func rest(_ opens: Int, isOdd: Bool) -> Float {
                            let ones = value.nonzeroBitCount
                            let closes = opens ^ ((highBits - ones) & 1)
                            return high[(2 * (cell + lowBits) + opens) << highBits + value]
                                + (isOdd == (ones & 1 == 0) ? cells.zero(last, closes) : cells.one(last, closes))
                        }
                        let kept = SIMD8(repeating: rest(sign, isOdd: true))
                        let turned = SIMD8(repeating: rest(1 - sign, isOdd: false))
                        unsafe scores.storeBytes(
                            of: lanes + kept.replacing(with: turned, where: turns),
                            toByteOffset: 4 * (place * valueCount + 8 * value), as: SIMD8<Float>.self)
                    }
                }
            }
        }
        return scores
    }

    /// The best score among the values of each cell and polarity.
    static func bests(of characters: [Float], valueCount: Int) -> [Float] {
        unsafe characters.withUnsafeBytes { characters in
            stride(from: 0, to: characters.count, by: 4 * valueCount).map { place in
                var best = unsafe characters.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self)
                for block in 1..<valueCount / 8 {
                    best = unsafe .larger(
                        best, characters.loadUnaligned(fromByteOffset: place + 32 * block, as: SIMD8<Float>.self))
                }
                return (0..<8).reduce(best[0]) { max($0, best[$1]) }
            }
        }
    }

    /// Scores of the patterns of as many bits as select the lane of a vector. The caller must overwrite the array.
    static func patternScores(_ evidence: CellEvidence) -> [Float] {
        guard evidence.count >= lowBits else { return [] }
        return patternScores(evidence.scores, count: evidence.count, bits: lowBits)
    }

    /// Scores of bit patterns that open with a polarity, [(2 * cell + sign) << bits + pattern]: each bit doubles the
    /// table.
    private static func patternScores(_ cells: CellEvidence.Scores, count: Int, bits: Int) -> [Float] {
        var scores = [Float](repeating: 0, count: 2 * count << bits)
        for cell in 0...count - bits {
            for sign in 0..<2 {
                let base = (2 * cell + sign) << bits
                for bit in 0..<bits {
                    for value in 0..<(1 << bit) {
                        let zeros = bit - value.nonzeroBitCount
                        let opens = sign ^ (zeros & 1)
                        let soFar = scores[base + value]
                        scores[base + value | 1 << bit] = soFar + cells.one(cell + bit, opens)
                        scores[base + value] = soFar + cells.zero(cell + bit, opens)
                    }
                }
            }
        }
        return scores
    }
}
