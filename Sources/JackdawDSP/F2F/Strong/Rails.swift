/// The levels at which a sound was clipped, each detected alone, because an offset brings one of them nearer.
///
/// The highest samples of a sound that was not clipped can be equal, too, if it has no noise. Two properties distinguish
/// a rail: a peak is flat for longer than it is close to its highest sample, and the samples beside a flat part differ
/// from peak to peak.
struct Rails {
    /// The level that the samples of the upper rail reach; infinite if the sound has no upper rail.
    let upper: Float
    /// The same of the lower rail, negative.
    let lower: Float

    /// Samples at a rail are within this share of the peak of it.
    private static let width: Float = 0.002
    /// More samples than this at an extreme make it a rail,
    private static let leastSamples = 8
    /// if they are at least this share of those within `nearWidth`. The share is a quarter at the top of a parabola, and
    /// a third if a top has three or four samples within `width`.
    private static let leastShare = 0.5
    private static let nearWidth = 16 * width
    /// Flat parts with fewer samples than this, on average, may be sharp peaks that are sampled at one phase.
    private static let longRun = 3
    /// Then the middle half of the samples beside them must differ by this share of the peak.
    private static let leastSpread: Float = 0.02
    /// The lowest peak of a clipped sound, of full scale.
    private static let leastPeak: Float = 0.1

    init(of samples: [Float]) {
        let most = samples.reduce(0, max)
        let least = samples.reduce(0, min)
        let peak = max(most, -least)
        func isRail(_ extreme: Float, sign: Float) -> Bool {
            peak > Self.leastPeak && extreme > peak / 2 && Self.isFlat(samples, at: extreme, sign: sign, peak: peak)
        }
        let reach = Self.width * peak
        upper = isRail(most, sign: 1) ? most - reach : .infinity
        lower = isRail(-least, sign: -1) ? least + reach : -.infinity
    }

    /// Whether the sound, multiplied by a sign, is flat at its highest level, `extreme`.
    private static func isFlat(_ samples: [Float], at extreme: Float, sign: Float, peak: Float) -> Bool {
        let (rail, near) = (extreme - width * peak, extreme - nearWidth * peak)
        let (atRail, nearby) = samples.reduce(into: (0, 0)) { counts, sample in
            if sign * sample >= rail { counts.0 += 1 }
            if sign * sample >= near { counts.1 += 1 }
        }
        guard atRail > leastSamples, Double(atRail) >= leastShare * Double(nearby) else { return false }
        // The lower one of the two samples beside each run of samples at the rail.
        var flanks: [Float] = []
        var before = extreme
        for index in samples.indices {
            let level = sign * samples[index]
            if level < rail, index > 0, sign * samples[index - 1] >= rail { flanks.append(min(before, level)) }
            if level < rail { before = level }
        }
        guard flanks.count * longRun > atRail else { return true }
        flanks.sort()
        return flanks[flanks.count * 3 / 4] - flanks[flanks.count / 4] > leastSpread * peak
    }

    var exist: Bool { upper.isFinite || lower.isFinite }

    /// 1 for a sample at the upper rail, -1 for one at the lower rail, 0 for another.
    func sign(of sample: Float) -> Int8 { sample >= upper ? 1 : sample <= lower ? -1 : 0 }
}
