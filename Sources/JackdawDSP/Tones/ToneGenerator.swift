/// A tone that runs for ever, block by block: the power of a reader in the headphone jack.
///
/// Blocks of any size give the same samples, and no block allocates. The phase is an exact fraction, the same after days.
/// Changes begin at the start of a period and never make the phase jump.
///
/// ```swift
/// var power = try ToneGenerator(PowerToneProfile.uniMag.connecting, sampleRate: 48_000, ramp: .soft)
/// var block = [Float](repeating: 0, count: 2 * 240)
/// var frames = block.mutableSpan
/// power.render(into: &frames)
/// ```
public struct ToneGenerator: Sendable {
    /// Frames per second (Hz).
    public let sampleRate: Double
    /// Samples of a frame.
    public let channelCount: Int

    private struct Change: Sendable {
        /// Without its channels; nil for silence at the same frequency.
        let tone: Tone?
        let shape: ToneShape
        let ramp: ToneRamp
        /// Frames of silence that are left before it.
        var silence: Int

        init(to tone: Tone?, ramp: ToneRamp, silence: Int = 0) {
            self.tone = tone?.withoutChannels
            shape = tone.map(ToneShape.init) ?? ToneShape()
            self.ramp = ramp
            self.silence = silence
        }
    }

    private let first: Tone
    private let firstRamp: ToneRamp
    /// Without its channels.
    private var tone: Tone
    private var phase: TonePhase
    private var shape: ToneShape
    private var next: (shape: ToneShape, phase: TonePhase)?
    private var clock: RampClock
    private var weight = 1.0
    private var pending: Change?

    /// A generator at the start of a period.
    /// - Parameters:
    ///   - tone: what it plays.
    ///   - sampleRate: frames per second, 8,000 to 192,000 Hz.
    ///   - ramp: how it comes.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(_ tone: Tone, sampleRate: Double, ramp: ToneRamp = .soft) throws(LineCodeError) {
        try tone.validate(sampleRate: sampleRate)
        try ramp.validate()
        self.sampleRate = sampleRate
        channelCount = tone.channels.count
        first = tone
        firstRamp = ramp
        self.tone = tone.withoutChannels
        phase = tone.phase(sampleRate: sampleRate)
        shape = ToneShape()
        clock = RampClock(.none, sampleRate: sampleRate)
        begin(Change(to: tone, ramp: ramp))
    }

    /// Frequency in Hz that is played, or that a ramp leads to.
    public var frequency: Double { tone.frequency(atSampleRate: sampleRate) }

    /// Whether nothing is heard or about to be heard.
    public var isSilent: Bool { next == nil && pending == nil && shape.isSilent }

    /// Whether no change is under way or asked for.
    public var isSteady: Bool { next == nil && pending == nil }

    /// Whether the next frame is the first one of a period.
    public var isAtPeriodStart: Bool { phase.isAtPeriodStart }

    /// Goes over to another tone at the start of the next period, or after the ramp that is under way then; of several changes
    /// asked for meanwhile the last one counts.
    ///
    /// Level, form and phase of each channel fade over. The frequency glides with them, but changes at once where a period
    /// of either tone is a whole number of frames, which a glide would put out of step.
    /// - Parameters:
    ///   - tone: with as many channels as there are.
    ///   - ramp: how it comes.
    ///   - silence: how long nothing is heard before it, 0 to 10 s; what is heard until then goes with the soft ramp.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public mutating func change(to tone: Tone, ramp: ToneRamp = .soft, silence: Double = 0) throws(LineCodeError) {
        try tone.validate(sampleRate: sampleRate)
        let count = Double(channelCount)
        try LineCodeError.check("number of channels", Double(tone.channels.count), count...count, "here")
        try ramp.validate()
        try LineCodeError.check("silence", silence, 0...10, "s")
        pending = Change(to: tone, ramp: ramp, silence: Int((silence * sampleRate).rounded()))
    }

    /// Goes silent from the start of the next period on, as ``change(to:ramp:silence:)`` does; the phase runs on.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public mutating func stop(ramp: ToneRamp = .soft) throws(LineCodeError) {
        try ramp.validate()
        pending = Change(to: nil, ramp: ramp)
    }

    /// Fills a block with the next frames, full scale -1 to 1, channels interleaved.
    /// - Parameter block: room for a whole number of frames.
    public mutating func render(into block: inout MutableSpan<Float>) { fill(&block) }

    /// Appends the next frames, full scale -1 to 1, channels interleaved.
    /// - Parameters:
    ///   - count: frames, 0 or more.
    ///   - samples: what is appended to.
    public mutating func append(frames count: Int, to samples: inout [Float]) {
        extend(&samples, frames: count)
    }

    /// Appends frames up to the end of so many periods, the one that has begun counted, at the frequency that is played now.
    /// - Parameters:
    ///   - count: periods, 0 or more.
    ///   - samples: what is appended to.
    public mutating func append(periods count: Int, to samples: inout [Float]) {
        beginFrame()
        append(frames: phase.frames(toEndOf: count), to: &samples)
    }

    /// Starts anew with the first tone and its ramp.
    public mutating func reset() {
        phase = first.phase(sampleRate: sampleRate)
        shape = ToneShape()
        pending = nil
        begin(Change(to: first, ramp: firstRamp))
    }
}

extension Tone {
    /// What is needed of it beside its shape: its channels lie in memory, which nobody shall have to free while it plays.
    fileprivate var withoutChannels: Tone { Tone(frequency, waveform, channels: [], isWholeFrames: isWholeFrames) }
}

extension ToneGenerator: FrameSource {
    /// Begins the change that has been asked for where this is the frame for it. Before the samples of a frame.
    @inline(__always)
    mutating func beginFrame() {
        guard let change = pending, next == nil, phase.isAtPeriodStart else { return }
        guard change.silence == 0 else {
            if !shape.isSilent { begin(Change(to: nil, ramp: .soft)) }
            return
        }
        pending = nil
        begin(change)
    }

    /// A channel's sample of this frame.
    @inline(__always)
    func sample(_ channel: Int) -> Float {
        let (turns, step) = (phase.turns, phase.step)
        let value = shape.value(channel: channel, turns: turns, step: step)
        guard let next else { return Float(value) }
        let other = next.shape.value(channel: channel, turns: turns, step: step)
        return Float(value + (other - value) * weight)
    }

    /// Goes on to the next frame.
    @inline(__always)
    mutating func advance() {
        guard let next else {
            if let change = pending, change.silence > 0, shape.isSilent { pending?.silence -= 1 }
            return phase.advance()
        }
        phase.advance(towards: next.phase, share: weight)
        clock.advance()
        weight = clock.weight
        if clock.isOver { settle() }
    }

    private mutating func begin(_ change: Change) {
        clock = RampClock(change.ramp, sampleRate: sampleRate)
        var target = phase
        if let tone = change.tone {
            target = tone.phase(sampleRate: sampleRate)
            if clock.isOver || shape.isSilent || tone.isWholeFrames || self.tone.isWholeFrames {
                phase = phase.switched(to: target)
                target = phase
            }
            self.tone = tone
        }
        next = (change.shape, target)
        weight = clock.weight
        if clock.isOver { settle() }
    }

    private mutating func settle() {
        guard let next else { return }
        phase = phase.continued(at: next.phase)
        shape = next.shape
        self.next = nil
    }
}
