/// A Butterworth high-pass of second order that begins at rest on the first sample, whatever its offset.
///
/// In `Double`: at a corner of a few Hz and 192 kHz a pole of it is so near 1 that `Float` takes it for 1.
struct HighPass: Sendable {
    private let gain: Double
    private let feedback: SIMD2<Double>
    private var inputs: SIMD2<Double>?
    private var outputs = SIMD2<Double>.zero

    /// - Parameter turns: corner frequency in turns a sample, less than 1/4.
    init(turns: Double) {
        // Bilinear transform of 1 / (s^2 + sqrt(2) s + 1), the corner prewarped.
        let (sine, cosine) = Numerics.sineAndCosine(turns: turns / 2)
        let warped = sine / cosine
        let scale = 1 / (1 + 1.414_213_562_373_095 * warped + warped * warped)
        gain = scale
        feedback = SIMD2(
            2 * (warped * warped - 1) * scale, (1 - 1.414_213_562_373_095 * warped + warped * warped) * scale)
    }

    @inline(__always)
    mutating func filter(_ sample: Float) -> Float {
        let input = Double(sample)
        let past = inputs ?? SIMD2(input, input)
        let output =
            gain * (input - 2 * past.x + past.y) - feedback.x * outputs.x - feedback.y * outputs.y
        inputs = SIMD2(input, past.x)
        outputs = SIMD2(output, outputs.x)
        return Float(output)
    }
}
