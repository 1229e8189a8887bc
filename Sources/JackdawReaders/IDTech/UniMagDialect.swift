import JackdawDSP

/// The protocol of ID TECH's readers on the audio jack: that of ``IDTechDialect``, for a reader that the jack supplies
/// with power.
///
/// The link must deliver one burst at a time (``ReaderDemodulator``).
package struct UniMagDialect: ReaderDialect {
    package let family = "unimag"
    /// Timeouts and attempts; by default those of ID TECH's SDK.
    package let times: ReaderTimes
    /// The reader sends a text when it gets power.
    package let hasPowerUp = true

    private let settings: IDTechDialect
    private let powerUpTexts: [[UInt8]]

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) {
        times = try profile.times()
        settings = IDTechDialect(family: family, times: times, takesCommands: try profile.flag(.takesCommands))
        powerUpTexts = [Array(try profile.text(.powerUpText).utf8), Array(try profile.text(.firstPowerUpText).utf8)]
    }

    /// Firmware version and serial number, if the reader takes commands.
    package var identification: [ReaderRequest] { settings.identification }

    /// Bursts, which the line code keeps apart.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat {
        PacketFormat(greatestSize: PacketFormat.greatestBurst)
    }

    /// No requests, as the reader reads cards while it has power.
    package func arming(for duration: Duration) -> [ReaderRequest] { [] }

    package func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        try settings.asking(question)
    }

    /// Changes a setting: its number is that of a function.
    package func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        try settings.setting(setting)
    }

    /// Interprets a burst: a power-up message, an answer, or a swipe.
    package func understand(_ burst: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        if Self.starts.contains(burst[0]) { return understand(frames: burst, answering: request) }
        // Swipes are reported to follow a byte of flags, which adds nothing to the swipe.
        if burst.count > 1, burst[1] == IDTechCommandFormat.startOfText {
            return understand(frames: burst.extracting(1...), answering: nil)
        }
        if let swipe = swipeInClear(burst) { return [.swipe(swipe)] }
        if isPowerUp(burst) { return [.poweredUp] }
        return Self.hasSentinel(burst)
            ? [.badSwipe("the frame of the swipe is damaged")]
            : [.unknown("\(burst.count) bytes that are not a frame", reason: .notAFrame)]
    }

    /// Whether a burst is a power-up message. A text with sentinels is card data in any case.
    func isPowerUp(_ burst: Span<UInt8>) -> Bool {
        !Self.starts.contains(burst[0]) && !Self.hasSentinel(burst)
            && powerUpTexts.contains { !$0.isEmpty && burst.holds($0) }
    }

    private static func hasSentinel(_ burst: Span<UInt8>) -> Bool {
        burst.indices.contains { sentinels.contains(burst[$0]) }
    }

    /// The start sentinels of track 1, and of tracks 2 and 3.
    private static let sentinels = "%;+".utf8
    private static let endSentinel = UInt8(ascii: "?")
    /// The bit of the flags for an encrypted swipe.
    private static let isEncrypted: UInt8 = 0x04

    /// Parses a swipe as text, as readers without a key are reported to send it: flags, tracks with their sentinels,
    /// `0D`. Returns nil for other bytes.
    func swipeInClear(_ burst: Span<UInt8>) -> ReaderSwipe? {
        guard burst.count > 3, burst[0] & Self.isEncrypted == 0, burst[burst.count - 1] == 0x0D else { return nil }
        var builder = ReaderSwipe.Builder()
        var start = 1
        var last = 0
        while start < burst.count - 1 {
            guard Self.sentinels.contains(burst[start]), last < 3,
                let end = (start..<burst.count - 1).first(where: { burst[$0] == Self.endSentinel })
            else { return nil }
            let number =
                burst[start] == UInt8(ascii: "%") ? 1 : burst[start] == UInt8(ascii: ";") ? max(2, last + 1) : 3
            guard number > last else { return nil }
            builder.add(.track(number), burst.extracting(start..<end + 1))
            last = number
            start = end + 1
        }
        builder.add(.frame, burst)
        return builder.finish(family: family, cipher: nil)
    }

    /// The first bytes of frames: `06`, `15`, `02`.
    static let starts = [
        IDTechAnswerFormat.acknowledge, IDTechAnswerFormat.refuse, IDTechCommandFormat.startOfText,
    ]

    /// Interprets a burst that is one or more whole frames.
    private func understand(frames burst: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        let format = settings.format(awaiting: request)
        var meanings: [ReaderMeaning] = []
        var start = 0
        while start < burst.count {
            let rest = burst.extracting(start...)
            switch format.measure(rest) {
            case .whole(let count), .unchecked(let count):
                meanings += settings.understand(rest.extracting(first: count), answering: request)
                start += count
            case .partial, .padding, .fault:
                // A damaged burst that answers no request is a swipe, which the user must repeat.
                guard request == nil, rest[0] == IDTechCommandFormat.startOfText else {
                    return [.unknown("\(burst.count) bytes that are not a frame", reason: .notAFrame)]
                }
                return [.badSwipe("the frame of the swipe is damaged")]
            }
        }
        return meanings
    }
}

