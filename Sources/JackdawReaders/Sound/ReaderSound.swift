package import JackdawDSP

/// The sound of an audio reader: its power tones, the sound of commands, and the line code of its answers.
///
/// A family creates it from its profile (``ReaderFamily/makeSound(_:)``); `ReaderModulator` and `ReaderDemodulator`
/// use it.
public struct ReaderSound: Sendable, Hashable {
    /// The modulation of commands.
    package enum Commands: Sendable, Hashable {
        /// Four tones instead of the power tone, as for UniMag.
        case fourTones(UniMagCommandProfile)
        /// A line code, with its baud and framing.
        case line(LineMode)
    }

    /// The line code of the reader's messages.
    package var answers: LineMode
    /// The modulation of commands.
    package var commands: Commands
    /// Level of commands in dBFS, -120 to 0.
    package var commandLevel: Double
    /// The gain of commands on each channel: 1, -1 for inverted, 0 for silence; one for each channel of the tones.
    package let commandGains: [Float]
    /// How commands and the power tone are combined.
    package var join: PoweredLine.Join
    /// The tones that supply the reader's power.
    package let power: PowerToneProfile
    /// The silence before power is supplied again, in seconds, 0 to 10.
    package internal(set) var pause: Double
    /// How long the idle line is held before and after each message, in both directions, in seconds, 0 to 1.
    package let carrier: Double

    /// Whether the tone supplies the reader's power; a reader with a battery does not need it.
    public var givesPower: Bool { power.connecting.channels.contains { $0.level != nil } }

