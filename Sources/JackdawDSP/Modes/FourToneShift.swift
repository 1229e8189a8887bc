import JackdawBytes

/// A frequency shift keying of two bits per symbol. Each symbol is a number of whole periods of its tone, the least
/// significant two bits of a byte first.
///
/// The default values are those reported for the commands of ID TECH UniMag, not verified on hardware.
package struct FourToneShift: Sendable, Hashable {
    /// Frequencies in Hz of the values 0 to 3, all different, at most half the sample rate.
    package var tones: SIMD4<Double>
    /// Periods per symbol, 1 to 1,000.
    package var periodsPerSymbol: Int
    /// The waveform of a period; default: a stepped square.
    package var waveform: ToneWaveform
    /// Whether periods are rounded to whole numbers of frames: 3,400 Hz then becomes 3,428.6 Hz at 24 and 48 kHz.
    package var isWholeFrames: Bool

    /// Creates a keying; encoders check its range.
    /// - Parameters:
    ///   - tones: frequencies in Hz of the values 0 to 3.
    ///   - periodsPerSymbol: periods per symbol, 1 to 1,000.
    ///   - waveform: the waveform of a period.
    ///   - isWholeFrames: whether periods are rounded to whole numbers of frames.
    package init(
        tones: SIMD4<Double> = [2_400, 3_000, 3_400, 4_000], periodsPerSymbol: Int = 10,
        waveform: ToneWaveform = .steppedSquare, isWholeFrames: Bool = true
    ) {
        self.tones = tones
        self.periodsPerSymbol = periodsPerSymbol
        self.waveform = waveform
        self.isWholeFrames = isWholeFrames
    }

    /// The actual frequency of a value.
    /// - Parameters:
    ///   - value: 0 to 3.
    ///   - sampleRate: samples per second (Hz).
    /// - Returns: the frequency in Hz.
    package func frequency(of value: Int, atSampleRate sampleRate: Double) -> Double {
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
                // Rounding to whole frames can make two tones the same.
                let distance = abs(frequency - self.frequency(of: other, atSampleRate: sampleRate))
                try LineCodeError.check("distance of two tones", distance, 1...sampleRate, "Hz at this sample rate")
            }
        }
    }
}

/// Encodes bytes as four tones, and commands for ID TECH UniMag as the sound for the reader: one channel of whole
/// periods that begins and ends with the power tone and has a continuous phase.
package struct FourToneEncoder: LineEncoder {
    /// The tones, and the preamble and power tone around a command's bytes.
    package let profile: UniMagCommandProfile
    /// Samples per second (Hz).
    package let sampleRate: Double

    private let amplitude: Float
    /// The start of each tone, by the value of the symbol.
    private let symbols: [TonePhase]
    private let power: TonePhase
    private var phase: TonePhase
    /// Idle time of less than a period that was requested and not yet appended, in periods.
    private var owedPeriods = 0.0

    /// Creates an encoder at the start of a period.
    /// - Parameters:
    ///   - profile: the tones, and the preamble and power tone around a command's bytes.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz; with whole frames it must keep the four tones apart, as
    ///     24,000, 32,000, 44,100, 48,000 Hz and their doubles do.
    ///   - level: level in dBFS, -120 to 0, which no sample exceeds; default: 0, as readers need it.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    package init(
        profile: UniMagCommandProfile = UniMagCommandProfile(), sampleRate: Double, level: Double = 0
    ) throws(LineCodeError) {
        try profile.validate(sampleRate: sampleRate)
        try LineCodeError.check("level", level, -120...0, "dBFS")
        self.profile = profile
        self.sampleRate = sampleRate
        amplitude = Float(Numerics.amplitude(decibels: level))
        symbols = (0..<4).map { profile.shift.tone($0).phase(sampleRate: sampleRate) }
        power = TonePhase(
            frequency: profile.powerFrequency, sampleRate: sampleRate, isWholeFrames: profile.shift.isWholeFrames)
        phase = power
    }

    /// Appends a whole command: power tone, preamble, the bytes, power tone.
    /// - Parameters:
    ///   - bytes: the command.
    ///   - samples: the array to append to.
    package mutating func encodeCommand(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        append(power, periods: profile.leadingPeriods, into: &samples)
        let preamble = profile.preamble
        encode(preamble.span, into: &samples)
        encode(bytes, into: &samples)
        append(power, periods: profile.trailingPeriods, into: &samples)
    }

    /// Appends the sound of bytes only, without preamble and power tone.
    package mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        for index in bytes.indices {
            for place in stride(from: 0, to: 8, by: 2) {
                let symbol = symbols[Int(bytes[index]) >> place & 3]
                append(symbol, periods: profile.shift.periodsPerSymbol, into: &samples)
            }
        }
    }

    /// Appends whole periods of the power tone; the rest of less than a period is added to the next call's time.
    package mutating func idle(seconds: Double, into samples: inout [Float]) {
        owedPeriods += IdleTime.bounded(seconds) * power.step * sampleRate
        // Prevents a rounding error from turning a second of 2,000 Hz into 1,999 periods.
        let periods = (owedPeriods + 1e-6).rounded(.down)
        owedPeriods -= periods
        append(power, periods: Int(periods), into: &samples)
    }

    /// Discards the state: the next command begins with a period of the power tone.
    package mutating func reset() {
        phase = power
        owedPeriods = 0
    }

    /// Appends periods of a tone, from the end of the last period on, which may lie between two samples.
    private mutating func append(_ tone: TonePhase, periods: Int, into samples: inout [Float]) {
        phase = phase.switched(to: tone)
        let waveform = profile.shift.waveform
        for _ in 0..<phase.frames(toEndOf: periods) {
            samples.appendWiping(amplitude * Float(waveform.value(turns: phase.turns, step: phase.step)))
            phase.advance()
        }
    }
}
