/// Turns bytes into a Manchester UART's sound.
public struct SerialManchesterEncoder: LineEncoder {
    /// The line.
    public let line: SerialManchesterLine
    /// Samples per second (Hz).
    public let sampleRate: Double
    /// Peak of the sine, full scale 1.
    public let amplitude: Float

    /// Time of the next sample within the current bit, in samples from the bit's beginning.
    private var timeInBit = 0.0
    private var isSending = false

    /// An encoder on an idle line.
    /// - Parameters:
    ///   - line: rates and idle bits.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz, and 4 for a bit at least.
    ///   - level: level of the sine in dBFS, -120 to 0; -6 unless told.
    ///   - isInverted: whether the line is upside down.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(
        _ line: SerialManchesterLine = .hiJack, sampleRate: Double, level: Double = -6, isInverted: Bool = false
    ) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        try LineCodeError.check("level", level, -120...0, "dBFS")
        self.line = line
        self.sampleRate = sampleRate
        amplitude = (isInverted == line.oneFalls ? -1 : 1) * Float(Numerics.amplitude(decibels: level))
    }

    /// Appends the sound of some bytes, with the ones behind each, and those before where the line was idle.
    public mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        if !isSending, !bytes.isEmpty {
            isSending = true
            for _ in 0..<line.onesBefore { append(bit: 1, &samples) }
        }
        for index in bytes.indices {
            append(bit: 0, &samples)
            for place in 0..<8 { append(bit: bytes[index] >> UInt8(place) & 1, &samples) }
            append(bit: UInt8(bytes[index].nonzeroBitCount & 1), &samples)
            for _ in 0...line.onesAfter { append(bit: 1, &samples) }
        }
    }

    /// Appends ones.
    public mutating func idle(seconds: Double, into samples: inout [Float]) {
        let bits = (IdleTime.bounded(seconds) * line.baud).rounded(.up)
        for _ in 0..<Int(bits) { append(bit: 1, &samples) }
        if bits >= Double(line.onesBefore) { isSending = true }
    }

    /// Starts anew on an idle line.
    public mutating func reset() {
        timeInBit = 0
        isSending = false
    }

    private mutating func append(bit: UInt8, _ samples: inout [Float]) {
        let length = sampleRate / line.baud
        let peak = bit == 1 ? amplitude : -amplitude
        while timeInBit < length {
            samples.appendWiping(peak * Float(Numerics.sineAndCosine(turns: timeInBit / length).sine))
            timeInBit += 1
        }
        timeInBit -= length
    }
}
