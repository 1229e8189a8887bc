import JackdawBytes

/// Searches for the most likely characters of a stretch, assuming a given sender.
struct CharacterSearch: Sendable, Wipeable {
    /// Grid steps from one character to the next if there is no pause between them.
    var characterSteps: Double { trellis.characterSteps }
    /// Bits of a character between start and stop.
    let bitCount: Int
    /// Whether the phase continues from bit to bit: if the tones are far apart for their baud, it turns too far in a
    /// grid step.
    let isPhaseKept: Bool
    /// The correlations of the sound with the tones.
    private(set) var tones = ToneCorrelations()
    /// The path that was found, and the idle line after it.
    private(set) var path = CharacterPath()

    private let baud: Double
    private let sampleRate: Double
    /// Whether the phase turns so far in a step that a grid half a step later may fit better.
    private let isGridCoarse: Bool
    private var trellis: CharacterTrellis
    private var energy: SoundEnergy
    private(set) var levels = SignalLevels()
    private var coarseLevels: CoarseLevels?
    /// What the stretch was last correlated with, whether all of its correlations are there, and whether the levels are
    /// those of it.
    private var correlated: Correlated?
    private var isComplete = false
    private var isMeasured = false
    /// Whether the energy of the stretch was loaded.
    private var isEnergyLoaded = false
    private var found: [CharacterTrellis.Found] = []
    /// Time of the first step in samples of the stretch, and the carrier there.
    private var start = 0.0
    private var carrier = Carrier()
    private var sender: FSKSender

    /// The largest difference of the tones, in turns per bit, at which the phase continues, and at which the grid is
    /// fine enough.
    private static let maxTurnsOfPhase = 2.5
    private static let maxTurnsOfGrid = 1.4
    /// The largest error of a tone at which the nominal tones still show it, in turns per bit, and the distance of the
    /// tones at which one is looked for if it can be larger.
    private static let maxTurnsHidden = 0.35
    private static let distanceOfTones = 0.5
    /// The strength from which on the band need not be measured exactly.
    private static let certainStrength: Float = 2

    /// The parameters of a correlation.
    private struct Correlated: Equatable {
        var start: Double
        var clock: Double
        var frequencies: SIMD2<Double>
    }

    init(_ shift: FrequencyShift, framing: CharacterFraming, sampleRate: Double) {
        baud = shift.baud
        self.sampleRate = sampleRate
        sender = FSKSender(shift)
        trellis = CharacterTrellis(framing: framing)
        bitCount = trellis.bitCount
        energy = SoundEnergy(shift, sampleRate: sampleRate)
        let turns = abs(shift.mark - shift.space) / shift.baud
        isPhaseKept = turns <= Self.maxTurnsOfPhase
        isGridCoarse = turns > Self.maxTurnsOfGrid
        coarseLevels = CoarseLevels(shift, sampleRate: sampleRate, isPhaseKept: isPhaseKept)
    }

    mutating func wipe() {
        found.wipeCapacity()
        path.wipe()
        tones.wipe()
        energy.wipe()
        levels.wipe()
        coarseLevels?.wipe()
        trellis.wipe()
        correlated = nil
    }

    /// Loads another stretch.
    mutating func load(_ samples: Span<Float>) {
        correlated = nil
        isEnergyLoaded = false
        tones.forgetSound()
    }

    /// Measures the loudest part of the stretch that was loaded. A search can find characters from a strength of the tones
    /// of 1 on; white noise is below.
    /// - Parameters:
    ///   - samples: the stretch that was loaded.
    ///   - offset: time at which it begins, 0 to 1 sample.
    ///   - sender: the nominal sender.
    ///   - range: the largest error of the tones as a share of them.
    /// - Returns: the strength of the tones, and from 1 on the power of the sound.
    mutating func strength(
        _ samples: Span<Float>, from offset: Double, _ sender: FSKSender, range: Double
    ) -> Failures.Sound {
        let most = max(sender.frequencies.x, sender.frequencies.y) / baud
        let steps = range * most > Self.maxTurnsHidden ? Int((range * most / Self.distanceOfTones).rounded()) : 0
        func frequencies(_ step: Int) -> SIMD2<Double> {
            sender.frequencies * (1 + Double(step) * Self.distanceOfTones / most)
        }
        if coarseLevels != nil {
            coarseLevels?.load(samples, from: offset)
            var strength: Float = 0
            for step in -steps...steps {
                strength = max(strength, coarseLevels?.strength(turns: frequencies(step) / sampleRate) ?? 0)
            }
            if strength < 1 { return .init(strength: strength, power: 0) }
        }
        var strength: Float = 0
        for step in -steps...steps where step != 0 {
            strength = max(
                strength, self.strength(samples, from: offset, FSKSender(clock: 1, frequencies: frequencies(step))))
        }
        let nominal = self.strength(samples, from: offset, sender)
        if max(strength, nominal) < Self.certainStrength, levels.isBandLoud {
            // Windows are blind to the edges of the band.
            if !energy.isMeasured, energy.windowSteps > 0 {
                energy.measure(samples)
                measureBand()
            }
            // Steady tones are no noise.
            if max(strength, levels.strength) < 1, energy.removeTones() { measureBand() }
        }
        return .init(strength: max(strength, levels.strength), power: levels.power)
    }

