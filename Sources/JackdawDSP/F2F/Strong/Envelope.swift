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
        // Along a line from the middle of a block to the middle of the next, and evenly beyond the outer ones.
        var start = 0
        for block in 0...gains.count {
            let end = block < gains.count ? min(blockLength * block + blockLength / 2, samples.count) : samples.count
            let (before, after) = (gains[max(block - 1, 0)], gains[min(block, gains.count - 1)])
            let slope = (after - before) / Float(blockLength)
            let middle = Float(blockLength) * (Float(block) - 0.5) - 0.5
            for index in start..<max(end, start) {
                samples[index] *= before + slope * (Float(index) - middle)
            }
            start = max(end, start)
        }
    }

    private static func blockPeaks(_ samples: [Float], blockLength: Int) -> [Float] {
        stride(from: 0, to: samples.count, by: blockLength).map { start in
            var peak: Float = 0
            for index in start..<min(start + blockLength, samples.count) {
                let magnitude = abs(samples[index])
                peak = magnitude > peak ? magnitude : peak
            }
            return peak
        }
    }
}
