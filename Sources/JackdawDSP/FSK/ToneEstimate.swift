/// The frequency offsets of a stretch's tones, estimated from the turn of their phase from one bit to the next of the
/// same tone.
struct ToneEstimate {
    /// The corrections of space and mark, in turns per bit.
    private(set) var offsets = SIMD2<Double>.zero

    /// The least ratio of a tone to the other one, in amplitude, for the tone to count.
    private static let dominance: Float = 1.6
    /// The largest offset of a tone in turns per bit. Beyond half a turn, it would be ambiguous.
    private static let maxTurnsPerBit = 0.42
    /// The same limit as a share of the tone's frequency if half a bit resolves the ambiguity, and the most of that in
    /// turns per bit.
    private static let maxShare = 0.055
    private static let maxTurnsInHalves = 0.8
    private static let perBit = ToneCorrelations.stepsPerBit

    /// Estimates from all steps in which one tone is much stronger than the other.
    /// - Parameters:
    ///   - tones: the correlations of the stretch.
    ///   - turnsPerBit: turns of space and mark per bit, with which the stretch was correlated.
    init(_ tones: ToneCorrelations, turnsPerBit: SIMD2<Double>) {
        for tone in 0..<2 {
            let whole = Self.turns(of: tone, over: Self.perBit, tones, turnsPerBit: turnsPerBit[tone])
            let halves = 2 * Self.turns(of: tone, over: Self.perBit / 2, tones, turnsPerBit: turnsPerBit[tone])
            let round = whole + (halves - whole).rounded()
            let most = max(Self.maxTurnsPerBit, min(Self.maxTurnsInHalves, Self.maxShare * turnsPerBit[tone]))
            offsets[tone] = abs(round) <= most ? round : 0
        }
    }

    /// Estimates from decoded characters.
    /// - Parameters:
    ///   - tones: the correlations of the stretch.
    ///   - turnsPerBit: turns of space and mark per bit, with which the stretch was correlated.
    ///   - characters: the decoded characters.
    ///   - bitCount: bits of each between start and stop.
    init(
        _ tones: ToneCorrelations, turnsPerBit: SIMD2<Double>, characters: [CharacterPath.Character], bitCount: Int
    ) {
        for tone in 0..<2 {
            var sum = TurnSum(of: tone, over: Self.perBit, turnsPerBit: turnsPerBit[tone])
            for character in characters {
                // The start bit before them, a space, is the least significant bit.
                let bits = UInt32(character.bits) << 1
                let pair: UInt32 = tone == 0 ? 0 : 3
                for place in 0..<bitCount where bits >> UInt32(place) & 3 == pair {
                    sum.add(tones, at: character.start + place * Self.perBit)
                }
            }
            offsets[tone] = abs(sum.turns) <= Self.maxTurnsPerBit ? sum.turns : 0
        }
    }

    /// Estimates from bits that were decoded one by one.
    /// - Parameters:
    ///   - tones: the correlations of the stretch.
    ///   - turnsPerBit: turns of space and mark per bit, with which the stretch was correlated.
    ///   - bits: the tone and the grid step of each bit, in the order of time.
    init(_ tones: ToneCorrelations, turnsPerBit: SIMD2<Double>, bits: [(tone: Int, step: Int)]) {
        for tone in 0..<2 {
            var sum = TurnSum(of: tone, over: Self.perBit, turnsPerBit: turnsPerBit[tone])
            for (first, second) in zip(bits, bits.dropFirst())
            where first.tone == tone && second.tone == tone && second.step == first.step + Self.perBit {
                sum.add(tones, at: first.step)
            }
            offsets[tone] = abs(sum.turns) <= Self.maxTurnsPerBit ? sum.turns : 0
        }
    }

    /// The additional turn of a tone over a number of grid steps, averaged over all steps in which it is clear; in
    /// turns.
    private static func turns(
        of tone: Int, over lag: Int, _ tones: ToneCorrelations, turnsPerBit: Double
    ) -> Double {
        var sum = TurnSum(of: tone, over: lag, turnsPerBit: turnsPerBit)
        for step in 0..<max(0, tones.count - lag) {
            if isClear(tone, tones, at: step), isClear(tone, tones, at: step + lag) { sum.add(tones, at: step) }
        }
        return sum.turns
    }

    /// The additional turn of a tone over a number of grid steps, averaged over the steps added.
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

        /// Mean in turns, weighted by power.
        var turns: Double { Double(Numerics.angle(sum)) }
    }

    private static func isClear(_ tone: Int, _ tones: ToneCorrelations, at step: Int) -> Bool {
        power(tones.bits[tone][step]) > dominance * dominance * power(tones.bits[1 - tone][step])
    }

    private static func power(_ value: SIMD2<Float>) -> Float { value.x * value.x + value.y * value.y }
}

/// The response of a line to two tones: a low-pass weakens the higher one and turns its phase.
struct ToneBalance: Sendable {
    /// The correlations with space and mark, relative to the carrier's phase.
    struct Seen: Sendable, BitwiseCopyable {
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

    /// The mean correlations with space and mark; the stronger one is scaled to 1.
    private var tones = TonePair(SIMD2<Float>(1, 0))
    /// Amplitude of the stronger tone over a bit.
    private var amplitude: Float = 0

    /// Gain with which the response is followed, from stretch to stretch.
    private static let gain: Float = 0.3
    /// The difference in strength, and in phase (radians), below which the tones count as even.
    private static let even: Float = 0.15
    /// The least number of bits of each tone for an update.
    private static let leastBits: Float = 16

    var isEven: Bool {
        abs(Carrier.size(of: tones[0]) - Carrier.size(of: tones[1])) < Self.even
            && abs(tones[0].y * tones[1].x - tones[1].y * tones[0].x) < Self.even
    }

    /// Updates the response from correlations that were scaled by it.
    mutating func follow(_ seen: Seen) {
        guard seen.counts.min() >= Self.leastBits else { return }
        let means = TonePair(space: mean(of: 0, in: seen), mark: mean(of: 1, in: seen))
        let most = max(Carrier.size(of: means[0]), Carrier.size(of: means[1]))
        guard most > 0 else { return }
        amplitude = amplitude == 0 ? most : amplitude + Self.gain * (most - amplitude)
        for tone in 0..<2 { tones[tone] += Self.gain * (means[tone] / most - tones[tone]) }
    }

    /// The mean correlation with a tone, before it was multiplied by its factor.
    private func mean(of tone: Int, in seen: Seen) -> SIMD2<Float> {
        let (mean, factor) = (seen.sums[tone] / seen.counts[tone], factors[tone])
        let square = factor.x * factor.x + factor.y * factor.y
        return SIMD2(
            (mean.x * factor.x + mean.y * factor.y) / square, (mean.y * factor.x - mean.x * factor.y) / square)
    }

    /// The factors for the correlations with either tone: the conjugate of their mean.
    private var factors: TonePair<SIMD2<Float>> {
        isEven
            ? TonePair(SIMD2(1, 0))
            : TonePair(space: SIMD2(tones.space.x, -tones.space.y), mark: SIMD2(tones.mark.x, -tones.mark.y))
    }

    /// Multiplies the correlations by the factors.
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

    /// The cost of a bit of each tone: half of its expected energy. A weak tone costs less.
    var costs: SIMD2<Float> { isEven ? .zero : 0.5 * amplitude * powers }
}
