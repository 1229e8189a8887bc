/// How far the tones of a stretch are off, told by how their phase turns from one bit to the next of the same tone.
struct ToneEstimate {
    /// What is to be added to space and mark, in turns a bit.
    private(set) var offsets = SIMD2<Double>.zero

    /// A tone counts where it is so much stronger than the other one, in amplitude.
    private static let dominance: Float = 1.6
    /// Turns a bit that a tone may be off. Beyond half a turn it could have gone round in a bit.
    private static let mostTurnsPerBit = 0.42
    /// The same as a share of its frequency, where half a bit tells whether it has gone round, and the most of that.
    private static let mostShare = 0.055
    private static let mostTurnsInHalves = 0.8
    private static let perBit = ToneCorrelations.stepsPerBit

    /// An estimate from wherever one tone is much stronger than the other.
    /// - Parameters:
    ///   - tones: the stretch.
    ///   - turnsPerBit: turns of space and mark in a bit that the stretch was correlated with.
    init(_ tones: ToneCorrelations, turnsPerBit: [Double]) {
        for tone in 0..<2 {
            func turns(over lag: Int) -> Double {
                let steps = (0..<max(0, tones.count - lag)).lazy.filter { step in
                    Self.isClear(tone, tones, at: step) && Self.isClear(tone, tones, at: step + lag)
                }
                return Self.turns(of: tone, at: steps, over: lag, tones, turnsPerBit: turnsPerBit[tone])
            }
            let whole = turns(over: Self.perBit)
            let halves = 2 * turns(over: Self.perBit / 2)
            let round = whole + (halves - whole).rounded()
            let most = max(Self.mostTurnsPerBit, min(Self.mostTurnsInHalves, Self.mostShare * turnsPerBit[tone]))
            offsets[tone] = abs(round) <= most ? round : 0
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
            let turns = Self.turns(of: tone, at: steps, over: Self.perBit, tones, turnsPerBit: turnsPerBit[tone])
            offsets[tone] = abs(turns) <= Self.mostTurnsPerBit ? turns : 0
        }
    }

    /// How much further than it should the tone has turned some grid steps later, over some places; in turns.
    private static func turns(
        of tone: Int, at steps: some Sequence<Int>, over lag: Int, _ tones: ToneCorrelations, turnsPerBit: Double
    ) -> Double {
        let (sine, cosine) = Numerics.sineAndCosine(turns: turnsPerBit * Double(lag) / Double(perBit))
        let turn = SIMD2<Float>(Float(cosine), Float(sine))
        var sum = SIMD2<Float>.zero
        for step in steps {
            let first = tones.bits[tone][step]
            let second = tones.bits[tone][step + lag]
            let expected = SIMD2(first.x * turn.x - first.y * turn.y, first.y * turn.x + first.x * turn.y)
            sum += SIMD2(
                second.x * expected.x + second.y * expected.y, second.y * expected.x - second.x * expected.y)
        }
        return Double(Numerics.angle(sum))
    }

    private static func isClear(_ tone: Int, _ tones: ToneCorrelations, at step: Int) -> Bool {
        power(tones.bits[tone][step]) > dominance * dominance * power(tones.bits[1 - tone][step])
    }

    private static func power(_ value: SIMD2<Float>) -> Float { value.x * value.x + value.y * value.y }
}
