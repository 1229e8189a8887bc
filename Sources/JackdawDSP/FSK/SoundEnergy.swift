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
    private var steadyTones: SteadyTones
    private var inBand: [Float] = []

    /// Bauds by which the band is wider than the tones on either side: there the main lobe of keyed tones ends.
    private static let bauds = 1.0
    /// Bauds by which a steady tone is away from those that a sender may have, at least: nearer, it would be taken for one.
    private static let clearance = 0.25
    /// Corners in turns a sample beyond which there is nothing worth keeping out.
    private static let corners = 0.001...0.45
    /// Turns of the band's width in which its filters come to rest.
    private static let settlingTurns = 20.0

    init(_ shift: FrequencyShift, sampleRate: Double) {
        let beside = Self.bauds * shift.baud
        let lower = min(shift.mark, shift.space)
        let least = max(0, lower - beside) / sampleRate
        let most = min((max(shift.mark, shift.space) + beside) / sampleRate, 0.5)
        low = least > Self.corners.lowerBound ? SteepButterworthFilter(.highPass, turns: least) : nil
        high = most < Self.corners.upperBound ? SteepButterworthFilter(.lowPass, turns: most) : nil
        bandShare = Self.share(of: low, high, width: most - least)
        steadyTones = SteadyTones(
            band: least...most, keyed: SIMD2(shift.space, shift.mark) / sampleRate,
            clearance: (FSKSender.reach(shift) + Self.clearance * shift.baud) / sampleRate)
    }

    /// Share of white noise that filters let through.
    /// - Parameters:
    ///   - low: keeps out what is below the band.
    ///   - high: keeps out what is above it.
    ///   - width: width of the band in turns a sample.
    /// - Returns: the energy of their response to a single sample.
    private static func share(
        of low: SteepButterworthFilter?, _ high: SteepButterworthFilter?, width: Double
    ) -> Float {
        var (low, high) = (low, high)
        var share: Float = 0
        for index in 0...Int(Self.settlingTurns / width) {
            let sample: Float = index == 1 ? 1 : 0
            var inBand = low?.filter(sample) ?? sample
            inBand = high?.filter(inBand) ?? inBand
            share += inBand * inBand
        }
        return share
    }

    /// Measures a stretch.
    mutating func load(_ samples: Span<Float>) {
        totals.removeAll(keepingCapacity: true)
        totals.growWiping(toHold: samples.count + 1)
        var (low, high) = (low, high)
        inBand.removeAll(keepingCapacity: true)
        inBand.growWiping(toHold: samples.count)
        for index in samples.indices {
            let sample = low?.filter(samples[index]) ?? samples[index]
            inBand.append(high?.filter(sample) ?? sample)
        }
        steadyTones.remove(from: &inBand)
        var total = SIMD2<Double>.zero
        totals.append(total)
        for index in samples.indices {
            let values = SIMD2(Double(samples[index]), Double(inBand[index]))
            total += values * values
            totals.append(total)
        }
    }

    mutating func wipe() {
        totals.wipeCapacity()
        inBand.wipeCapacity()
        steadyTones.wipe()
    }
}
