public import JackdawDSP

/// What goes through the jack of an audio reader: the tone that it lives on, how commands sound, and the line code of what
/// it sends.
///
/// A family makes it of its profile (``ReaderFamily/makeSound(_:)``); ``ReaderModulator`` and ``ReaderDemodulator`` work by it.
public struct ReaderSound: Sendable, Hashable {
    /// How the bytes of commands sound.
    public enum Commands: Sendable, Hashable {
        /// Four tones in the place of the power tone, as for UniMag.
        case fourTones(UniMagCommandProfile)
        /// A line code.
        case line(LineMode)
    }

    /// What the reader sends.
    public var answers: LineMode
    /// How commands sound.
    public var commands: Commands
    /// Level of commands in dBFS, -120 to 0.
    public var commandLevel: Double
    /// What a command is multiplied by on each channel: 1, -1 for upside down, 0 for silence; as many as the tones have.
    public let commandGains: [Float]
    /// How a command and the tone go together.
    public var join: PoweredLine.Join
    /// The tones that it lives on.
    public let power: PowerToneProfile
    /// Silence before it is given power anew, in seconds, 0 to 10.
    public internal(set) var pause: Double
    /// How long the idle line is held before and behind each message, both ways, in seconds, 0 to 1.
    public let carrier: Double

    /// Whether the reader lives on the tone; one with a battery does not.
    public var givesPower: Bool { power.connecting.channels.contains { $0.level != nil } }

    /// What goes through a jack.
    /// - Parameters:
    ///   - answers: what the reader sends.
    ///   - commands: how commands sound.
    ///   - commandLevel: level of commands in dBFS, -120 to 0.
    ///   - commandGains: what a command is multiplied by on each channel.
    ///   - join: how a command and the tone go together.
    ///   - power: the tones that it lives on.
    ///   - pause: silence before it is given power anew, in seconds.
    ///   - carrier: how long the idle line is held before and behind each message, in seconds; not at all unless told.
    public init(
        answers: LineMode, commands: Commands, commandLevel: Double = 0, commandGains: [Float],
        join: PoweredLine.Join, power: PowerToneProfile, pause: Double, carrier: Double = 0
    ) {
        precondition(commandGains.count == power.connecting.channels.count, "commands have a gain for each channel")
        precondition((0...10).contains(pause), "a pause is 10 s at most")
        precondition((0...1).contains(carrier), "a carrier is held for 1 s at most")
        self.answers = answers
        self.commands = commands
        self.commandLevel = commandLevel
        self.commandGains = commandGains
        self.join = join
        self.power = power
        self.pause = pause
        self.carrier = carrier
    }
}
