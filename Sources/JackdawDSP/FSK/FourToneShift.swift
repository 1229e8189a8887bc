/// A frequency shift keying of two bits a symbol, each symbol some whole periods of its tone, the least significant two bits
/// of a byte first.
///
/// The values unless told are those reported for the commands of ID TECH UniMag, not verified on hardware.
public struct FourToneShift: Sendable, Hashable {
    /// Frequencies in Hz of the values 0 to 3, all different, at most half the sample rate.
    public var tones: SIMD4<Double>
    /// Periods of a symbol, 1 to 1,000.
    public var periodsPerSymbol: Int
    /// The form of a period.
    public var waveform: ToneWaveform
    /// Whether periods are rounded to whole numbers of frames: 3,400 Hz is 3,428.6 Hz then at 24 and 48 kHz.
    public var isWholeFrames: Bool

    /// A keying.
    /// - Parameters:
    ///   - tones: frequencies in Hz of the values 0 to 3.
    ///   - periodsPerSymbol: periods of a symbol, 1 to 1,000.
    ///   - waveform: the form of a period.
    ///   - isWholeFrames: whether periods are rounded to whole numbers of frames.
    public init(
        tones: SIMD4<Double> = [2_400, 3_000, 3_400, 4_000], periodsPerSymbol: Int = 10,
        waveform: ToneWaveform = .steppedSquare, isWholeFrames: Bool = true
    ) {
        self.tones = tones
        self.periodsPerSymbol = periodsPerSymbol
        self.waveform = waveform
        self.isWholeFrames = isWholeFrames
    }

    /// The frequency that is heard for a value.
    /// - Parameters:
    ///   - value: 0 to 3.
    ///   - sampleRate: samples per second (Hz).
    /// - Returns: Hz.
    public func frequency(of value: Int, atSampleRate sampleRate: Double) -> Double {
        tone(value).frequency(atSampleRate: sampleRate)
    }
}

extension FourToneShift {
    /// The tone of a value, 0 to 3.
    func tone(_ value: Int) -> Tone { Tone(tones[value], waveform, isWholeFrames: isWholeFrames) }

    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate(sampleRate: Double) throws(LineCodeError) {
        try LineCodeError.check("periods of a symbol", Double(periodsPerSymbol), 1...1_000, "")
        for value in 0..<4 {
            try tone(value).validate(sampleRate: sampleRate)
            let frequency = frequency(of: value, atSampleRate: sampleRate)
            for other in 0..<value {
                // Whole frames can make one tone of two.
                let distance = abs(frequency - self.frequency(of: other, atSampleRate: sampleRate))
                try LineCodeError.check("distance of two tones", distance, 1...sampleRate, "Hz at this sample rate")
            }
        }
    }
}
