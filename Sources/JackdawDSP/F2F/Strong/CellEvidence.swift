/// What the sound says of every place where a flux transition can be: log-likelihood ratios (nats) of a pulse of either
/// polarity against none, for `count` bit cells with their `count + 1` boundaries.
struct CellEvidence {
    /// Number of bit cells.
    let count: Int
    /// Pulse of each polarity at boundary `k`: [2 * k] positive, [2 * k + 1] negative.
    var boundaries: [Float]
    /// Pulse of each polarity in the middle of cell `k`, laid out alike.
    var middles: [Float]

    /// The same cells in reverse time: a stripe read backwards is F2F again.
    func reversed() -> CellEvidence {
        var turned = self
        for boundary in 0...count {
            turned.boundaries[2 * boundary] = boundaries[2 * (count - boundary)]
            turned.boundaries[2 * boundary + 1] = boundaries[2 * (count - boundary) + 1]
        }
        for cell in 0..<count {
            turned.middles[2 * cell] = middles[2 * (count - 1 - cell)]
            turned.middles[2 * cell + 1] = middles[2 * (count - 1 - cell) + 1]
        }
        return turned
    }

    /// Score of cell `k` holding a 0 when it opens with polarity `sign` (0 positive, 1 negative).
    @inline(__always)
    func zero(_ cell: Int, _ sign: Int) -> Float { boundaries[2 * (cell + 1) + 1 - sign] }

    /// Score of cell `k` holding a 1 when it opens with polarity `sign`.
    @inline(__always)
    func one(_ cell: Int, _ sign: Int) -> Float { middles[2 * cell + 1 - sign] + boundaries[2 * (cell + 1) + sign] }

    /// The most likely bits with nothing known but that polarities alternate.
    /// - Returns: bits, polarity of the first boundary, score.
    func bestBits(in cells: Range<Int>) -> (bits: [UInt8], startSign: Int, score: Float) {
        var score: (Float, Float) = (0, 0)
        var choices = [UInt8](repeating: 0, count: 2 * cells.count)
        for (index, cell) in cells.enumerated() {
            let zeroToPlus = score.1 + zero(cell, 1)
            let oneToPlus = score.0 + one(cell, 0)
            let zeroToMinus = score.0 + zero(cell, 0)
            let oneToMinus = score.1 + one(cell, 1)
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
        return (bits, sign, max(score.0, score.1))
    }

    /// How much likelier (nats) each bit is than its opposite, the others being free (max-marginals).
    func bitMargins() -> [Float] {
        var ahead = [(Float, Float)](repeating: (0, 0), count: count + 1)
        for cell in stride(from: count - 1, through: 0, by: -1) {
            let next = ahead[cell + 1]
            ahead[cell] = (
                max(zero(cell, 0) + next.1, one(cell, 0) + next.0), max(zero(cell, 1) + next.0, one(cell, 1) + next.1)
            )
        }
        var behind: (Float, Float) = (0, 0)
        return (0..<count).map { cell in
            let next = ahead[cell + 1]
            let asZero = max(behind.0 + zero(cell, 0) + next.1, behind.1 + zero(cell, 1) + next.0)
            let asOne = max(behind.0 + one(cell, 0) + next.0, behind.1 + one(cell, 1) + next.1)
            behind = (
                max(behind.1 + zero(cell, 1), behind.0 + one(cell, 0)),
                max(behind.0 + zero(cell, 0), behind.1 + one(cell, 1))
            )
            return abs(asZero - asOne)
        }
    }
}
