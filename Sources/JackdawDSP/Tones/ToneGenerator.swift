/// An endless tone, generated block by block: the power of a reader in the headphone jack.
///
/// The samples do not depend on the block size, and rendering a block does not allocate. The phase is an exact
/// fraction, without drift after days. Changes begin at the start of a period and keep the phase continuous.
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
    /// Samples per frame, one for each channel.
    public let channelCount: Int

    private struct Change: Sendable {
        /// The target without its channels; nil for silence at the same frequency.
        let tone: Tone?
        let shape: ToneShape
        let ramp: ToneRamp
        /// Remaining frames of silence before it.
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
    /// The current tone, without its channels.
    private var tone: Tone
    private var phase: TonePhase
    private var shape: ToneShape
    private var next: (shape: ToneShape, phase: TonePhase)?
    private var clock: RampClock
    private var weight = 1.0
    private var pending: Change?

    /// Creates a generator at the start of a period.
    /// - Parameters:
    ///   - tone: the tone to play.
    ///   - sampleRate: frames per second, 8,000 to 192,000 Hz.
    ///   - ramp: the ramp of the tone's start.
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

    /// Frequency in Hz of the current tone, or of the tone to which a ramp leads.
    public var frequency: Double { tone.frequency(atSampleRate: sampleRate) }

    /// Whether the output is silent, with no sound pending.
    public var isSilent: Bool { next == nil && pending == nil && shape.isSilent }

    /// Whether the tone, or the silence, continues as it is: no change and no stop is in progress or pending.
    public var isSteady: Bool { next == nil && pending == nil }

    /// Whether the next frame is the first one of a period.
    public var isAtPeriodStart: Bool { phase.isAtPeriodStart }

    /// Changes to another tone at the start of the next period, or after the ramp in progress; of several pending
    /// changes, the last one counts.
    ///
    /// Level, waveform and phase of each channel cross-fade. The frequency glides with them, but changes at once if a
    /// period of either tone is a whole number of frames, because a glide would break that alignment.
    /// - Parameters:
    ///   - tone: the new tone, with the same number of channels.
    ///   - ramp: the ramp of the change.
    ///   - silence: silence before the new tone in seconds, 0 to 10; the current sound ends with the soft ramp.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public mutating func change(to tone: Tone, ramp: ToneRamp = .soft, silence: Double = 0) throws(LineCodeError) {
        try tone.validate(sampleRate: sampleRate)
        let count = Double(channelCount)
        try LineCodeError.check("number of channels", Double(tone.channels.count), count...count, "here")
        try ramp.validate()
        try LineCodeError.check("silence", silence, 0...10, "s")
        pending = Change(to: tone, ramp: ramp, silence: Int((silence * sampleRate).rounded()))
    }

    /// Fades to silence from the start of the next period on, as ``change(to:ramp:silence:)`` does; the phase
    /// continues.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public mutating func stop(ramp: ToneRamp = .soft) throws(LineCodeError) {
        try ramp.validate()
        pending = Change(to: nil, ramp: ramp)
    }

    /// Fills a block with the next frames, full scale -1 to 1, channels interleaved.
    /// - Parameter block: space for a whole number of frames.
    public mutating func render(into block: inout MutableSpan<Float>) { fill(&block) }

    /// Appends the next frames, full scale -1 to 1, channels interleaved.
    /// - Parameters:
    ///   - count: frames, 0 or more.
    ///   - samples: the array to append to.
    public mutating func append(frames count: Int, to samples: inout [Float]) {
        extend(&samples, frames: count)
    }

    /// Appends frames up to the end of a number of periods, including the current one, at the current frequency.
    /// - Parameters:
    ///   - count: periods, 0 or more.
    ///   - samples: the array to append to.
    public mutating func append(periods count: Int, to samples: inout [Float]) {
        beginFrame()
        append(frames: phase.frames(toEndOf: count), to: &samples)
    }

    /// Starts again with the first tone and its ramp.
    public mutating func reset() {
        phase = first.phase(sampleRate: sampleRate)
        shape = ToneShape()
        pending = nil
        begin(Change(to: first, ramp: firstRamp))
    }
}

extension Tone {
    /// The tone without its channels, which its shape holds: a channel array is on the heap and must not be freed while
    /// the tone plays.
    fileprivate var withoutChannels: Tone { Tone(frequency, waveform, channels: [], isWholeFrames: isWholeFrames) }
}

extension ToneGenerator: FrameSource {
    /// Begins the pending change if it is due at this frame; called before the samples of a frame.
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

    /// Advances to the next frame.
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

/// The position of a tone in its period as an exact fraction: after days of sound the phase has no rounding error, and
/// blocks of any size give the same samples.
struct TonePhase: Sendable {
    /// Turns at this frame times ``denominator``; less than that.
    private var numerator: Int64 = 0
    /// The increase of the numerator per frame.
    private var increment: Int64
    /// The numerator of a whole turn.
    private var denominator: Int64
    /// The reciprocal of ``denominator``.
    private var scale: Double

    /// Turns from one frame to the next.
    private(set) var step: Double

