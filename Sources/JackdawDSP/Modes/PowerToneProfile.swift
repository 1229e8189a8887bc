/// The tones that power a reader in the headphone jack.
///
/// The values are what was reported for interoperability and not verified on hardware, but for HiJack and FloJack, whose
/// sources are published: every one can be changed.
public struct PowerToneProfile: Sendable, Hashable {
    /// Name in lower case.
    public var name: String
    /// The tone that wakes the reader.
    public var connecting: Tone
    /// The tone while the reader is connected; often the same.
    public var holding: Tone
    /// How the first tone comes.
    public var ramp: ToneRamp

    /// A profile of one's own.
    /// - Parameters:
    ///   - name: in lower case.
    ///   - connecting: the tone that wakes the reader.
    ///   - holding: the tone while it is connected.
    ///   - ramp: how the first tone comes.
    public init(name: String, connecting: Tone, holding: Tone, ramp: ToneRamp) {
        self.name = name
        self.connecting = connecting
        self.holding = holding
        self.ramp = ramp
    }
}

extension PowerToneProfile {
    /// All that have a name.
    public static let all = [uniMag, uDynamo, uDynamoSine, hiJack, floJack]

    /// ID TECH UniMag and Shuttle: squares at full level, the right channel upside down; 2,400 Hz until the reader answers,
    /// then 2,000 Hz. Unverified.
    public static let uniMag = PowerToneProfile(
        name: "unimag",
        connecting: Tone(2_400, .steppedSquare, channels: .antiphase(level: 0), isWholeFrames: true),
        holding: Tone(2_000, .steppedSquare, channels: .antiphase(level: 0), isWholeFrames: true),
        ramp: .none)

    /// MagTek uDynamo: a square of 1,000 Hz on both channels at full level that comes within 500 ms. Unverified.
    public static let uDynamo = PowerToneProfile(
        name: "udynamo", tone: Tone(1_000, .steppedSquare, channels: .inPhase(level: 0), isWholeFrames: true),
        ramp: ToneRamp(.linear, seconds: 0.5))

    /// MagTek uDynamo on phones that want a sine. Unverified.
    public static let uDynamoSine = PowerToneProfile(
        name: "udynamo-sine", tone: Tone(1_000, .sine, channels: .inPhase(level: 0)),
        ramp: ToneRamp(.linear, seconds: 0.5))

    /// HiJack: 22.05 kHz on the right channel, the left one for data. A cosine, which at 44.1 kHz changes sign every frame.
    public static let hiJack = PowerToneProfile(
        name: "hijack", tone: Tone(22_050, .sine, channels: [.silent, Tone.Channel(level: 0, phase: 0.25)]),
        ramp: .soft)

    /// FloJack: as HiJack.
    public static let floJack = PowerToneProfile(name: "flojack", tone: hiJack.holding, ramp: hiJack.ramp)

    private init(name: String, tone: Tone, ramp: ToneRamp) {
        self.init(name: name, connecting: tone, holding: tone, ramp: ramp)
    }
}
