/// Amplitude of a pulse train, told block by block: the largest magnitude in each, then the median over five blocks, so
/// that neither a click nor a gap moves it.
enum Envelope {
    /// Where the envelope falls below this share of its 90th percentile, only noise is left: no more gain than there.
    private static let floorShare: Float = 0.3
    /// A noisy maximum overstates a pulse; this brings a clean one to about 1.
    private static let gain: Float = 1.15

    /// Scales samples so that a pulse comes out near 1.
    static func normalise(_ samples: inout [Float], blockLength: Int) {
        let peaks = blockPeaks(samples, blockLength: blockLength)
        let medians = peaks.slidingMedians { _ in 2 }
        let sorted = medians.sorted()
        let floor = max(sorted[sorted.count * 9 / 10] * floorShare, 1e-12)
        let gains = medians.map { Self.gain / max($0, floor) }
        for index in samples.indices {
            let position = max(0, (Float(index) + 0.5) / Float(blockLength) - 0.5)
            let block = min(Int(position), gains.count - 1)
            let next = min(block + 1, gains.count - 1)
            let share = position - Float(block)
            samples[index] *= gains[block] + min(share, 1) * (gains[next] - gains[block])
        }
    }

    private static func blockPeaks(_ samples: [Float], blockLength: Int) -> [Float] {
        stride(from: 0, to: samples.count, by: blockLength).map { start in
            samples[start..<min(start + blockLength, samples.count)].reduce(Float(0)) { max($0, abs($1)) }
        }
    }
}
