/// A value that no swipe or stripe can have.
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
        try SwipeSynthesizerError.check("sample rate", sampleRate, 8_000...192_000, "Hz")
        try SwipeSynthesizerError.check("speed", speed, 0.5...200, "in/s")
        try SwipeSynthesizerError.check("pulse width", pulseWidth, 5...1_000, "um")
        try SwipeSynthesizerError.check("peak level", peakLevel, -120...0, "dBFS")
        try SwipeSynthesizerError.check("clipping", clipping ?? 1, 1...1_000, "times full scale")
        try SwipeSynthesizerError.check("signal to noise ratio", signalToNoise ?? 0, -60...200, "dB")
        try SwipeSynthesizerError.check("hum level", humLevel ?? 0, -200...60, "dB")
        try SwipeSynthesizerError.check("hum frequency", humFrequency, 1...1_000, "Hz")
        try SwipeSynthesizerError.check("offset", offset, -1...1, "of full scale")
        try SwipeSynthesizerError.check("silence", silence, 0...60, "s")
        if let defect = motion.defect { throw SwipeSynthesizerError(code: .outOfRange, message: defect) }
    }
}

extension SwipeSynthesizerError {
    static func check(
        _ name: String, _ value: Double, _ range: ClosedRange<Double>, _ unit: String
    ) throws(SwipeSynthesizerError) {
        guard !range.contains(value) else { return }
        throw SwipeSynthesizerError(
            code: .outOfRange,
            message: "\(name) \(value) is out of range: \(range.lowerBound) to \(range.upperBound) \(unit)")
    }
}
