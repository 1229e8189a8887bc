/// Surveys a recording: levels, clipping, noise floor, hum, carriers and usable band. Memory is the same for a
/// recording of any length, and block sizes make no difference.
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

    /// Larger samples, and those that are not finite, are damage and count as 0: 120 dB over full scale.
    private static let largestSample: Float = 1e6

    private var block: SampleBuffer
    private var levels = LevelMeter()
    private var floor = NoiseFloorMeter()
    private var spectrum: LevelledSpectrum
    private var fineSpectrum: PowerSpectrum
    private let binWidth: Double

    /// A survey without samples.
    /// - Parameter sampleRate: in Hz, within ``sampleRates``.
    /// - Throws: ``SpectrumError`` with code `unsupportedSampleRate` for other rates, and `outOfMemory`.
    public init(sampleRate: Double) throws(SpectrumError) {
        guard RecordingSurvey.sampleRates.contains(sampleRate) else {
            throw SpectrumError(
                code: .unsupportedSampleRate,
                message: "the sample rate is \(sampleRate) Hz; recordings are surveyed from 8000 to 192000 Hz")
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

    /// Adds the next samples, full scale ±1.
    public mutating func receive(_ samples: Span<Float>) {
        var start = 0
        while start < samples.count {
            block.take(samples, from: &start)
            if block.isFull { surveyBlock(isWhole: true) }
        }
    }

    /// Ends the recording.
    /// - Returns: the results of the survey.
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

/// The properties of a recording, found by a ``RecordingSurvey``. Levels are in dBFS as `Decibels` defines them.
public struct RecordingReport: Sendable, Equatable {
    /// Samples per second, in Hz.
    public let sampleRate: Double
    /// Number of samples in the recording.
    public let sampleCount: Int
    /// Level of the largest magnitude, in dBFS.
    public let peakLevel: Double
    /// Level of the mean square, DC included, in dBFS.
    public let rmsLevel: Double
    /// Mean of the samples, -1 to 1.
    public let dcOffset: Double
    /// Runs of three or more samples at the same end of the range (32,767 / 32,768 of full scale, or more).
    public let clippedRuns: Int
    /// Samples in such runs as a share of all, 0 to 1.
    public let clippedShare: Double
    /// Samples at either end of the range as a share of all, 0 to 1, whether in runs or not. A sine that just fills the
    /// range has 0.005; sound that was clipped before it was converted to this sample rate has more, and few runs.
    public let fullScaleShare: Double
    /// RMS level of the quietest tenth of the recording, in blocks of 10 ms without their DC, in dBFS. It is corrected
    /// for the selection of the quietest, so that the floor of white noise is its level. Digital silence does not count
    /// unless there is nothing else.
    public let noiseFloor: Double
    /// Hum of the mains, or nil if none stands out of the noise.
    public let hum: Hum?
    /// Narrow lines that stand out of the spectrum, strongest first, at most eight.
    public let carriers: [Carrier]
    /// The band that has signal, in Hz, or nil if no signal is 6 dB over the noise.
    ///
    /// In a recording with quiet and loud parts, the spectrum of the loud parts is compared with that of the quietest
    /// tenth; in an even recording, the spectrum is compared with its own lowest tenth.
    public let usableBand: ClosedRange<Double>?

    /// Length of the recording, in seconds.
    public var duration: Double { Double(sampleCount) / sampleRate }
}

/// Hum of the mains in a recording.
public struct Hum: Sendable, Equatable {
    /// Frequency of the mains: 50 or 60 Hz.
    public let mainsFrequency: Double
    /// Level of all lines together, in dBFS.
    public let level: Double
    /// The lines that stand out of the noise, lowest first.
    public let lines: [Line]

    /// The mains frequency or a harmonic of it.
    public struct Line: Sendable, Equatable {
        /// 1 for the mains frequency itself, up to 8.
        public let harmonic: Int
        /// Level of the line in dBFS.
        public let level: Double
    }
}

/// A narrow line in the spectrum of a recording: a tone, a carrier, a mark or space frequency.
public struct Carrier: Sendable, Equatable {
    /// Centre of the line in Hz.
    public let frequency: Double
    /// Level of the line in dBFS.
    public let level: Double
    /// Height of its peak over the noise around it, in dB, in bins of about 10 Hz.
    public let heightOverFloor: Double
    /// Width at half power in Hz; a pure tone shows the resolution, about 20 Hz.
    public let width: Double
}
