import JackdawBytes

/// The correlation of the sound with a path through a stretch, cumulated up to each grid step.
struct CarrierStrength: Sendable {
    /// Cumulated correlation of the sound with the path.
    private var correlation: [Float] = [0]
    /// Cumulated power that the path's tones should have, 1 for a tone of full strength.
    private var expected: [Float] = [0]

    /// Whether the phase of the carrier counts.
    private var isCoherent = true

    /// Starts another path at the first step.
    mutating func restart(isCoherent: Bool, capacity: Int) {
        self.isCoherent = isCoherent
        correlation.growWiping(toHold: capacity)
        expected.growWiping(toHold: capacity)
        correlation.removeAll(keepingCapacity: true)
        correlation.append(0)
        expected.removeAll(keepingCapacity: true)
        expected.append(0)
    }

    /// Extends the path by a number of steps.
    /// - Parameters:
    ///   - gain: correlation of the steps with the carrier.
    ///   - power: power that the tone should have in them.
    ///   - steps: the number of steps.
    mutating func add(_ gain: Float, power: Float = 1, steps: Int) {
        if correlation.capacity < correlation.count + steps {
            correlation.growWiping(toHold: correlation.count + steps)
            expected.growWiping(toHold: expected.count + steps)
        }
        let (last, lastExpected) = (correlation[correlation.count - 1], expected[expected.count - 1])
        let scale = 1 / Float(steps)
        for step in 1...steps {
            correlation.append(last + gain * Float(step) * scale)
            expected.append(lastExpected + power * Float(step))
        }
    }

    /// Drops the steps from one on.
    mutating func keep(_ steps: Int) {
        correlation.removeLast(correlation.count - 1 - steps)
        expected.removeLast(expected.count - 1 - steps)
    }

    mutating func wipe() {
        correlation.wipeCapacity()
        expected.wipeCapacity()
    }

    /// The number of steps in the path.
    var end: Int { correlation.count - 1 }

    /// The carrier and the noise in a range of steps.
    struct Evidence {
        /// Amplitude of the carrier.
        let amplitude: Float
        /// Variance of the noise per sample.
        let noise: Float
        /// Energy of a bit over the density of the noise, as a ratio.
        let bitEnergyToNoise: Float

        static let none = Evidence(amplitude: 0, noise: 1, bitEnergyToNoise: 0)
    }

    /// The evidence in a range of steps; steps outside the path do not count.
    /// - Parameters:
    ///   - steps: grid steps.
    ///   - tones: the correlations of the stretch.
    ///   - isWhite: whether the noise is assumed white, or as dense everywhere as in the band of the tones. That band
    ///     also contains the residual of a carrier whose clock and tones do not match.
    /// - Returns: the carrier and the noise.
    func evidence(in steps: Range<Int>, _ tones: ToneCorrelations, isWhite: Bool = false) -> Evidence {
        let range = max(0, steps.lowerBound)..<max(0, min(steps.upperBound, end))
        guard !range.isEmpty else { return .none }
        let samples = Float(Double(range.count) * tones.stepLength)
        let found = max(0, correlation[range.upperBound] - correlation[range.lowerBound])
        // The correlation includes the expected power of the tones as a factor.
        let share = max((expected[range.upperBound] - expected[range.lowerBound]) / Float(range.count), 1e-6)
        let amplitude = 2 * found / (samples * share)
        let power = amplitude * amplitude * share / 2
        let carrier = power * samples
        let rest = tones.noise(in: range, beside: carrier, isWhite: isWhite)
        let noise = max(rest / samples, 1e-12)
        let samplesPerBit = Float(tones.stepLength) * Float(ToneCorrelations.stepsPerBit)
        // If phases do not count, noise alone has a ratio of 1, which is subtracted.
        return Evidence(
            amplitude: (2 * power).squareRoot(), noise: noise,
            bitEnergyToNoise: max(0, power * samplesPerBit / (2 * noise) - (isCoherent ? 0 : 1)))
    }

