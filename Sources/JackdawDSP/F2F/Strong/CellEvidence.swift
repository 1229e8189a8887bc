/// What the sound says of every place where a flux transition can be: log-likelihood ratios (nats) of a pulse of either
/// polarity against none, for `count` bit cells with their `count + 1` boundaries.
struct CellEvidence {
    /// Number of bit cells.
    let count: Int
    /// Pulse of each polarity at boundary `k`: [2 * k] positive, [2 * k + 1] negative.
    @Wiped var boundaries: [Float]
    /// Pulse of each polarity in the middle of cell `k`, laid out alike.
    @Wiped var middles: [Float]

    /// The scores of cells, for loops: not to be kept longer than the evidence.
    struct Scores {
        fileprivate let boundaries: [Float]
        fileprivate let middles: [Float]

        /// Score of cell `k` holding a 0 when it opens with polarity `sign` (0 positive, 1 negative).
        @inline(__always)
        func zero(_ cell: Int, _ sign: Int) -> Float { boundaries[2 * (cell + 1) + 1 - sign] }

        /// Score of cell `k` holding a 1 when it opens with polarity `sign`.
        @inline(__always)
        func one(_ cell: Int, _ sign: Int) -> Float { middles[2 * cell + 1 - sign] + boundaries[2 * (cell + 1) + sign] }
    }

    var scores: Scores { Scores(boundaries: boundaries, middles: middles) }

    /// The same cells in reverse time: a stripe read backwards is F2F again.
    func reversed() -> CellEvidence {
        func turned(_ pairs: [Float]) -> [Float] {
            pairs.indices.map { pairs[pairs.count - 2 - $0 + 2 * ($0 & 1)] }
        }
        return CellEvidence(count: count, boundaries: turned(boundaries), middles: turned(middles))
    }

    /// Bits that some cells may hold.
    struct Bits {
        @Wiped private(set) var bits: [UInt8]
        /// Polarity of the first boundary: 0 positive, 1 negative.
        let startSign: Int
        /// Log-likelihood (nats).
        let score: Float
    }

    /// The most likely bits with nothing known but that polarities alternate.
    func bestBits(in cells: Range<Int>) -> Bits {
        let scores = scores
        var score: (Float, Float) = (0, 0)
        var choices = [UInt8](repeating: 0, count: 2 * cells.count)
        defer { choices.wipe() }
        for (index, cell) in cells.enumerated() {
            let zeroToPlus = score.1 + scores.zero(cell, 1)
            let oneToPlus = score.0 + scores.one(cell, 0)
            let zeroToMinus = score.0 + scores.zero(cell, 0)
            let oneToMinus = score.1 + scores.one(cell, 1)
            choices[2 * index] = oneToPlus > zeroToPlus ? 1 : 0
            choices[2 * index + 1] = oneToMinus > zeroToMinus ? 1 : 0
            score = (max(zeroToPlus, oneToPlus), max(zeroToMinus, oneToMinus))
        }
        var sign = score.0 >= score.1 ? 0 : 1
        var bits = [UInt8](repeating: 0, count: cells.count)
        for index in stride(from: cells.count - 1, through: 0, by: -1) {
            bits[index] = choices[2 * index + sign]
            if bits[index] == 0 { sign = 1 - sign }
        }
        return Bits(bits: bits, startSign: sign, score: max(score.0, score.1))
    }

    /// How much likelier (nats) some cells are with other bits than zeros.
    /// - Parameters:
    ///   - cells: the cells.
    ///   - startSign: polarity of the first boundary; the likelier one unless told.
    /// - Returns: 0 where zeros are as likely as anything.
    func doubtOfZeros(in cells: Range<Int>, startSign: Int? = nil) -> Float {
        let scores = scores
        func zeros(_ startSign: Int) -> Float {
            cells.reduce(Float(0)) { $0 + scores.zero($1, ($1 - cells.lowerBound + startSign) & 1) }
        }
        return bestBits(in: cells).score - (startSign.map(zeros) ?? max(zeros(0), zeros(1)))
    }

    /// How much likelier (nats) each bit is than its opposite, the others being free (max-marginals).
    func bitMargins() -> [Float] {
        let scores = scores
        var ahead = [(Float, Float)](repeating: (0, 0), count: count + 1)
        defer { ahead.wipe() }
        for cell in stride(from: count - 1, through: 0, by: -1) {
            let next = ahead[cell + 1]
            ahead[cell] = (
                max(scores.zero(cell, 0) + next.1, scores.one(cell, 0) + next.0),
                max(scores.zero(cell, 1) + next.0, scores.one(cell, 1) + next.1)
            )
        }
        var behind: (Float, Float) = (0, 0)
        return (0..<count).map { cell in
            let next = ahead[cell + 1]
            let asZero = max(behind.0 + scores.zero(cell, 0) + next.1, behind.1 + scores.zero(cell, 1) + next.0)
            let asOne = max(behind.0 + scores.one(cell, 0) + next.0, behind.1 + scores.one(cell, 1) + next.1)
            behind = (
                max(behind.1 + scores.zero(cell, 1), behind.0 + scores.one(cell, 0)),
                max(behind.0 + scores.zero(cell, 0), behind.1 + scores.one(cell, 1))
            )
            return abs(asZero - asOne)
        }
    }
}
