import JackdawBytes

/// Fits mains hum to sound that may be clipped: a maximum-likelihood (Tobit) regression on the functions of `HumBasis`.
///
/// A sample at a rail shows only that the sound reached it; its likelihood is the probability of that. The other samples
/// are weighted by the reciprocal of the power around them, so that the quiet ends of a recording decide, and not the
/// pulses. The log-likelihood is concave, so Newton's method with halved steps finds its maximum.
struct CensoredHumFit {
    /// The hum at every sample.
    private(set) var hum: [Float]

    /// Samples to which the hum is fitted, at most; more would only take time.
    private static let maxRows = 7_000
    /// The time over which the power is measured, in seconds.
    private static let powerSeconds = 0.008
    /// The first power is that of a difference over this time in seconds, from which hum is missing.
    private static let differenceSeconds = 1.0 / 6_000
    /// The scale of a sample is not below this share of the 95th percentile.
    private static let leastScale: Float = 0.02
    /// If fewer samples than this share are between the rails, the power around a sample is not known,
    private static let leastUnclipped: Float = 0.15
    /// and this percentile of the scales replaces it.
    private static let usualScale = 70
    /// Newton steps in the first round, in which 50 and 60 Hz compete, and in the second.
    private static let steps = (4, 8)
    /// The gain in log-likelihood below which a step is the last one.
    private static let leastGain = 1e-3
    /// The weight of a prior that keeps coefficients without evidence small.
    private static let prior = 0.0005

    /// - Parameters:
    ///   - samples: the sound, at least 200 samples.
    ///   - rails: the levels at which it was clipped.
    ///   - sampleRate: samples per second (Hz).
    init(_ samples: [Float], rails: Rails, sampleRate: Double) {
        let step = max(1, samples.count / Self.maxRows)
        let window = max(3, Int(Self.powerSeconds * sampleRate))
        var scales = Self.scalesOfDifference(samples, window: window, sampleRate: sampleRate)
        let rounds = [50.0, 60.0].map { mains in
            var problem = Problem(samples, rails: rails, scales: scales, mains: mains / sampleRate, step: step)
            problem.climb(steps: Self.steps.0)
            return problem
        }
        var best = rounds[0].likelihood >= rounds[1].likelihood ? rounds[0] : rounds[1]
        hum = best.hum(count: samples.count)
        scales = Self.scalesOfRest(samples, hum: hum, rails: rails, window: window)
        best.setScales(scales)
        best.climb(steps: Self.steps.1)
        hum = best.hum(count: samples.count)
    }

    private static func scalesOfDifference(_ samples: [Float], window: Int, sampleRate: Double) -> [Float] {
        let delay = max(1, Int(differenceSeconds * sampleRate))
        let squares = samples.indices.map { index -> Float in
            guard index >= delay else { return 0 }
            let change = samples[index] - samples[index - delay]
            return change * change
        }
        return bounded(runningMeans(squares, window: window).map { $0.squareRoot() })
    }

    private static func scalesOfRest(_ samples: [Float], hum: [Float], rails: Rails, window: Int) -> [Float] {
        let isBetween = samples.map { rails.sign(of: $0) == 0 }
        let squares = samples.indices.map { index -> Float in
            let rest = samples[index] - hum[index]
            return isBetween[index] ? rest * rest : 0
        }
        let shares = runningMeans(isBetween.map { $0 ? 1 : 0 }, window: window)
        let powers = runningMeans(squares, window: window)
        var scales = zip(powers, shares).map { ($0 / ($1 + 1e-3)).squareRoot() }
        let usual = percentile(usualScale, of: scales)
        for index in scales.indices where shares[index] < leastUnclipped { scales[index] = usual }
        return bounded(scales)
    }

    private static func bounded(_ scales: [Float]) -> [Float] {
        let least = max(leastScale * percentile(95, of: scales), 1e-6)
        return scales.map { max($0, least) }
    }

