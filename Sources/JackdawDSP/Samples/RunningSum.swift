/// The sum of the samples within reach of one, moved on from the first to the last; beyond the ends the signal counts as zero.
struct RunningSum {
    private let reach: Int
    private var sum = 0.0

    /// Starts before the first sample.
    /// - Parameters:
    ///   - input: samples.
    ///   - reach: samples to either side.
    init(_ input: Span<Float>, reach: Int) {
        self.reach = reach
        for index in 0..<min(reach, input.count) { sum += Double(input[index]) }
    }

    /// The sum around a sample, to be asked for one sample after the other.
    @inline(__always)
    mutating func advance(_ input: Span<Float>, to index: Int) -> Double {
        // One sum a sample, not two: the next one waits for it.
        var change = 0.0
        if index + reach < input.count { change = Double(input[index + reach]) }
        if index > reach { change -= Double(input[index - reach - 1]) }
        sum += change
        return sum
    }
}
