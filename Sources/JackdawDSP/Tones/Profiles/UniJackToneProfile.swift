/// The tones of ID TECH UniJack: the tone before a command, and commands that are only a tone.
///
/// The values were reported for interoperability and not verified on hardware: every one can be changed.
public struct UniJackToneProfile: Sendable, Hashable {
    /// The tone before a command in Manchester code.
    public var wake: TimedTone
    /// Silence between that tone and the command, in seconds.
    public var pause: Double
    /// The tone that arms the reader for a swipe.
    public var arm: TimedTone
    /// The tone that ends the wait for a swipe.
    public var cancel: TimedTone

    /// Creates a profile; the defaults are the reported values.
    /// - Parameters:
    ///   - wake: the tone before a command.
    ///   - pause: silence between that tone and the command, in seconds.
    ///   - arm: the tone that arms the reader for a swipe.
    ///   - cancel: the tone that ends the wait for a swipe.
    public init(
        wake: TimedTone = Self.square(2_000, seconds: 0.2), pause: Double = 0.01,
        arm: TimedTone = Self.square(1_000, seconds: 1), cancel: TimedTone = Self.square(8_000, seconds: 5)
    ) {
        self.wake = wake
        self.pause = pause
        self.arm = arm
        self.cancel = cancel
    }

    /// Creates a square on one channel at full level, whose period is a whole number of frames.
    /// - Parameters:
    ///   - frequency: frequency in Hz.
    ///   - seconds: duration in seconds.
    /// - Returns: the tone with its duration.
    public static func square(_ frequency: Double, seconds: Double) -> TimedTone {
        TimedTone(
            Tone(frequency, .steppedSquare, channels: [Tone.Channel(level: 0)], isWholeFrames: true), seconds: seconds)
    }
}
