import Glibc

/// Finds the mean power of the quietest tenth of all blocks in bounded memory, from a histogram of their levels.
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

    /// Takes a block of the usual length.
    mutating func receive(_ block: BlockStatistics) {
        let power = block.variance
        // Rounding leaves a trace of variance in a block of equal samples.
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

    /// The mean of the lowest tenth of n estimates of the power of white noise, each from m samples, over the true power.
    ///
    /// The estimates are distributed as chi squared with m - 1 degrees of freedom, expanded here after Cornish and Fisher;
    /// the mean of the lowest tenth of a normal distribution lies 1.755 deviations below the mean, the mean of its squared
    /// deviations minus one is 2.249. The lowest of few estimates is less extreme.
    private var selectionBias: Double {
        let deviation = sqrt(2 / Double(samplesPerBlock - 1))
        let few = 1 - 1 / Double(blockCount)
        return 1 - few * (1.755 * deviation - 2.249 / 3 * deviation * deviation)
    }
}
