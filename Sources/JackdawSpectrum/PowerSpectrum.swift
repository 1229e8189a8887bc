import Glibc

/// The mean power spectrum of a stream (P. D. Welch, "The use of fast Fourier transform for the estimation of power
/// spectra", IEEE Trans. Audio Electroacoust. 15, 1967): segments overlap by half. Memory stays the same for a stream
/// of any length, and block sizes make no difference.
package struct PowerSpectrum: ~Copyable, Sendable {
    /// Samples per second, in Hz.
    package let sampleRate: Double
    /// Distance between two bins, in Hz.
    package let binWidth: Double
    /// Segments that were averaged so far.
    package private(set) var segments = 0

    /// Samples of sound in a segment: fewer than the segment's length if the stream was shorter than one segment.
    var coveredCount: Int { analyser.coveredCount }

    private var analyser: SegmentAnalyser
    private var sum: [Double]

    /// An empty spectrum.
    /// - Parameters:
    ///   - sampleRate: in Hz, over 0.
    ///   - segmentCount: samples a segment: even, 2 to 4,194,304; powers of two are fastest.
    ///   - window: the window function that weights the samples of a segment.
    /// - Throws: ``SpectrumError`` if a value is out of its range, or if there is no memory for a transform.
    package init(
        sampleRate: Double, segmentCount: Int, window: WindowFunction = .hann
    ) throws(SpectrumError) {
        guard sampleRate > 0 else {
            throw SpectrumError(
                code: .unsupportedSampleRate, message: "the sample rate is \(sampleRate) Hz; it must be above 0")
        }
        analyser = try SegmentAnalyser(count: segmentCount, window: window)
        self.sampleRate = sampleRate
        binWidth = sampleRate / Double(segmentCount)
        sum = [Double](repeating: 0, count: segmentCount / 2 + 1)
    }

    /// Adds the next samples, full scale ±1.
    package mutating func receive(_ samples: Span<Float>) {
        var start = 0
        while analyser.take(samples, from: &start) { add(analyser.power) }
    }

    /// Ends the stream: a stream shorter than one segment is analysed as one.
    package mutating func finish() {
        if analyser.finish() { add(analyser.power) }
    }

    /// The mean square of the stream in each bin from 0 Hz to half the sample rate. The bins of a tone of amplitude A
    /// add up to A² / 2; the bins of white noise are about equal and add up to its mean square.
    package var power: [Double] {
        let scale = segments > 0 ? 1 / Double(segments) : 0
        return sum.map { $0 * scale }
    }

    private mutating func add(_ power: [Float]) {
        for bin in power.indices { sum[bin] += Double(power[bin]) }
        segments += 1
    }
}

/// Cuts a stream into half-overlapping segments and computes the spectrum of each, scaled so that its bins add up to
/// the mean square of the segment.
struct SegmentAnalyser: ~Copyable, Sendable {
    let count: Int
    /// Samples of the stream in the longest segment so far; less than `count` only for a short stream.
    private(set) var coveredCount = 0

    /// The spectrum of the last segment.
    private(set) var power: [Float]

    private let window: WindowFunction
    private let weights: Weights
    private var transform: RealTransform
    private var pending: SampleBuffer

    init(count: Int, window: WindowFunction) throws(SpectrumError) {
        transform = try RealTransform(count: count)
        self.count = count
        self.window = window
        weights = Weights(window, count: count)
        pending = SampleBuffer(capacity: count)
        power = [Float](repeating: 0, count: count / 2 + 1)
    }

    /// Adds samples until a segment is complete or there are no more.
    /// - Parameters:
    ///   - samples: the next samples of the stream; pass the same ones until all were added.
    ///   - start: how many of them were added already; increased by the number added.
    /// - Returns: whether a segment is complete, with its spectrum in ``power``.
    mutating func take(_ samples: Span<Float>, from start: inout Int) -> Bool {
        if pending.isFull { pending.keep(last: count / 2) }
        pending.take(samples, from: &start)
        if pending.isFull { analyse(weights) }
        return pending.isFull
    }

    /// Ends the stream. A stream that was too short for a segment is analysed as one, with zeros after it.
    /// - Returns: whether there is such a segment, with its spectrum in ``power``.
    mutating func finish() -> Bool {
        guard coveredCount == 0, pending.count > 0 else { return false }
        analyse(Weights(window, count: pending.count))
        return true
    }

    private mutating func analyse(_ weights: Weights) {
        coveredCount = weights.values.count
        var result: [Float] = []
        swap(&result, &power)
        pending.withSamples { samples in
            var target = result.mutableSpan
            transform.power(of: samples, weightedBy: weights.values.span, into: &target)
        }
        // A single sample has a Hann weight of 0.
        let scale = weights.energy > 0 ? 2 / (weights.energy * Float(count)) : 0
        for bin in result.indices { result[bin] *= scale }
        result[0] /= 2
        result[count / 2] /= 2
        swap(&result, &power)
    }

    private struct Weights: Sendable {
        let values: [Float]
        /// The sum of the squared weights.
        let energy: Float

        init(_ window: WindowFunction, count: Int) {
            values = window.weights(count: count)
            energy = Float(values.reduce(0.0) { $0 + Double($1) * Double($1) })
        }
    }
}

/// A window function of the cosine-sum family, which weights the samples of a segment before its spectrum is computed.
package struct WindowFunction: Sendable, Hashable {
    /// Coefficients of cos(2πkn / N) with alternating signs, from k = 0.
    let coefficients: [Double]

    /// All weights 1: the narrowest lines, leakage at -13 dB.
    package static let rectangular = WindowFunction(coefficients: [1])
    /// Hann: lines 4 bins wide, leakage from -31 dB and falling 18 dB an octave.
    package static let hann = WindowFunction(coefficients: [0.5, 0.5])
    /// Four-term Blackman-Harris: lines 8 bins wide, leakage under -92 dB (F. J. Harris, "On the use of windows for
    /// harmonic analysis with the discrete Fourier transform", Proc. IEEE 66, 1978).
    package static let blackmanHarris = WindowFunction(coefficients: [0.35875, 0.48829, 0.14128, 0.01168])

    /// The weights of a segment, periodic for repeated use (the value after the last would be the first again).
    /// - Parameter count: samples in the segment, 1 or more.
    /// - Returns: `count` weights of 0 to 1.
    package func weights(count: Int) -> [Float] {
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

/// Levels in dBFS, after AES17: a sine of amplitude 1 has a peak level and an RMS level of 0 dBFS, so that a pure
/// tone's RMS level equals its peak level.
public enum Decibels {
    /// The level of silence, in dBFS; no level is lower.
    public static let silence = -200.0

    /// The level of an amplitude.
    /// - Parameter amplitude: 0 or more; 1 is full scale.
    /// - Returns: dBFS, at least ``silence``.
    public static func level(ofAmplitude amplitude: Double) -> Double {
        ratio(amplitude * amplitude)
    }

    /// The level of a mean square.
    /// - Parameter power: 0 or more; 1/2 is a sine of full scale.
    /// - Returns: dBFS, at least ``silence``.
    public static func level(ofPower power: Double) -> Double {
        ratio(2 * power)
    }

    /// A ratio of powers in dB.
    /// - Parameter ratio: 0 or more.
    /// - Returns: dB, at least ``silence``.
    public static func ratio(_ ratio: Double) -> Double {
        // Comparisons with NaN are false.
        ratio > 1e-20 ? 10 * log10(ratio) : silence
    }
}
