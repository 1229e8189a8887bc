/// Raises the sample rate by a whole factor: a sinc under a Blackman window, which keeps what is below 0.4 of the rate.
struct SampleInterpolator: Sendable {
    /// Output samples for an input sample.
    let factor: Int
    /// One row of taps for each output after the first, which is the input itself.
    private let taps: [[Float]]

    /// Samples before and after an output that it is made of.
    static let reach = 8

    /// The factor that gives a chip enough samples.
    static func factor(samplesPerChip: Double) -> Int {
        samplesPerChip < 3.5 ? 4 : samplesPerChip < 7 ? 2 : 1
    }

    init(factor: Int) {
        self.factor = factor
        taps = (1..<max(1, factor)).map { Self.row(delay: Double($0) / Double(factor)) }
    }

    private static func row(delay: Double) -> [Float] {
        let row = (0..<2 * reach).map { index in
            let time = Double(index - reach + 1) - delay
            let turns = time / (2 * Double(reach))
            let window =
                0.42 + 0.5 * Numerics.sineAndCosine(turns: turns).cosine
                + 0.08 * Numerics.sineAndCosine(turns: 2 * turns).cosine
            return window * Numerics.sineAndCosine(turns: time / 2).sine / (Double.pi * time)
        }
        // Each row passes a standing offset alike, or the offset would come out as a tone.
        let sum = row.reduce(0, +)
        return row.map { Float($0 / sum) }
    }

    /// Interpolates from each sample to the next.
    /// - Parameters:
    ///   - input: `2 * reach - 1` samples more than are to be interpolated, the first of them before the first one.
    ///   - output: `factor` places for each.
    func interpolate(_ input: Span<Float>, into output: inout MutableSpan<Float>) {
        let count = input.count - (2 * Self.reach - 1)
        precondition(count % 8 == 0 && output.count >= count * factor)
        let raw = unsafe input.bytes
        for start in stride(from: 0, to: count, by: 8) {
            for lane in 0..<8 { output[(start + lane) * factor] = input[start + lane + Self.reach - 1] }
            for (phase, row) in taps.enumerated() {
                var sum = SIMD8<Float>.zero
                for (index, tap) in row.enumerated() {
                    let part = unsafe raw.unsafeLoadUnaligned(
                        fromByteOffset: 4 * (start + index), as: SIMD8<Float>.self)
                    sum += tap * part
                }
                for lane in 0..<8 { output[(start + lane) * factor + phase + 1] = sum[lane] }
            }
        }
    }
}