    /// The evidence in steps, weighted for their number: in fewer steps, noise alone resembles a carrier more, so the
    /// energy of a bit over the noise counts for less.
    /// - Parameters:
    ///   - steps: grid steps; those outside the path do not count.
    ///   - full: the number of steps from which on the evidence counts in full.
    ///   - tones: the correlations of the stretch.
    /// - Returns: the carrier and the noise.
    func evidence(in steps: Range<Int>, outOf full: Int, _ tones: ToneCorrelations) -> Evidence {
        let evidence = evidence(in: steps, tones)
        let count = min(steps.upperBound, end) - max(0, steps.lowerBound)
        guard count < full else { return evidence }
        // Ten bits need two and a half times as much as forty; the power of 5/8 gives that within 5 %.
        let root = (Float(max(0, count)) / Float(full)).squareRoot()
        return Evidence(
            amplitude: evidence.amplitude, noise: evidence.noise,
            bitEnergyToNoise: evidence.bitEnergyToNoise * root * root.squareRoot().squareRoot())
    }
}

extension CarrierStrength {
    /// Forty bits: over that length, noise alone rarely resembles a carrier.
    static let evidenceSteps = 40 * ToneCorrelations.stepsPerBit
    /// Least energy of a bit over the density of the noise that suggests a signal, which another clock or other tones
    /// may reveal.
    private static let leastSign: Float = 1.2

    /// Whether forty bits somewhere contain more carrier than noise alone would suggest.
    func holdsSignal(_ tones: ToneCorrelations) -> Bool {
        let last = max(0, end - Self.evidenceSteps)
        return stride(from: 0, through: last, by: Self.evidenceSteps / 2).contains { step in
            evidence(in: step..<step + Self.evidenceSteps, tones, isWhite: true).bitEnergyToNoise > Self.leastSign
        }
    }

    /// Whether forty bits somewhere contain a carrier.
    func isClear(_ tones: ToneCorrelations) -> Bool {
        let last = max(0, end - Self.evidenceSteps)
        return stride(from: 0, through: last, by: Self.evidenceSteps / 2).contains { step in
            evidence(in: step..<step + Self.evidenceSteps, tones).bitEnergyToNoise >= SequenceDecoder.leastEvidence
        }
    }

    /// Noise in the band over that outside it which is no longer a fluctuation.
    private static let loudBand: Float = 1.25

    /// Whether forty bits somewhere contain more noise in the band of the tones than outside it.
    func isBandLoud(_ tones: ToneCorrelations) -> Bool {
        let last = max(0, end - Self.evidenceSteps)
        return stride(from: 0, through: last, by: Self.evidenceSteps / 2).contains { step in
            let steps = step..<step + Self.evidenceSteps
            return evidence(in: steps, tones).noise
                > Self.loudBand * evidence(in: steps, tones, isWhite: true).noise
        }
    }

    /// Steps over which the carrier's level is assumed constant: about a character.
    private static let evenSteps = 80

    /// Energy of the carrier over that of the rest, in all steps with a carrier: the criterion by which clocks and
    /// tones are compared.
    /// - Parameters:
    ///   - tones: the correlations of the stretch.
    ///   - isWhite: whether the noise is assumed white, or as dense everywhere as in the band of the tones.
    /// - Returns: the ratio of the energies.
    func overNoise(_ tones: ToneCorrelations, isWhite: Bool) -> Float {
        var carrier: Float = 0
        for start in stride(from: 0, to: end, by: Self.evenSteps) {
            let steps = start..<min(start + Self.evenSteps, end)
            let amplitude = evidence(in: steps, tones).amplitude
            carrier += amplitude * amplitude / 2 * Float(Double(steps.count) * tones.stepLength)
        }
        let noise = tones.noise(in: 0..<end, beside: carrier, isWhite: isWhite)
        return carrier / max(noise, 1e-6 * carrier, .leastNormalMagnitude)
    }
}

