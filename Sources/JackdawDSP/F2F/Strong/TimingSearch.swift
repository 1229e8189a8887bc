/// First look at a swipe: matched filters for each cell length, an even amplitude, and the segmental search over a wide
/// range of speeds.
struct TimingSearch {
    /// What the search takes a swipe to be.
    struct Tuning {
        /// Width of a head pulse at half maximum, as a share of the bit cell.
        var pulseShare: Double
        /// How far a transition may lie from its place on the clock, as a share of the bit cell.
        var jitterReach: Double
        /// Cost of such a displacement: per squared bit cell, in units of a pulse's score.
        var jitterCost: Double
        /// Cost of a change of cell length: per squared relative change.
        var rateCost: Double
    }

    /// Cell lengths searched, in samples: fine where they are short. Eight lengths (one vector) share a filter.
    static let cellLengths: [Int] =
        Array(13..<31) + Array(stride(from: 31, to: 61, by: 2)) + Array(stride(from: 61, to: 89, by: 4))

    private let viterbi = SegmentalViterbi(lengths: Self.cellLengths)

    init() {}

    /// The best path through some sound, or nil where nothing in it scores.
    func run(_ sound: WorkingSound, tuning: Tuning) -> SegmentalViterbi.Path? {
        let count = sound.samples.count
        guard count > 4 * Self.cellLengths[0], count <= SegmentalViterbi.longestSegment else {
            return nil
        }
        return viterbi.bestPath(scores(sound, tuning: tuning), rateCost: Float(tuning.rateCost))
    }

    /// What a pulse's score of 1 comes to in whole numbers.
    private static let unit: Float = 128

    /// Scores of a pulse at or near each sample, less a half, for each vector of cell lengths.
    private func scores(_ sound: WorkingSound, tuning: Tuning) -> SegmentalViterbi.PulseScores {
        let rows = Self.cellLengths.count / 8
        var scores = SegmentalViterbi.PulseScores(count: sound.samples.count, unit: Self.unit, rows: rows)
        for vector in 0..<rows {
            let lengths = Self.cellLengths[8 * vector..<8 * vector + 8]
            let middle = Double(lengths.reduce(0, +)) / 8
            var filtered = PulseFilter.apply(to: sound.samples, width: max(tuning.pulseShare * middle, 1.4))
            Envelope.normalise(&filtered, blockLength: max(24, Self.cellLengths[8 * vector + 7] * 3 / 2))
            let reach = Int((tuning.jitterReach * middle).rounded())
            let cost = Self.unit * Float(tuning.jitterCost / (middle * middle))
            var levels = filtered.wholeNumbers(unit: Self.unit, limit: viterbi.scoreLimit - Int16(Self.unit) / 2)
            var positive = Self.dilate(levels, reach: reach, cost: cost, sign: 1)
            var negative = Self.dilate(levels, reach: reach, cost: cost, sign: -1)
            defer {
                filtered.wipe()
                levels.wipe()
                positive.wipe()
                negative.wipe()
            }
            scores.setRow(vector, positive: positive, negative: negative)
        }
        if sound.hasLosses {
            scores.forgive { sound.lostSign(at: Float($0)) }
        }
        return scores
    }

    /// Best value within `reach`, less `cost` per squared sample of distance, and less a half.
    private static func dilate(_ input: [Int16], reach: Int, cost: Float, sign: Int16) -> [Int16] {
        let half = Int16(unit) / 2
        let penalties = (0...reach).map { SIMD8(repeating: half + Int16((cost * Float($0 * $0)).rounded())) }
        var padded = [Int16](repeating: -16 * half, count: input.count + 2 * reach + 8)
        defer { padded.wipe() }
        for index in input.indices { padded[reach + index] = sign * input[index] }
        var output = [Int16](repeating: 0, count: input.count + 8)
        unsafe padded.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBytes { target in
                for start in stride(from: 0, to: input.count, by: 8) {
                    let centre = unsafe source.baseAddress! + 2 * (start + reach)
                    var best = unsafe centre.loadUnaligned(as: SIMD8<Int16>.self) &- penalties[0]
                    for distance in 1..<max(reach + 1, 1) {
                        let before = unsafe (centre - 2 &* distance).loadUnaligned(as: SIMD8<Int16>.self)
                        let after = unsafe (centre + 2 &* distance).loadUnaligned(as: SIMD8<Int16>.self)
                        best = .larger(best, .larger(before, after) &- penalties[distance])
                    }
                    unsafe target.storeBytes(of: best, toByteOffset: 2 * start, as: SIMD8<Int16>.self)
                }
            }
        }
        output.removeLast(8)
        return output
    }
}
