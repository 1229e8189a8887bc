/// What log-likelihood ratios and powers come to.
enum LogLikelihood {
    /// The probability that a bit is right, 0.5 for a coin toss to 1.
    static func confidence(_ ratio: Float) -> Float {
        // Beyond 20 nats it is 1 to the last place.
        ratio > 20 ? 1 : Float(1 / (1 + Numerics.exponential(-Double(max(0, ratio)))))
    }

    /// A ratio of powers in dB; -300 for none.
    static func decibels(_ ratio: Double) -> Double {
        ratio > 1e-30 ? 10 * Numerics.logarithm(ratio) / 2.302_585_092_994_046 : -300
    }
}
