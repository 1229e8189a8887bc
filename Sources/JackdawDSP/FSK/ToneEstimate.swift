/// How far the tones of a stretch are off, told by how their phase turns from one bit to the next of the same tone.
struct ToneEstimate {
    /// What is to be added to space and mark, in turns a bit.
    private(set) var offsets = SIMD2<Double>.zero

    /// A tone counts where it is so much stronger than the other one, in amplitude.
    private static let dominance: Float = 1.6
    /// Beyond half a turn it could have gone round.
    private static let mostTurnsPerBit = 0.42
    private static let perBit = ToneCorrelations.stepsPerBit

    /// An estimate from wherever one tone is much stronger than the other.
    /// - Parameters:
    ///   - tones: the stretch.
    ///   - turnsPerBit: turns of space and mark in a bit that the stretch was correlated with.
    init(_ tones: ToneCorrelations, turnsPerBit: [Double]) {
        for tone in 0..<2 {
            let steps = (0..<max(0, tones.count - Self.perBit)).lazy.filter { step in
                Self.isClear(tone, tones, at: step) && Self.isClear(tone, tones, at: step + Self.perBit)
            }
            offsets[tone] = Self.offset(of: tone, at: steps, tones, turnsPerBit: turnsPerBit[tone])
        }
    }

    /// An estimate from bits that were read.
    /// - Parameters:
    ///   - tones: the stretch.
    ///   - turnsPerBit: turns of space and mark in a bit that the stretch was correlated with.
    ///   - bits: which tone lies where, in the order of time.
    init(_ tones: ToneCorrelations, turnsPerBit: [Double], bits: [(tone: Int, step: Int)]) {
        for tone in 0..<2 {
            let steps = zip(bits, bits.dropFirst()).lazy
                .filter { $0.tone == tone && $1.tone == tone && $1.step == $0.step + Self.perBit }
                .map(\.0.step)
            offsets[tone] = Self.offset(of: tone, at: steps, tones, turnsPerBit: turnsPerBit[tone])
        }
    }

    /// How much further than it should the tone has turned a bit later, over some bits; in turns a bit.
    private static func offset(
        of tone: Int, at steps: some Sequence<Int>, _ tones: ToneCorrelations, turnsPerBit: Double
    ) -> Double {
        let (sine, cosine) = Numerics.sineAndCosine(turns: turnsPerBit)
        let turn = SIMD2<Float>(Float(cosine), Float(sine))
        var sum = SIMD2<Float>.zero
        for step in steps {
            let first = tones.bits[tone][step]
            let second = tones.bits[tone][step + perBit]
            let expected = SIMD2(first.x * turn.x - first.y * turn.y, first.y * turn.x + first.x * turn.y)
            sum += SIMD2(
                second.x * expected.x + second.y * expected.y, second.y * expected.x - second.x * expected.y)
        }
        let turns = Double(Numerics.angle(sum))
        return abs(turns) <= mostTurnsPerBit ? turns : 0
    }

    private static func isClear(_ tone: Int, _ tones: ToneCorrelations, at step: Int) -> Bool {
        power(tones.bits[tone][step]) > dominance * dominance * power(tones.bits[1 - tone][step])
    }

    private static func power(_ value: SIMD2<Float>) -> Float { value.x * value.x + value.y * value.y }
}
