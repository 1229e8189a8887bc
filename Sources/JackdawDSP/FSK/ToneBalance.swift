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
