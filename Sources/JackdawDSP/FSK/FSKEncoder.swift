/// Turns bytes into frequency shift keying: one sine whose phase never jumps.
public struct FSKEncoder: LineEncoder {
    /// The tones and the baud.
    public let shift: FrequencyShift
    /// How characters lie among start and stop bits.
    public let framing: CharacterFraming
    /// Samples per second (Hz).
    public let sampleRate: Double
    /// Peak of the sine, full scale 1.
    public let amplitude: Float

    /// Turns of the sine so far, less the whole ones.
    private var phase = 0.0
    /// Time of the next sample within the current bit, in samples from the bit's beginning.
    private var timeInBit = 0.0

    /// An encoder at phase 0.
    /// - Parameters:
    ///   - shift: tones and baud.
    ///   - framing: 8N1 unless told.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
    ///   - level: level of the sine in dBFS, -120 to 0; -6 unless told.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(
        _ shift: FrequencyShift, framing: CharacterFraming = .eightNoneOne, sampleRate: Double, level: Double = -6
    ) throws(LineCodeError) {
        try shift.validate(sampleRate: sampleRate)
        try framing.validate()
        try LineCodeError.check("level", level, -120...0, "dBFS")
        self.shift = shift
        self.framing = framing
        self.sampleRate = sampleRate
        amplitude = Float(Numerics.amplitude(decibels: level))
    }

    /// Appends the sound of some bytes, each from start bit to stop bits.
    public mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        for index in bytes.indices { encode(UInt16(bytes[index]), into: &samples) }
    }

    /// Appends the sound of one character, of which the framing's data bits count.
    public mutating func encode(_ value: UInt16, into samples: inout [Float]) {
        let data = value & (1 << UInt16(framing.dataBits) - 1)
        append(tone: shift.space, bits: 1, into: &samples)
        for index in 0..<framing.dataBits {
            appendBit(Int(data >> UInt16(framing.place(ofDataBit: index))) & 1, &samples)
        }
        if let parity = framing.parityBit(of: data) { appendBit(parity, &samples) }
        append(tone: shift.mark, bits: framing.stopBits.rawValue, into: &samples)
    }

    /// Appends bits without start and stop, the first one in the most significant place of the first byte.
    /// - Parameters:
    ///   - bytes: eight bits each.
    ///   - samples: what is appended to.
    public mutating func encodeBits(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        for index in bytes.indices {
            for place in stride(from: 7, through: 0, by: -1) { appendBit(Int(bytes[index]) >> place & 1, &samples) }
        }
    }

    /// Appends a held mark.
    public mutating func idle(seconds: Double, into samples: inout [Float]) {
        append(tone: shift.mark, bits: IdleTime.bounded(seconds) * shift.baud, into: &samples)
    }

    /// Starts anew at phase 0.
    public mutating func reset() {
        phase = 0
        timeInBit = 0
    }

    private mutating func appendBit(_ bit: Int, _ samples: inout [Float]) {
        append(tone: bit == 1 ? shift.mark : shift.space, bits: 1, into: &samples)
    }

    /// Appends a tone; a bit may begin and end between two samples, and the phase turns at the tone's rate from there on.
    private mutating func append(tone: Double, bits: Double, into samples: inout [Float]) {
        let length = bits * sampleRate / shift.baud
        let turns = tone / sampleRate
        while timeInBit < length {
            samples.appendWiping(amplitude * Float(Numerics.sineAndCosine(turns: phase + timeInBit * turns).sine))
            timeInBit += 1
        }
        phase += length * turns
        phase -= phase.rounded(.down)
        timeInBit -= length
    }
}
