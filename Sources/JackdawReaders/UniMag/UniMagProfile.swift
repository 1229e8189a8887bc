import JackdawDSP

extension ReaderProfile {
    /// What is known of ID TECH's readers for the audio jack.
    static let unimag: ReaderProfile = {
        let reports = "reported for interoperability, not checked on hardware"
        return ReaderProfile(
            family: "unimag", "ID TECH's UniMag, UniMag Pro, UniMag II and Shuttle on the audio jack",
            [
                .lineMode: ProfileEntry(
                    "line code of the reader: unimag, unimag-4800 or unimag-2400", .text("unimag"), .reported,
                    "a vendor's published code and reports agree; most phones were set to 9,600"),
                .connectingTone: ProfileEntry("Hz of the tone that wakes it", .number(2_400), .reported, reports),
                .holdingTone: ProfileEntry("Hz of the tone that it lives on", .number(2_000), .reported, reports),
                .soundLevel: ProfileEntry("dBFS of tone and commands", .number(0), .reported, "the volume at its most"),
                .powerPause: inferredPause,
                .commandTones[0]: ProfileEntry("Hz of the bits 00", .number(2_400), .reported, reports),
                .commandTones[1]: ProfileEntry("Hz of the bits 01", .number(3_000), .reported, reports),
                .commandTones[2]: ProfileEntry("Hz of the bits 10", .number(3_400), .reported, reports),
                .commandTones[3]: ProfileEntry("Hz of the bits 11", .number(4_000), .reported, reports),
                .periodsPerSymbol: ProfileEntry("periods of two bits", .number(10), .reported, reports),
                .leadingPeriods: ProfileEntry(
                    "periods of the holding tone before a command", .number(720), .reported, reports),
                .commandPreamble: ProfileEntry(
                    "bytes before those of a command", .bytes([0xFF, 0x00, 0xFF, 0x00, 0xFF, 0x00]), .reported, reports),
                .powerUpText: ProfileEntry(
                    "a part of what it sends when it has power", .text("SPPMSR"), .reported, reports),
                .firstPowerUpText: ProfileEntry(
                    "the same of readers of 2010", .text("ID"), .reported, "a vendor's published code"),
                .takesCommands: ProfileEntry(
                    "whether it takes commands; else nothing is asked of it", .flag(true), .reported,
                    "UniMag II and Shuttle do; of the first UniMag nobody has told"),
            ])
    }()

    /// What goes through the jack of a UniMag.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    func uniMagSound() throws(ReaderError) -> ReaderSound {
        let level = try soundLevel()
        let holding = try frequency(.holdingTone)
        var shift = FourToneShift()
        for value in 0..<4 { shift.tones[value] = try frequency(.commandTones[value]) }
        shift.periodsPerSymbol = try integer(.periodsPerSymbol, in: 1...1_000)
        // The power goes on behind a command anyway.
        let commands = UniMagCommandProfile(
            shift: shift, powerFrequency: holding, leadingPeriods: try integer(.leadingPeriods, in: 0...100_000),
            preamble: try bytes(.commandPreamble, count: 0...64), trailingPeriods: 0)
        func tone(_ frequency: Double) -> Tone {
            Tone(frequency, .steppedSquare, channels: .antiphase(level: level), isWholeFrames: true)
        }
        return ReaderSound(
            answers: try lineMode(of: ["unimag", "unimag-4800", "unimag-2400"]), commands: .fourTones(commands),
            commandLevel: level, commandGains: [1, -1], join: .inserted,
            power: PowerToneProfile(
                name: family, connecting: tone(try frequency(.connectingTone)), holding: tone(holding), ramp: .none),
            pause: try powerPause())
    }
}

extension ProfileKey {
    /// Frequencies of two bits of a command, by their value, in Hz.
    public static let commandTones: [ProfileKey] = (0..<4).map { ProfileKey(rawValue: "unimag.tone\($0)") }
    /// Periods that two bits of a command have.
    public static let periodsPerSymbol: ProfileKey = "unimag.periodsPerSymbol"
    /// Periods of the holding tone before a command.
    public static let leadingPeriods: ProfileKey = "unimag.leadingPeriods"
    /// Bytes before those of a command.
    public static let commandPreamble: ProfileKey = "unimag.preamble"
    /// A part of the text that a reader sends when it has power.
    public static let powerUpText: ProfileKey = "unimag.powerUpText"
    /// The same of readers of 2010.
    public static let firstPowerUpText: ProfileKey = "unimag.firstPowerUpText"
}