    /// Creates the sound of a reader.
    /// - Parameters:
    ///   - answers: the line code of the reader's messages.
    ///   - commands: the modulation of commands.
    ///   - commandLevel: level of commands in dBFS, -120 to 0.
    ///   - commandGains: the gain of commands on each channel.
    ///   - join: how commands and the power tone are combined.
    ///   - power: the tones that supply the reader's power.
    ///   - pause: the silence before power is supplied again, in seconds.
    ///   - carrier: how long the idle line is held before and after each message, in seconds; default: 0.
    package init(
        answers: LineMode, commands: Commands, commandLevel: Double = 0, commandGains: [Float],
        join: PoweredLine.Join, power: PowerToneProfile, pause: Double, carrier: Double = 0
    ) {
        precondition(commandGains.count == power.connecting.channels.count, "commands have a gain for each channel")
        precondition((0...10).contains(pause), "a pause is at most 10 s")
        precondition((0...1).contains(carrier), "a carrier is held for at most 1 s")
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

/// The sound of a reader in a profile.
extension ProfileKey {
    /// The line code of the reader's messages, by the name of its mode.
    public static let lineMode: ProfileKey = "sound.lineMode"
    /// Frequency of the tone that wakes the reader, in Hz.
    public static let connectingTone: ProfileKey = "sound.connectingTone"
    /// Frequency of the tone while the reader is connected, in Hz.
    public static let holdingTone: ProfileKey = "sound.holdingTone"
    /// Level of the power tone and of commands, in dBFS.
    public static let soundLevel: ProfileKey = "sound.level"
    /// The form of the power tone: square or sine.
    public static let powerWaveform: ProfileKey = "sound.waveform"
    /// The rise time of the power tone, in milliseconds.
    public static let powerRamp: ProfileKey = "sound.ramp"
    /// The time that a reader without a power-up message needs to wake up, in milliseconds.
    public static let waking: ProfileKey = "sound.waking"
    /// The line's rate in bits per second.
    public static let lineBaud: ProfileKey = "sound.baud"
    /// The number of ones on the line before the first character.
    public static let onesBefore: ProfileKey = "sound.onesBefore"
    /// The number of ones after each character.
    public static let onesAfter: ProfileKey = "sound.onesAfter"
    /// Whether a 1 is a falling edge in the middle of its bit.
    public static let oneFalls: ProfileKey = "sound.oneFalls"
    /// The silence before power is supplied again, in milliseconds.
    public static let powerPause: ProfileKey = "sound.pause"
    /// How long the line's carrier is held before and after each message, in milliseconds.
    public static let lineCarrier: ProfileKey = "sound.carrier"
}

extension ReaderProfile {
    /// Returns a number that must be known.
    /// - Parameters:
    ///   - key: the key of the value.
    ///   - range: the range of the number.
    /// - Returns: the number.
    /// - Throws: ``ReaderError``: `missingValue` if the value is unknown, `badProfile` if it is not a number in the
    ///   range.
    public func number(_ key: ProfileKey, in range: ClosedRange<Double>) throws(ReaderError) -> Double {
        guard case .number(let number) = try require(key), range.contains(number) else {
            throw bad(key, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns a frequency in Hz, up to half of the highest sample rate.
    func frequency(_ key: ProfileKey) throws(ReaderError) -> Double { try number(key, in: 1...96_000) }

    /// Returns the level of playback in dBFS.
    func soundLevel() throws(ReaderError) -> Double { try number(.soundLevel, in: -120...0) }

    /// Returns the silence before power is supplied again, in seconds.
    func powerPause() throws(ReaderError) -> Double { try number(.powerPause, in: 0...10_000) / 1000 }

    /// Returns the time from the request of power until the reader has woken up.
    func waking() throws(ReaderError) -> Duration {
        .milliseconds(try integer(.waking, in: 1...60_000)) + (try silenceBeforePower())
    }

    /// Returns the line code of the reader's messages, one of those that the family allows.
    func lineMode(of names: [String]) throws(ReaderError) -> LineMode {
        let name = try text(.lineMode, of: names)
        do throws(LineCodeError) {
            return try LineMode(named: name)
        } catch {
            preconditionFailure("a family names known modes")
        }
    }

    /// The time to wake up is not known; this value is inferred.
    static let inferredWaking = ProfileEntry(
        "ms that it takes to wake up", .number(1_000), .inferred, "not reported; a capacitor is charged by then")

    /// The silence before power is supplied again. It is not known how long a reader runs without power; this value is
    /// inferred.
    static let inferredPause = ProfileEntry(
        "ms of silence before power is supplied again", .number(500), .inferred,
        "long enough to discharge a reader's capacitor")
}

/// The line of HiJack, which FloJack shares.
extension ReaderProfile {
    /// Creates the profile of a reader on the line of HiJack: the known values and the reader's own.
    static func serialManchester(
        family: String, _ summary: String, baud: ProfileEntry, onesBefore: Int, onesAfter: Int, _ source: String,
        _ own: [ProfileKey: ProfileEntry] = [:]
    ) -> ReaderProfile {
        let common: [ProfileKey: ProfileEntry] = [
            .connectingTone: ProfileEntry(
                "Hz of the tone that powers it, on the right channel", .number(22_050), .documented, source),
            .soundLevel: ProfileEntry("dBFS of tone and data", .number(0), .inferred, "the power needs full scale"),
            .powerPause: inferredPause, .waking: inferredWaking, .lineBaud: baud,
            .onesBefore: ProfileEntry("ones before the first byte", .number(Double(onesBefore)), .documented, source),
            .onesAfter: ProfileEntry("ones after each byte", .number(Double(onesAfter)), .documented, source),
        ]
        return ReaderProfile(family: family, summary, common.merging(own) { _, own in own })
    }

    /// Returns the sound of a reader on the line of HiJack: data on the left channel, power on the right channel.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    func serialManchesterSound() throws(ReaderError) -> ReaderSound {
        let level = try soundLevel()
        let line = SerialManchesterLine(
            baud: try number(.lineBaud, in: 300...9_600), onesBefore: try integer(.onesBefore, in: 4...1_000),
            onesAfter: try integer(.onesAfter, in: 8...1_000))
        let mode = LineMode(name: family, summary: summary, code: .serialManchester(line))
        // A cosine, which at 44.1 kHz changes its sign every sample frame.
        let tone = Tone(
            try frequency(.connectingTone), .sine, channels: [.silent, Tone.Channel(level: level, phase: 0.25)])
        return ReaderSound(
            answers: mode, commands: .line(mode), commandLevel: level, commandGains: [1, 0], join: .added,
            power: PowerToneProfile(name: family, connecting: tone, holding: tone, ramp: .soft),
            pause: try powerPause())
    }
}
