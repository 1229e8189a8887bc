/// Removes mains hum: a least-squares fit of ten harmonics of 50 or 60 Hz, a constant and a slope.
///
/// Samples at the rail carry no information about the hum, so the fit leaves them out, and they become erasures.
enum HumCanceller {
    /// Hum is removed only if it explains at least this share of the energy.
    private static let leastShare = 0.2

    /// - Parameters:
    ///   - samples: the segment, full scale -1 to 1; replaced in place.
    ///   - sampleRate: samples per second (Hz).
    /// - Returns: for each sample, the sign of the rail at which it was lost, or 0; empty if nothing was lost.
    static func removeHum(from samples: inout [Float], sampleRate: Double) -> [Int8] {
        guard samples.count > 200 else { return [] }
        let total = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        let fits = [50.0, 60.0].map { mains in
            (mains: mains, explained: fit(samples, mains: mains / sampleRate).explained)
        }
        guard let best = fits.max(by: { $0.explained < $1.explained }), best.explained > leastShare * total else {
            return []
        }
        let rail = railLevel(of: samples)
        let lost = rail.isFinite ? samples.map { abs($0) < rail ? Int8(0) : $0 > 0 ? 1 : -1 } : []
        let hum = fit(samples, without: lost, mains: best.mains / sampleRate).fit
        HumBasis(mains: best.mains / sampleRate, count: samples.count).forEachRow { index, row in
            var sum = 0.0
            for unknown in row.indices { sum += hum[unknown] * row[unknown] }
            samples[index] -= Float(sum)
        }
        // At the rail, the signal is at least the rail less the hum; it can be anything if the hum alone would clip.
        for index in lost.indices where lost[index] != 0 && samples[index] * Float(lost[index]) < 0 {
            samples[index] = 0
        }
        return lost
    }

    /// Level above which a sample counts as clipped: just below the peak if more than 8 samples reach it, otherwise
    /// infinity.
    static func railLevel(of samples: [Float]) -> Float {
        let peak = samples.reduce(Float(0)) { max($0, abs($1)) }
        let rail = peak * 0.998
        let atRail = samples.reduce(0) { abs($1) >= rail ? $0 + 1 : $0 }
        return peak > 0.1 && atRail > 8 ? rail : .infinity
    }

    /// Fits the hum and the energy that it explains.
    /// - Parameters:
    ///   - samples: the segment.
    ///   - lost: nonzero for a lost sample; empty if no sample was lost.
    ///   - mains: frequency in cycles per sample.
    /// - Returns: one coefficient per basis function, and the energy explained.
    private static func fit(_ samples: [Float], without lost: [Int8] = [], mains: Double) -> (
        fit: [Double], explained: Double
    ) {
        let basis = HumBasis(mains: mains, count: samples.count)
        // If most are lost, subtracting their products from those of all samples would leave rounding errors.
        let mostAreLost = 2 * lost.count { $0 != 0 } > samples.count
        var normal =
            mostAreLost
            ? SymmetricSystem(unknowns: HumBasis.unknowns)
            : SymmetricSystem(gram: basis.gram, moments: .init(repeating: 0, count: HumBasis.unknowns))
        basis.forEachRow { index, row in
            let isLost = !lost.isEmpty && lost[index] != 0
            switch (isLost, mostAreLost) {
            case (false, false): normal.accumulate(row, moment: Double(samples[index]))
            case (true, false): normal.accumulate(row, target: 0, weight: -1)
            case (false, true): normal.accumulate(row, target: Double(samples[index]))
            case (true, true): break
            }
        }
        let explainedBy = normal
        let fit = normal.solve(ridge: 1e-9)
        return (fit, explainedBy.explainedEnergy(by: fit))
    }
}

/// The basis functions of mains hum over a number of samples: ten harmonics of the mains, a constant and a slope,
/// centred on the middle sample.
struct HumBasis {
    private static let harmonics = 10
    static let unknowns = 2 * harmonics + 2

    /// Mains frequency in cycles per sample.
    private let mains: Double
    private let count: Int
    private var middle: Double { Double(count - 1) / 2 }

    init(mains: Double, count: Int) {
        self.mains = mains
        self.count = count
    }

    /// Sines and cosines of each harmonic in turn, 1, and -1 to 1 from the first sample to the last.
    /// - Parameters:
    ///   - step: samples from one row to the next; default: 1.
    ///   - body: receives the index of a sample and its row.
    func forEachRow(every step: Int = 1, _ body: (Int, [Double]) -> Void) {
        let turns = (1...Self.harmonics).map { mains * Double($0) }
        let steps = turns.map { Numerics.sineAndCosine(turns: $0 * Double(step)) }
        var row = turns.flatMap { turns in
            let start = Numerics.sineAndCosine(turns: -middle * turns)
            return [start.sine, start.cosine]
        }
        row += [1, -1]
        for index in stride(from: 0, to: count, by: step) {
            row[Self.unknowns - 1] = slope(Double(index) - middle)
            body(index, row)
            for harmonic in 0..<Self.harmonics {
                let (sine, cosine) = (row[2 * harmonic], row[2 * harmonic + 1])
                let step = steps[harmonic]
                row[2 * harmonic] = sine * step.cosine + cosine * step.sine
                row[2 * harmonic + 1] = cosine * step.cosine - sine * step.sine
            }
        }
    }

    private func slope(_ time: Double) -> Double { time / max(middle, 1) }

    /// Products of all pairs, summed over the samples. Around the middle, sums of odd functions vanish, and those of
    /// cosines are Dirichlet kernels.
    var gram: [Double] {
        let kernels = (0...2 * Self.harmonics).map { kernel(turns: mains * Double($0)) }
        let total = Double(count)
        var gram = [Double](repeating: 0, count: Self.unknowns * Self.unknowns)
        func set(_ row: Int, _ column: Int, _ value: Double) {
            gram[row * Self.unknowns + column] = value
            gram[column * Self.unknowns + row] = value
        }
        let (constant, slope) = (Self.unknowns - 2, Self.unknowns - 1)
        for first in 1...Self.harmonics {
            for second in 1...first {
                let (apart, together) = (kernels[first - second].cosines, kernels[first + second].cosines)
                set(2 * first - 2, 2 * second - 2, (apart - together) / 2)
                set(2 * first - 1, 2 * second - 1, (apart + together) / 2)
            }
            set(constant, 2 * first - 1, kernels[first].cosines)
            set(slope, 2 * first - 2, self.slope(kernels[first].timesSines))
        }
        set(constant, constant, total)
        set(slope, slope, self.slope(self.slope(total * (total * total - 1) / 12)))
        return gram
    }

    /// Sums of cos(xt) and of t sin(xt) over the samples, with t counted from the middle one.
    private func kernel(turns: Double) -> (cosines: Double, timesSines: Double) {
        let half = Numerics.sineAndCosine(turns: turns / 2)
        guard abs(half.sine) > 1e-9 else { return (Double(count), 0) }
        let total = Double(count)
        let whole = Numerics.sineAndCosine(turns: turns * total / 2)
        let cosines = whole.sine / half.sine
        return (cosines, (cosines * half.cosine - total * whole.cosine) / (2 * half.sine))
    }
}
