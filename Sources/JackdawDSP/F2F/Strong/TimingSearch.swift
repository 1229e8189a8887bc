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
        Array(13..<31) + Array(stride(from: 31, to: 61, by: 2)) + Array(stride(from: 61, to: 121, by: 4))

    private let viterbi = SegmentalViterbi(lengths: Self.cellLengths)

    init() {}

    /// The best path through some sound, or nil where nothing in it scores.
    func run(_ sound: WorkingSound, tuning: Tuning) -> SegmentalViterbi.Path? {
        let count = sound.samples.count
        guard count > 4 * Self.cellLengths[0], count <= SegmentalViterbi.longestSegment else {
            return nil
        }
        return viterbi.bestPath(Self.scores(sound, tuning: tuning), rateCost: Float(tuning.rateCost))
    }

    /// Scores of a pulse at or near each sample, less a half, for each vector of cell lengths.
    private static func scores(_ sound: WorkingSound, tuning: Tuning) -> SegmentalViterbi.PulseScores {
        var scores = SegmentalViterbi.PulseScores(count: sound.samples.count)
        for vector in 0..<cellLengths.count / 8 {
            let lengths = cellLengths[8 * vector..<8 * vector + 8]
            let middle = Double(lengths.reduce(0, +)) / 8
            var filtered = PulseFilter.apply(to: sound.samples, width: max(tuning.pulseShare * middle, 1.4))
            Envelope.normalise(&filtered, blockLength: max(24, cellLengths[8 * vector + 7] * 3 / 2))
            let reach = Int((tuning.jitterReach * middle).rounded())
            let cost = Float(tuning.jitterCost / (middle * middle))
            scores.appendRow(
                positive: dilate(filtered, reach: reach, cost: cost, sign: 1),
                negative: dilate(filtered, reach: reach, cost: cost, sign: -1))
        }
        if sound.hasLosses {
            scores.forgive { sound.lostSign(at: Float($0)) }
        }
        return scores
    }

    /// Best value within `reach`, less `cost` per squared sample of distance, and less a half.
    private static func dilate(_ input: [Float], reach: Int, cost: Float, sign: Float) -> [Float] {
        let margin = [Float](repeating: -1e3, count: reach)
        let padded = margin + input.map { $0 * sign - 0.5 } + margin
        var output = Array(padded[reach..<reach + input.count])
        unsafe padded.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                for distance in 1..<max(reach + 1, 1) {
                    let penalty = cost * Float(distance * distance)
                    for index in 0..<input.count {
                        let near = unsafe max(
                            source[index + reach - distance], source[index + reach + distance])
                        unsafe target[index] = max(target[index], near - penalty)
                    }
                }
            }
        }
        return output
    }
}
