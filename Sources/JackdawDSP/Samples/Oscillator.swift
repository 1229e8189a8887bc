/// A complex tone of amplitude 1, sample by sample.
struct Oscillator {
    private let turns: Double
    private let step: SIMD2<Double>
    private var index = 0
    private var value = SIMD2<Double>(1, 0)

    /// Samples after which rounding errors are left behind.
    private static let renewal = 512

    /// - Parameter turns: turns a sample; it begins with none.
    init(turns: Double) {
        self.turns = turns
        step = Self.tone(turns)
    }

    /// Real and imaginary part of the next sample.
    @inline(__always)
    mutating func next() -> SIMD2<Double> {
        if index & (Self.renewal - 1) == 0 { value = Self.tone(turns * Double(index)) }
        let current = value
        value = SIMD2(current.x * step.x - current.y * step.y, current.x * step.y + current.y * step.x)
        index += 1
        return current
    }

    private static func tone(_ turns: Double) -> SIMD2<Double> {
        let (sine, cosine) = Numerics.sineAndCosine(turns: turns)
        return SIMD2(cosine, sine)
    }
}
