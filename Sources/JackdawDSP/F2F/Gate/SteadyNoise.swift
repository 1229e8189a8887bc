/// Tells steady noise, whose hops all hold the same energy within its scatter, from anything that could hold a swipe.
enum SteadyNoise {
    /// Hops left out where the noise began.
    private static let onset = 8
    /// Fewer hops than this say nothing.
    private static let leastHops = 100
    /// Hops whose mean is compared with that of the others.
    private static let block = 16
    /// Scatters (standard deviations of white noise) within which hops and blocks of them must lie.
    private static let hopScatters: Float = 2.2
    private static let blockScatters: Float = 11

    /// - Parameters:
    ///   - energies: energies of hops in a row.
    ///   - hopSamples: samples a hop.
    /// - Returns: whether they scatter no more than those of steady noise.
    static func isSteady(_ energies: [Float], hopSamples: Int) -> Bool {
        let hops = energies.dropFirst(onset)
        guard hops.count >= leastHops else { return false }
        let mean = hops.reduce(0, +) / Float(hops.count)
        guard mean > 0 else { return false }
        let variance = hops.reduce(Float(0)) { $0 + ($1 / mean - 1) * ($1 / mean - 1) } / Float(hops.count)
        let scatter = (2 / Float(hopSamples)).squareRoot()
        guard variance.squareRoot() < hopScatters * scatter else { return false }
        var least = Float.infinity
        var most: Float = 0
        for start in stride(from: hops.startIndex, through: hops.endIndex - block, by: block) {
            let sum = hops[start..<start + block].reduce(0, +)
            least = min(least, sum)
            most = max(most, sum)
        }
        return most < least * (1 + blockScatters * scatter / Float(block).squareRoot())
    }
}
