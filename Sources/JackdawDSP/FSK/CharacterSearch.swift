/// Finds the most likely characters of a stretch, if it comes from a certain sender.
struct CharacterSearch: Sendable, Wipeable {
    /// Grid steps from one character to the next where they stand close together.
    var characterSteps: Double { trellis.characterSteps }
    /// Bits of a character between start and stop.
    let bitCount: Int
    /// Whether the phase can be carried on: where tones lie far apart for their baud, it turns too far in a step of the grid.
    let isPhaseKept: Bool
    /// What the sound has of the tones.
    private(set) var tones = ToneCorrelations()
    /// What was found, and the idle line behind it.
    private(set) var path = CharacterPath()

    private let baud: Double
    private let sampleRate: Double
    /// Whether the phase turns so far in a step that a grid between the steps may be the better one.
    private let isGridCoarse: Bool
    private var trellis: CharacterTrellis
    private var energy: SoundEnergy
    private var found: [CharacterTrellis.Found] = []
    /// Time of the first step in samples of the stretch, and the carrier there.
    private var start = 0.0
    private var carrier = Carrier()
    private var sender: FSKSender

    /// Turns a bit by which the tones may differ for the phase to be carried on, and for the grid to be fine enough.
    private static let mostTurnsOfPhase = 2.5
    private static let mostTurnsOfGrid = 1.4

    init(_ shift: FrequencyShift, framing: CharacterFraming, sampleRate: Double) {
        baud = shift.baud
        self.sampleRate = sampleRate
        sender = FSKSender(shift)
        trellis = CharacterTrellis(framing: framing)
        bitCount = trellis.bitCount
        energy = SoundEnergy(shift, sampleRate: sampleRate)
        let turns = abs(shift.mark - shift.space) / shift.baud
        isPhaseKept = turns <= Self.mostTurnsOfPhase
        isGridCoarse = turns > Self.mostTurnsOfGrid
    }

    mutating func wipe() {
        found.wipeCapacity()
        path.wipe()
        tones.wipe()
        energy.wipe()
        trellis.wipe()
    }

    /// Begins another stretch.
    mutating func load(_ samples: Span<Float>) { energy.load(samples) }

    /// Correlates the stretch with the tones of a sender.
    /// - Parameters:
    ///   - samples: the stretch that was loaded.
    ///   - start: time of the first step in samples.
    ///   - sender: its clock and its tones.
    mutating func correlate(_ samples: Span<Float>, from start: Double, _ sender: FSKSender) {
        self.start = start
        self.sender = sender
        tones.load(
            samples, energy, from: start, turns: sender.frequencies / sampleRate,
            samplesPerBit: samplesPerBit(sender), stopSteps: trellis.stopSteps)
    }

    /// Finds the characters.
    /// - Parameters:
    ///   - samples: the stretch that was loaded.
    ///   - offset: time at which it begins, 0 to 1 sample.
    ///   - sender: its clock, its tones and its line.
    ///   - carrier: what is known of the carrier at the beginning.
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
    }

    /// - Returns: the score of what was found.
    private mutating func findCharacters(
        _ samples: Span<Float>, from start: Double, _ sender: FSKSender, _ carrier: Carrier
    ) -> Float {
        correlate(samples, from: start, sender)
        sender.balance.apply(to: &tones)
        self.carrier = carrier
        return trellis.search(tones, turns: turns, costs: sender.balance.costs, carrier: carrier, found: &found)
    }

    /// Leaves out the characters from one on, and follows the idle line instead.
    /// - Parameters:
    ///   - count: characters that are kept.
    ///   - step: up to where the line is followed.
    /// - Returns: the carrier there.
    mutating func keep(_ count: Int, until step: Int) -> Carrier {
        follow(found[..<count])
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

    /// Turns of space and mark in a bit.
    var turnsPerBit: SIMD2<Double> { sender.frequencies / sampleRate * samplesPerBit(sender) }

    private var turns: CarrierTurns { CarrierTurns(turnsPerBit: turnsPerBit, stopSteps: trellis.stopSteps) }

    private func samplesPerBit(_ sender: FSKSender) -> Double { sampleRate / (baud * sender.clock) }
}
