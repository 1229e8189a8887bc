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
        var short = RunningSum(input, reach: smooth)
        var long = RunningSum(input, reach: remove)
        let shortScale = 1 / Float(2 * smooth + 1)
        let longScale = 1 / Float(2 * remove + 1)
        for index in input.indices {
            let fast = smooth > 0 ? Float(short.advance(input, to: index)) * shortScale : input[index]
            output.append(remove > 0 ? fast - Float(long.advance(input, to: index)) * longScale : fast)
        }
    }
}