    private static func percentile(_ percent: Int, of values: [Float]) -> Float {
        let sorted = stride(from: 0, to: values.count, by: max(1, values.count / 4_096)).map { values[$0] }.sorted()
        return sorted[min(sorted.count - 1, sorted.count * percent / 100)]
    }

    /// The mean of the values in a window around each, fewer at the ends.
    private static func runningMeans(_ values: [Float], window: Int) -> [Float] {
        let reach = window / 2
        let span = values.span
        var sum = RunningSum(span, reach: reach)
        return values.indices.map { index in
            let count = min(values.count, index + reach + 1) - max(0, index - reach)
            return Float(max(sum.advance(span, to: index), 0) / Double(count))
        }
    }
}

extension CensoredHumFit {
    /// The regression for one mains frequency.
    private struct Problem {
        private let mains: Double
        private let step: Int
        /// `rowWidth` basis functions for each sample that is used.
        private let rows: [Float]
        private let targets: [Float]
        /// 1 or -1 for a sample at a rail, 0 for another.
        private let signs: [Int8]
        private var scales: [Float]
        private var coefficients: [Float]
        private(set) var likelihood = -Double.infinity

        /// Basis functions, rounded up to whole vectors.
        private static let rowWidth = (HumBasis.unknowns + 7) / 8 * 8

        init(_ samples: [Float], rails: Rails, scales: [Float], mains: Double, step: Int) {
            self.mains = mains
            self.step = step
            var rows: [Float] = []
            var targets: [Float] = []
            var signs: [Int8] = []
            rows.reserveCapacity((samples.count / step + 1) * Self.rowWidth)
            HumBasis(mains: mains, count: samples.count).forEachRow(every: step) { index, row in
                for value in row { rows.append(Float(value)) }
                for _ in HumBasis.unknowns..<Self.rowWidth { rows.append(0) }
                let sign = rails.sign(of: samples[index])
                targets.append(sign > 0 ? rails.upper : sign < 0 ? rails.lower : samples[index])
                signs.append(sign)
            }
            (self.rows, self.targets, self.signs) = (rows, targets, signs)
            self.scales = []
            coefficients = .init(repeating: 0, count: Self.rowWidth)
            setScales(scales)
        }

        /// Replaces the standard deviation of each sample, of which there is one per sample of the sound.
        mutating func setScales(_ all: [Float]) {
            scales = stride(from: 0, to: all.count, by: step).map { all[$0] }
        }

        /// Takes Newton steps until the likelihood no longer grows.
        mutating func climb(steps: Int) {
            likelihood = likelihood(of: coefficients)
            for _ in 0..<steps {
                let change = newtonStep()
                var share: Float = 1
                var next = (coefficients: coefficients, likelihood: likelihood)
                while share > 1e-3 {
                    let tried = zip(coefficients, change).map { $0 + share * $1 }
                    next = (tried, likelihood(of: tried))
                    if next.likelihood >= likelihood { break }
                    share /= 2
                }
                guard next.likelihood >= likelihood else { return }
                let gain = next.likelihood - likelihood
                (coefficients, likelihood) = next
                if gain < CensoredHumFit.leastGain { return }
            }
        }

        /// The hum that the coefficients give.
        func hum(count: Int) -> [Float] {
            var hum: [Float] = []
            hum.reserveCapacity(count)
            let coefficients = coefficients.map(Double.init)
            HumBasis(mains: mains, count: count).forEachRow { _, row in
                var sum = 0.0
                for unknown in row.indices { sum += coefficients[unknown] * row[unknown] }
                hum.append(Float(sum))
            }
            return hum
        }

        /// A weighted least-squares step: the gradient divided by the curvature is its target.
        private func newtonStep() -> [Float] {
            var system = FilterSystem(taps: HumBasis.unknowns)
            for place in targets.indices {
                let scale = scales[place]
                let rest = targets[place] - value(at: place, coefficients)
                let (slope, curvature) = Self.derivatives(of: rest / scale, sign: signs[place])
                system.accumulate(
                    rows, from: place * Self.rowWidth, target: slope / curvature * scale,
                    weight: curvature / (scale * scale))
            }
            return system.solve(ridge: 1e-6) + .init(repeating: 0, count: Self.rowWidth - HumBasis.unknowns)
        }

