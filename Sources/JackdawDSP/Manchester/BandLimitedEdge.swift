/// A line of two levels as a converter hears it: each edge without what lies above half the sample rate.
enum BandLimitedEdge {
    /// Samples to either side of an edge in which it rises.
    static let reach = 10
    /// Places between two samples.
    private static let phases = 64

    /// For each place, how much the line rises from each sample to the next, all together 1.
    private static let rises = (0..<phases).flatMap { row(Double($0) / Double(phases)) }

    /// The integral, from sample to sample, of a sinc under a Hann window.
    private static func row(_ phase: Double) -> [Float] {
        let pieces = 16
        let row = (1 - reach...reach).map { sample in
            (0..<pieces).reduce(0) { sum, piece in
                sum + impulse(Double(sample - 1) + (Double(piece) + 0.5) / Double(pieces) - phase)
            }
        }
        let sum = row.reduce(0, +)
        return row.map { Float($0 / sum) }
    }

    private static func impulse(_ time: Double) -> Double {
        let share = time / (2 * Double(reach))
        guard abs(share) < 0.5 else { return 0 }
        let window = 0.5 + 0.5 * Numerics.sineAndCosine(turns: share).cosine
        return time == 0 ? 1 : window * Numerics.sineAndCosine(turns: time / 2).sine / (Double.pi * time)
    }

    /// Adds an edge to a line's differences from sample to sample.
    @inline(__always)
    static func add(_ height: Float, at time: Double, to differences: inout MutableSpan<Float>) {
        let place = Int((time * Double(phases)).rounded(.down))
        let row = (place & (phases - 1)) * 2 * reach
        let first = place / phases - reach + 1
        let rises = rises.span
        for index in 0..<2 * reach { differences[first + index] += height * rises[row + index] }
    }
}
