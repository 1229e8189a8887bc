/// Turns bytes into the sound of a nibble line: preamble and sync before the first byte after silence, then the data.
public struct NibbleLineEncoder: LineEncoder {
    /// The line.
    public let line: NibbleLine
    /// Samples per second (Hz).
    public let sampleRate: Double

    private var wave: SquareWave
    private var isSending = false

    /// An encoder on a silent line.
    /// - Parameters:
    ///   - line: rates and sync.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz, and 2.1 for a chip at least.
    ///   - level: level of the square wave's edge-to-edge half in dBFS, -120 to 0; -6 unless told.
    ///   - isInverted: whether the line is upside down.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(
        _ line: NibbleLine = .uniMag, sampleRate: Double, level: Double = -6, isInverted: Bool = false
    ) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        wave = try SquareWave(
            chipRate: line.chipRate, sampleRate: sampleRate, level: level, isInverted: isInverted)
        self.line = line
        self.sampleRate = sampleRate
    }

    /// Appends the sound of some bytes, behind preamble and sync where the line was silent.
    public mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        if !isSending, !bytes.isEmpty {
            isSending = true
            for _ in 0..<2 * line.preambleBytes { append(line.preambleNibble, &samples) }
            for _ in 0..<2 { append(line.syncNibble, &samples) }
        }
        for index in bytes.indices {
            append(bytes[index] >> 4, &samples)
            append(bytes[index] & 15, &samples)
        }
    }

    /// Appends silence; what is sent next begins with preamble and sync.
    public mutating func idle(seconds: Double, into samples: inout [Float]) {
        isSending = false
        wave.idle(seconds: seconds, chipRate: line.chipRate, into: &samples)
    }

    /// Starts anew on a silent line.
    public mutating func reset() {
        isSending = false
        wave.reset()
    }

    private mutating func append(_ nibble: UInt8, _ samples: inout [Float]) {
        wave.append(NibbleChips.levels(nibble), into: &samples)
    }
}
