/// Energy of a stretch of sound from its beginning on: of all of it, and of what lies in the band of two tones.
///
/// Noise of another colour than white may be louder there than elsewhere; taken for white, it would look like a carrier.
struct SoundEnergy: Sendable, Wipeable {
    /// Energy before each sample, and behind the last one: of all, and in the band. In `Double`: what is quiet would vanish
    /// behind what was loud.
    private(set) var totals: [SIMD2<Double>] = []
    /// Share of the spectrum that the band takes up, 0 to 1.
    let bandShare: Float

    private let low: SteepButterworthFilter?
    private let high: SteepButterworthFilter?

    /// Bauds by which the band is wider than the tones on either side: there the main lobe of keyed tones ends.
    private static let bauds = 1.0
    /// Share of the lower tone below which hum is not counted as noise, however wide the band should be.
    private static let leastShare = 0.25
    /// Corners in turns a sample beyond which there is nothing worth keeping out.
    private static let corners = 0.001...0.45

    init(_ shift: FrequencyShift, sampleRate: Double) {
        let beside = Self.bauds * shift.baud
        let lower = min(shift.mark, shift.space)
        let least = max(lower - beside, Self.leastShare * lower) / sampleRate
        let most = min((max(shift.mark, shift.space) + beside) / sampleRate, 0.5)
        low = least > Self.corners.lowerBound ? SteepButterworthFilter(.highPass, turns: least) : nil
        high = most < Self.corners.upperBound ? SteepButterworthFilter(.lowPass, turns: most) : nil
        bandShare = Float(2 * ((high == nil ? 0.5 : most) - (low == nil ? 0 : least)))
    }

    /// Measures a stretch.
    mutating func load(_ samples: Span<Float>) {
        totals.removeAll(keepingCapacity: true)
        totals.growWiping(toHold: samples.count + 1)
        var (low, high) = (low, high)
        var total = SIMD2<Double>.zero
        totals.append(total)
        for index in samples.indices {
            let sample = samples[index]
            var inBand = low?.filter(sample) ?? sample
            inBand = high?.filter(inBand) ?? inBand
            let values = SIMD2(Double(sample), Double(inBand))
            total += values * values
            totals.append(total)
        }
    }

    mutating func wipe() { totals.wipeCapacity() }
}
