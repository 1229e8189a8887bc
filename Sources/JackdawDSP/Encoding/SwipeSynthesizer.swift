/// Synthesises the sound of a card drawn past a magnetic head.
///
/// Each flux transition is a Lorentzian pulse of alternating sign, v = 1 / (1 + (2x / PW50)^2), at the speed of the
/// card and with an amplitude proportional to it. The rendering is free of aliasing; the same configuration gives the
/// same samples.
///
/// ```swift
/// let message = try TrackMessage(";4111111111111111=2912101?", code: .numeric)
/// let synthesizer = try SwipeSynthesizer(configuration: .init(sampleRate: 44_100, speed: 12))
/// let samples = synthesizer.render(FluxStripe(message, track: .two))
/// ```
public struct SwipeSynthesizer: Sendable {
    /// The swipe, the head, and the disturbances of the sound.
    public struct Configuration: Sendable, Hashable {
        /// Samples per second, 8,000 to 192,000 Hz.
        public var sampleRate: Double
        /// Nominal card speed in inches per second, 0.5 to 200; hands swipe at 3 to 50.
        public var speed: Double
        /// The change of speed along the stripe.
        public var motion: SwipeMotion
        /// The end of the message that passes the head first.
        public var direction: SwipeDirection
        /// Whether the first transition gives a negative pulse.
        public var isInverted: Bool
        /// Width of a pulse at half its height, in micrometres along the stripe, 5 to 1,000.
        public var pulseWidth: Double
        /// Highest magnitude of the clean signal in dBFS, -120 to 0.
        public var peakLevel: Double
        /// The clean signal's peak in multiples of full scale, 1 to 1,000, at which it is clipped; overrides the peak
        /// level if not nil.
        public var clipping: Double?
        /// Mean power of the clean signal from first to last transition over the variance of white noise, in dB; nil
        /// for no noise.
        public var signalToNoise: Double?
        /// Power of mains hum over that of the clean signal, in dB; nil for no hum. Odd harmonics as in a square wave.
        public var humLevel: Double?
        /// Frequency of the hum in Hz, 1 to 1,000.
        public var humFrequency: Double
        /// Constant offset, full scale -1 to 1.
        public var offset: Double
        /// Silence before and after the stripe in seconds, 0 to 60.
        public var silence: Double
        /// Seed of the noise and of the hum's phase.
        public var seed: UInt64

        /// Creates a configuration; by default a clean forward swipe at 15 in/s.
        public init(
            sampleRate: Double, speed: Double = 15, motion: SwipeMotion = .constant,
            direction: SwipeDirection = .forward, isInverted: Bool = false, pulseWidth: Double = 40,
            peakLevel: Double = -6, clipping: Double? = nil, signalToNoise: Double? = nil, humLevel: Double? = nil,
            humFrequency: Double = 50, offset: Double = 0, silence: Double = 0.1, seed: UInt64 = 0
        ) {
            self.sampleRate = sampleRate
            self.speed = speed
            self.motion = motion
            self.direction = direction
            self.isInverted = isInverted
            self.pulseWidth = pulseWidth
            self.peakLevel = peakLevel
            self.clipping = clipping
            self.signalToNoise = signalToNoise
            self.humLevel = humLevel
            self.humFrequency = humFrequency
            self.offset = offset
            self.silence = silence
            self.seed = seed
        }
    }

    /// The swipe, head and disturbances that this synthesizer renders.
    public let configuration: Configuration

    /// Creates a synthesizer for one configuration.
    /// - Throws: ``SwipeSynthesizerError`` with code `outOfRange` that names the value.
    public init(configuration: Configuration) throws(SwipeSynthesizerError) {
        try configuration.validate()
        self.configuration = configuration
    }

    /// Renders the sound of one swipe, full scale -1 to 1.
    public func render(_ stripe: FluxStripe) -> [Float] {
        let clean = HeadSignal(configuration, stripe).render()
        var samples = clean.samples
        let peak = samples.reduce(0) { max($0, abs($1)) }
        guard peak > 0 else { return samples.map { _ in Float(min(max(configuration.offset, -1), 1)) } }

        let target = configuration.clipping ?? Numerics.amplitude(decibels: configuration.peakLevel)
        let gain = Float(target) / peak
        var power = 0.0
        for index in clean.message { power += Double(samples[index]) * Double(samples[index]) }
        let level = (power / Double(max(1, clean.message.count))).squareRoot() * Double(gain)

        var noise = GaussianNoise(seed: configuration.seed)
        let noiseLevel = configuration.signalToNoise.map { level * Numerics.amplitude(decibels: -$0) } ?? 0
        let hum = configuration.humLevel.map { Hum(configuration, level: level * Numerics.amplitude(decibels: $0)) }
        for index in samples.indices {
            var value = Double(samples[index] * gain) + configuration.offset
            if noiseLevel > 0 { value += noiseLevel * noise.next() }
            if let hum { value += hum.value(at: index) }
            samples[index] = Float(min(max(value, -1), 1))
        }
        return samples
    }
}

/// Mains hum: a square wave's first three partials, with a phase from the seed.
private struct Hum {
    private static let partials = [1.0, 3, 5]
    private let turnsPerSample: Double
    private let phase: Double
    private let amplitude: Double

    /// Creates hum with `level` as its root mean square.
    init(_ configuration: SwipeSynthesizer.Configuration, level: Double) {
        var random = GaussianNoise(seed: ~configuration.seed)
        turnsPerSample = configuration.humFrequency / configuration.sampleRate
        phase = random.uniform()
        amplitude = level / (Self.partials.reduce(0) { $0 + 0.5 / ($1 * $1) }).squareRoot()
    }

    func value(at index: Int) -> Double {
        let turns = phase + turnsPerSample * Double(index)
        return amplitude * Self.partials.reduce(0) { $0 + Numerics.sineAndCosine(turns: $1 * turns).sine / $1 }
    }
}

/// The error for a value that no swipe or stripe can have.
public struct SwipeSynthesizerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that kinds can be added.
    public struct Code: Sendable, Hashable {
        enum Kind { case outOfRange }
        let kind: Kind
        /// The value is out of its range.
        public static let outOfRange = Code(kind: .outOfRange)
    }

    /// The kind of error, for programs to compare.
    public let code: Code
    /// The value and its range, in one line.
    public let message: String

    public var description: String { message }
}

extension SwipeSynthesizer.Configuration {
    /// Checks every value against its range. NaN is in no range.
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