    /// The power of the tones of a sender. Sound in which they are not louder than white noise needs no measure of the
    /// band.
    private mutating func strength(_ samples: Span<Float>, from offset: Double, _ sender: FSKSender) -> Float {
        correlate(samples, from: offset, sender)
        measureLevels()
        if levels.strength >= 1, !isComplete {
            complete(samples)
            measureLevels()
        }
        return levels.strength
    }

    private mutating func measureBand() {
        tones.loadBand(energy)
        isMeasured = false
        measureLevels()
    }

    private mutating func measureLevels() {
        guard !isMeasured else { return }
        isMeasured = true
        levels.measure(tones, turns, isPhaseKept: isPhaseKept)
    }

    /// Correlates the stretch with the tones of a sender.
    /// - Parameters:
    ///   - samples: the stretch that was loaded.
    ///   - start: time of the first step in samples.
    ///   - sender: the sender, for its clock and its tones.
    mutating func correlate(_ samples: Span<Float>, from start: Double, _ sender: FSKSender) {
        self.start = start
        self.sender = sender
        let parameters = Correlated(start: start, clock: sender.clock, frequencies: sender.frequencies)
        guard correlated != parameters else { return }
        (correlated, isComplete, isMeasured) = (parameters, false, false)
        tones.loadBits(
            samples, from: start, turns: sender.frequencies / sampleRate, samplesPerBit: samplesPerBit(sender),
            stopSteps: trellis.stopSteps)
    }

    /// Completes the correlations, as far as they are not.
    private mutating func complete(_ samples: Span<Float>) {
        guard !isComplete else { return }
        (isComplete, isMeasured) = (true, false)
        if !isEnergyLoaded {
            isEnergyLoaded = true
            energy.load(samples)
        }
        tones.complete(energy)
    }

    /// Searches for the characters.
    /// - Parameters:
    ///   - samples: the stretch that was loaded.
    ///   - offset: time at which it begins, 0 to 1 sample.
    ///   - sender: the sender, for its clock, its tones and its line.
    ///   - carrier: the carrier at the beginning, as far as it is known.
    mutating func search(_ samples: Span<Float>, from offset: Double, _ sender: FSKSender, _ carrier: Carrier) {
        let score = findCharacters(samples, from: offset, sender, carrier)
        if isGridCoarse, carrier.isCoherent {
            let halfStep = samplesPerBit(sender) / Double(2 * ToneCorrelations.stepsPerBit)
            var later = carrier
            later.turn(by: sender.frequencies[1] / sampleRate * halfStep)
            if findCharacters(samples, from: offset + halfStep, sender, later) < score {
                _ = findCharacters(samples, from: offset, sender, carrier)
            }
        }
        follow(found[...])
        _ = path.idle(until: tones.count, tones, turns)
        if !energy.isMeasured, energy.windowSteps > 0, path.strength.isBandLoud(tones) {
            energy.measure(samples)
            _ = energy.removeTones()
            tones.loadBand(energy)
        }
    }

    /// - Returns: the score of the best path.
    private mutating func findCharacters(
        _ samples: Span<Float>, from start: Double, _ sender: FSKSender, _ carrier: Carrier
    ) -> Float {
        correlate(samples, from: start, sender)
        complete(samples)
        if energy.removeTones() {
            tones.loadBand(energy)
            isMeasured = false
        }
        measureLevels()
        if !sender.balance.isEven {
            sender.balance.apply(to: &tones)
            correlated = nil
        }
        self.carrier = carrier
        return trellis.search(
            tones, levels, turns: turns, costs: sender.balance.costs, carrier: carrier, found: &found)
    }

    /// Drops the characters from an index on, and follows the idle line instead.
    /// - Parameters:
    ///   - count: the number of characters to keep.
    ///   - step: the step up to which the line is followed.
    /// - Returns: the carrier at that step.
    mutating func keep(_ count: Int, until step: Int) -> Carrier {
        path.keep(count)
        return path.idle(until: step, tones, turns)
    }

    private mutating func follow(_ found: ArraySlice<CharacterTrellis.Found>) {
        path.follow(
            found, tones, turns, powers: sender.balance.powers, from: carrier, stopSteps: trellis.stopSteps,
            bitCount: bitCount)
    }

    /// Time of a step in samples of the stretch.
    func time(_ step: Int) -> Double { start + Double(step) * tones.stepLength }

    /// The last step at or before a time.
    func step(at time: Double) -> Int { Int((time - start) / tones.stepLength) }

    /// Turns of space and mark per bit.
    var turnsPerBit: SIMD2<Double> { sender.frequencies / sampleRate * samplesPerBit(sender) }

    private var turns: CarrierTurns { CarrierTurns(turnsPerBit: turnsPerBit, stopSteps: trellis.stopSteps) }

