import JackdawBytes

/// A clock from the level of a sound: the voltage of a head is proportional to the speed of the card, so the product of
/// a bit cell's length and the height of its pulses is constant.
///
/// It follows a hand that nearly stops within a few cells, where a search for a steady clock slips. It depends on no
/// decision about bits.
struct LevelClock {
    /// Cell boundaries in samples of the sound, from its start to its end.
    let boundaries: [Float]

    /// Blocks in a cell at the usual speed; of each the highest sample counts.
    private static let blocksPerCell = 4
    /// The longest cell in usual cells.
    private static let longestCell = 12
    /// The share of the usual height that the outermost pulses of the pass have, at least.
    private static let leastPulse: Float = 0.3
    /// Blocks to either side over which the speed is averaged.
    private static let smoothing = 3

    /// - Parameters:
    ///   - sound: the sound, without hum.
    ///   - cell: the usual length of a cell in samples of the sound.
    init?(_ sound: WorkingSound, cell: Float) {
        let block = max(1, Int(cell / Float(Self.blocksPerCell)))
        let samples = sound.samples
        let peaks = stride(from: 0, to: samples.count, by: block).map { start in
            samples[start..<min(start + block, samples.count)].reduce(Float(0)) { max($0, abs($1)) }
        }
        guard peaks.count > 4 * Self.blocksPerCell else { return nil }
        // Every cell has a pulse: the usual height is the median of the highest sample of a cell, over those with sound.
        let highest = peaks.indices.map { index in
            peaks[max(0, index - 2)..<min(peaks.count, index + 3)].reduce(0, max)
        }
        let sorted = highest.sorted()
        let loud = sorted[sorted.count * 9 / 10]
        let heard = sorted.filter { $0 > Self.leastPulse * loud }
        guard let usual = heard.isEmpty ? nil : heard[heard.count / 2], usual > 0,
            let first = peaks.firstIndex(where: { $0 > Self.leastPulse * usual }),
            let last = peaks.lastIndex(where: { $0 > Self.leastPulse * usual })
        else { return nil }
        var speeds = peaks.indices.map { index in
            index < first || index > last ? 1 : Self.speed(at: index, peaks, usual: usual)
        }
        speeds = Self.means(speeds)
        var boundaries: [Float] = [0]
        var phase: Float = 0
        for (index, speed) in speeds.enumerated() {
            let step = speed / Float(Self.blocksPerCell) * Float(block) / (cell / Float(Self.blocksPerCell))
            var next = phase + step
            while next >= 1 {
                let share = (1 - phase) / (next - phase)
                let start = max(Float(index * block), boundaries[boundaries.count - 1])
                boundaries.append(start + (Float((index + 1) * block) - start) * share)
                next -= 1
                phase = 0
            }
            phase = next
        }
        self.boundaries = boundaries
    }

    /// The speed at a block: a window around it grows until the product of its length and its highest sample is that of
    /// a usual cell.
    private static func speed(at index: Int, _ peaks: [Float], usual: Float) -> Float {
        var highest = peaks[index]
        let limit = longestCell * blocksPerCell / 2
        for reach in 0...limit {
            let shorter = Float(2 * reach + 1) / Float(blocksPerCell)
            if index >= reach { highest = max(highest, peaks[index - reach]) }
            if index + reach < peaks.count { highest = max(highest, peaks[index + reach]) }
            guard highest > 0 else { continue }
            let wanted = usual / highest
            if wanted <= shorter + 2 / Float(blocksPerCell) { return 1 / max(wanted, shorter) }
        }
        return 1 / Float(longestCell)
    }

    private static func means(_ values: [Float]) -> [Float] {
        values.indices.map { index in
            let near = values[max(0, index - smoothing)..<min(values.count, index + smoothing + 1)]
            return near.reduce(0, +) / Float(near.count)
        }
    }
}
