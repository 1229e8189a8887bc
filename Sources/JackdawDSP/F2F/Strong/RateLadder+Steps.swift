extension RateLadder {
    /// Shortest and longest bit cell that a card swiped by hand has, in seconds: 60 in/s at 210 bits an inch, and 2 in/s at
    /// 75.
    private static let shortestCell = 1.0 / (60 * 210)
    private static let longestCell = 1.0 / (2 * 75)
    /// Length of a bit cell, in samples, that the timing search likes best.
    private static let idealCell = 32.0

    /// Steps at which bit cells last what the timing search covers, the likeliest one first.
    static func plausibleSteps(for samples: [Float], sampleRate: Double) -> [Int] {
        func rate(_ step: Int) -> Double { sampleRate * Double(sign: .plus, exponent: step, significand: 1) }
        let lengths = TimingSearch.cellLengths
        let first = steps.last { Double(lengths[lengths.count - 1]) >= rate($0) * longestCell } ?? steps.lowerBound
        let last = steps.first { Double(lengths[0]) <= rate($0) * shortestCell } ?? steps.upperBound
        let cell = coarseCell(samples) / sampleRate
        func distance(_ step: Int) -> Double { abs(Numerics.logarithm(cell * rate(step) / idealCell)) }
        return (first...max(first, last)).sorted { distance($0) < distance($1) }
    }

    /// Rough cell length in samples: intervals between alternating excursions past half of the level.
    private static func coarseCell(_ samples: [Float]) -> Double {
        let sorted = stride(from: 0, to: samples.count, by: max(1, samples.count / 4_096)).map { abs(samples[$0]) }
            .sorted()
        let threshold = sorted[sorted.count * 98 / 100] / 2
        var intervals: [Int] = []
        var last = 0
        var sign: Float = 0
        for index in samples.indices where abs(samples[index]) > threshold {
            let here: Float = samples[index] > 0 ? 1 : -1
            if here != sign {
                intervals.append(index - last)
                last = index
                sign = here
            }
        }
        guard intervals.count > 20 else { return 24 }
        intervals.sort()
        // Of ones and zeros, noise adding more of the short ones.
        return 1.2 * Double(intervals[intervals.count * 2 / 5])
    }
}
