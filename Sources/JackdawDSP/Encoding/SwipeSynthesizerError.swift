/// A value that no swipe can have.
public struct SwipeSynthesizerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that kinds can be added.
    public struct Code: Sendable, Hashable {
        enum Kind { case outOfRange }
        let kind: Kind
        /// A value out of its range.
        public static let outOfRange = Code(kind: .outOfRange)
    }

    /// The kind of error.
    public let code: Code
    /// The value and its range, in one line.
    public let message: String

    /// The message.
    public var description: String { message }
}

extension SwipeSynthesizer.Configuration {
    /// Checks every value against its range. NaN lies in none.
    func validate() throws(SwipeSynthesizerError) {
        try check("sample rate", sampleRate, 8_000...192_000, "Hz")
        try check("speed", speed, 0.5...200, "in/s")
        try check("pulse width", pulseWidth, 5...1_000, "um")
        try check("peak level", peakLevel, -120...0, "dBFS")
        try check("clipping", clipping ?? 1, 1...1_000, "times full scale")
        try check("signal to noise ratio", signalToNoise ?? 0, -60...200, "dB")
        try check("hum level", humLevel ?? 0, -200...60, "dB")
        try check("hum frequency", humFrequency, 1...1_000, "Hz")
        try check("offset", offset, -1...1, "of full scale")
        try check("silence", silence, 0...60, "s")
        if let defect = motion.defect { throw SwipeSynthesizerError(code: .outOfRange, message: defect) }
    }

    private func check(
        _ name: String, _ value: Double, _ range: ClosedRange<Double>, _ unit: String
    ) throws(SwipeSynthesizerError) {
        guard !range.contains(value) else { return }
        throw SwipeSynthesizerError(
            code: .outOfRange,
            message: "\(name) \(value) is out of range: \(range.lowerBound) to \(range.upperBound) \(unit)")
    }
}
