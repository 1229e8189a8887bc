/// A crude band-pass of zero phase: a short running mean less a long one.
enum BandFilter {
    /// - Parameters:
    ///   - input: samples.
    ///   - smooth: reach of the short mean to either side, in samples; 0 for the samples themselves.
    ///   - remove: reach of the long mean, in samples; 0 to take nothing away.
    ///   - output: as many samples as there are in `input`, aligned with it.
    static func apply(_ input: Span<Float>, smooth: Int, remove: Int, into output: inout [Float]) {
        output.removeAll(keepingCapacity: true)
        output.reserveCapacity(input.count)
        var short = RunningMean(reach: smooth)
        var long = RunningMean(reach: remove)
        short.start(input)
        long.start(input)
        for index in input.indices {
            let fast = smooth > 0 ? short.advance(input, to: index) : input[index]
            output.append(remove > 0 ? fast - long.advance(input, to: index) : fast)
        }
    }

    /// The mean of the samples within reach, moved on one sample at a time; beyond the ends the signal counts as zero.
    private struct RunningMean {
        let reach: Int
        private let scale: Float
        private var sum = 0.0

        init(reach: Int) {
            self.reach = reach
            scale = 1 / Float(2 * reach + 1)
        }

        mutating func start(_ input: Span<Float>) {
            for index in 0..<min(reach, input.count) { sum += Double(input[index]) }
        }

        mutating func advance(_ input: Span<Float>, to index: Int) -> Float {
            if index + reach < input.count { sum += Double(input[index + reach]) }
            if index > reach { sum -= Double(input[index - reach - 1]) }
            return Float(sum) * scale
        }
    }
}
