/// What a burst has told of its sender, and of the line between.
struct FSKSender: Sendable {
    /// Bits a second over the nominal ones.
    var clock = 1.0
    /// Tones of space and mark in Hz.
    var frequencies: SIMD2<Double>
    /// How the line passes the tones.
    var balance = ToneBalance()

    /// One that keeps to what it should be, on a line that passes both tones alike.
    init(_ shift: FrequencyShift) {
        frequencies = SIMD2(shift.space, shift.mark)
    }

    /// The same line with another clock and other tones.
    init(clock: Double, frequencies: SIMD2<Double>) {
        self.clock = clock
        self.frequencies = frequencies
    }

    /// Whether it is none but what it should be.
    func isNominal(_ shift: FrequencyShift) -> Bool {
        clock == 1 && balance.isEven && frequencies == FSKSender(shift).frequencies
    }

    /// Clocks that are followed.
    private static let clocks = 0.94...1.06
    /// Distances of characters that tell the clock, at least, and grid steps that they may be off.
    private static let leastDistances = 8
    private static let mostSlip = 4.0
    /// An error of the clock that is believed, at least.
    private static let leastClockError = 0.004

    /// Follows the clock by how far apart the characters are that stand close together.
    /// - Parameters:
    ///   - starts: where characters begin, in grid steps of the clock as it is.
    ///   - characterSteps: grid steps from one character to the next.
    ///   - gain: share of the error that is made good.
    /// - Returns: whether the clock is another one now.
    @discardableResult
    mutating func followClock(_ starts: some Sequence<Double>, characterSteps: Double, gain: Double) -> Bool {
        var (sum, count) = (0.0, 0)
        for (first, second) in zip(starts, starts.dropFirst())
        where abs(second - first - characterSteps) <= Self.mostSlip {
            sum += second - first
            count += 1
        }
        guard count >= Self.leastDistances else { return false }
        let error = characterSteps * Double(count) / sum - 1
        guard abs(error) > Self.leastClockError else { return false }
        clock = min(max(clock * (1 + gain * error), Self.clocks.lowerBound), Self.clocks.upperBound)
        return true
    }
}
