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

/// Where a tone is in its period, as an exact fraction: after days of sound the phase is what it would be without
/// rounding, and blocks of any size give the same samples.
struct TonePhase: Sendable {
    /// Turns at this frame times ``denominator``; less than that.
    private var numerator: Int64 = 0
    /// How much a frame adds to the numerator.
    private var increment: Int64
    /// A turn.
    private var denominator: Int64
    /// A turn's reciprocal.
    private var scale: Double

    /// Turns from one frame to the next.
    private(set) var step: Double

    /// The start of a period.
    /// - Parameters:
    ///   - frequency: in Hz, at most half the sample rate.
    ///   - sampleRate: in Hz.
    ///   - isWholeFrames: whether the period is rounded to a whole number of frames.
    init(frequency: Double, sampleRate: Double, isWholeFrames: Bool) {
        if isWholeFrames {
            let frames = Int64((sampleRate / frequency).rounded())
            increment = (1 << 59) / frames
            denominator = increment * frames
        } else {
            // The significand of the rate has 53 bits, so that this is a whole number; a tone is exact to 2^-59 of the rate.
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

    /// Goes on to the next frame.
    mutating func advance() { advance(by: increment) }

    /// Goes on to the next frame, between the speed of this phase and that of another.
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

    /// Frames from this one to the first one at or behind the end of so many periods, the one that has begun counted.
    func frames(toEndOf periods: Int) -> Int {
        guard periods > 0 else { return 0 }
        let total = Int64(periods).multipliedFullWidth(by: denominator)
        // Rounded up: the numerator's complement is added, less one.
        let (low, overflow) = total.low.addingReportingOverflow(UInt64(increment - 1))
        var dividend = (high: total.high + (overflow ? 1 : 0), low: low)
        let (lower, borrow) = dividend.low.subtractingReportingOverflow(UInt64(numerator))
        dividend = (dividend.high - (borrow ? 1 : 0), lower)
        return Int(increment.dividingFullWidth(dividend).quotient)
    }

    /// The phase at this frame had the frequency changed to that of another phase as this period began.
    func switched(to other: TonePhase) -> TonePhase {
        var result = other
        let (quotient, remainder) = Self.scaled(numerator, by: other.increment, over: increment)
        // Rounded up: rounded down, the next period that ends on a frame would miss it and end on the one after.
        result.numerator = remainder > 0 ? quotient + 1 : quotient
        return result
    }

    /// The same place in the period at the frequency of another phase.
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

/// How a tone comes, goes and changes without a click.
public struct ToneRamp: Sendable, Hashable {
    /// The course of the level.
    public enum Shape: String, Sendable, Hashable, CaseIterable {
        /// The amplitude grows by the same amount every frame.
        case linear
        /// The amplitude grows as (1 - cos) / 2, without a kink at either end.
        case raisedCosine
    }

    /// The course of the level.
    public var shape: Shape
    /// How long it takes in seconds, 0 to 60.
    public var seconds: Double

    /// A ramp.
    /// - Parameters:
    ///   - shape: the course of the level.
    ///   - seconds: how long it takes, 0 to 60.
    public init(_ shape: Shape, seconds: Double) {
        self.shape = shape
        self.seconds = seconds
    }

    /// At once.
    public static let none = ToneRamp(.linear, seconds: 0)
    /// A raised cosine of 5 ms: short, and no click.
    public static let soft = ToneRamp(.raisedCosine, seconds: 0.005)
}

extension ToneRamp {
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate() throws(LineCodeError) { try LineCodeError.check("ramp", seconds, 0...60, "s") }

    /// How far the ramp has come.
    /// - Parameter progress: share of its time that has passed, 0 to 1.
    /// - Returns: 0 to 1.
    func weight(at progress: Double) -> Double {
        switch shape {
        case .linear: progress
        case .raisedCosine: 0.5 - 0.5 * Numerics.sineAndCosine(turns: progress / 2).cosine
        }
    }
}

/// A ramp under way.
struct RampClock: Sendable {
    private let ramp: ToneRamp
    private let frames: Double
    private var frame = 0.0

    /// A ramp at its first frame.
    init(_ ramp: ToneRamp, sampleRate: Double) {
        self.ramp = ramp
        frames = (ramp.seconds * sampleRate).rounded()
    }

    /// Whether it has come to its end.
    var isOver: Bool { frame >= frames }

    /// How far it has come, 0 to 1.
    var weight: Double { isOver ? 1 : ramp.weight(at: frame / frames) }

    /// Goes on to the next frame.
    mutating func advance() { frame += 1 }
}
