/// Raises the sample rate by a whole factor: a sinc with a Blackman window, which passes frequencies below 0.4 of the
/// rate.
struct SampleInterpolator: Sendable {
    /// Output samples per input sample.
    let factor: Int
    /// One row of taps for each output after the first, which is the input itself.
    private let taps: [[Float]]

    /// Input samples on either side of an output that contribute to it.
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
        // Each row has the same gain for a standing offset; otherwise the offset would become a tone.
        let sum = row.reduce(0, +)
        return row.map { Float($0 / sum) }
    }

    /// Interpolates from each sample to the next one.
    /// - Parameters:
    ///   - input: `2 * reach - 1` samples more than are interpolated, the first of which precede the first interpolated
    ///     sample.
    ///   - output: `factor` places for each interpolated sample.
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

/// A line of two levels as a converter receives it: each edge is limited to half the sample rate.
enum BandLimitedEdge {
    /// Samples on either side of an edge over which it rises.
    static let reach = 10
    /// Positions between two samples.
    private static let phases = 64

    /// For each position, the line's rise from each sample to the next; the sum is 1.
    private static let rises = (0..<phases).flatMap { row(Double($0) / Double(phases)) }

    /// The integral, from sample to sample, of a sinc with a Hann window.
    private static func row(_ phase: Double) -> [Float] {
        let pieces = 16
        let row = (1 - reach...reach).map { sample in
            (0..<pieces).reduce(0) { sum, piece in
                sum + impulse(Double(sample - 1) + (Double(piece) + 0.5) / Double(pieces) - phase)
            }
        }
        let sum = row.reduce(0, +)
        return row.map { Float($0 / sum) }
    }

    private static func impulse(_ time: Double) -> Double {
        let share = time / (2 * Double(reach))
        guard abs(share) < 0.5 else { return 0 }
        let window = 0.5 + 0.5 * Numerics.sineAndCosine(turns: share).cosine
        return time == 0 ? 1 : window * Numerics.sineAndCosine(turns: time / 2).sine / (Double.pi * time)
    }

    /// Adds an edge to a line's differences from sample to sample.
    @inline(__always)
    static func add(_ height: Float, at time: Double, to differences: inout MutableSpan<Float>) {
        let place = Int((time * Double(phases)).rounded(.down))
        let row = (place & (phases - 1)) * 2 * reach
        let first = place / phases - reach + 1
        let rises = rises.span
        for index in 0..<2 * reach { differences[first + index] += height * rises[row + index] }
    }
}

/// Sums of products over eight lanes. Left to itself, the compiler adds floats one by one, in order.
enum FloatKernels {
    /// Products that are summed in `Float` before the sum goes to a `Double`.
    private static let block = 4_096

    /// The sum of the products of `count` numbers, starting at an index in each span.
    static func dot(_ left: Span<Float>, _ first: Int, _ right: Span<Float>, _ second: Int, count: Int) -> Double {
        precondition(first >= 0 && second >= 0 && first + count <= left.count && second + count <= right.count)
        let (one, other) = unsafe (left.bytes, right.bytes)
        var total = 0.0
        var start = 0
        while start < count {
            let end = min(start + block, count)
            // Four independent sums, so that no addition waits for another.
            var lanes = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
            var index = start
            while index + 32 <= end {
                lanes.0 += load(one, first + index) * load(other, second + index)
                lanes.1 += load(one, first + index + 8) * load(other, second + index + 8)
                lanes.2 += load(one, first + index + 16) * load(other, second + index + 16)
                lanes.3 += load(one, first + index + 24) * load(other, second + index + 24)
                index += 32
            }
            while index + 8 <= end {
                lanes.0 += load(one, first + index) * load(other, second + index)
                index += 8
            }
            var sum = (lanes.0 + lanes.1 + (lanes.2 + lanes.3)).sum()
            while index < end {
                sum += left[first + index] * right[second + index]
                index += 1
            }
            total += Double(sum)
            start = end
        }
        return total
    }

    /// Subtracts one filtered sound from another, except at the ends, at which the filter extends past the sound.
    /// - Parameters:
    ///   - taps: an odd number of taps; the middle one has no delay.
    ///   - spacing: samples between taps.
    ///   - source: the sound to filter.
    ///   - target: the sound from which to subtract.
    static func subtract(
        _ taps: [Float], spacing: Int, of source: Span<Float>, from target: inout MutableSpan<Float>
    ) {
        let reach = taps.count / 2 * spacing
        precondition(source.count == target.count)
        let bytes = unsafe source.bytes
        var start = reach
        while start + 8 <= source.count - reach {
            var sum = SIMD8<Float>.zero
            for index in taps.indices {
                sum += taps[index] * load(bytes, start + reach - index * spacing)
            }
            for lane in 0..<8 { target[start + lane] -= sum[lane] }
            start += 8
        }
    }

    // The loads below check the bounds of the span. They are unsafe because bytes are read as numbers; the bytes of a
    // span of floats are valid numbers.

    /// Loads eight numbers of a span, starting at an index; the span must hold that many.
    @inline(__always)
    static func load(_ bytes: RawSpan, _ index: Int) -> SIMD8<Float> {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 4 * index, as: SIMD8<Float>.self)
    }

    /// Loads sixteen numbers of a span, starting at an index; the span must hold that many.
    @inline(__always)
    static func loadSixteen(_ bytes: RawSpan, _ index: Int) -> SIMD16<Float> {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 4 * index, as: SIMD16<Float>.self)
    }
}
