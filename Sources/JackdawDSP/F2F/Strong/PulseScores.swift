extension SegmentalViterbi {
    /// Score of a pulse of either polarity at each sample; none scores 0.
    struct PulseScores {
        /// Samples before the first one, in which no pulse can be; spares the search a check.
        static let lead = SegmentalViterbi.past
        /// Samples after the last one: the search takes eight at a time.
        static let trail = 8
        let count: Int
        /// What 1 comes to in the whole numbers that scores are.
        let unit: Float
        /// One row for all cell lengths, or one for each eight of them.
        private let rows: Int
        /// `rows` times `lead + count + trail` scores.
        @Wiped private(set) var positive: [Int16]
        @Wiped private(set) var negative: [Int16]
        private let stride: Int
        /// From the row of eight cell lengths to that of the next eight.
        var rowStep: Int { rows == 1 ? 0 : stride }

        /// Rows of zeros.
        init(count: Int, unit: Float, rows: Int) {
            self.count = count
            self.unit = unit
            self.rows = rows
            stride = Self.lead + count + Self.trail
            let zeros = [Int16](repeating: 0, count: rows * stride)
            (positive, negative) = (zeros, zeros)
        }

        /// Sets the scores of a row, `count` of either polarity, from arrays that are the caller's to overwrite.
        mutating func setRow(_ row: Int, positive: [Int16], negative: [Int16]) {
            let first = row * stride + Self.lead
            self.positive.replaceSubrange(first..<first + count, with: positive)
            self.negative.replaceSubrange(first..<first + count, with: negative)
        }

        /// Score of a pulse in the row of a cell length: of a positive one (0) or a negative one (1).
        func score(at time: Int, lane: Int, sign: Int) -> Int {
            let place = lane / 8 * rowStep + Self.lead + time
            return Int(sign == 0 ? positive[place] : negative[place])
        }

        /// Where the sound was lost at a rail, a pulse of its sign is neither seen nor missed.
        mutating func forgive(lostSign: (Int) -> Int8) {
            let signs = (0..<count).map(lostSign)
            let (rows, stride) = (rows, stride)
            func forgive(_ sign: Int8, _ scores: inout [Int16]) {
                for time in signs.indices where signs[time] == sign {
                    for row in 0..<rows {
                        let place = row * stride + Self.lead + time
                        scores[place] = max(scores[place], 0)
                    }
                }
            }
            forgive(1, &positive)
            forgive(-1, &negative)
        }
    }
}

extension [Float] {
    /// Whole numbers of `1 / unit`, none beyond `limit`.
    func wholeNumbers(unit: Float, limit: Int16) -> [Int16] {
        var numbers = [Int16](repeating: 0, count: count)
        unsafe withUnsafeBytes { source in
            unsafe numbers.withUnsafeMutableBytes { target in
                for start in stride(from: 0, to: count - 7, by: 8) {
                    let values = unsafe source.loadUnaligned(fromByteOffset: 4 * start, as: SIMD8<Float>.self)
                    unsafe target.storeBytes(
                        of: Self.wholeNumbers(values * unit, limit: Float(limit)), toByteOffset: 2 * start,
                        as: SIMD8<Int16>.self)
                }
            }
        }
        for index in count & ~7..<count {
            numbers[index] = Self.wholeNumbers(SIMD8(repeating: self[index] * unit), limit: Float(limit))[0]
        }
        return numbers
    }

    @inline(__always)
    private static func wholeNumbers(_ values: SIMD8<Float>, limit: Float) -> SIMD8<Int16> {
        // In the sum with 1.5 * 2^23, whose last bit counts 1, the nearest whole number is left in the low bits.
        let shift: Float = 12_582_912
        let most = SIMD8<Float>(repeating: limit)
        let least = SIMD8<Float>(repeating: -limit)
        var bounded = values.replacing(with: most, where: values .> most)
        bounded = bounded.replacing(with: least, where: bounded .< least)
        return SIMD8(truncatingIfNeeded: unsafe unsafeBitCast(bounded + shift, to: SIMD8<UInt32>.self))
    }
}
