/// Undoes what rolled the sound off: linear prediction of low order (autocorrelation method, Levinson-Durbin), whose error
/// has a flat spectrum. Low enough an order not to notch out the clocking zeros.
enum Whitener {
    /// - Parameters:
    ///   - samples: the segment.
    ///   - order: coefficients of the predictor.
    /// - Returns: the prediction error, aligned with the input.
    static func whiten(_ samples: [Float], order: Int) -> [Float] {
        var correlation = [Double](repeating: 0, count: order + 1)
        for lag in 0...order {
            var sum = 0.0
            for index in lag..<max(samples.count, lag) { sum += Double(samples[index]) * Double(samples[index - lag]) }
            correlation[lag] = sum
        }
        correlation[0] = correlation[0] * (1 + 1e-6) + 1e-20
        var predictor = [1.0] + [Double](repeating: 0, count: order)
        var error = correlation[0]
        for step in 1...order {
            var sum = 0.0
            for lag in 0..<step { sum += predictor[lag] * correlation[step - lag] }
            let reflection = -sum / error
            let previous = predictor
            for lag in 1...step { predictor[lag] = previous[lag] + reflection * previous[step - lag] }
            error *= 1 - reflection * reflection
        }
        return samples.indices.map { index in
            var sum = 0.0
            for lag in 0...min(order, index) { sum += predictor[lag] * Double(samples[index - lag]) }
            return Float(sum)
        }
    }
}
