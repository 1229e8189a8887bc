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
