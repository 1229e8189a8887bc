/// A complex tone of amplitude 1, sample by sample.
struct Oscillator {
    private let turns: Double
    private let step: SIMD2<Double>
    private var index = 0
    private var value = SIMD2<Double>(1, 0)

    /// Samples after which the value is computed exactly again, to limit rounding errors.
    private static let renewal = 512

    /// - Parameter turns: turns per sample; the phase begins at 0.
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

/// White Gaussian noise that depends on a seed only: the same on every machine.
public struct GaussianNoise: Sendable {
    private var state: UInt64
    private var spare: Double?

    /// Creates a generator. Different seeds, even neighbours, give unrelated noise.
    public init(seed: UInt64) {
        // One round of MurmurHash3's finaliser spreads small seeds over all bits; xorshift must not start at zero.
        var mixed = seed &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ (mixed >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        mixed ^= mixed >> 33
        state = mixed == 0 ? 1 : mixed
    }

    /// The next value: zero mean, unit variance (polar method, Marsaglia 1962).
    public mutating func next() -> Double {
        if let spare {
            self.spare = nil
            return spare
        }
        while true {
            let x = uniform()
            let y = uniform()
            let square = x * x + y * y
            guard square < 1, square > 0 else { continue }
            let scale = (-2 * Numerics.logarithm(square) / square).squareRoot()
            spare = y * scale
            return x * scale
        }
    }

    /// Uniform over -1 to 1 (xorshift64*, Vigna 2014).
    mutating func uniform() -> Double {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return Double(Int64(bitPattern: state &* 0x2545_F491_4F6C_DD1D) >> 11) / Double(1 << 52)
    }
}
