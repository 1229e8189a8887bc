import Glibc

/// Measures peak, mean, mean square and clipping of a recording, block by block.
struct LevelMeter: Sendable {
    private(set) var count = 0
    private(set) var peak: Float = 0
    private(set) var sum = 0.0
    private(set) var sumOfSquares = 0.0
    private(set) var clippedRuns = 0
    private(set) var clippedSamples = 0
    /// Samples at either end of the range, in runs or not.
    private(set) var railSamples = 0

    /// Full scale of 16-bit samples; the ends of wider samples are beyond it.
    private static let rail: Float = 32_767 / 32_768
    /// A sine of half the sample rate can have two samples at its top without clipping.
    private static let shortestRun = 3

    private var runLength = 0
    private var runIsPositive = false

    /// Adds a block, with the statistics of its samples.
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

    /// Ends a run of samples at full scale.
    mutating func finish() {
        if runLength >= LevelMeter.shortestRun {
            clippedRuns += 1
            clippedSamples += runLength
        }
        runLength = 0
    }
}

struct BlockStatistics {
    let count: Int
    private(set) var peak: Float = 0
    private(set) var sum = 0.0
    private(set) var sumOfSquares = 0.0

    init(_ samples: Span<Float>) {
        count = samples.count
        // Several sums in parallel, since the compiler may not reorder the additions of one sum. In single precision,
        // the small noise on a large DC would be lost.
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

/// Computes the mean power of the quietest tenth of all blocks in bounded memory, from a histogram of their levels.
struct NoiseFloorMeter: Sendable {
    private static let lowest = Decibels.silence
    private static let classesPerDecibel = 10.0

    private struct LevelClass: Sendable {
        var blocks = 0
        var power = 0.0
    }

    private var classes = [LevelClass](repeating: LevelClass(), count: 3_500)
    private var silentBlocks = 0
    private var blockCount = 0
    private var samplesPerBlock = 2

    /// Adds a block of the usual length.
    mutating func receive(_ block: BlockStatistics) {
        let power = block.variance
        // Rounding leaves a small variance in a block of equal samples.
        guard power > 1e-13 * block.sumOfSquares / Double(block.count) else {
            silentBlocks += 1
            return
        }
        let place = (Decibels.level(ofPower: power) - NoiseFloorMeter.lowest) * NoiseFloorMeter.classesPerDecibel
        let index = min(max(0, Int(place)), classes.count - 1)
        classes[index].blocks += 1
        classes[index].power += power
        blockCount += 1
        samplesPerBlock = block.count
    }

    /// The mean square of the noise, 0 for digital silence.
    var power: Double {
        guard blockCount > 0 else { return 0 }
        let wanted = max(1, Double(blockCount) / 10)
        var (found, sum) = (0.0, 0.0)
        for level in classes where level.blocks > 0 {
            let share = min(Double(level.blocks), wanted - found)
            sum += level.power / Double(level.blocks) * share
            found += share
            if found >= wanted { break }
        }
        return sum / found / selectionBias
    }

    /// The mean of the lowest tenth of n estimates of the power of white noise, each from m samples, over the true
    /// power.
    ///
    /// The estimates have a chi-squared distribution with m - 1 degrees of freedom, expanded here after Cornish and
    /// Fisher. The mean of the lowest tenth of a normal distribution is 1.755 deviations below the mean; the mean of
    /// its squared deviations minus one is 2.249. The lowest of few estimates is less extreme.
    private var selectionBias: Double {
        let deviation = sqrt(2 / Double(samplesPerBlock - 1))
        let few = 1 - 1 / Double(blockCount)
        return 1 - few * (1.755 * deviation - 2.249 / 3 * deviation * deviation)
    }
}
