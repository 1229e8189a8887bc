/// A tone that sweeps from one frequency to another, block by block: measures the frequency response of a line in one
/// go.
///
/// The samples do not depend on the block size, and rendering a block does not allocate. The phase is a closed-form
/// function of time.
public struct ToneSweep: Sendable {
    /// The law by which the frequency changes.
    public enum Course: String, Sendable, Hashable, CaseIterable {
        /// The frequency changes by the same number of Hz every second.
        case linear
        /// The frequency changes by the same number of octaves every second.
        case exponential
    }

    /// Frequency of the first frame in Hz.
    public let start: Double
    /// Frequency of the last frame in Hz.
    public let end: Double
    /// The law by which the frequency changes.
    public let course: Course
    /// Frames per second (Hz).
    public let sampleRate: Double
    /// Samples per frame, one for each channel.
    public let channelCount: Int
    /// Frames from start to end.
    public let frameCount: Int
    /// Number of frames rendered so far.
    public private(set) var position = 0

    /// Logarithm of the last frequency over the first one.
    private let growth: Double
    private let shape: ToneShape
    private let ramp: ToneRamp
    private let rampFrames: Double

    /// Creates a sweep at its first frame.
    /// - Parameters:
    ///   - start: frequency of the first frame in Hz, 1 to half the sample rate.
    ///   - end: frequency of the last frame in Hz, 1 to half the sample rate.
    ///   - seconds: duration in seconds, 0.001 to 600.
    ///   - course: the law by which the frequency changes.
    ///   - waveform: the waveform of a period.
    ///   - channels: 1 to 8 channels in the order of a frame; default: one at -6 dBFS.
    ///   - sampleRate: frames per second, 8,000 to 192,000 Hz.
    ///   - ramp: the ramp at the start and at the end; at most half of the duration each.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(
        from start: Double, to end: Double, seconds: Double, _ course: Course = .exponential,
        waveform: ToneWaveform = .sine, channels: [Tone.Channel] = [Tone.Channel()], sampleRate: Double,
        ramp: ToneRamp = .soft
    ) throws(LineCodeError) {
        try Tone(start, waveform, channels: channels).validate(sampleRate: sampleRate)
        try Tone(end, waveform, channels: channels).validate(sampleRate: sampleRate)
        try LineCodeError.check("duration", seconds, 0.001...600, "s")
        try ramp.validate()
        try LineCodeError.check("ramp", ramp.seconds, 0...seconds / 2, "s in this sweep")
        self.start = start
        self.end = end
        self.course = course
        self.sampleRate = sampleRate
        channelCount = channels.count
        frameCount = Int((seconds * sampleRate).rounded())
        growth = Numerics.logarithm(end / start)
        shape = ToneShape(waveform, channels)
        self.ramp = ramp
        rampFrames = ramp.seconds * sampleRate
    }

    /// Whether all frames have been rendered.
    public var isFinished: Bool { position == frameCount }

    /// The frequency at a frame.
    /// - Parameter frame: 0 to ``frameCount``.
    /// - Returns: the frequency in Hz.
    public func frequency(atFrame frame: Int) -> Double {
        let share = Double(frame) / Double(frameCount)
        return switch course {
        case .linear: start + (end - start) * share
        case .exponential: start * Numerics.exponential(growth * share)
        }
    }

    /// Fills a block with the next frames, full scale -1 to 1, channels interleaved; silence after the end.
    /// - Parameter block: space for a whole number of frames.
    public mutating func render(into block: inout MutableSpan<Float>) {
        precondition(block.count.isMultiple(of: channelCount), "a block holds whole frames")
        for first in stride(from: 0, to: block.count, by: channelCount) {
            let place = nextPlace()
            for channel in 0..<channelCount { block[first + channel] = sample(channel, place) }
        }
    }

    /// Appends the next frames, full scale -1 to 1, channels interleaved, up to the end.
    /// - Parameters:
    ///   - count: the largest number of frames, 0 or more; default: all that remain.
    ///   - samples: the array to append to.
    public mutating func append(frames count: Int = .max, to samples: inout [Float]) {
        for _ in 0..<min(count, frameCount - position) {
            let place = nextPlace()
            for channel in 0..<channelCount { samples.append(sample(channel, place)) }
        }
    }

    /// Returns to the first frame.
    public mutating func reset() { position = 0 }
}

extension ToneSweep {
    private struct Place {
        let turns: Double
        let step: Double
        let gain: Double
    }

    private mutating func nextPlace() -> Place {
        guard position < frameCount else { return Place(turns: 0, step: 0, gain: 0) }
        let frequency = frequency(atFrame: position)
        let place = Place(
            turns: turns(atFrame: position, frequency: frequency), step: frequency / sampleRate,
            gain: gain(atFrame: position))
        position += 1
        return place
    }

    private func sample(_ channel: Int, _ place: Place) -> Float {
        guard place.gain > 0 else { return 0 }
        return Float(place.gain * shape.value(channel: channel, turns: place.turns, step: place.step))
    }

    /// Turns since the first frame: the integral of the frequency.
    private func turns(atFrame frame: Int, frequency: Double) -> Double {
        let time = Double(frame) / sampleRate
        guard course == .exponential else { return (start + frequency) / 2 * time }
        let exponent = growth * Double(frame) / Double(frameCount)
        guard abs(exponent) < 0.5 else { return (frequency - start) / exponent * time }
        // (exp(x) - 1) / x by its series if the difference would lose digits.
        var sum = 1.0
        for order in stride(from: 14, through: 2, by: -1) { sum = 1 + exponent / Double(order) * sum }
        return start * time * sum
    }

    private func gain(atFrame frame: Int) -> Double {
        let distance = Double(min(frame, frameCount - frame))
        return distance < rampFrames ? ramp.weight(at: distance / rampFrames) : 1
    }
}
