/// A frequency shift keying of two bits a symbol, each symbol some whole periods of its tone, the least significant two bits
/// of a byte first.
///
/// The values unless told are those reported for the commands of ID TECH UniMag, not verified on hardware.
package struct FourToneShift: Sendable, Hashable {
    /// Frequencies in Hz of the values 0 to 3, all different, at most half the sample rate.
    package var tones: SIMD4<Double>
    /// Periods of a symbol, 1 to 1,000.
    package var periodsPerSymbol: Int
    /// The form of a period.
    package var waveform: ToneWaveform
    /// Whether periods are rounded to whole numbers of frames: 3,400 Hz is 3,428.6 Hz then at 24 and 48 kHz.
    package var isWholeFrames: Bool

    /// A keying.
    /// - Parameters:
    ///   - tones: frequencies in Hz of the values 0 to 3.
    ///   - periodsPerSymbol: periods of a symbol, 1 to 1,000.
    ///   - waveform: the form of a period.
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

    /// The frequency that is heard for a value.
    /// - Parameters:
    ///   - value: 0 to 3.
    ///   - sampleRate: samples per second (Hz).
    /// - Returns: Hz.
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
                // Whole frames can make one tone of two.
                let distance = abs(frequency - self.frequency(of: other, atSampleRate: sampleRate))
                try LineCodeError.check("distance of two tones", distance, 1...sampleRate, "Hz at this sample rate")
            }
        }
    }
}

/// Turns bytes into four tones, and commands for ID TECH UniMag into what goes to the reader: one channel of whole periods
/// that begins and ends with the power tone and whose phase never jumps.
package struct FourToneEncoder: LineEncoder {
    /// The tones and what is around the bytes of a command.
    package let profile: UniMagCommandProfile
    /// Samples per second (Hz).
    package let sampleRate: Double

    private let amplitude: Float
    /// The start of each tone, by the value of the symbol.
    private let symbols: [TonePhase]
    private let power: TonePhase
    private var phase: TonePhase
    /// Idle time that has been asked for and is less than a period, in periods.
    private var owedPeriods = 0.0

    /// An encoder at the start of a period.
    /// - Parameters:
    ///   - profile: the tones and what is around the bytes.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz; with whole frames it must keep the four tones apart, which
    ///     24,000, 32,000, 44,100, 48,000 Hz and their doubles do.
    ///   - level: level in dBFS, -120 to 0, which no sample exceeds; 0 unless told, as readers want it.
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
    ///   - samples: what is appended to.
    package mutating func encodeCommand(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        append(power, periods: profile.leadingPeriods, into: &samples)
        let preamble = profile.preamble
        encode(preamble.span, into: &samples)
        encode(bytes, into: &samples)
        append(power, periods: profile.trailingPeriods, into: &samples)
    }

    /// Appends the sound of some bytes alone.
    package mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        for index in bytes.indices {
            for place in stride(from: 0, to: 8, by: 2) {
                let symbol = symbols[Int(bytes[index]) >> place & 3]
                append(symbol, periods: profile.shift.periodsPerSymbol, into: &samples)
            }
        }
    }

    /// Appends whole periods of the power tone; what is less than a period is kept for the next time.
    package mutating func idle(seconds: Double, into samples: inout [Float]) {
        owedPeriods += IdleTime.bounded(seconds) * power.step * sampleRate
        // A second of 2,000 Hz is not 1,999 periods because of a rounding.
        let periods = (owedPeriods + 1e-6).rounded(.down)
        owedPeriods -= periods
        append(power, periods: Int(periods), into: &samples)
    }

    /// Starts anew at the start of a period.
    package mutating func reset() {
        phase = power
        owedPeriods = 0
    }

    /// Appends periods of a tone from the end of the last period on, which may lie between two samples.
    private mutating func append(_ tone: TonePhase, periods: Int, into samples: inout [Float]) {
        phase = phase.switched(to: tone)
        let waveform = profile.shift.waveform
        for _ in 0..<phase.frames(toEndOf: periods) {
            samples.appendWiping(amplitude * Float(waveform.value(turns: phase.turns, step: phase.step)))
            phase.advance()
        }
    }
}
