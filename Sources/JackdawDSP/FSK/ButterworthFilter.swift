/// A Butterworth filter of second order. A high-pass begins at rest on the first sample, whatever its offset; a low-pass
/// begins at rest on silence, since a single sample may be noise.
///
/// In `Double`: at a corner of a few Hz and 192 kHz a pole of it is so near 1 that `Float` takes it for 1.
struct ButterworthFilter: Sendable {
    enum Kind {
        case lowPass, highPass
    }

    private let kind: Kind
    /// What the inputs count for, the one before the last one so many times as much, and what the last two outputs do.
    private let gain: Double
    private let middle: Double
    private let feedback: SIMD2<Double>
    private var inputs: SIMD2<Double>?
    private var outputs = SIMD2<Double>.zero

    /// - Parameters:
    ///   - kind: which side of the corner is let through.
    ///   - turns: corner frequency in turns a sample, less than 1/2.
    init(_ kind: Kind, turns: Double) { self.init(kind, turns: turns, damping: 1.414_213_562_373_095) }

    fileprivate init(_ kind: Kind, turns: Double, damping: Double) {
        // Bilinear transform of 1 / (s^2 + damping s + 1), or of s^2 times that, the corner prewarped.
        let (sine, cosine) = Numerics.sineAndCosine(turns: turns / 2)
        let warped = sine / cosine
        let scale = 1 / (1 + damping * warped + warped * warped)
        self.kind = kind
        gain = kind == .highPass ? scale : warped * warped * scale
        middle = kind == .highPass ? -2 : 2
        feedback = SIMD2(2 * (warped * warped - 1) * scale, (1 - damping * warped + warped * warped) * scale)
    }

    /// What comes before the first sample.
    private func first(_ input: Double) -> SIMD2<Double> { kind == .highPass ? SIMD2(input, input) : .zero }

    @inline(__always)
    mutating func filter(_ sample: Float) -> Float {
        let input = Double(sample)
        let past = inputs ?? first(input)
        let output =
            gain * (input + middle * past.x + past.y) - feedback.x * outputs.x - feedback.y * outputs.y
        inputs = SIMD2(input, past.x)
        outputs = SIMD2(output, outputs.x)
        return Float(output)
    }
}

/// The same of eighth order.
struct SteepButterworthFilter: Sendable {
    private var first: ButterworthFilter
    private var second: ButterworthFilter
    private var third: ButterworthFilter
    private var fourth: ButterworthFilter

    /// - Parameters:
    ///   - kind: which side of the corner is let through.
    ///   - turns: corner frequency in turns a sample, less than 1/2.
    init(_ kind: ButterworthFilter.Kind, turns: Double) {
        first = ButterworthFilter(kind, turns: turns, damping: 1.961_570_560_806_461)
        second = ButterworthFilter(kind, turns: turns, damping: 1.662_939_224_605_090)
        third = ButterworthFilter(kind, turns: turns, damping: 1.111_140_466_039_204)
        fourth = ButterworthFilter(kind, turns: turns, damping: 0.390_180_644_032_256)
    }

    @inline(__always)
    mutating func filter(_ sample: Float) -> Float { fourth.filter(third.filter(second.filter(first.filter(sample)))) }
}
