import Glibc
import JackdawALSA
import JackdawDSP

/// Measures how well a channel is heard: its level all the time, and each swipe against what was there before it.
final class SignalMeter {
    /// Seconds of sound that are kept for a swipe that has gone by: longer than any, with what the decoder waits for.
    static let secondsKept = 8.0
    /// Seconds over which the level is taken, and what was there before a swipe.
    private static let window = 0.1
    /// A sample at or above this is at full scale.
    private static let rail: Float = 0.999
    /// What is louder counts as this: its square is still a number.
    private static let loudest: Float = 1e6
    /// Frequencies of mains (Hz). A window holds whole periods of each, so that neither counts as the other.
    private static let mains = [50.0, 60]
    /// Frequency (Hz) whose period the swipes' own level is taken over: a comb that lets a swipe pass, and no hum.
    private static let comb = 6_300.0

    private let sampleRate: Double
    private let windowSamples: Int
    private let combDelay: Int
    /// The last seconds.
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

    /// Takes the next samples.
    /// - Returns: what was heard in a window that they complete.
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

    /// Samples were lost.
    func skip(_ count: Int) { history.skip(count) }

    /// How well a swipe was heard.
    /// - Parameters:
    ///   - span: where it was.
    ///   - swipe: what became of it.
    /// - Returns: what it was like.
    func observe(_ span: SwipeSpan, _ swipe: CaptureObservation.Swipe) -> CaptureObservation {
        // What the decoder calls the beginning is not the first that is heard of it.
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

    /// Mean power behind the comb, as a wide band has it in front.
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

    /// What is no number counts as silence, as the decoder has it.
    private static func magnitude(_ sample: Float) -> Float { sample.isNaN ? 0 : min(sample.magnitude, loudest) }
}

/// Counts samples at full scale that lie in runs: one alone may be as loud as it is.
private struct ClippedRuns {
    private(set) var samples = 0
    private var run = 0
    private static let leastRun = 3

    mutating func receive(_ isAtRail: Bool) {
        run = isAtRail ? run + 1 : 0
        if run == Self.leastRun { samples += run } else if run > Self.leastRun { samples += 1 }
    }
}
