/// How a simulated reader is heard, and how it hears: what lies between its jack and the program.
public struct AudioPath: Sendable, Hashable {
    /// Level of what the reader sends in dBFS, -120 to 0.
    public var level = -12.0
    /// Whether it is upside down, as cables and inputs have it.
    public var isInverted = false
    /// How much faster the reader's clock is, as a share of the sample rate, -0.05 to 0.05.
    public var clockError = 0.0
    /// Power of the reader's signal over that of white noise in the whole band, in dB; nil for no noise.
    public var signalToNoise: Double?
    /// Level of hum in dBFS; nil for none.
    public var humLevel: Double?
    /// Frequency of the hum in Hz.
    public var humFrequency = 50.0
    /// By how much the played sound is fainter at the reader than in the program, in dB, 0 or more: the volume.
    public var attenuation = 0.0
    /// Where the noise comes from.
    public var seed: UInt64 = 1

    /// A quiet path without faults.
    public init() {}
}
