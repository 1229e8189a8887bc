import JackdawBytes

/// A line that changes its level at any instant. A sample is the mean of the line over the time until the next one, so
/// that an edge between two samples keeps its position.
struct SquareWave: Sendable {
    let samplesPerChip: Double
    let amplitude: Double

    /// Time into the sample that is being computed, 0 to 1.
    private var time = 0.0
    private var sum = 0.0

    /// - Parameters:
    ///   - chipRate: chips per second.
    ///   - sampleRate: samples per second (Hz).
    ///   - level: level in dBFS, -120 to 0.
    ///   - isInverted: whether the line is inverted.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    init(chipRate: Double, sampleRate: Double, level: Double, isInverted: Bool) throws(LineCodeError) {
        try LineCodeError.check("level", level, -120...0, "dBFS")
        samplesPerChip = sampleRate / chipRate
        amplitude = (isInverted ? -1 : 1) * Numerics.amplitude(decibels: level)
    }

    /// Appends chips of one length, multiplied by a sign.
    mutating func append(_ levels: [Float], sign: Double = 1, into samples: inout [Float]) {
        for level in levels { append(level: sign * Double(level), chips: 1, into: &samples) }
    }

    /// Appends a line at level 0.
    mutating func idle(seconds: Double, chipRate: Double, into samples: inout [Float]) {
        append(level: 0, chips: IdleTime.bounded(seconds) * chipRate, into: &samples)
    }

    mutating func append(level: Double, chips: Double, into samples: inout [Float]) {
        var left = chips * samplesPerChip
        while time + left >= 1 {
            let part = 1 - time
            samples.appendWiping(Float(amplitude * (sum + level * part)))
            left -= part
            time = 0
            sum = 0
        }
        sum += level * left
        time += left
    }

    mutating func reset() {
        time = 0
        sum = 0
    }
}