extension Span<UInt8> {
    /// Whether the bytes of `part` occur in sequence.
    fileprivate func holds(_ part: [UInt8]) -> Bool {
        guard part.count <= count else { return false }
        return (0...count - part.count).contains { start in part.indices.allSatisfy { self[start + $0] == part[$0] } }
    }
}

extension UniMagDialect {
    /// Masks the same data as for ID TECH's other readers, and tracks as text. Power-up messages remain.
    package func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard var burst = frames.first, frames.count == 1 else { return .unknown }
        if swipeInClear(burst.span) != nil {
            CardHiding.hideTracks(&burst, 1..<burst.count - 1)
            return .masked([burst])
        }
        if isPowerUp(burst.span) {
            CardHiding.hideNumbers(&burst, burst.indices)
            return .masked([burst])
        }
        // A byte of flags may precede a swipe.
        let start = Self.starts.contains(burst[0]) ? 0 : 1
        let frame = Array(burst[start...])
        guard IDTechDialect.isOneFrame(frame), let masked = IDTechDialect.masked(frame) else { return .unknown }
        return .masked([burst[..<start] + masked])
    }
}

extension ReaderProfile {
    /// The known facts about ID TECH's readers for the audio jack.
    static let unimag: ReaderProfile = {
        let reports = "reported for interoperability, not checked on hardware"
        return ReaderProfile(
            family: "unimag", "ID TECH's UniMag, UniMag Pro, UniMag II and Shuttle on the audio jack",
            [
                .lineMode: ProfileEntry(
                    "line code of the reader: unimag, unimag-4800 or unimag-2400", .text("unimag"), .reported,
                    "a vendor's published code and reports agree; most phones were set to 9,600"),
                .connectingTone: ProfileEntry("Hz of the tone that wakes it", .number(2_400), .reported, reports),
                .holdingTone: ProfileEntry("Hz of the tone that powers it", .number(2_000), .reported, reports),
                .soundLevel: ProfileEntry("dBFS of tone and commands", .number(0), .reported, "the maximum volume"),
                .powerPause: inferredPause,
                .commandTones[0]: ProfileEntry("Hz of the bits 00", .number(2_400), .reported, reports),
                .commandTones[1]: ProfileEntry("Hz of the bits 01", .number(3_000), .reported, reports),
                .commandTones[2]: ProfileEntry("Hz of the bits 10", .number(3_400), .reported, reports),
                .commandTones[3]: ProfileEntry("Hz of the bits 11", .number(4_000), .reported, reports),
                .periodsPerSymbol: ProfileEntry("periods of two bits", .number(10), .reported, reports),
                .leadingPeriods: ProfileEntry(
                    "periods of the holding tone before a command", .number(720), .reported, reports),
                .commandPreamble: ProfileEntry(
                    "preamble bytes of a command", .bytes([0xFF, 0x00, 0xFF, 0x00, 0xFF, 0x00]), .reported, reports),
                .powerUpText: ProfileEntry(
                    "a part of the text that it sends at power-up", .text("SPPMSR"), .reported, reports),
                .firstPowerUpText: ProfileEntry(
                    "the same for readers of 2010", .text("ID"), .reported, "a vendor's published code"),
                .takesCommands: ProfileEntry(
                    "whether it accepts commands; if not, the driver sends no requests", .flag(true), .reported,
                    "UniMag II and Shuttle do; for the first UniMag it is not reported"),
            ])
    }()

    /// Returns the sound of a UniMag on an audio jack.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    func uniMagSound() throws(ReaderError) -> ReaderSound {
        let level = try soundLevel()
        let holding = try frequency(.holdingTone)
        var shift = FourToneShift()
        for value in 0..<4 { shift.tones[value] = try frequency(.commandTones[value]) }
        shift.periodsPerSymbol = try integer(.periodsPerSymbol, in: 1...1_000)
        // The power tone continues after a command, so no trailing periods are needed.
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
    /// The number of periods for two bits of a command.
    public static let periodsPerSymbol: ProfileKey = "unimag.periodsPerSymbol"
    /// The number of periods of the holding tone before a command.
    public static let leadingPeriods: ProfileKey = "unimag.leadingPeriods"
    /// The bytes that precede each command.
    public static let commandPreamble: ProfileKey = "unimag.preamble"
    /// A part of the text that a reader sends when it gets power.
    public static let powerUpText: ProfileKey = "unimag.powerUpText"
    /// The corresponding part for readers of 2010.
    public static let firstPowerUpText: ProfileKey = "unimag.firstPowerUpText"
}

extension ReaderFamily {
    static let unimag = ReaderFamily(
        "unimag", "ID TECH UniMag and Shuttle on the audio jack", [.audio], .reported,
        "the simulated reader, in sound and by its bytes",
        [
            "the message that a reader sends at power-up, except for a part of it",
            "which of its models accept commands, and how loud the power of each must be",
            "swipes of a reader that is set to send tracks without a frame",
        ],
        [.unimag], UniMagDialect.init(profile:),
        encryption: SwipeEncryption(.blocks(IDTechSwipe.blocks(in:)), scheme: "data-request"),
        recognition: "a text with SPPMSR, or ID of readers of 2010, when it has power",
        sound: { profile throws(ReaderError) in try profile.uniMagSound() })
}
