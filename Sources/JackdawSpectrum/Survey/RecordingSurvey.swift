/// Surveys a recording: levels, clipping, noise floor, hum, carriers and usable band. Memory stays the same for a recording
/// of any length, and block sizes make no difference.
///
/// ```swift
/// var survey = try RecordingSurvey(sampleRate: 44_100)
/// survey.receive(samples.span)
/// let report = survey.finish()
/// ```
public struct RecordingSurvey: ~Copyable, Sendable {
    /// Rates that can be surveyed, in Hz.
    public static let sampleRates: ClosedRange<Double> = 8_000...192_000

    /// Samples per second, in Hz.
    public let sampleRate: Double

    /// Samples beyond this are taken for damage, like those that are not finite, and count as 0: 120 dB over full scale.
    private static let largestSample: Float = 1e6

    private var block: SampleBuffer
    private var levels = LevelMeter()
    private var floor = NoiseFloorMeter()
    private var spectrum: LevelledSpectrum
    private var fineSpectrum: PowerSpectrum
    private let binWidth: Double

    /// A survey of nothing yet.
    /// - Parameter sampleRate: in Hz, within ``sampleRates``.
    /// - Throws: ``SpectrumError`` with code `unsupportedSampleRate` outside them, and `outOfMemory`.
    public init(sampleRate: Double) throws(SpectrumError) {
        guard RecordingSurvey.sampleRates.contains(sampleRate) else {
            throw SpectrumError(
                code: .unsupportedSampleRate,
                description: "the sample rate is \(sampleRate) Hz; recordings are surveyed from 8000 to 192000 Hz")
        }
        var segmentCount = 1
        while Double(segmentCount) < sampleRate / 12 { segmentCount *= 2 }
        let spectrum = try LevelledSpectrum(segmentCount: segmentCount)
        fineSpectrum = try PowerSpectrum(sampleRate: sampleRate, segmentCount: 8 * segmentCount, window: .hann)
        self.spectrum = spectrum
        self.sampleRate = sampleRate
        block = SampleBuffer(capacity: Int((sampleRate / 100).rounded()))
        binWidth = sampleRate / Double(segmentCount)
    }

    /// Takes the next samples, full scale ±1.
    public mutating func receive(_ samples: Span<Float>) {
        var start = 0
        while start < samples.count {
            block.take(samples, from: &start)
            if block.isFull { surveyBlock(isWhole: true) }
        }
    }

    /// Ends the recording.
    /// - Returns: what was found.
    public consuming func finish() -> RecordingReport {
        if block.count > 0 { surveyBlock(isWhole: levels.count == 0) }
        levels.finish()
        spectrum.finish()
        fineSpectrum.finish()
        let hum = HumSearch(fineSpectrum).hum()
        let count = Double(max(1, levels.count))
        return RecordingReport(
            sampleRate: sampleRate, sampleCount: levels.count,
            peakLevel: Decibels.level(ofAmplitude: Double(levels.peak)),
            rmsLevel: Decibels.level(ofPower: levels.sumOfSquares / count),
            dcOffset: levels.sum / count,
            clippedRuns: levels.clippedRuns,
            clippedShare: Double(levels.clippedSamples) / count,
            fullScaleShare: Double(levels.railSamples) / count,
            noiseFloor: Decibels.level(ofPower: floor.power),
            hum: hum,
            carriers: CarrierSearch(spectrum.all, binWidth: binWidth).carriers(besides: hum),
            usableBand: BandSearch.band(in: spectrum, binWidth: binWidth))
    }

    private mutating func surveyBlock(isWhole: Bool) {
        block.replaceSamples(beyond: RecordingSurvey.largestSample)
        let statistics = block.withSamples { BlockStatistics($0) }
        block.withSamples { levels.receive($0, statistics) }
        if isWhole { floor.receive(statistics) }
        block.withSamples { spectrum.receive($0) }
        block.withSamples { fineSpectrum.receive($0) }
        block.keep(last: 0)
    }
}
