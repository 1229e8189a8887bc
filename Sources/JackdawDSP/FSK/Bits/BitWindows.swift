/// What a stretch of sound has of the two tones in bits that are a grid step shorter or longer than they should be.
struct BitWindows: Sendable, Wipeable {
    /// Grid steps that a bit may have.
    static let lengths = ToneCorrelations.stepsPerBit - 1...ToneCorrelations.stepsPerBit + 1

    /// The stretch.
    private(set) var tones = ToneCorrelations()
    /// A row for each length and tone: bits that open at each step.
    private var rows = [[SIMD2<Float>]](repeating: [], count: 2 * lengths.count)
    /// How far either tone turns in a bit of each length.
    private var turns = [SIMD2<Float>](repeating: .zero, count: 2 * lengths.count)

    /// Correlates a stretch.
    /// - Parameters:
    ///   - samples: the sound without offset and hum.
    ///   - energy: its energy.
    ///   - offset: time of the first step, 0 to 1 sample.
    ///   - frequencies: turns a sample of space and mark.
    ///   - samplesPerBit: length of a bit; need not be whole.
    mutating func load(
        _ samples: Span<Float>, _ energy: SoundEnergy, from offset: Double, frequencies: SIMD2<Double>,
        samplesPerBit: Double
    ) {
        tones.load(
            samples, energy, from: offset, turns: frequencies, samplesPerBit: samplesPerBit,
            stopSteps: Self.lengths.upperBound)
        for length in Self.lengths {
            for tone in 0..<2 {
                let row = Self.row(length, tone)
                // The sum that a window is a difference of takes a sample for what lies behind it: its middle is half a
                // sample later than the sample itself. Where bits have few samples that turns one tone against the other.
                tones.correlate(
                    tone: tone, turns: frequencies[tone], window: length, at: offset - 0.5, into: &rows[row])
                let (sine, cosine) = Numerics.sineAndCosine(
                    turns: frequencies[tone] * tones.stepLength * Double(length))
                turns[row] = SIMD2(Float(cosine), Float(sine))
            }
        }
    }

    mutating func wipe() {
        tones.wipe()
        for row in rows.indices { rows[row].wipeCapacity() }
    }

    /// What a bit has of a tone.
    @inline(__always)
    func seen(_ tone: Int, from step: Int, length: Int) -> SIMD2<Float> { rows[Self.row(length, tone)][step] }

    /// How far a tone turns in a bit, as a complex number of length 1.
    @inline(__always)
    func turn(_ tone: Int, length: Int) -> SIMD2<Float> { turns[Self.row(length, tone)] }

    @inline(__always)
    private static func row(_ length: Int, _ tone: Int) -> Int { 2 * (length - lengths.lowerBound) + tone }
}
