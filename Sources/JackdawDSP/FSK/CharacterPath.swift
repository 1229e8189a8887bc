/// What a path through a stretch sees on its way: how much of the sound the characters account for, and how sure each bit
/// is.
struct CharacterPath: Sendable, Wipeable {
    /// A character on the path.
    struct Character: Sendable {
        /// Data and parity bits in the order of the line, the first one in the lowest place.
        var bits: UInt16
        /// Grid steps of its beginning and its earliest end.
        var start: Int
        var end: Int
        /// How much more of the carrier each bit has than its opposite would have, from start to stop bit.
        var leads: SIMD16<Float>
        /// How loud the other tone is in its bits, as a share of the one that they are read as, whatever the phases.
        var rivalry: Float
    }

    private(set) var characters: [Character] = []
    /// What was seen of space and mark in the bits of all characters, relative to the carrier's phase.
    private(set) var tonesSeen = ToneBalance.Seen()
    /// Correlation of the sound with the path, from the beginning to each step.
    private var strength: [Float] = []
    /// Power that the path's tones should have, 1 for a tone of full strength, added up from the beginning to each step.
    private var expected: [Float] = []
    private var powers = SIMD2<Float>(1, 1)
    /// The carrier at the end of each character, and before the first one.
    private(set) var carriers: [Carrier] = []

    /// Follows what a search found.
    /// - Parameters:
    ///   - found: the characters.
    ///   - tones: the stretch.
    ///   - turns: how far the tones turn.
    ///   - powers: power of space and mark on this line, 1 for the stronger one.
    ///   - carrier: what is known of the carrier at the beginning.
    ///   - stopSteps: grid steps of a stop bit.
    ///   - bitCount: bits between start and stop.
    mutating func follow(
        _ found: ArraySlice<CharacterTrellis.Found>, _ tones: ToneCorrelations, _ turns: CarrierTurns,
        powers: SIMD2<Float>, from carrier: Carrier, stopSteps: Int, bitCount: Int
    ) {
        let perBit = ToneCorrelations.stepsPerBit
        characters.growWiping(toHold: found.count)
        carriers.growWiping(toHold: found.count + 1)
        characters.removeAll(keepingCapacity: true)
        carriers.removeAll(keepingCapacity: true)
        strength.removeAll(keepingCapacity: true)
        strength.growWiping(toHold: tones.count + 1)
        strength.append(0)
        expected.removeAll(keepingCapacity: true)
        expected.growWiping(toHold: tones.count + 1)
        expected.append(0)
        self.powers = powers
        tonesSeen = .init()
        var carrier = carrier
        carriers.append(carrier)
        for character in found {
            idle(until: character.start, tones, turns, &carrier)
            var leads = SIMD16<Float>(repeating: 0)
            var (own, other): (Float, Float) = (0, 0)
            for place in 0...bitCount {
                let step = character.start + place * perBit
                let bit = place == 0 ? 0 : Int(character.bits >> UInt16(place - 1)) & 1
                leads[place] = -carrier.gain(tones.bits[1 - bit][step])
                tonesSeen.add(tones.bits[bit][step], tone: bit, carrier)
                own += Carrier.size(of: tones.bits[bit][step])
                other += Carrier.size(of: tones.bits[1 - bit][step])
                let gain = carrier.follow(tones.bits[bit][step], bits: 1, turns.bits[bit])
                leads[place] += gain
                add(gain, power: powers[bit], steps: perBit)
            }
            let stop = character.end - stopSteps
            leads[bitCount + 1] = carrier.gain(tones.bits[1][stop]) - carrier.gain(tones.bits[0][stop])
            let gain = carrier.follow(
                tones.stop[stop], bits: Float(stopSteps) / Float(perBit), turns.stop)
            add(gain, power: powers[1], steps: stopSteps)
            characters.append(
                Character(
                    bits: character.bits, start: character.start, end: character.end, leads: leads,
                    rivalry: other / max(own, .leastNormalMagnitude)))
            carriers.append(carrier)
        }
    }

    /// Goes on with the idle line.
    /// - Returns: the carrier there.
    mutating func idle(until step: Int, _ tones: ToneCorrelations, _ turns: CarrierTurns) -> Carrier {
        var carrier = carriers[carriers.count - 1]
        idle(until: step, tones, turns, &carrier)
        return carrier
    }

    private mutating func idle(
        until end: Int, _ tones: ToneCorrelations, _ turns: CarrierTurns, _ carrier: inout Carrier
    ) {
        while strength.count - 1 < end {
            let gain = carrier.follow(
                tones.idle(at: strength.count - 1, isCoherent: carrier.isCoherent),
                bits: 1 / Float(ToneCorrelations.stepsPerBit), turns.step)
            add(gain, power: powers[1], steps: 1)
        }
    }

    private mutating func add(_ gain: Float, power: Float, steps: Int) {
        strength.growWiping(toHold: strength.count + steps)
        expected.growWiping(toHold: expected.count + steps)
        let (last, lastExpected) = (strength[strength.count - 1], expected[expected.count - 1])
        for step in 1...steps {
            strength.append(last + gain * Float(step) / Float(steps))
            expected.append(lastExpected + power * Float(step))
        }
    }

    mutating func wipe() {
        characters.wipeCapacity()
        carriers.wipeCapacity()
        strength.wipeCapacity()
        expected.wipeCapacity()
        tonesSeen = .init()
    }

    /// Steps that were followed.
    var end: Int { strength.count - 1 }

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
    func evidence(in steps: Range<Int>, _ tones: ToneCorrelations) -> Evidence {
        let range = max(0, steps.lowerBound)..<max(0, min(steps.upperBound, end))
        guard !range.isEmpty else { return .none }
        let samples = Float(Double(range.count) * tones.stepLength)
        let correlation = max(0, strength[range.upperBound] - strength[range.lowerBound])
        let energy = tones.energy[range.upperBound] - tones.energy[range.lowerBound]
        // What is expected of the tones was multiplied into the correlation.
        let share = max((expected[range.upperBound] - expected[range.lowerBound]) / Float(range.count), 1e-6)
        let amplitude = 2 * correlation / (samples * share)
        let power = amplitude * amplitude * share / 2
        let noise = max(energy / samples - power, 1e-12)
        // Where phases do not count, noise alone has as much as once its density.
        let isCoherent = carriers.first?.isCoherent ?? true
        let samplesPerBit = Float(tones.stepLength) * Float(ToneCorrelations.stepsPerBit)
        return Evidence(
            amplitude: (2 * power).squareRoot(), noise: noise,
            bitEnergyToNoise: max(0, power * samplesPerBit / (2 * noise) - (isCoherent ? 0 : 1)))
    }
}

extension CharacterPath {
    /// Steps over which the carrier is taken to be as loud all along: about a character.
    private static let evenSteps = 80

    /// Energy of the carrier over that of what is beside it, wherever there is any: what clocks and tones are compared by.
    func strengthOverNoise(_ tones: ToneCorrelations) -> Float {
        var carrier: Float = 0
        for start in stride(from: 0, to: end, by: Self.evenSteps) {
            let steps = start..<min(start + Self.evenSteps, end)
            let amplitude = evidence(in: steps, tones).amplitude
            carrier += amplitude * amplitude / 2 * Float(Double(steps.count) * tones.stepLength)
        }
        return carrier / max(tones.energy[end] - carrier, 1e-6 * carrier, .leastNormalMagnitude)
    }
}
