/// The part of a segment in which the swipe is.
///
/// A segment begins before the gate opened and ends after it closed. A search finds bit cells in that noise, too. They
/// spoil the equaliser, which is trained on all cells, and the clock at the ends of the swipe.
enum SwipeExtent {
    /// Samples of a block, about a bit cell.
    private static let block = 32
    /// Samples that are added up before their power is measured: a low-pass below the pulses' bandwidth.
    private static let lowPass = 4
    /// The share of a segment at each end that contains only noise in most cases.
    private static let noiseShare = 16
    /// The power of a block relative to that of noise, at most: a click must not outweigh many blocks.
    private static let maxPower: Float = 6
    /// The power relative to noise from which a block counts for the swipe.
    private static let leastPower: Float = 1.7
    /// Blocks that are added at each end, because a hand that slows down makes the sound weaker.
    private static let margin = 12
    /// The shortest extent, in blocks, and the shortest segment.
    private static let leastBlocks = 40
    private static let leastBlocksOfSegment = 60
    /// A longer share of the segment than this is not worth another search.
    private static let maxShare: Float = 0.9

    /// Finds the stretch whose power exceeds that of the noise the most.
    /// - Parameter sound: the sound at a rate with some 32 samples a bit cell, without hum.
    /// - Returns: times in samples of the segment; nil if it is most of the segment, or hardly above the noise.
    static func find(in sound: WorkingSound) -> ClosedRange<Float>? {
        let powers = powers(sound.samples)
        guard powers.count > leastBlocksOfSegment else { return nil }
        let reach = powers.count / noiseShare
        let ends = (powers.prefix(reach) + powers.suffix(reach)).sorted()
        let noise = max(ends[ends.count / 2], .leastNormalMagnitude)
        var best = (sum: Float(0), blocks: 0..<0)
        var sum: Float = 0
        var first = 0
        for index in powers.indices {
            if sum <= 0 { (sum, first) = (0, index) }
            sum += min(powers[index] / noise, maxPower) - leastPower
            if sum > best.sum { best = (sum, first..<index + 1) }
        }
        let extent = max(0, best.blocks.lowerBound - margin)..<min(powers.count, best.blocks.upperBound + margin)
        guard extent.count > leastBlocks, Float(extent.count) < maxShare * Float(powers.count) else { return nil }
        return sound.segmentTime(Float(block * extent.lowerBound))...sound.segmentTime(Float(block * extent.upperBound))
    }

    /// The power of each block.
    private static func powers(_ samples: [Float]) -> [Float] {
        stride(from: 0, through: samples.count - block, by: block).map { start in
            var power: Float = 0
            for index in max(start, lowPass - 1)..<start + block {
                let sum = samples[index] + samples[index - 1] + samples[index - 2] + samples[index - 3]
                power += sum * sum
            }
            return power
        }
    }
}
