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
