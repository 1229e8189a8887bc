/// Normal equations of a least-squares problem, accumulated row by row and solved by Cholesky factorisation.
struct SymmetricSystem {
    let unknowns: Int
    /// Lower triangle of the Gram matrix, row after row of full width.
    private var gram: [Double]
    private var moments: [Double]

    init(unknowns: Int) {
        self.unknowns = unknowns
        gram = .init(repeating: 0, count: unknowns * unknowns)
        moments = .init(repeating: 0, count: unknowns)
    }

    /// Creates a system from equations accumulated elsewhere: the lower triangle in rows of full width, and the
    /// moments.
    init(gram: [Double], moments: [Double]) {
        unknowns = moments.count
        self.gram = gram
        self.moments = moments
    }

    mutating func accumulate(_ row: [Double], target: Double, weight: Double = 1) {
        for first in 0..<unknowns {
            let value = row[first] * weight
            moments[first] += value * target
            let start = first * unknowns
            for second in 0...first { gram[start + second] += value * row[second] }
        }
    }

    /// Adds a row whose products are already in the Gram matrix.
    mutating func accumulate(_ row: [Double], moment target: Double) {
        for index in 0..<unknowns { moments[index] += row[index] * target }
    }

    /// Energy of the target that a solution explains: twice its moments less its own energy.
    func explainedEnergy(by solution: [Double]) -> Double {
        var energy = 0.0
        for first in 0..<unknowns {
            energy += 2 * solution[first] * moments[first]
            for second in 0..<unknowns {
                let entry = gram[max(first, second) * unknowns + min(first, second)]
                energy -= solution[first] * solution[second] * entry
            }
        }
        return energy
    }

    /// Solves for the least-squares solution.
    /// - Parameter ridge: added to the diagonal, as a share of its mean: it keeps a poorly excited system solvable.
    /// - Returns: one value for each unknown.
    consuming func solve(ridge: Double) -> [Double] {
        let moments = moments
        return factorised(ridge: ridge).solve(moments)
    }

    /// Factorises the Gram matrix, so that it can be solved for any moments.
    /// - Parameter ridge: as for `solve(ridge:)`.
    /// - Returns: the factors.
    consuming func factorised(ridge: Double) -> Factors {
        var trace = 0.0
        for index in 0..<unknowns { trace += gram[index * unknowns + index] }
        let load = ridge * trace / Double(unknowns) + 1e-30
        for index in 0..<unknowns { gram[index * unknowns + index] += load }
        for column in 0..<unknowns {
            for row in column..<unknowns {
                var sum = gram[row * unknowns + column]
                for k in 0..<column { sum -= gram[row * unknowns + k] * gram[column * unknowns + k] }
                if row == column {
                    gram[row * unknowns + column] = max(sum, 1e-30).squareRoot()
                } else {
                    gram[row * unknowns + column] = sum / gram[column * unknowns + column]
                }
            }
        }
        return Factors(unknowns: unknowns, lower: gram)
    }

    /// A Cholesky factorisation.
    struct Factors {
        fileprivate let unknowns: Int
        /// Lower triangle in rows of full width.
        fileprivate let lower: [Double]

        func solve(_ moments: [Double]) -> [Double] {
            var solution = moments
            for row in 0..<unknowns {
                for k in 0..<row { solution[row] -= lower[row * unknowns + k] * solution[k] }
                solution[row] /= lower[row * unknowns + row]
            }
            for row in stride(from: unknowns - 1, through: 0, by: -1) {
                for k in row + 1..<max(unknowns, row + 1) { solution[row] -= lower[k * unknowns + row] * solution[k] }
                solution[row] /= lower[row * unknowns + row]
            }
            return solution
        }
    }
}
