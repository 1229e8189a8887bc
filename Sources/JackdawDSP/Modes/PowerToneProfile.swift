/// The tones that power a reader in the headphone jack.
///
/// The values were reported for interoperability and not verified on hardware, except HiJack and FloJack, whose sources
/// are published. Every value can be changed.
public struct PowerToneProfile: Sendable, Hashable {
    /// Name in lower case, as in `unimag`.
    public var name: String
    /// The tone that wakes the reader.
    public var connecting: Tone
    /// The tone while the reader is connected; often the same.
    public var holding: Tone
    /// The ramp of the first tone.
    public var ramp: ToneRamp

    /// Creates a custom profile.
    /// - Parameters:
    ///   - name: name in lower case.
    ///   - connecting: the tone that wakes the reader.
    ///   - holding: the tone while it is connected.
    ///   - ramp: the ramp of the first tone.
    public init(name: String, connecting: Tone, holding: Tone, ramp: ToneRamp) {
        self.name = name
        self.connecting = connecting
        self.holding = holding
        self.ramp = ramp
    }
}

extension PowerToneProfile {
    /// All profiles that have a name.
    public static let all = [uniMag, uDynamo, uDynamoSine, hiJack, floJack]

    /// ID TECH UniMag and Shuttle: squares at full level, the right channel inverted; 2,400 Hz until the reader
    /// answers, then 2,000 Hz. Unverified.
    public static let uniMag = PowerToneProfile(
        name: "unimag",
        connecting: Tone(2_400, .steppedSquare, channels: .antiphase(level: 0), isWholeFrames: true),
        holding: Tone(2_000, .steppedSquare, channels: .antiphase(level: 0), isWholeFrames: true),
        ramp: .none)

    /// MagTek uDynamo: a square of 1,000 Hz on both channels at full level, with a linear ramp of 500 ms. Unverified.
    public static let uDynamo = PowerToneProfile(
        name: "udynamo", tone: Tone(1_000, .steppedSquare, channels: .inPhase(level: 0), isWholeFrames: true),
        ramp: ToneRamp(.linear, seconds: 0.5))

    /// MagTek uDynamo on phones that need a sine. Unverified.
    public static let uDynamoSine = PowerToneProfile(
        name: "udynamo-sine", tone: Tone(1_000, .sine, channels: .inPhase(level: 0)),
        ramp: ToneRamp(.linear, seconds: 0.5))

    /// HiJack: 22.05 kHz on the right channel, the left one for data. A cosine, which at 44.1 kHz changes sign every
    /// frame.
    public static let hiJack = PowerToneProfile(
        name: "hijack", tone: Tone(22_050, .sine, channels: [.silent, Tone.Channel(level: 0, phase: 0.25)]),
        ramp: .soft)

    /// FloJack: the same tone and ramp as HiJack.
    public static let floJack = PowerToneProfile(name: "flojack", tone: hiJack.holding, ramp: hiJack.ramp)

    private init(name: String, tone: Tone, ramp: ToneRamp) {
        self.init(name: name, connecting: tone, holding: tone, ramp: ramp)
    }
}
