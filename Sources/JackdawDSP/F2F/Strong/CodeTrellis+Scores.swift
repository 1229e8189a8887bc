extension CodeTrellis {
    /// Bits of a character whose values share a vector.
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

    /// Scores of every character, eight values at a time: their three low bits are the lanes of a vector. The sign after
    /// some bits follows from how many of them are zeros.
    static func characterScores(_ cells: CellEvidence.Scores, count: Int, code: CharacterCode) -> [Float] {
        let width = code.bitsPerCharacter
        let valueCount = 1 << code.dataBits
        let highBits = code.dataBits - lowBits
        guard count >= width else { return [] }
        var low = patternScores(cells, count: count, bits: lowBits)
        var high = patternScores(cells, count: count, bits: highBits)
        defer {
            low.wipe()
            high.wipe()
        }
        // Of three bits, an even number of zeros keeps the polarity and leaves an odd number of ones.
        let turns: SIMDMask<SIMD8<Int32>> = SIMD8<Int32>((0..<8).map { Int32(1 - $0.nonzeroBitCount & 1) }) .== 1
        var scores = [Float](repeating: 0, count: 2 * (count - width + 1) * valueCount)
        unsafe scores.withUnsafeMutableBytes { scores in
            unsafe low.withUnsafeBytes { low in
                for place in 0..<2 * (count - width + 1) {
                    let (cell, sign) = (place / 2, place & 1)
                    let lanes = unsafe low.loadUnaligned(fromByteOffset: 32 * place, as: SIMD8<Float>.self)
                    let last = cell + code.dataBits
                    for value in 0..<1 << highBits {
                        /// The high bits and the parity bit, opening with a polarity after some ones.
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

    /// The best score of each run of values.
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

    /// Scores of some bits that open with a polarity, [(2 * cell + sign) << bits + pattern]: a table that each bit doubles.
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
