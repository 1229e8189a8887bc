public import JackdawDSP

/// What goes through the jack of an audio reader: the tone that it lives on, how commands sound, and the line code of what
/// it sends.
///
/// A family makes it of its profile (``ReaderFamily/makeSound(_:)``); ``ReaderModulator`` and ``ReaderDemodulator`` work by it.
public struct ReaderSound: Sendable, Hashable {
    /// How the bytes of commands sound.
    package enum Commands: Sendable, Hashable {
        /// Four tones in the place of the power tone, as for UniMag.
        case fourTones(UniMagCommandProfile)
        /// A line code.
        case line(LineMode)
    }

    /// What the reader sends.
    package var answers: LineMode
    /// How commands sound.
    package var commands: Commands
    /// Level of commands in dBFS, -120 to 0.
    package var commandLevel: Double
    /// What a command is multiplied by on each channel: 1, -1 for upside down, 0 for silence; as many as the tones have.
    package let commandGains: [Float]
    /// How a command and the tone go together.
    package var join: PoweredLine.Join
    /// The tones that it lives on.
    package let power: PowerToneProfile
    /// Silence before it is given power anew, in seconds, 0 to 10.
    package internal(set) var pause: Double
    /// How long the idle line is held before and behind each message, both ways, in seconds, 0 to 1.
    package let carrier: Double

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
    package init(
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

/// What goes through a jack, as a profile has it.
extension ProfileKey {
    /// The line code of what the reader sends, by the name of its mode.
    public static let lineMode: ProfileKey = "sound.lineMode"
    /// Frequency of the tone that wakes the reader, in Hz.
    public static let connectingTone: ProfileKey = "sound.connectingTone"
    /// Frequency of the tone while the reader is connected, in Hz.
    public static let holdingTone: ProfileKey = "sound.holdingTone"
    /// Level of the power tone and of commands, in dBFS.
    public static let soundLevel: ProfileKey = "sound.level"
    /// The form of the power tone: square or sine.
    public static let powerWaveform: ProfileKey = "sound.waveform"
    /// How long the power tone takes to come, in milliseconds.
    public static let powerRamp: ProfileKey = "sound.ramp"
    /// How long a reader takes to wake up that does not tell, in milliseconds.
    public static let waking: ProfileKey = "sound.waking"
    /// Bits a second of the line.
    public static let lineBaud: ProfileKey = "sound.baud"
    /// Ones on the line before the first character.
    public static let onesBefore: ProfileKey = "sound.onesBefore"
    /// Ones behind each character.
    public static let onesAfter: ProfileKey = "sound.onesAfter"
    /// Whether a 1 falls in the middle of its bit.
    public static let oneFalls: ProfileKey = "sound.oneFalls"
    /// Silence before the reader is given power anew, in milliseconds.
    public static let powerPause: ProfileKey = "sound.pause"
    /// How long the line's carrier is held before and behind each message, in milliseconds.
    public static let lineCarrier: ProfileKey = "sound.carrier"
}

extension ReaderProfile {
    /// A number that has to be there.
    /// - Parameters:
    ///   - key: its name.
    ///   - range: what it may be.
    /// - Returns: the number.
    /// - Throws: ``ReaderError``: `missingValue` where nobody has told it, `badProfile` where it is another.
    public func number(_ key: ProfileKey, in range: ClosedRange<Double>) throws(ReaderError) -> Double {
        guard case .number(let number) = try require(key), range.contains(number) else {
            throw bad(key, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A frequency, up to half of the highest sample rate there is.
    func frequency(_ key: ProfileKey) throws(ReaderError) -> Double { try number(key, in: 1...96_000) }

    /// The level of what is played.
    func soundLevel() throws(ReaderError) -> Double { try number(.soundLevel, in: -120...0) }

    /// How long the power goes, in seconds.
    func powerPause() throws(ReaderError) -> Double { try number(.powerPause, in: 0...10_000) / 1000 }

    /// How long a reader takes to wake up from when its power is wanted.
    func waking() throws(ReaderError) -> Duration {
        .milliseconds(try integer(.waking, in: 1...60_000)) + (try silenceBeforePower())
    }

    /// The mode of what the reader sends, one of those that the family may have.
    func lineMode(of names: [String]) throws(ReaderError) -> LineMode {
        let name = try text(.lineMode, of: names)
        do throws(LineCodeError) {
            return try LineMode(named: name)
        } catch {
            preconditionFailure("a family names modes that there are")
        }
    }

    /// Nobody has told how long a reader takes to wake up.
    static let inferredWaking = ProfileEntry(
        "ms that it takes to wake up", .number(1_000), .inferred, "it does not tell; a capacitor is full by then")

    /// Silence before power is given anew: nobody has told how long a reader lives on without.
    static let inferredPause = ProfileEntry(
        "ms of silence before power is given anew", .number(500), .inferred,
        "long enough for what a reader stores to be used up")
}

/// The line of HiJack, which FloJack shares.
extension ReaderProfile {
    /// What is known of a reader on the line of HiJack, and its own.
    static func serialManchester(
        family: String, _ summary: String, baud: ProfileEntry, onesBefore: Int, onesAfter: Int, _ source: String,
        _ own: [ProfileKey: ProfileEntry] = [:]
    ) -> ReaderProfile {
        let common: [ProfileKey: ProfileEntry] = [
            .connectingTone: ProfileEntry(
                "Hz of the tone that it lives on, on the right channel", .number(22_050), .documented, source),
            .soundLevel: ProfileEntry("dBFS of tone and data", .number(0), .inferred, "the power wants all there is"),
            .powerPause: inferredPause, .waking: inferredWaking, .lineBaud: baud,
            .onesBefore: ProfileEntry("ones before the first byte", .number(Double(onesBefore)), .documented, source),
            .onesAfter: ProfileEntry("ones behind each byte", .number(Double(onesAfter)), .documented, source),
        ]
        return ReaderProfile(family: family, summary, common.merging(own) { _, own in own })
    }

    /// What goes through the jack of a reader on the line of HiJack: data on the left channel, power on the right one.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    func serialManchesterSound() throws(ReaderError) -> ReaderSound {
        let level = try soundLevel()
        let line = SerialManchesterLine(
            baud: try number(.lineBaud, in: 300...9_600), onesBefore: try integer(.onesBefore, in: 4...1_000),
            onesAfter: try integer(.onesAfter, in: 8...1_000))
        let mode = LineMode(name: family, summary: summary, code: .serialManchester(line))
        // A cosine, which at 44.1 kHz changes its sign every frame.
        let tone = Tone(
            try frequency(.connectingTone), .sine, channels: [.silent, Tone.Channel(level: level, phase: 0.25)])
        return ReaderSound(
            answers: mode, commands: .line(mode), commandLevel: level, commandGains: [1, 0], join: .added,
            power: PowerToneProfile(name: family, connecting: tone, holding: tone, ramp: .soft),
            pause: try powerPause())
    }
}
