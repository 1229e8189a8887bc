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

/// How a line passes two tones: a low-pass weakens the higher one and turns its phase.
struct ToneBalance: Sendable {
    /// What was seen of space and mark, relative to the carrier's phase.
    struct Seen: Sendable {
        fileprivate var sums = TonePair(SIMD2<Float>.zero)
        fileprivate var counts = SIMD2<Float>.zero

        mutating func add(_ seen: SIMD2<Float>, tone: Int, _ carrier: Carrier) {
            let size = Carrier.size(of: carrier.phase)
            guard size > 0 else { return }
            let unit = carrier.phase / size
            sums[tone] += SIMD2(seen.x * unit.x + seen.y * unit.y, seen.y * unit.x - seen.x * unit.y)
            counts[tone] += 1
        }
    }

    /// What space and mark are seen as, on average; the stronger one as 1.
    private var tones = TonePair(SIMD2<Float>(1, 0))
    /// Amplitude of the stronger tone over a bit.
    private var amplitude: Float = 0

    /// How fast it is followed, from stretch to stretch.
    private static let gain: Float = 0.3
    /// Strengths of the tones that differ by less than this, and phases by less than this in radians, are taken as even.
    private static let even: Float = 0.15
    /// Bits of each tone that tell something.
    private static let leastBits: Float = 16

    var isEven: Bool {
        abs(Carrier.size(of: tones[0]) - Carrier.size(of: tones[1])) < Self.even
            && abs(tones[0].y * tones[1].x - tones[1].y * tones[0].x) < Self.even
    }

    /// Follows what was seen through this balance.
    mutating func follow(_ seen: Seen) {
        guard seen.counts.min() >= Self.leastBits else { return }
        let means = TonePair(space: mean(of: 0, in: seen), mark: mean(of: 1, in: seen))
        let most = max(Carrier.size(of: means[0]), Carrier.size(of: means[1]))
        guard most > 0 else { return }
        amplitude = amplitude == 0 ? most : amplitude + Self.gain * (most - amplitude)
        for tone in 0..<2 { tones[tone] += Self.gain * (means[tone] / most - tones[tone]) }
    }

    /// What was seen of a tone on average, before it was multiplied by its factor.
    private func mean(of tone: Int, in seen: Seen) -> SIMD2<Float> {
        let (mean, factor) = (seen.sums[tone] / seen.counts[tone], factors[tone])
        let square = factor.x * factor.x + factor.y * factor.y
        return SIMD2(
            (mean.x * factor.x + mean.y * factor.y) / square, (mean.y * factor.x - mean.x * factor.y) / square)
    }

    /// What the correlations with either tone are to be multiplied by: the conjugate of what they are seen as.
    private var factors: TonePair<SIMD2<Float>> {
        isEven
            ? TonePair(SIMD2(1, 0))
            : TonePair(space: SIMD2(tones.space.x, -tones.space.y), mark: SIMD2(tones.mark.x, -tones.mark.y))
    }

    /// Weighs the correlations.
    func apply(to correlations: inout ToneCorrelations) {
        if !isEven { correlations.scale(factors) }
    }

    /// Power of either tone, 1 for the stronger one.
    var powers: SIMD2<Float> {
        isEven
            ? SIMD2(1, 1)
            : SIMD2(
                tones[0].x * tones[0].x + tones[0].y * tones[0].y, tones[1].x * tones[1].x + tones[1].y * tones[1].y)
    }

    /// What a bit of each tone costs: half the energy that it would have. A weak tone asks for less.
    var costs: SIMD2<Float> { isEven ? .zero : 0.5 * amplitude * powers }
}
