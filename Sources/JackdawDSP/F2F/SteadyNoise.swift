import JackdawBytes

/// Distinguishes steady noise, whose hops all have the same energy within its scatter, from sound that could contain a
/// swipe.
enum SteadyNoise {
    /// Hops ignored at the start of the noise.
    private static let onset = 8
    /// With fewer hops than this, no sound counts as steady.
    private static let leastHops = 100
    /// Hops per block; the blocks' sums are compared with each other.
    private static let block = 16
    /// Scatters (standard deviations of white noise) within which hops and blocks of them must lie.
    private static let hopScatters: Float = 2.2
    private static let blockScatters: Float = 11
    /// The largest scatter of the hops of noise in a band, for which the scatter is measured and not computed.
    private static let maxScatter: Float = 0.5
    /// The scatter of the hops over the one that Gaussian noise of the same spectrum has. Noise of a telephone and of a
    /// room has 0.9 to 1.1; of 1,000 swipes with all faults, the least is 1.13.
    private static let maxScatterOfSpectrum: Float = 1.2
    /// The scatter of the blocks over the one that they have if their hops are independent: noise has 0.7 to 1.5, and
    /// swipes have 2.5 or more.
    private static let maxScatterOfBlocks: Float = 1.6
    /// The fourth moment of Gaussian samples over the square of the second one, and the deviations from it that noise
    /// may have: at any length, and in standard deviations.
    private static let fourthMoment = 3.0
    private static let leastDeviation = 0.1
    private static let deviations = 3.0
    /// Parts of the sound, of so many hops each, in which its spectrum is measured.
    private static let parts = 8
    private static let hopsPerPart = 8
    /// The largest lag of the autocorrelation, in hops: 1.5 ms.
    private static let maxLagHops = 0.25

    /// - Parameters:
    ///   - energies: energies of consecutive hops.
    ///   - hopSamples: samples per hop.
    /// - Returns: whether they scatter no more than those of steady noise.
    static func isSteady(_ energies: [Float], hopSamples: Int) -> Bool {
        let hops = energies.dropFirst(onset)
        guard hops.count >= leastHops else { return false }
        let scatter = (2 / Float(hopSamples)).squareRoot()
        guard self.scatter(hops) < hopScatters * scatter else { return false }
        var least = Float.infinity
        var most: Float = 0
        for start in stride(from: hops.startIndex, through: hops.endIndex - block, by: block) {
            let sum = hops[start..<start + block].reduce(0, +)
            least = min(least, sum)
            most = max(most, sum)
        }
        return most < least * (1 + blockScatters * scatter / Float(block).squareRoot())
    }

    /// Whether sound is noise that may fill only a part of the spectrum: the hops scatter as those of Gaussian noise of
    /// the same spectrum, independently of each other, and the samples are Gaussian. The level of a swipe changes, its
    /// pulses are not Gaussian, and its bits make more scatter than noise has.
    /// - Parameters:
    ///   - energies: energies of consecutive hops, up to the last one of the sound; those before the sound count, too.
    ///   - sound: samples.
    ///   - delay: delay of the comb filter before the energies, in samples.
    ///   - hopSamples: samples per hop.
    /// - Returns: whether they are those of noise.
    static func isBandNoise(_ energies: [Float], _ sound: Span<Float>, delay: Int, hopSamples: Int) -> Bool {
        let hops = energies.dropFirst(onset)
        guard hops.count >= leastHops else { return false }
        let scatter = scatter(hops)
        let sums = stride(from: hops.startIndex, through: hops.endIndex - block, by: block).map {
            hops[$0..<$0 + block].reduce(0, +)
        }
        guard scatter < maxScatter,
            self.scatter(sums[...]) * Float(block).squareRoot() < maxScatterOfBlocks * scatter
        else { return false }
        var moments = SIMD2<Double>.zero
        var changes: [Float] = []
        defer { changes.wipeCapacity() }
        let count = max(0, sound.count - delay)
        for start in stride(from: 0, to: count, by: hopSamples) {
            Self.changes(of: sound, from: start, count: min(hopSamples, count - start), delay: delay, &changes)
            moments += Self.moments(changes)
        }
        guard moments.x > 0 else { return false }
        let lags = max(1, Int(maxLagHops * Double(hopSamples)))
        let length = hopsPerPart * hopSamples
        guard count >= length + lags else { return false }
        var sum: [Float] = .init(repeating: 0, count: lags + 1)
        for part in 0..<parts {
            let start = (count - length - lags) * part / (parts - 1)
            Self.changes(of: sound, from: start, count: length + lags, delay: delay, &changes)
            for lag in 0...lags { sum[lag] += product(changes, length, lag: lag) }
        }
        guard sum[0] > 0 else { return false }
        // Samples that one independent sample stands for.
        let resembling = 1 + 2 * sum[1...].reduce(Float(0)) { $0 + ($1 / sum[0]) * ($1 / sum[0]) }
        guard scatter < maxScatterOfSpectrum * (2 * resembling / Float(hopSamples)).squareRoot() else { return false }
        let deviation = (24 * Double(resembling) / Double(count)).squareRoot()
        let fourth = moments.y * Double(count) / (moments.x * moments.x)
        return abs(fourth - fourthMoment) < leastDeviation + deviations * deviation
    }

    /// The standard deviation of numbers over their mean.
    private static func scatter(_ numbers: ArraySlice<Float>) -> Float {
        let mean = numbers.reduce(0, +) / Float(numbers.count)
        guard mean > 0 else { return .infinity }
        let variance = numbers.reduce(Float(0)) { $0 + ($1 / mean - 1) * ($1 / mean - 1) } / Float(numbers.count)
        return variance.squareRoot()
    }

    /// The sound after the comb filter.
    private static func changes(
        of sound: Span<Float>, from start: Int, count: Int, delay: Int, _ changes: inout [Float]
    ) {
        changes.resize(count)
        for index in 0..<count { changes[index] = sound[start + index + delay] - sound[start + index] }
    }

    /// The sums of the squares and of the fourth powers.
    private static func moments(_ samples: [Float]) -> SIMD2<Double> {
        var (squares, fourths) = (Float(0), Float(0))
        for sample in samples {
            squares += sample * sample
            fourths += sample * sample * (sample * sample)
        }
        return SIMD2(Double(squares), Double(fourths))
    }

    /// The sum of the products of samples and those that follow after a lag.
    private static func product(_ samples: [Float], _ count: Int, lag: Int) -> Float {
        precondition(count + lag <= samples.count)
        return unsafe samples.withUnsafeBytes { bytes in
            var sum = SIMD8<Float>.zero
            for index in stride(from: 0, to: count, by: 8) {
                sum +=
                    unsafe bytes.loadUnaligned(fromByteOffset: 4 &* index, as: SIMD8<Float>.self)
                    * bytes.loadUnaligned(fromByteOffset: 4 &* (index &+ lag), as: SIMD8<Float>.self)
            }
            return sum.sum()
        }
    }
}
