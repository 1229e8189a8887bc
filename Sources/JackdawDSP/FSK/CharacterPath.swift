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
        /// How loud both tones are in its bits, from start to stop.
        var keying: ToneKeying
    }

    private(set) var characters: [Character] = []
    /// What was seen of space and mark in the bits of all characters, relative to the carrier's phase.
    private(set) var tonesSeen = ToneBalance.Seen()
    /// How much of the sound the path accounts for.
    private(set) var strength = CarrierStrength()
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
        strength.restart(isCoherent: carrier.isCoherent, capacity: tones.count + 1)
        self.powers = powers
        tonesSeen = .init()
        var carrier = carrier
        carriers.append(carrier)
        for character in found {
            idle(until: character.start, tones, turns, &carrier)
            var leads = SIMD16<Float>(repeating: 0)
            var keying = ToneKeying()
            for place in 0...bitCount {
                let step = character.start + place * perBit
                let bit = place == 0 ? 0 : Int(character.bits >> UInt16(place - 1)) & 1
                leads[place] = -carrier.gain(tones.bits[1 - bit][step])
                tonesSeen.add(tones.bits[bit][step], tone: bit, carrier)
                keying.add(bit, at: step, tones)
                let share = carrier.energyShare(image: tones.image(of: bit, at: step, steps: perBit))
                let gain = carrier.follow(tones.bits[bit][step], bits: 1, turns.bits[bit])
                leads[place] += gain
                strength.add(gain, power: share * powers[bit], steps: perBit)
            }
            let stop = character.end - stopSteps
            leads[bitCount + 1] = carrier.gain(tones.bits[1][stop]) - carrier.gain(tones.bits[0][stop])
            keying.add(1, at: stop, tones)
            let share = carrier.energyShare(image: tones.image(of: 1, at: stop, steps: stopSteps))
            let gain = carrier.follow(
                tones.stop[stop], bits: Float(stopSteps) / Float(perBit), turns.stop)
            strength.add(gain, power: share * powers[1], steps: stopSteps)
            characters.append(
                Character(
                    bits: character.bits, start: character.start, end: character.end, leads: leads,
                    keying: keying))
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
        while strength.end < end {
            let gain = carrier.follow(
                tones.idle(at: strength.end, isCoherent: carrier.isCoherent),
                bits: 1 / Float(ToneCorrelations.stepsPerBit), turns.step)
            strength.add(gain, power: powers[1], steps: 1)
        }
    }

    mutating func wipe() {
        characters.wipeCapacity()
        carriers.wipeCapacity()
        strength.wipe()
        tonesSeen = .init()
    }
}
