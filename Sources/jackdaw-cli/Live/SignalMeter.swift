import Glibc
import JackdawALSA
import JackdawDSP

/// Measures the quality of a channel's sound: its level at any time, and each swipe against the sound before it.
final class SignalMeter {
    /// Seconds of sound kept for a swipe that has passed: longer than any swipe and the decoder's delay.
    static let secondsKept = 8.0
    /// Seconds of the window for the level, and for the sound before a swipe.
    private static let window = 0.1
    /// A sample at or above this is at full scale.
    private static let rail: Float = 0.999
    /// Limit of a sample's magnitude, so that its square stays finite.
    private static let loudest: Float = 1e6
    /// Frequencies of mains (Hz). A window contains whole periods of each, so that neither counts as the other.
    private static let mains = [50.0, 60]
    /// Frequency (Hz) whose period is the delay of the comb filter for a swipe's level; it passes a swipe and blocks
    /// hum.
    private static let comb = 6_300.0

    private let sampleRate: Double
    private let windowSamples: Int
    private let combDelay: Int
    /// The last ``secondsKept`` seconds.
    let history: SampleHistory
    private var peak: Float = 0
    private var clipped = ClippedRuns()
    private var samplesInWindow = 0

    /// The level of the last whole window.
    private(set) var last: CaptureObservation?

    /// - Parameter sampleRate: samples per second (Hz).
    init(sampleRate: Double) {
        self.sampleRate = sampleRate
        windowSamples = Int(sampleRate * Self.window)
        combDelay = max(1, Int((sampleRate / Self.comb).rounded()))
        history = SampleHistory(capacity: Int(sampleRate * Self.secondsKept))
    }

    /// Measures the next samples.
    /// - Returns: the observation of a window that they complete.
    func receive(_ samples: Span<Float>) -> CaptureObservation? {
        history.append(samples)
        var observation: CaptureObservation?
        for index in samples.indices {
            let size = Self.magnitude(samples[index])
            peak = max(peak, size)
            clipped.receive(size >= Self.rail)
            samplesInWindow += 1
            guard samplesInWindow == windowSamples else { continue }
            observation = CaptureObservation(
                peak: Self.decibels(power: peak * peak), clippedShare: Double(clipped.samples) / Double(windowSamples))
            last = observation
            peak = 0
            clipped = ClippedRuns()
            samplesInWindow = 0
        }
        return observation
    }

    /// Counts lost samples as silence.
    func skip(_ count: Int) { history.skip(count) }

    /// Measures a swipe.
    /// - Parameters:
    ///   - span: the span of the swipe.
    ///   - swipe: the decoder's result.
    /// - Returns: level, clipping, noise and hum of the swipe.
    func observe(_ span: SwipeSpan, _ swipe: CaptureObservation.Swipe) -> CaptureObservation {
        // The sound of a swipe begins before the decoder's start of it.
        let start = max(0, span.startSample - windowSamples)
        let sound = history.samples(in: span.startSample..<max(span.startSample, span.endSample)).samples
        let before = history.samples(in: max(0, start - windowSamples)..<start).samples
        return sound.withElements { sound in
            before.withElements { before in
                var peak: Float = 0
                var clipped = ClippedRuns()
                for index in sound.indices {
                    let size = Self.magnitude(sound[index])
                    peak = max(peak, size)
                    clipped.receive(size >= Self.rail)
                }
                let noise = combPower(before)
                let signal = max(0, combPower(sound) - noise)
                let isKnown = before.count == windowSamples && signal > 0
                return CaptureObservation(
                    swipe: swipe, peak: Self.decibels(power: peak * peak),
                    clippedShare: sound.isEmpty ? 0 : Double(clipped.samples) / Double(sound.count),
                    signalToNoise: isKnown && noise > 0 ? Self.decibels(power: signal / noise) : nil,
                    humOverSignal: isKnown ? Self.decibels(power: humPower(before) / signal) : nil)
            }
        }
    }

    /// Mean power after the comb filter, scaled to the power before it for wide-band sound.
    private func combPower(_ samples: Span<Float>) -> Float {
        guard samples.count > combDelay else { return 0 }
        var sum: Float = 0
        for index in combDelay..<samples.count {
            let change = samples[index] - samples[index - combDelay]
            sum += change * change
        }
        return sum / Float(2 * (samples.count - combDelay))
    }

    /// Power of the louder mains frequency.
    private func humPower(_ samples: Span<Float>) -> Float {
        Self.mains.map { frequency in
            var (real, imaginary) = (0.0, 0.0)
            for index in samples.indices {
                let angle = 2 * Double.pi * frequency * Double(index) / sampleRate
                real += Double(samples[index]) * cos(angle)
                imaginary += Double(samples[index]) * sin(angle)
            }
            let count = Double(max(1, samples.count))
            return Float(2 * (real * real + imaginary * imaginary) / (count * count))
        }.max() ?? 0
    }

    private static func decibels(power: Float) -> Double {
        let power = power.isNaN ? 0 : Double(power)
        return 10 * log10(min(max(power, 1e-12), Double(loudest * loudest)))
    }

    /// Counts NaN as silence, as the decoder does.
    private static func magnitude(_ sample: Float) -> Float { sample.isNaN ? 0 : min(sample.magnitude, loudest) }
}

/// Counts samples at full scale in runs of three or more; a single one may be an unclipped peak.
private struct ClippedRuns {
    private(set) var samples = 0
    private var run = 0
    private static let leastRun = 3

    mutating func receive(_ isAtRail: Bool) {
        run = isAtRail ? run + 1 : 0
        if run == Self.leastRun { samples += run } else if run > Self.leastRun { samples += 1 }
    }
}