    /// Creates a phase at the start of a period.
    /// - Parameters:
    ///   - frequency: frequency in Hz, at most half the sample rate.
    ///   - sampleRate: frames per second (Hz).
    ///   - isWholeFrames: whether the period is rounded to a whole number of frames.
    init(frequency: Double, sampleRate: Double, isWholeFrames: Bool) {
        if isWholeFrames {
            let frames = Int64((sampleRate / frequency).rounded())
            increment = (1 << 59) / frames
            denominator = increment * frames
        } else {
            // The significand of the rate has 53 bits, so this is an integer; a tone is exact to 2^-59 of the rate.
            let unit = Double(sign: .plus, exponent: 59 - Int(sampleRate.exponent), significand: 1)
            increment = Int64((frequency * unit).rounded())
            denominator = Int64(sampleRate * unit)
        }
        scale = 1 / Double(denominator)
        step = Double(increment) * scale
    }

    /// Turns since the period began, 0 to 1.
    var turns: Double { Double(numerator) * scale }

    /// Whether this is the first frame of a period.
    var isAtPeriodStart: Bool { numerator < increment }

    /// Advances to the next frame.
    mutating func advance() { advance(by: increment) }

    /// Advances to the next frame, at a speed between that of this phase and that of another.
    /// - Parameters:
    ///   - other: a phase of the same sample rate.
    ///   - share: 0 for the speed of this one, 1 for the speed of the other.
    mutating func advance(towards other: TonePhase, share: Double) {
        let target = Self.scaled(other.increment, by: denominator, over: other.denominator).quotient
        advance(by: increment + Int64((Double(target - increment) * share).rounded()))
    }

    private mutating func advance(by amount: Int64) {
        numerator += amount
        if numerator >= denominator { numerator -= denominator }
    }

    /// Frames from this one to the first one at or after the end of a number of periods, including the current one.
    func frames(toEndOf periods: Int) -> Int {
        guard periods > 0 else { return 0 }
        let total = Int64(periods).multipliedFullWidth(by: denominator)
        // Rounded up: adds the complement of the numerator, less one.
        let (low, overflow) = total.low.addingReportingOverflow(UInt64(increment - 1))
        var dividend = (high: total.high + (overflow ? 1 : 0), low: low)
        let (lower, borrow) = dividend.low.subtractingReportingOverflow(UInt64(numerator))
        dividend = (dividend.high - (borrow ? 1 : 0), lower)
        return Int(increment.dividingFullWidth(dividend).quotient)
    }

    /// The phase at this frame if the frequency had changed to that of another phase at the start of this period.
    func switched(to other: TonePhase) -> TonePhase {
        var result = other
        let (quotient, remainder) = Self.scaled(numerator, by: other.increment, over: increment)
        // Rounded up: if rounded down, a period that ends on a frame would be found to end on the next one.
        result.numerator = remainder > 0 ? quotient + 1 : quotient
        return result
    }

    /// The same position in the period, at the frequency of another phase.
    func continued(at other: TonePhase) -> TonePhase {
        var result = other
        result.numerator = Self.scaled(numerator, by: other.denominator, over: denominator).quotient
        return result
    }

    private static func scaled(
        _ value: Int64, by factor: Int64, over divisor: Int64
    ) -> (quotient: Int64, remainder: Int64) {
        divisor.dividingFullWidth(value.multipliedFullWidth(by: factor))
    }
}

/// The fade with which a tone starts, ends and changes without a click.
public struct ToneRamp: Sendable, Hashable {
    /// The curve of the level over time.
    public enum Shape: String, Sendable, Hashable, CaseIterable {
        /// The amplitude grows by the same amount every frame.
        case linear
        /// The amplitude grows as (1 - cos) / 2, without a kink at either end.
        case raisedCosine
    }

    /// The curve of the level over time.
    public var shape: Shape
    /// Duration in seconds, 0 to 60.
    public var seconds: Double

    /// Creates a ramp from a curve and a duration.
    /// - Parameters:
    ///   - shape: the curve of the level over time.
    ///   - seconds: duration in seconds, 0 to 60.
    public init(_ shape: Shape, seconds: Double) {
        self.shape = shape
        self.seconds = seconds
    }

    /// A change at once, with a possible click.
    public static let none = ToneRamp(.linear, seconds: 0)
    /// A raised cosine of 5 ms: short, but without a click.
    public static let soft = ToneRamp(.raisedCosine, seconds: 0.005)
}

extension ToneRamp {
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate() throws(LineCodeError) { try LineCodeError.check("ramp", seconds, 0...60, "s") }

    /// The level that the ramp has reached.
    /// - Parameter progress: elapsed share of its duration, 0 to 1.
    /// - Returns: the level, 0 to 1.
    func weight(at progress: Double) -> Double {
        switch shape {
        case .linear: progress
        case .raisedCosine: 0.5 - 0.5 * Numerics.sineAndCosine(turns: progress / 2).cosine
        }
    }
}

/// A ramp in progress, counted in frames.
struct RampClock: Sendable {
    private let ramp: ToneRamp
    private let frames: Double
    private var frame = 0.0

    /// Starts a ramp at its first frame.
    init(_ ramp: ToneRamp, sampleRate: Double) {
        self.ramp = ramp
        frames = (ramp.seconds * sampleRate).rounded()
    }

    /// Whether the ramp has ended.
    var isOver: Bool { frame >= frames }

    /// The level that it has reached, 0 to 1.
    var weight: Double { isOver ? 1 : ramp.weight(at: frame / frames) }

    /// Advances to the next frame.
    mutating func advance() { frame += 1 }
}
