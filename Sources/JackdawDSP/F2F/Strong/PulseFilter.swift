/// Matched filters for head pulses: zero-mean differences of two Gaussians, unit energy, zero phase.
///
/// A Gaussian close to the pulse picks it out of white noise; taking a wider one away keeps hum and drift out.
enum PulseFilter {
    /// Ratio of the wide Gaussian to the narrow one.
    private static let wideness = 2.6
    /// Standard deviation in samples from which three box filters stand in for a Gaussian.
    private static let boxThreshold = 4.0

    /// - Parameters:
    ///   - input: samples.
    ///   - width: full width at half maximum of the pulse, in samples.
    /// - Returns: as many samples, aligned with the input.
    static func apply(to input: [Float], width: Double) -> [Float] {
        let deviation = max(width, 1.0) / 2.355
        var narrow = smooth(input, deviation: deviation)
        var wide = smooth(input, deviation: wideness * deviation)
        defer { wide.wipe() }
        let energy =
            (1 / deviation + 1 / (wideness * deviation)) / (2 * Double.pi.squareRoot())
            - 2 / ((2 * Double.pi).squareRoot() * deviation * (1 + wideness * wideness).squareRoot())
        let gain = Float(1 / energy.squareRoot())
        for index in narrow.indices { narrow[index] = (narrow[index] - wide[index]) * gain }
        return narrow
    }

    /// Unit-gain Gaussian smoothing; beyond the ends the signal counts as zero.
    static func smooth(_ input: [Float], deviation: Double) -> [Float] {
        guard deviation < boxThreshold else {
            let box = Int(((4 * deviation * deviation + 1).squareRoot() / 2).rounded())
            var once = boxSmooth(input, reach: box)
            var twice = boxSmooth(once, reach: box)
            defer {
                once.wipe()
                twice.wipe()
            }
            return boxSmooth(twice, reach: box)
        }
        let reach = Int((3.5 * deviation).rounded(.up))
        var taps = (0...reach).map { Float(Numerics.exponential(-0.5 * Double($0 * $0) / (deviation * deviation))) }
        let sum = 2 * taps.reduce(0, +) - taps[0]
        for index in taps.indices { taps[index] /= sum }
        return convolve(input, symmetric: taps)
    }

    /// Running mean over `2 * reach + 1` samples: of four quarters side by side, since each sum waits for the one before.
    private static func boxSmooth(_ input: [Float], reach: Int) -> [Float] {
        guard reach > 0, input.count > 2 * reach + 1 else { return input }
        let width = 2 * reach + 1
        let quarter = (input.count + 3) / 4
        var padded = [Float](repeating: 0, count: 4 * quarter + width)
        defer { padded.wipe() }
        padded.replaceSubrange(reach + 1..<reach + 1 + input.count, with: input)
        var output = [Float](repeating: 0, count: 4 * quarter)
        var sums = SIMD4<Double>.zero
        for part in 0..<4 {
            for index in part * quarter..<part * quarter + width { sums[part] += Double(padded[index]) }
        }
        let scale = SIMD4<Double>(repeating: 1 / Double(width))
        unsafe padded.withUnsafeBufferPointer { padded in
            unsafe output.withUnsafeMutableBufferPointer { output in
                for index in 0..<quarter {
                    let leaving = unsafe SIMD4<Float>(
                        padded[index], padded[index &+ quarter], padded[index &+ 2 &* quarter],
                        padded[index &+ 3 &* quarter])
                    let next = index &+ width
                    let entering = unsafe SIMD4<Float>(
                        padded[next], padded[next &+ quarter], padded[next &+ 2 &* quarter],
                        padded[next &+ 3 &* quarter])
                    sums += SIMD4<Double>(entering) - SIMD4<Double>(leaving)
                    let means = SIMD4<Float>(sums * scale)
                    unsafe output[index] = means[0]
                    unsafe output[index &+ quarter] = means[1]
                    unsafe output[index &+ 2 &* quarter] = means[2]
                    unsafe output[index &+ 3 &* quarter] = means[3]
                }
            }
        }
        output.removeLast(output.count - input.count)
        return output
    }

    /// Convolves with a symmetric filter whose taps are given from the centre outwards.
    private static func convolve(_ input: [Float], symmetric taps: [Float]) -> [Float] {
        let reach = taps.count - 1
        var padded = [Float](repeating: 0, count: input.count + 2 * reach + 8)
        defer { padded.wipe() }
        padded.replaceSubrange(reach..<reach + input.count, with: input)
        var output = [Float](repeating: 0, count: input.count + 8)
        unsafe padded.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                // Eight outputs at a time, so that the sums run in lanes and not in a chain.
                for start in stride(from: 0, to: input.count, by: 8) {
                    let base = unsafe UnsafeRawPointer(source.baseAddress! + start)
                    var sum = unsafe base.loadUnaligned(fromByteOffset: 4 * reach, as: SIMD8<Float>.self) * taps[0]
                    for tap in 1..<max(taps.count, 1) {
                        let left = unsafe base.loadUnaligned(fromByteOffset: 4 * (reach - tap), as: SIMD8<Float>.self)
                        let right = unsafe base.loadUnaligned(fromByteOffset: 4 * (reach + tap), as: SIMD8<Float>.self)
                        sum += (left + right) * taps[tap]
                    }
                    unsafe UnsafeMutableRawPointer(target.baseAddress! + start).storeBytes(
                        of: sum, as: SIMD8<Float>.self)
                }
            }
        }
        output.removeLast(8)
        return output
    }
}
