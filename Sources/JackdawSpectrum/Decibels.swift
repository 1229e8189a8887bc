import Glibc

/// Levels in dBFS, after AES17: a sine of amplitude 1 has a peak level and an RMS level of 0 dBFS, so that the RMS level of
/// a pure tone is that of its amplitude.
public enum Decibels {
    /// The level given for silence; no level is lower.
    public static let silence = -200.0

    /// The level of an amplitude.
    /// - Parameter amplitude: 0 or more, 1 is full scale.
    /// - Returns: dBFS, ``silence`` at least.
    public static func level(ofAmplitude amplitude: Double) -> Double {
        ratio(amplitude * amplitude)
    }

    /// The level of a mean square.
    /// - Parameter power: 0 or more, 1/2 is the sine of full scale.
    /// - Returns: dBFS, ``silence`` at least.
    public static func level(ofPower power: Double) -> Double {
        ratio(2 * power)
    }

    /// A ratio of powers in dB.
    /// - Parameter ratio: 0 or more.
    /// - Returns: dB, ``silence`` at least.
    public static func ratio(_ ratio: Double) -> Double {
        // What is not a number compares as false.
        ratio > 1e-20 ? 10 * log10(ratio) : silence
    }
}
