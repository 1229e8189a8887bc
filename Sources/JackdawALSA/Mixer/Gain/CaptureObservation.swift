/// What a decoder has heard of a stretch of sound, as far as it tells whether the level is right.
public struct CaptureObservation: Sendable, Hashable {
    /// What became of a swipe.
    public enum Swipe: Sendable, Hashable {
        /// It was read.
        case read
        /// It was not read, being hardly above the noise.
        case tooWeak
        /// It was not read, and clipped.
        case clipped
        /// It was not read for another reason.
        case failed
    }

    /// What became of the swipe in it; nil where there was none.
    public var swipe: Swipe?
    /// The highest level in it, in dBFS: 0 is full scale.
    public var peak: Double
    /// The share of its samples that are at full scale in runs, 0...1.
    public var clippedShare: Double
    /// How far the signal stands above the noise, in dB; nil where that was not measured.
    public var signalToNoise: Double?
    /// How far hum stands above the signal, in dB, negative where it is below; nil where that was not measured.
    public var humOverSignal: Double?

    /// An observation.
    /// - Parameters:
    ///   - swipe: what became of the swipe in it; nil where there was none.
    ///   - peak: the highest level in it, in dBFS.
    ///   - clippedShare: the share of its samples that are at full scale in runs, 0...1.
    ///   - signalToNoise: how far the signal stands above the noise, in dB.
    ///   - humOverSignal: how far hum stands above the signal, in dB.
    public init(
        swipe: Swipe? = nil, peak: Double, clippedShare: Double = 0, signalToNoise: Double? = nil,
        humOverSignal: Double? = nil
    ) {
        self.swipe = swipe
        self.peak = peak
        self.clippedShare = clippedShare
        self.signalToNoise = signalToNoise
        self.humOverSignal = humOverSignal
    }
}
