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
    init(_ tones: ToneCorrelations, turnsPerBit: SIMD2<Double>) {
        for tone in 0..<2 {
            let whole = Self.turns(of: tone, over: Self.perBit, tones, turnsPerBit: turnsPerBit[tone])
            let halves = 2 * Self.turns(of: tone, over: Self.perBit / 2, tones, turnsPerBit: turnsPerBit[tone])
            let round = whole + (halves - whole).rounded()
            let most = max(Self.mostTurnsPerBit, min(Self.mostTurnsInHalves, Self.mostShare * turnsPerBit[tone]))
            offsets[tone] = abs(round) <= most ? round : 0
        }
    }

    /// An estimate from bits that were read.
    /// - Parameters:
    ///   - tones: the stretch.
    ///   - turnsPerBit: turns of space and mark in a bit that the stretch was correlated with.
    ///   - characters: what was read.
    ///   - bitCount: bits of each between start and stop.
    init(
        _ tones: ToneCorrelations, turnsPerBit: SIMD2<Double>, characters: [CharacterPath.Character], bitCount: Int
    ) {
        for tone in 0..<2 {
            var sum = TurnSum(of: tone, over: Self.perBit, turnsPerBit: turnsPerBit[tone])
            for character in characters {
                // The start bit before them, a space, is the lowest.
                let bits = UInt32(character.bits) << 1
                let pair: UInt32 = tone == 0 ? 0 : 3
                for place in 0..<bitCount where bits >> UInt32(place) & 3 == pair {
                    sum.add(tones, at: character.start + place * Self.perBit)
                }
            }
            offsets[tone] = abs(sum.turns) <= Self.mostTurnsPerBit ? sum.turns : 0
        }
    }

    /// An estimate from bits that were read one by one.
    /// - Parameters:
    ///   - tones: the stretch.
    ///   - turnsPerBit: turns of space and mark in a bit that the stretch was correlated with.
    ///   - bits: which tone lies where, in the order of time.
    init(_ tones: ToneCorrelations, turnsPerBit: SIMD2<Double>, bits: [(tone: Int, step: Int)]) {
        for tone in 0..<2 {
            var sum = TurnSum(of: tone, over: Self.perBit, turnsPerBit: turnsPerBit[tone])
            for (first, second) in zip(bits, bits.dropFirst())
            where first.tone == tone && second.tone == tone && second.step == first.step + Self.perBit {
                sum.add(tones, at: first.step)
            }
            offsets[tone] = abs(sum.turns) <= Self.mostTurnsPerBit ? sum.turns : 0
        }
    }

    /// How much further than it should a tone has turned some grid steps later, wherever it is clear; in turns.
    private static func turns(
        of tone: Int, over lag: Int, _ tones: ToneCorrelations, turnsPerBit: Double
    ) -> Double {
        var sum = TurnSum(of: tone, over: lag, turnsPerBit: turnsPerBit)
        for step in 0..<max(0, tones.count - lag) {
            if isClear(tone, tones, at: step), isClear(tone, tones, at: step + lag) { sum.add(tones, at: step) }
        }
        return sum.turns
    }

    /// How much further than it should a tone has turned some grid steps later, over some places.
    private struct TurnSum {
        private let tone: Int
        private let lag: Int
        private let turn: SIMD2<Float>
        private var sum = SIMD2<Float>.zero

        init(of tone: Int, over lag: Int, turnsPerBit: Double) {
            self.tone = tone
            self.lag = lag
            let (sine, cosine) = Numerics.sineAndCosine(turns: turnsPerBit * Double(lag) / Double(perBit))
            turn = SIMD2(Float(cosine), Float(sine))
        }

        mutating func add(_ tones: ToneCorrelations, at step: Int) {
            let first = tones.bits[tone][step]
            let second = tones.bits[tone][step + lag]
            let expected = SIMD2(first.x * turn.x - first.y * turn.y, first.y * turn.x + first.x * turn.y)
            sum += SIMD2(
                second.x * expected.x + second.y * expected.y, second.y * expected.x - second.x * expected.y)
        }

        /// Turns on average, weighed by the power.
        var turns: Double { Double(Numerics.angle(sum)) }
    }

    private static func isClear(_ tone: Int, _ tones: ToneCorrelations, at step: Int) -> Bool {
        power(tones.bits[tone][step]) > dominance * dominance * power(tones.bits[1 - tone][step])
    }

    private static func power(_ value: SIMD2<Float>) -> Float { value.x * value.x + value.y * value.y }
}
