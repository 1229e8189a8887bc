/// How much of the sound a path through a stretch accounts for, from the beginning to each grid step.
struct CarrierStrength: Sendable {
    /// Correlation of the sound with the path.
    private var correlation: [Float] = [0]
    /// Power that the path's tones should have, 1 for a tone of full strength, added up.
    private var expected: [Float] = [0]

    /// Whether the phase of the carrier counts.
    private var isCoherent = true

    /// Begins another path.
    mutating func restart(isCoherent: Bool, capacity: Int) {
        self.isCoherent = isCoherent
        correlation.growWiping(toHold: capacity)
        expected.growWiping(toHold: capacity)
        correlation.removeAll(keepingCapacity: true)
        correlation.append(0)
        expected.removeAll(keepingCapacity: true)
        expected.append(0)
    }

    /// Goes on by some steps.
    /// - Parameters:
    ///   - gain: what they have of the carrier.
    ///   - power: power that the tone should have in them.
    ///   - steps: how many there are.
    mutating func add(_ gain: Float, power: Float = 1, steps: Int) {
        correlation.growWiping(toHold: correlation.count + steps)
        expected.growWiping(toHold: expected.count + steps)
        let (last, lastExpected) = (correlation[correlation.count - 1], expected[expected.count - 1])
        for step in 1...steps {
            correlation.append(last + gain * Float(step) / Float(steps))
            expected.append(lastExpected + power * Float(step))
        }
    }

    mutating func wipe() {
        correlation.wipeCapacity()
        expected.wipeCapacity()
    }

    /// Steps that were followed.
    var end: Int { correlation.count - 1 }

    /// The carrier and the noise in some steps.
    struct Evidence {
        /// Amplitude of the carrier.
        let amplitude: Float
        /// Variance of the noise, a sample.
        let noise: Float
        /// Energy of a bit over the density of the noise, as a ratio.
        let bitEnergyToNoise: Float

        static let none = Evidence(amplitude: 0, noise: 1, bitEnergyToNoise: 0)
    }

    /// What some steps hold; steps that were not followed do not count.
    /// - Parameters:
    ///   - steps: grid steps.
    ///   - tones: the stretch.
    ///   - isWhite: whether the noise is taken for white, or for as dense everywhere as it is in the band of the tones. There
    ///     lies also what is left of a carrier whose clock and tones are not met.
    /// - Returns: the carrier and the noise.
    func evidence(in steps: Range<Int>, _ tones: ToneCorrelations, isWhite: Bool = false) -> Evidence {
        let range = max(0, steps.lowerBound)..<max(0, min(steps.upperBound, end))
        guard !range.isEmpty else { return .none }
        let samples = Float(Double(range.count) * tones.stepLength)
        let found = max(0, correlation[range.upperBound] - correlation[range.lowerBound])
        // What is expected of the tones was multiplied into the correlation.
        let share = max((expected[range.upperBound] - expected[range.lowerBound]) / Float(range.count), 1e-6)
        let amplitude = 2 * found / (samples * share)
        let power = amplitude * amplitude * share / 2
        let carrier = power * samples
        let rest = tones.noise(in: range, beside: carrier, isWhite: isWhite)
        let noise = max(rest / samples, 1e-12)
        let samplesPerBit = Float(tones.stepLength) * Float(ToneCorrelations.stepsPerBit)
        // Where phases do not count, noise alone has as much as once its density.
        return Evidence(
            amplitude: (2 * power).squareRoot(), noise: noise,
            bitEnergyToNoise: max(0, power * samplesPerBit / (2 * noise) - (isCoherent ? 0 : 1)))
    }

    /// The energy of some steps, if they count as so many: of fewer steps, noise alone looks more like a carrier, and the energy
    /// of a bit over the noise counts for less.
    /// - Parameters:
    ///   - steps: grid steps; those that were not followed do not count.
    ///   - full: how many of them are worth all that they show.
    ///   - tones: the stretch.
    /// - Returns: the carrier and the noise.
    func evidence(in steps: Range<Int>, outOf full: Int, _ tones: ToneCorrelations) -> Evidence {
        let evidence = evidence(in: steps, tones)
        let count = min(steps.upperBound, end) - max(0, steps.lowerBound)
        guard count < full else { return evidence }
        // Ten bits need two and a half times as much as forty: within a twentieth, the power of 5/8.
        let root = (Float(max(0, count)) / Float(full)).squareRoot()
        return Evidence(
            amplitude: evidence.amplitude, noise: evidence.noise,
            bitEnergyToNoise: evidence.bitEnergyToNoise * root * root.squareRoot().squareRoot())
    }
}

extension CarrierStrength {
    /// Forty bits: over so many noise alone looks little like a carrier.
    static let evidenceSteps = 40 * ToneCorrelations.stepsPerBit
    /// Energy of a bit over the density of the noise that is a sign of a signal, which another clock or other tones may
    /// bring out.
    private static let leastSign: Float = 1.2

    /// Whether forty bits somewhere hold more of a carrier than noise alone seems to.
    func holdsSignal(_ tones: ToneCorrelations) -> Bool {
        let last = max(0, end - Self.evidenceSteps)
        return stride(from: 0, through: last, by: Self.evidenceSteps / 2).contains { step in
            evidence(in: step..<step + Self.evidenceSteps, tones, isWhite: true).bitEnergyToNoise > Self.leastSign
        }
    }

    /// Steps over which the carrier is taken to be as loud all along: about a character.
    private static let evenSteps = 80

    /// Energy of the carrier over that of what is beside it, wherever there is any: what clocks and tones are compared by.
    /// - Parameters:
    ///   - tones: the stretch.
    ///   - isWhite: whether the noise is taken for white, or for as dense everywhere as it is in the band of the tones.
    /// - Returns: the ratio.
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
