/// Peak, mean, mean square and clipping of a recording, block by block.
struct LevelMeter: Sendable {
    private(set) var count = 0
    private(set) var peak: Float = 0
    private(set) var sum = 0.0
    private(set) var sumOfSquares = 0.0
    private(set) var clippedRuns = 0
    private(set) var clippedSamples = 0
    /// Samples at either end of the range, in runs or not.
    private(set) var railSamples = 0

    /// Full scale of 16-bit samples; the ends of wider ones lie beyond.
    private static let rail: Float = 32_767 / 32_768
    /// A sine of half the sample rate can have two samples at its top without being clipped.
    private static let shortestRun = 3

    private var runLength = 0
    private var runIsPositive = false

    /// Takes a block, with the statistics of its samples.
    mutating func receive(_ samples: Span<Float>, _ block: BlockStatistics) {
        count += samples.count
        peak = max(peak, block.peak)
        sum += block.sum
        sumOfSquares += block.sumOfSquares
        guard block.peak >= LevelMeter.rail else { return finish() }
        for index in samples.indices {
            let sample = samples[index]
            let isAtRail = sample.magnitude >= LevelMeter.rail
            if !isAtRail || runIsPositive != (sample > 0) { finish() }
            if isAtRail {
                runLength += 1
                railSamples += 1
                runIsPositive = sample > 0
            }
        }
    }

    /// Ends a run of samples at the rail.
    mutating func finish() {
        if runLength >= LevelMeter.shortestRun {
            clippedRuns += 1
            clippedSamples += runLength
        }
        runLength = 0
    }
}

/// Sums over the samples of a block.
struct BlockStatistics {
    let count: Int
    private(set) var peak: Float = 0
    private(set) var sum = 0.0
    private(set) var sumOfSquares = 0.0

    init(_ samples: Span<Float>) {
        count = samples.count
        // Several sums at a time, since the compiler may not reorder the additions of one. In single precision the small
        // noise on a large DC would be lost.
        var (sums, squares, peaks) = (SIMD4<Double>(), SIMD4<Double>(), SIMD4<Float>())
        let whole = samples.count & ~3
        for start in stride(from: 0, to: whole, by: 4) {
            let lanes = SIMD4(samples[start], samples[start + 1], samples[start + 2], samples[start + 3])
            let wide = SIMD4<Double>(lanes)
            sums += wide
            squares += wide * wide
            peaks.replace(with: lanes, where: lanes .> peaks)
            peaks.replace(with: -lanes, where: -lanes .> peaks)
        }
        (sum, sumOfSquares, peak) = (sums.sum(), squares.sum(), peaks.max())
        for index in whole..<samples.count {
            let sample = Double(samples[index])
            sum += sample
            sumOfSquares += sample * sample
            peak = max(peak, samples[index].magnitude)
        }
    }

    /// Mean square about the mean, an unbiased estimate for white noise.
    var variance: Double {
        guard count > 1 else { return 0 }
        return max(0, (sumOfSquares - sum * sum / Double(count)) / Double(count - 1))
    }
}
