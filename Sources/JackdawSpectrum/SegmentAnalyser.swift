/// Cuts a stream into half-overlapping segments and takes the spectrum of each, scaled so that its bins add up to the
/// mean square of the segment.
struct SegmentAnalyser: ~Copyable, Sendable {
    /// Samples a segment.
    let count: Int
    /// Samples of the stream in the longest segment so far; less than `count` only for a short stream.
    private(set) var coveredCount = 0

    /// The spectrum of the last segment.
    private(set) var power: [Float]

    private let window: WindowFunction
    private let weights: Weights
    private var transform: RealTransform
    private var pending: SampleBuffer

    init(count: Int, window: WindowFunction) throws(SpectrumError) {
        transform = try RealTransform(count: count)
        self.count = count
        self.window = window
        weights = Weights(window, count: count)
        pending = SampleBuffer(capacity: count)
        power = [Float](repeating: 0, count: count / 2 + 1)
    }

    /// Takes samples until a segment is complete or there are no more.
    /// - Parameters:
    ///   - samples: the next samples of the stream, the same until all have been taken.
    ///   - start: how many of them have been taken.
    /// - Returns: whether a segment is complete, its spectrum in ``power``.
    mutating func take(_ samples: Span<Float>, from start: inout Int) -> Bool {
        if pending.isFull { pending.keep(last: count / 2) }
        pending.take(samples, from: &start)
        if pending.isFull { analyse(weights) }
        return pending.isFull
    }

    /// Ends the stream. One that was too short for a segment is taken as one, with zeros after it.
    /// - Returns: whether there is such a segment, its spectrum in ``power``.
    mutating func finish() -> Bool {
        guard coveredCount == 0, pending.count > 0 else { return false }
        analyse(Weights(window, count: pending.count))
        return true
    }

    private mutating func analyse(_ weights: Weights) {
        coveredCount = weights.values.count
        var result: [Float] = []
        swap(&result, &power)
        pending.withSamples { samples in
            var target = result.mutableSpan
            transform.power(of: samples, weightedBy: weights.values.span, into: &target)
        }
        // One sample alone has a Hann weight of 0.
        let scale = weights.energy > 0 ? 2 / (weights.energy * Float(count)) : 0
        for bin in result.indices { result[bin] *= scale }
        result[0] /= 2
        result[count / 2] /= 2
        swap(&result, &power)
    }

    private struct Weights: Sendable {
        let values: [Float]
        /// Sum of the squares.
        let energy: Float

        init(_ window: WindowFunction, count: Int) {
            values = window.weights(count: count)
            energy = Float(values.reduce(0.0) { $0 + Double($1) * Double($1) })
        }
    }
}
