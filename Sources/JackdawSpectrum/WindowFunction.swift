import Glibc

/// A window of the cosine-sum family: how the samples of a segment are weighted before its spectrum is taken.
public struct WindowFunction: Sendable, Hashable {
    /// Coefficients of cos(2πkn / N) with alternating signs, from k = 0.
    let coefficients: [Double]

    /// All weights 1: narrowest lines, leakage at -13 dB.
    public static let rectangular = WindowFunction(coefficients: [1])
    /// Hann: lines 4 bins wide, leakage from -31 dB and falling 18 dB an octave.
    public static let hann = WindowFunction(coefficients: [0.5, 0.5])
    /// Four-term Blackman-Harris: lines 8 bins wide, leakage under -92 dB (F. J. Harris, "On the use of windows for
    /// harmonic analysis with the discrete Fourier transform", Proc. IEEE 66, 1978).
    public static let blackmanHarris = WindowFunction(coefficients: [0.35875, 0.48829, 0.14128, 0.01168])

    /// The weights of a segment, for repeated use (the value after the last would be the first again).
    /// - Parameter count: samples in the segment, 1 or more.
    /// - Returns: `count` weights of 0 to 1.
    public func weights(count: Int) -> [Float] {
        (0..<count).map { index in
            let angle = 2 * Double.pi * Double(index) / Double(count)
            var sum = 0.0
            for (order, coefficient) in coefficients.enumerated() {
                sum += (order % 2 == 0 ? 1 : -1) * coefficient * cos(Double(order) * angle)
            }
            return Float(sum)
        }
    }
}
