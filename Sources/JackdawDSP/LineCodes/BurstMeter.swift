/// Measures a burst from its characters.
struct BurstMeter: Sendable {
    private let start: Double
    /// Time at which its last character ends, in samples.
    private(set) var end: Double
    private var characters = 0
    private var framingErrors = 0
    private var repairedBits = 0
    private var confidence: Float = 1
    private var power = 0.0
    private var noise = 0.0
    private var baud = 0.0
    private var tones: LineBurst.Tones?

    /// - Parameter start: time of its beginning in samples.
    init(start: Double) {
        self.start = start
        end = start
    }

    mutating func add(_ character: LineCharacter, evidence: CarrierStrength.Evidence, end: Double) {
        characters += 1
        if !character.isFramed { framingErrors += 1 }
        repairedBits += Int(character.repairedBits)
        confidence = min(confidence, character.confidence)
        power += Double(evidence.amplitude * evidence.amplitude) / 2
        noise += Double(evidence.noise)
        self.end = end
    }

    mutating func note(baud: Double, frequencies: SIMD2<Double>) {
        self.baud = baud
        tones = .init(mark: frequencies.y, space: frequencies.x)
    }

    func result(sampleRate: Double) -> LineBurst {
        let count = Double(max(characters, 1))
        return LineBurst(
            span: SwipeSpan(startSample: Int(start), endSample: Int(end.rounded(.up)), sampleRate: sampleRate),
            characters: characters, framingErrors: framingErrors, repairedBits: repairedBits, check: nil,
            confidence: confidence, baud: baud, tones: tones,
            level: 10 * Numerics.decimalLogarithm(max(2 * power / count, 1e-12)),
            signalToNoise: 10 * Numerics.decimalLogarithm(max(power, 1e-12) / max(noise, 1e-12)))
    }
}
