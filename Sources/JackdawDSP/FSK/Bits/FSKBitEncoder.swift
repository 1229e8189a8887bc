/// Turns bytes into frequency shift keying without start and stop bits, the most significant bit first; silence around it
/// tells where the bits begin.
public struct FSKBitEncoder: LineEncoder {
    /// Samples per second (Hz).
    public var sampleRate: Double { encoder.sampleRate }
    /// The tones and the baud.
    public var shift: FrequencyShift { encoder.shift }

    private var encoder: FSKEncoder

    /// An encoder on a silent line.
    /// - Parameters:
    ///   - shift: tones and baud.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
    ///   - level: level of the sine in dBFS, -120 to 0; -6 unless told.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(_ shift: FrequencyShift, sampleRate: Double, level: Double = -6) throws(LineCodeError) {
        encoder = try FSKEncoder(shift, sampleRate: sampleRate, level: level)
    }

    /// Appends the sound of some bytes, eight bits each.
    public mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        encoder.encodeBits(bytes, into: &samples)
    }

    /// Appends silence.
    public mutating func idle(seconds: Double, into samples: inout [Float]) {
        let count = Int(IdleTime.bounded(seconds) * sampleRate)
        samples.growWiping(toHold: samples.count + count)
        samples.append(contentsOf: repeatElement(0, count: count))
        reset()
    }

    /// Starts anew at phase 0.
    public mutating func reset() { encoder.reset() }
}
