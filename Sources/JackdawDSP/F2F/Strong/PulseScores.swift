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
        private(set) var rows = 0
        /// `rows` times `lead + count + trail` scores.
        @Wiped private(set) var positive: [Int16] = []
        @Wiped private(set) var negative: [Int16] = []
        var stride: Int { Self.lead + count + Self.trail }

        init(count: Int, unit: Float) {
            self.count = count
            self.unit = unit
        }

        mutating func appendRow(positive: [Int16], negative: [Int16]) {
            let lead = [Int16](repeating: 0, count: Self.lead)
            let trail = [Int16](repeating: 0, count: Self.trail)
            self.positive += lead + positive + trail
            self.negative += lead + negative + trail
            rows += 1
        }

        /// Score of a pulse in the row of a cell length: of a positive one (0) or a negative one (1).
        func score(at time: Int, lane: Int, sign: Int) -> Int {
            let place = (rows == 1 ? 0 : lane / 8) * stride + Self.lead + time
            return Int(sign == 0 ? positive[place] : negative[place])
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
}

extension [Float] {
    /// Whole numbers of `1 / unit`, none beyond `limit`.
    func wholeNumbers(unit: Float, limit: Int16) -> [Int16] {
        // In the sum with 1.5 * 2^23, whose last bit counts 1, the nearest whole number is left in the low bits.
        let shift: Float = 12_582_912
        let limit = Float(limit)
        return map { Int16(truncatingIfNeeded: (Swift.min(Swift.max($0 * unit, -limit), limit) + shift).bitPattern) }
    }
}