/// Phase and frequency of a carrier as a survivor estimates them.
struct Carrier: Sendable {
    /// The expected phase of the tone at the start of the next window, as a complex number; its magnitude is the
    /// correlation per bit.
    var phase = SIMD2<Float>.zero
    /// The deviation of the carrier from its nominal frequency, as phase per bit in radians.
    var frequency: Float = 0
    /// Whether the phase continues from one window to the next. If a sender starts each tone at a new phase it does
    /// not, and only the levels of the tones count.
    var isCoherent = true
    /// The largest frequency offset, in radians per bit.
    var maxFrequency = Carrier.maxFrequency

    /// Gains with which the phase and the frequency follow the sound, per bit.
    static let phaseGain: Float = 0.12
    static let frequencyGain: Float = 0.01

    /// The largest frequency offset of a carrier, in radians per bit: within a burst, and before one is detected, when
    /// noise would pull it away.
    static let maxFrequency: Float = 0.8
    static let maxFrequencyInNoise: Float = 0.12

    /// Magnitude of a complex number.
    static func size(of value: SIMD2<Float>) -> Float { (value.x * value.x + value.y * value.y).squareRoot() }

    /// Turns the phase without learning from the sound.
    /// - Parameter turns: the angle in turns.
    mutating func turn(by turns: Double) {
        let (sine, cosine) = Numerics.sineAndCosine(turns: turns)
        let (real, imaginary) = (Float(cosine), Float(sine))
        phase = SIMD2(phase.x * real - phase.y * imaginary, phase.y * real + phase.x * imaginary)
    }

    /// The correlation of a window with the carrier at its phase; half of the magnitude if the phase is not yet known.
    @inline(__always)
    func gain(_ seen: SIMD2<Float>) -> Float {
        guard isCoherent else { return Self.size(of: seen) }
        let size = Self.size(of: phase)
        guard size > 0 else { return Self.size(of: seen) / 2 }
        return (seen.x * phase.x + seen.y * phase.y) / size
    }

    /// The energy of the carrier in a window over the average of all phases.
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
    ///   - bits: length of the window in bits.
    ///   - turn: the turn of the tone in it.
    /// - Returns: the correlation of the window with the carrier.
    @inline(__always)
    mutating func follow(_ seen: SIMD2<Float>, bits: Float, _ turn: SIMD2<Float>) -> Float {
        let gain = gain(seen)
        guard isCoherent else { return gain }
        let size = Self.size(of: phase)
        let weight = Self.phaseGain * min(bits, 1)
        if size > 0 {
            let error = (seen.y * phase.x - seen.x * phase.y) / (size * Self.size(of: seen) + 1e-20)
            // The angle of a window shorter than a bit is mostly noise, so it counts less.
            frequency += Self.frequencyGain * min(bits * bits, 1) * error
            frequency = min(max(frequency, -maxFrequency), maxFrequency)
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

/// The turns of the tones, as complex numbers of magnitude 1.
struct CarrierTurns: Sendable {
    /// Turns of space and mark in a bit.
    let bits: TonePair<SIMD2<Float>>
    /// Turn of the mark in a grid step.
    let step: SIMD2<Float>
    /// Turn of the mark in a stop bit.
    let stop: SIMD2<Float>

    /// Computes the turns from the frequencies of the tones.
    /// - Parameters:
    ///   - turnsPerBit: periods of space (x) and mark (y) in a bit.
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

/// Measures a burst from its characters.
struct BurstMeter: Sendable {
    private let start: Double
    /// Time at which the last character ends, in samples.
    private(set) var end: Double
    private var characters = 0
    private var framingErrors = 0
    private var repairedBits = 0
    private var confidence: Float = 1
    private var power = 0.0
    private var noise = 0.0
    private var baud = 0.0
    private var tones: LineBurst.Tones?

    /// - Parameter start: time of its start in samples.
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
