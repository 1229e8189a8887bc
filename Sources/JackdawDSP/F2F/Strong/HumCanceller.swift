/// Removes mains hum: a least-squares fit of ten harmonics of 50 or 60 Hz, a constant and a slope.
///
/// Samples at the rail say nothing about the hum under them, so the fit leaves them out, and they come out as erasures.
enum HumCanceller {
    private static let harmonics = 10
    private static let unknowns = 2 * harmonics + 2
    /// Hum is taken out only where it explains at least this share of the energy.
    private static let leastShare = 0.2

    /// - Parameters:
    ///   - samples: the segment, full scale -1 to 1; replaced in place.
    ///   - sampleRate: Hz.
    /// - Returns: sign of the rail for each sample that was lost there and 0 for others; nil where nothing was lost.
    static func removeHum(from samples: inout [Float], sampleRate: Double) -> [Int8]? {
        guard samples.count > 200 else { return nil }
        let total = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        let fits = [50.0, 60.0].map { mains in
            (mains: mains, explained: fit(samples, rail: .infinity, mains: mains / sampleRate).explained)
        }
        guard let best = fits.max(by: { $0.explained < $1.explained }), best.explained > leastShare * total else {
            return nil
        }
        let rail = railLevel(of: samples)
        let lost = samples.map { abs($0) < rail ? Int8(0) : $0 > 0 ? 1 : -1 }
        let hum = fit(samples, rail: rail, mains: best.mains / sampleRate).fit
        subtract(hum, mains: best.mains / sampleRate, from: &samples)
        // At the rail the signal is at least what the hum leaves of it, or anything where the hum alone would clip.
        for index in samples.indices where lost[index] != 0 && samples[index] * Float(lost[index]) < 0 {
            samples[index] = 0
        }
        return rail.isFinite ? lost : nil
    }

    /// Level above which a sample counts as clipped: the largest one where it is reached again and again, else none.
    static func railLevel(of samples: [Float]) -> Float {
        let peak = samples.reduce(Float(0)) { max($0, abs($1)) }
        let rail = peak * 0.998
        let atRail = samples.reduce(0) { abs($1) >= rail ? $0 + 1 : $0 }
        return peak > 0.1 && atRail > 8 ? rail : .infinity
    }

    private static func basis(at index: Int, count: Int, oscillators: inout [(Double, Double)], _ row: inout [Double]) {
        for harmonic in 0..<harmonics {
            row[2 * harmonic] = oscillators[harmonic].0
            row[2 * harmonic + 1] = oscillators[harmonic].1
        }
        row[unknowns - 2] = 1
        row[unknowns - 1] = 2 * Double(index) / Double(count) - 1
    }

    private static func advance(_ oscillators: inout [(Double, Double)], by steps: [(Double, Double)]) {
        for harmonic in 0..<harmonics {
            let (sine, cosine) = oscillators[harmonic]
            let (stepSine, stepCosine) = steps[harmonic]
            oscillators[harmonic] = (sine * stepCosine + cosine * stepSine, cosine * stepCosine - sine * stepSine)
        }
    }

    private static func steps(mains: Double) -> [(Double, Double)] {
        (1...harmonics).map { Numerics.sineAndCosine(turns: mains * Double($0)) }
    }

    private static func fit(_ samples: [Float], rail: Float, mains: Double) -> (fit: [Double], explained: Double) {
        let steps = steps(mains: mains)
        var oscillators = [(Double, Double)](repeating: (0, 1), count: harmonics)
        var row = [Double](repeating: 0, count: unknowns)
        var normal = SymmetricSystem(unknowns: unknowns)
        for index in samples.indices {
            if abs(samples[index]) < rail {
                basis(at: index, count: samples.count, oscillators: &oscillators, &row)
                normal.accumulate(row, target: Double(samples[index]))
            }
            advance(&oscillators, by: steps)
        }
        let explainedBy = normal
        let fit = normal.solve(ridge: 1e-9)
        let explained = explainedBy.explainedEnergy(by: fit)
        return (fit, explained)
    }

    private static func subtract(_ fit: [Double], mains: Double, from samples: inout [Float]) {
        let steps = steps(mains: mains)
        var oscillators = [(Double, Double)](repeating: (0, 1), count: harmonics)
        var row = [Double](repeating: 0, count: unknowns)
        for index in samples.indices {
            basis(at: index, count: samples.count, oscillators: &oscillators, &row)
            var hum = 0.0
            for unknown in 0..<unknowns { hum += fit[unknown] * row[unknown] }
            samples[index] -= Float(hum)
            advance(&oscillators, by: steps)
        }
    }
}
