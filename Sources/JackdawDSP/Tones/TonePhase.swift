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
