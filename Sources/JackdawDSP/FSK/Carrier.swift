/// Phase and frequency of a carrier as a survivor knows them.
struct Carrier: Sendable {
    /// Where the tone is expected to point at the beginning of the next window; as long as what was seen a bit.
    var phase = SIMD2<Float>.zero
    /// What it turns further, in radians a bit.
    var frequency: Float = 0
    /// Whether the phase is carried on from one window to the next. Where a sender starts each tone anew it cannot be, and
    /// only how loud the tones are counts.
    var isCoherent = true
    /// Radians a bit that it can be off, at most.
    var mostFrequency = Carrier.mostFrequency

    /// How fast the phase follows what is seen, and the frequency, a bit.
    static let phaseGain: Float = 0.12
    static let frequencyGain: Float = 0.01

    /// Radians a bit that a carrier can be off, at most: within a burst, and before one is heard, when noise would carry it
    /// away.
    static let mostFrequency: Float = 0.8
    static let mostFrequencyInNoise: Float = 0.12

    /// Magnitude of a complex number.
    static func size(of value: SIMD2<Float>) -> Float { (value.x * value.x + value.y * value.y).squareRoot() }

    /// Turns on without learning.
    /// - Parameter turns: how far, in turns.
    mutating func turn(by turns: Double) {
        let (sine, cosine) = Numerics.sineAndCosine(turns: turns)
        let (real, imaginary) = (Float(cosine), Float(sine))
        phase = SIMD2(phase.x * real - phase.y * imaginary, phase.y * real + phase.x * imaginary)
    }

    /// What a window has of the carrier in its phase; half of all where the phase is not known yet.
    func gain(_ seen: SIMD2<Float>) -> Float {
        guard isCoherent else { return Self.size(of: seen) }
        let size = Self.size(of: phase)
        guard size > 0 else { return Self.size(of: seen) / 2 }
        return (seen.x * phase.x + seen.y * phase.y) / size
    }

    /// The energy of the carrier in a window over that of any other phase on average.
    /// - Parameter image: the mirror image of its tone there.
    /// - Returns: 0 to 2.
    func energyShare(image: SIMD2<Float>) -> Float {
        let power = phase.x * phase.x + phase.y * phase.y
        guard isCoherent, power > 0 else { return 1 }
        let doubled = SIMD2(phase.x * phase.x - phase.y * phase.y, 2 * phase.x * phase.y) / power
        return 1 + image.x * doubled.x + image.y * doubled.y
    }

    /// Learns from a window and moves on to its end.
    /// - Parameters:
    ///   - seen: the correlation with the window's tone.
    ///   - bits: length of the window.
    ///   - turn: how far the tone turns in it.
    /// - Returns: what the window has of the carrier.
    @inline(__always)
    mutating func follow(_ seen: SIMD2<Float>, bits: Float, _ turn: SIMD2<Float>) -> Float {
        let gain = gain(seen)
        guard isCoherent else { return gain }
        let size = Self.size(of: phase)
        let weight = Self.phaseGain * min(bits, 1)
        if size > 0 {
            let error = (seen.y * phase.x - seen.x * phase.y) / (size * Self.size(of: seen) + 1e-20)
            // A window of less than a bit is mostly noise.
            frequency += Self.frequencyGain * min(bits * bits, 1) * error
            frequency = min(max(frequency, -mostFrequency), mostFrequency)
            phase = (1 - weight) * phase + weight / bits * seen
        } else {
            phase = weight / bits * seen
        }
        let angle = frequency * bits
        let cosine = 1 - angle * angle / 2
        let (real, imaginary) = (phase.x * turn.x - phase.y * turn.y, phase.y * turn.x + phase.x * turn.y)
        phase = SIMD2(real * cosine - imaginary * angle, imaginary * cosine + real * angle)
        return gain
    }
}

/// How far the tones turn, as complex numbers of length 1.
struct CarrierTurns: Sendable {
    /// Space and mark in a bit.
    let bits: TonePair<SIMD2<Float>>
    /// The mark in a grid step.
    let step: SIMD2<Float>
    /// The mark in a stop bit.
    let stop: SIMD2<Float>

    /// - Parameters:
    ///   - turnsPerBit: turns of space and mark in a bit.
    ///   - stopSteps: grid steps of a stop bit.
    init(turnsPerBit: SIMD2<Double>, stopSteps: Int) {
        let perBit = Double(ToneCorrelations.stepsPerBit)
        bits = TonePair(space: Self.turn(turnsPerBit.x), mark: Self.turn(turnsPerBit.y))
        step = Self.turn(turnsPerBit.y / perBit)
        stop = Self.turn(turnsPerBit.y * Double(stopSteps) / perBit)
    }

    private static func turn(_ turns: Double) -> SIMD2<Float> {
        let (sine, cosine) = Numerics.sineAndCosine(turns: turns)
        return SIMD2(Float(cosine), Float(sine))
    }
}
