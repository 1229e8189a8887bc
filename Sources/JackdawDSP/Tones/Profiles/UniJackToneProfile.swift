/// The tones of ID TECH UniJack: what goes before a command, and commands that are a tone alone.
///
/// The values are what was reported for interoperability and not verified on hardware: every one can be changed.
public struct UniJackToneProfile: Sendable, Hashable {
    /// Before a command in Manchester code.
    public var wake: TimedTone
    /// Silence between that tone and the command, in seconds.
    public var pause: Double
    /// Arms the reader for a swipe.
    public var arm: TimedTone
    /// Ends the wait for a swipe.
    public var cancel: TimedTone

    /// A profile; as reported unless told.
    /// - Parameters:
    ///   - wake: before a command.
    ///   - pause: silence between that tone and the command, in seconds.
    ///   - arm: arms the reader for a swipe.
    ///   - cancel: ends the wait for a swipe.
    public init(
        wake: TimedTone = Self.square(2_000, seconds: 0.2), pause: Double = 0.01,
        arm: TimedTone = Self.square(1_000, seconds: 1), cancel: TimedTone = Self.square(8_000, seconds: 5)
    ) {
        self.wake = wake
        self.pause = pause
        self.arm = arm
        self.cancel = cancel
    }

    /// A square on one channel at full level, its period a whole number of frames.
    /// - Parameters:
    ///   - frequency: in Hz.
    ///   - seconds: how long it lasts.
    /// - Returns: the tone and its time.
    public static func square(_ frequency: Double, seconds: Double) -> TimedTone {
        TimedTone(
            Tone(frequency, .steppedSquare, channels: [Tone.Channel(level: 0)], isWholeFrames: true), seconds: seconds)
    }
}
