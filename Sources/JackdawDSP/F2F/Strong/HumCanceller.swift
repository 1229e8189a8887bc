/// Removes mains hum: a least-squares fit of ten harmonics of 50 or 60 Hz, a constant and a slope.
///
/// Samples at the rail say nothing about the hum under them, so the fit leaves them out, and they come out as erasures.
enum HumCanceller {
    /// Hum is taken out only where it explains at least this share of the energy.
    private static let leastShare = 0.2

    /// - Parameters:
    ///   - samples: the segment, full scale -1 to 1; replaced in place.
    ///   - sampleRate: Hz.
    /// - Returns: sign of the rail for each sample that was lost there and 0 for others; empty where nothing was lost.
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
        // At the rail the signal is at least what the hum leaves of it, or anything where the hum alone would clip.
        for index in lost.indices where lost[index] != 0 && samples[index] * Float(lost[index]) < 0 {
            samples[index] = 0
        }
        return lost
    }

    /// Level above which a sample counts as clipped: the largest one where it is reached again and again, else none.
    static func railLevel(of samples: [Float]) -> Float {
        let peak = samples.reduce(Float(0)) { max($0, abs($1)) }
        let rail = peak * 0.998
        let atRail = samples.reduce(0) { abs($1) >= rail ? $0 + 1 : $0 }
        return peak > 0.1 && atRail > 8 ? rail : .infinity
    }

    /// The hum that explains most, and how much of the energy.
    /// - Parameters:
    ///   - samples: the segment.
    ///   - lost: other than 0 where a sample says nothing; empty where all say something.
    ///   - mains: frequency in cycles a sample.
    /// - Returns: a coefficient for each of the basis, and the energy explained.
    private static func fit(_ samples: [Float], without lost: [Int8] = [], mains: Double) -> (
        fit: [Double], explained: Double
    ) {
        let basis = HumBasis(mains: mains, count: samples.count)
        // Where most are lost, what is left of all products less theirs would be rounding errors.
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

/// What mains hum is made of over some samples: ten harmonics of the mains, a constant and a slope, about the middle sample.
struct HumBasis {
    private static let harmonics = 10
    static let unknowns = 2 * harmonics + 2

    /// Mains frequency in cycles a sample.
    private let mains: Double
    private let count: Int
    private var middle: Double { Double(count - 1) / 2 }

    init(mains: Double, count: Int) {
        self.mains = mains
        self.count = count
    }

    /// Sines and cosines of each harmonic in turn, 1, and -1 to 1 from the first sample to the last.
    func forEachRow(_ body: (Int, [Double]) -> Void) {
        let turns = (1...Self.harmonics).map { mains * Double($0) }
        let steps = turns.map(Numerics.sineAndCosine)
        var row = turns.flatMap { turns in
            let start = Numerics.sineAndCosine(turns: -middle * turns)
            return [start.sine, start.cosine]
        }
        row += [1, -1]
        for index in 0..<count {
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

    /// Products of all pairs, summed over the samples. About the middle, sums of odd functions vanish, and those of cosines
    /// are Dirichlet kernels.
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

    /// Sums of cos(xt) and of t sin(xt) over the samples, t counting from the middle one.
    private func kernel(turns: Double) -> (cosines: Double, timesSines: Double) {
        let half = Numerics.sineAndCosine(turns: turns / 2)
        guard abs(half.sine) > 1e-9 else { return (Double(count), 0) }
        let total = Double(count)
        let whole = Numerics.sineAndCosine(turns: turns * total / 2)
        let cosines = whole.sine / half.sine
        return (cosines, (cosines * half.cosine - total * whole.cosine) / (2 * half.sine))
    }
}