        private func value(at place: Int, _ coefficients: [Float]) -> Float {
            var sums = SIMD8<Float>.zero
            unsafe rows.withUnsafeBytes { rows in
                unsafe coefficients.withUnsafeBytes { coefficients in
                    for vector in 0..<Self.rowWidth / 8 {
                        let row = unsafe rows.loadUnaligned(
                            fromByteOffset: 4 * (place * Self.rowWidth + 8 * vector), as: SIMD8<Float>.self)
                        sums +=
                            unsafe row * coefficients.loadUnaligned(fromByteOffset: 32 * vector, as: SIMD8<Float>.self)
                    }
                }
            }
            return sums.sum()
        }

        private func likelihood(of coefficients: [Float]) -> Double {
            var sum = 0.0
            for place in targets.indices {
                let rest = Double((targets[place] - value(at: place, coefficients)) / scales[place])
                sum -=
                    signs[place] == 0
                    ? 0.5 * rest * rest : -NormalTail.logarithm(below: -Double(signs[place]) * rest)
            }
            let size = coefficients.reduce(0.0) { $0 + Double($1) * Double($1) }
            return sum - CensoredHumFit.prior * size
        }

        /// The derivative of a sample's log-likelihood by the hum, and its negative curvature, both for a scale of 1.
        private static func derivatives(of rest: Float, sign: Int8) -> (slope: Float, curvature: Float) {
            guard sign != 0 else { return (rest, 1) }
            let excess = -Double(sign) * Double(rest)
            let ratio = NormalTail.ratio(at: excess)
            return (Float(sign) * Float(ratio), max(Float(ratio * (ratio + excess)), 1e-4))
        }
    }
}

/// The distribution function of the normal distribution, with a relative error below 1.2e-7 (Press et al., Numerical
/// Recipes, `erfcc`).
enum NormalTail {
    /// The exponent and the factor of the probability of more than `distance` standard deviations, which is 0 or more:
    /// it is half of `factor * exp(exponent - distance * distance / 2)`.
    private static func upper(_ distance: Double) -> (exponent: Double, factor: Double) {
        let factor = 1 / (1 + 0.5 * distance * 0.707_106_781_186_547_5)
        var exponent = 0.170_872_77
        exponent = exponent * factor - 0.822_152_23
        exponent = exponent * factor + 1.488_515_87
        exponent = exponent * factor - 1.135_203_98
        exponent = exponent * factor + 0.278_868_07
        exponent = exponent * factor - 0.186_288_06
        exponent = exponent * factor + 0.096_784_18
        exponent = exponent * factor + 0.374_091_96
        exponent = exponent * factor + 1.000_023_68
        return (exponent * factor - 1.265_512_23, factor)
    }

    /// The natural logarithm of the probability of a value below `limit`.
    static func logarithm(below limit: Double) -> Double {
        let (exponent, factor) = upper(abs(limit))
        let half = 0.693_147_180_559_945_3
        if limit < 0 { return Numerics.logarithm(factor) + exponent - limit * limit / 2 - half }
        return Numerics.logarithm(1 - 0.5 * factor * Numerics.exponential(exponent - limit * limit / 2))
    }

    /// The density at a limit over the probability of a value below it.
    static func ratio(at limit: Double) -> Double {
        let (exponent, factor) = upper(abs(limit))
        let peak = 0.398_942_280_401_432_7
        if limit < 0 { return 2 * peak / (factor * Numerics.exponential(exponent)) }
        let density = Numerics.exponential(-limit * limit / 2)
        return peak * density / (1 - 0.5 * factor * density * Numerics.exponential(exponent))
    }
}