    private func samplesPerBit(_ sender: FSKSender) -> Double { sampleRate / (baud * sender.clock) }
}

/// The evidence along a path through a stretch: how much of the sound the characters explain, and the margin of each
/// bit.
struct CharacterPath: Sendable, Wipeable {
    /// A character on the path.
    struct Character: Sendable {
        /// Data and parity bits in the order of the line, the first one in the least significant bit.
        var bits: UInt16
        /// Grid steps of its start and its earliest end.
        var start: Int
        var end: Int
        /// For each bit from start to stop, the excess of its correlation with the carrier over the one of its
        /// opposite.
        var leads: SIMD16<Float>
        /// The level of both tones in its bits, from start to stop.
        var keying: ToneKeying
    }

    private(set) var characters: [Character] = []
    /// The correlations with space and mark in the bits of all characters, relative to the carrier's phase.
    private(set) var tonesSeen = ToneBalance.Seen()
    /// The correlation of the sound with the path.
    private(set) var strength = CarrierStrength()
    private var powers = SIMD2<Float>(1, 1)
    /// The carrier at the end of each character, and before the first one.
    private(set) var carriers: [Carrier] = []
    /// The correlations with both tones before each character.
    private var tonesSeenBefore: [ToneBalance.Seen] = []

    /// Follows the path that a search found.
    /// - Parameters:
    ///   - found: the characters of the path.
    ///   - tones: the correlations of the stretch.
    ///   - turns: the turns of the tones.
    ///   - powers: power of space and mark on this line, 1 for the stronger one.
    ///   - carrier: the carrier at the beginning, as far as it is known.
    ///   - stopSteps: grid steps of a stop bit.
    ///   - bitCount: bits between start and stop.
    mutating func follow(
        _ found: ArraySlice<CharacterTrellis.Found>, _ tones: ToneCorrelations, _ turns: CarrierTurns,
        powers: SIMD2<Float>, from carrier: Carrier, stopSteps: Int, bitCount: Int
    ) {
        let perBit = ToneCorrelations.stepsPerBit
        characters.growWiping(toHold: found.count)
        carriers.growWiping(toHold: found.count + 1)
        tonesSeenBefore.growWiping(toHold: found.count)
        tonesSeenBefore.removeAll(keepingCapacity: true)
        characters.removeAll(keepingCapacity: true)
        carriers.removeAll(keepingCapacity: true)
        strength.restart(isCoherent: carrier.isCoherent, capacity: tones.count + 1)
        self.powers = powers
        tonesSeen = .init()
        var carrier = carrier
        carriers.append(carrier)
        let (space, mark, stops) = (tones.bits.space.span, tones.bits.mark.span, tones.stop.span)
        let crosstalk = tones.crosstalk
        for character in found {
            idle(until: character.start, tones, turns, &carrier)
            tonesSeenBefore.append(tonesSeen)
            var leads = SIMD16<Float>(repeating: 0)
            var keying = ToneKeying()
            for place in 0...bitCount {
                let step = character.start + place * perBit
                let bit = place == 0 ? 0 : Int(character.bits >> UInt16(place - 1)) & 1
                let (seen, rival) = bit == 0 ? (space[step], mark[step]) : (mark[step], space[step])
                leads[place] = -carrier.gain(rival)
                tonesSeen.add(seen, tone: bit, carrier)
                keying.add(bit, seen, rival, crosstalk: crosstalk)
                let share = carrier.energyShare(image: tones.image(of: bit, at: step, steps: perBit))
                let gain = carrier.follow(seen, bits: 1, bit == 0 ? turns.bits.space : turns.bits.mark)
                leads[place] += gain
                strength.add(gain, power: share * powers[bit], steps: perBit)
            }
            let stop = character.end - stopSteps
            leads[bitCount + 1] = carrier.gain(mark[stop]) - carrier.gain(space[stop])
            keying.add(1, mark[stop], space[stop], crosstalk: crosstalk)
            let share = carrier.energyShare(image: tones.image(of: 1, at: stop, steps: stopSteps))
            let gain = carrier.follow(stops[stop], bits: Float(stopSteps) / Float(perBit), turns.stop)
            strength.add(gain, power: share * powers[1], steps: stopSteps)
            characters.append(
                Character(
                    bits: character.bits, start: character.start, end: character.end, leads: leads,
                    keying: keying))
            carriers.append(carrier)
        }
    }

    /// Drops the characters from an index on.
    mutating func keep(_ count: Int) {
        guard count < characters.count else {
            strength.keep(characters.last?.end ?? 0)
            return
        }
        strength.keep(count > 0 ? characters[count - 1].end : 0)
        tonesSeen = tonesSeenBefore[count]
        characters.removeLast(characters.count - count)
        carriers.removeLast(carriers.count - count - 1)
        tonesSeenBefore.removeLast(tonesSeenBefore.count - count)
    }

    /// Continues with the idle line.
    /// - Returns: the carrier at the end of it.
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
        tonesSeenBefore.wipeCapacity()
    }
}
