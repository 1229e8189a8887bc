/// How commands go to an ID TECH UniMag or Shuttle: what is around the bytes, and the four tones that carry them.
///
/// The values are what was reported for interoperability and not verified on hardware: every one can be changed.
public struct UniMagCommandProfile: Sendable, Hashable {
    /// The tones of the bytes.
    public var shift: FourToneShift
    /// Frequency of the tone before and after the bytes in Hz, that of the power tone.
    public var powerFrequency: Double
    /// Periods of that tone before the bytes, 0 to 1,000,000.
    public var leadingPeriods: Int
    /// Bytes before those of the command.
    public var preamble: [UInt8]
    /// Periods of that tone after the bytes, 0 to 1,000,000.
    public var trailingPeriods: Int

    /// A profile; as reported unless told.
    /// - Parameters:
    ///   - shift: the tones of the bytes.
    ///   - powerFrequency: frequency of the tone before and after the bytes in Hz.
    ///   - leadingPeriods: periods of that tone before the bytes, 0 to 1,000,000.
    ///   - preamble: bytes before those of the command.
    ///   - trailingPeriods: periods of that tone after the bytes, 0 to 1,000,000.
    public init(
        shift: FourToneShift = FourToneShift(), powerFrequency: Double = 2_000, leadingPeriods: Int = 720,
        preamble: [UInt8] = [0xFF, 0x00, 0xFF, 0x00, 0xFF, 0x00], trailingPeriods: Int = 12_000
    ) {
        self.shift = shift
        self.powerFrequency = powerFrequency
        self.leadingPeriods = leadingPeriods
        self.preamble = preamble
        self.trailingPeriods = trailingPeriods
    }
}

extension UniMagCommandProfile {
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate(sampleRate: Double) throws(LineCodeError) {
        try shift.validate(sampleRate: sampleRate)
        try LineCodeError.check("power frequency", powerFrequency, 1...sampleRate / 2, "Hz at this sample rate")
        try LineCodeError.check("leading periods", Double(leadingPeriods), 0...1_000_000, "")
        try LineCodeError.check("trailing periods", Double(trailingPeriods), 0...1_000_000, "")
    }
}
