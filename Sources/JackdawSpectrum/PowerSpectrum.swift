/// The mean power spectrum of a stream (P. D. Welch, "The use of fast Fourier transform for the estimation of power
/// spectra", IEEE Trans. Audio Electroacoust. 15, 1967): segments overlap by half. Memory stays the same for a stream
/// of any length, and block sizes make no difference.
public struct PowerSpectrum: ~Copyable, Sendable {
    /// Samples per second, in Hz.
    public let sampleRate: Double
    /// Distance of two bins, in Hz.
    public let binWidth: Double
    /// Segments averaged so far.
    public private(set) var segments = 0

    /// Samples of sound in a segment, fewer than it holds where the stream was too short for one.
    var coveredCount: Int { analyser.coveredCount }

    private var analyser: SegmentAnalyser
    private var sum: [Double]

    /// An empty spectrum.
    /// - Parameters:
    ///   - sampleRate: in Hz, over 0.
    ///   - segmentCount: samples a segment: even, 2 to 4,194,304; powers of two are fastest.
    ///   - window: how the samples of a segment are weighted.
    /// - Throws: ``SpectrumError``: a value out of its range, or no memory.
    public init(
        sampleRate: Double, segmentCount: Int, window: WindowFunction = .hann
    ) throws(SpectrumError) {
        guard sampleRate > 0 else {
            throw SpectrumError(
                code: .unsupportedSampleRate, description: "the sample rate is \(sampleRate) Hz, not over 0")
        }
        analyser = try SegmentAnalyser(count: segmentCount, window: window)
        self.sampleRate = sampleRate
        binWidth = sampleRate / Double(segmentCount)
        sum = [Double](repeating: 0, count: segmentCount / 2 + 1)
    }

    /// Takes the next samples, full scale ±1.
    public mutating func receive(_ samples: Span<Float>) {
        var start = 0
        while analyser.take(samples, from: &start) { add(analyser.power) }
    }

    /// Ends the stream: one that was shorter than a segment is then taken as one.
    public mutating func finish() {
        if analyser.finish() { add(analyser.power) }
    }

    /// The mean square of the stream in each bin from 0 Hz to half the sample rate. The bins of a tone of amplitude A add
    /// up to A² / 2, those of white noise are about equal and add up to its mean square.
    public var power: [Double] {
        let scale = segments > 0 ? 1 / Double(segments) : 0
        return sum.map { $0 * scale }
    }

    private mutating func add(_ power: [Float]) {
        for bin in power.indices { sum[bin] += Double(power[bin]) }
        segments += 1
    }
}
