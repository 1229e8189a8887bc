import JackdawBytes

/// The most likely bits of a stretch of phase-continuous FSK: one search over their positions, their values, and the
/// phase of the carrier.
///
/// A Viterbi search on a time grid of eight steps per bit, whose states are the last two bits. Every survivor has its
/// own carrier. A bit may be one step shorter or longer than eight, at a cost. The search thus finds the positions of
/// the bits and follows a clock that is a little off, while a run of one tone keeps its length.
struct BitTrellis: Sendable, Wipeable {
    /// A bit on the best path.
    struct Found {
        let bit: Int
        /// Grid step at which the bit starts, and its length.
        let start: Int
        let length: Int
    }

    private struct Survivor {
        var score = unreachable
        var carrier = Carrier()
    }

    private static let states = 4
    private static let perBit = ToneCorrelations.stepsPerBit
    /// Steps kept in memory: a power of two above the longest bit.
    private static let slots = 16
    private static let unreachable: Float = -1e30
    /// Cost of a shorter or longer bit, as a share of the bit's correlation with the carrier, or of `level` if that is
    /// larger: the cost stays high even if the carrier fades.
    private static let slipCost: Float = 0.3

    private var survivors = [Survivor](repeating: Survivor(), count: slots * states)
    /// For each step and state: the older one of the two bits before, and in the higher bits the length of the last
    /// one, less the shortest.
    private var choices: [UInt8] = []

    /// Searches for the bits of a stretch.
    /// - Parameters:
    ///   - windows: the correlations of the stretch.
    ///   - carrier: the carrier at the beginning, as far as it is known.
    ///   - level: the least correlation of a bit with the carrier; 0 if it is not known.
    ///   - startsAnywhere: whether the first bit may start at any step; otherwise it starts at the first one.
    ///   - found: the result: the bits that were found.
    /// - Returns: the score of the best path: the correlation of the sound with the bits found, less the cost of slips.
    mutating func search(
        _ windows: BitWindows, from carrier: Carrier, level: Float, startsAnywhere: Bool, found: inout [Found]
    ) -> Float {
        found.removeAll(keepingCapacity: true)
        let count = windows.tones.count
        found.growWiping(toHold: count / BitWindows.lengths.lowerBound)
        guard count > 2 * Self.perBit else { return 0 }
        choices.resize((count + 1) * Self.states)
        for index in survivors.indices { survivors[index].score = Self.unreachable }
        for step in 0..<(startsAnywhere ? BitWindows.lengths.lowerBound : 1) {
            survivors[step * Self.states] = Survivor(score: 0, carrier: carrier)
        }
        for step in BitWindows.lengths.lowerBound...count { advance(to: step, windows, level) }
        return traceBack(from: count, &found)
    }

    mutating func wipe() {
        survivors.zeroCapacity()
        choices.wipeCapacity()
    }

    private mutating func advance(to step: Int, _ windows: BitWindows, _ level: Float) {
        let new = step % Self.slots * Self.states
        for bit in 0..<2 {
            for newer in 0..<2 {
                var best = (score: Self.unreachable, place: -1, length: 0, choice: UInt8(0))
                for length in BitWindows.lengths where step >= length {
                    let from = step - length
                    let seen = windows.seen(bit, from: from, length: length)
                    let slipCost = Self.slipCost * max(level, Carrier.size(of: seen))
                    for older in 0..<2 {
                        let place = from % Self.slots * Self.states + (older << 1 | newer)
                        let carrier = survivors[place].carrier
                        var score = survivors[place].score + carrier.gain(seen)
                        if length != Self.perBit { score -= slipCost }
                        guard score > best.score else { continue }
                        let choice = UInt8((length - BitWindows.lengths.lowerBound) << 1 | older)
                        best = (score, place, length, choice)
                    }
                }
                let state = newer << 1 | bit
                choices[step * Self.states + state] = best.choice
                guard best.place >= 0 else {
                    survivors[new + state].score = Self.unreachable
                    continue
                }
                var carrier = survivors[best.place].carrier
                _ = carrier.follow(
                    windows.seen(bit, from: step - best.length, length: best.length),
                    bits: Float(best.length) / Float(Self.perBit), windows.turn(bit, length: best.length))
                survivors[new + state] = Survivor(score: best.score, carrier: carrier)
            }
        }
    }

    /// Traces the best path back.
    private func traceBack(from last: Int, _ found: inout [Found]) -> Float {
        var best = (score: Self.unreachable, step: last, state: 0)
        // The paths that end within the last bit are compared as if all reached the last step: each missing step counts
        // with the best mean score per step.
        var pace: Float = 0
        for state in 0..<Self.states {
            pace = max(pace, survivors[last % Self.slots * Self.states + state].score / Float(last))
        }
        for step in max(0, last - Self.perBit + 1)...last {
            for state in 0..<Self.states {
                let score = survivors[step % Self.slots * Self.states + state].score + Float(last - step) * pace
                if score > best.score { best = (score, step, state) }
            }
        }
        var (step, state) = (best.step, best.state)
        while step >= BitWindows.lengths.lowerBound {
            let choice = Int(choices[step * Self.states + state])
            let length = choice >> 1 + BitWindows.lengths.lowerBound
            step -= length
            found.append(Found(bit: state & 1, start: step, length: length))
            state = state >> 1 | (choice & 1) << 1
        }
        found.reverse()
        return best.score
    }
}

/// The evidence along a path of bits through a stretch.
struct BitPath: Sendable, Wipeable {
    /// A bit on the path.
    struct Bit: Sendable {
        let value: Int
        /// Grid steps of the bit's start and its end.
        let start: Int
        let end: Int
        /// The bit's correlation with the carrier, at the phase that the earlier bits give.
        let gain: Float
        /// The excess of that correlation over the one of the opposite bit.
        let lead: Float
        /// The bit's correlation with its own tone and with the other one, at any phase.
        let own: Float
        let other: Float
        /// The bit's correlation with the carrier at the phase that the later bits give: at the start of a carrier
        /// there are no earlier bits.
        var gainFromBehind: Float = 0
    }

    private(set) var bits: [Bit] = []
    /// The correlation of the sound with the path.
    private(set) var strength = CarrierStrength()
    /// The carrier at the start of each bit, and after the last one.
    private(set) var carriers: [Carrier] = []

    /// Follows the path that a search found.
    /// - Parameters:
    ///   - found: the bits of the path.
    ///   - windows: the correlations of the stretch.
    ///   - carrier: the carrier at the beginning, as far as it is known.
    mutating func follow(_ found: [BitTrellis.Found], _ windows: BitWindows, from carrier: Carrier) {
        bits.growWiping(toHold: found.count)
        carriers.growWiping(toHold: found.count + 1)
        bits.removeAll(keepingCapacity: true)
        carriers.removeAll(keepingCapacity: true)
        strength.restart(isCoherent: carrier.isCoherent, capacity: windows.tones.count + 1)
        carriers.append(carrier)
        guard let first = found.first else { return }
        if first.start > 0 { strength.add(0, steps: first.start) }
        var carrier = carrier
        for item in found {
            let seen = windows.seen(item.bit, from: item.start, length: item.length)
            let opposite = windows.seen(1 - item.bit, from: item.start, length: item.length)
            let otherGain = carrier.gain(opposite)
            let gain = carrier.follow(seen, bits: Self.bits(item), windows.turn(item.bit, length: item.length))
            strength.add(gain, steps: item.length)
            carriers.append(carrier)
            bits.append(
                Bit(
                    value: item.bit, start: item.start, end: item.start + item.length, gain: gain,
                    lead: gain - otherGain, own: Carrier.size(of: seen), other: Carrier.size(of: opposite)))
        }
        followBack(found, windows, Carrier(isCoherent: carrier.isCoherent))
    }

    mutating func wipe() {
        bits.wipeCapacity()
        carriers.wipeCapacity()
        strength.wipe()
    }

    private mutating func followBack(_ found: [BitTrellis.Found], _ windows: BitWindows, _ unknown: Carrier) {
        var carrier = unknown
        for index in found.indices.reversed() {
            let item = found[index]
            // Backwards, to the start of the bit before, the carrier turns in the opposite direction.
            let before = index > 0 ? found[index - 1] : item
            let turn = windows.turn(before.bit, length: before.length)
            bits[index].gainFromBehind = carrier.follow(
                windows.seen(item.bit, from: item.start, length: item.length), bits: Self.bits(item),
                SIMD2(turn.x, -turn.y))
        }
    }

    private static func bits(_ item: BitTrellis.Found) -> Float {
        Float(item.length) / Float(ToneCorrelations.stepsPerBit)
    }

    /// The carrier and the noise in a range of bits.
    func evidence(in range: Range<Int>, _ tones: ToneCorrelations) -> CarrierStrength.Evidence {
        let range = range.clamped(to: bits.indices)
        guard let last = range.last else { return .none }
        return strength.evidence(in: bits[range.lowerBound].start..<bits[last].end, tones)
    }
}

/// The correlations of a stretch of sound with the two tones, in bits of the nominal length or one grid step shorter or
/// longer.
struct BitWindows: Sendable, Wipeable {
    /// Grid steps that a bit may have.
    static let lengths = ToneCorrelations.stepsPerBit - 1...ToneCorrelations.stepsPerBit + 1

    /// The correlations at the nominal bit length.
    private(set) var tones = ToneCorrelations()
    /// A row for each length and tone: the bits that start at each step.
    private var rows = [[SIMD2<Float>]](repeating: [], count: 2 * lengths.count)
    /// The turn of either tone in a bit of each length.
    private var turns = [SIMD2<Float>](repeating: .zero, count: 2 * lengths.count)

    /// Correlates a stretch of sound.
    /// - Parameters:
    ///   - samples: the sound without offset and hum.
    ///   - energy: the energy of the stretch.
    ///   - offset: time of the first step, 0 to 1 sample.
    ///   - frequencies: turns per sample of space and mark.
    ///   - samplesPerBit: length of a bit in samples; need not be an integer.
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
                tones.correlate(tone: tone, window: length, into: &rows[row])
                let (sine, cosine) = Numerics.sineAndCosine(
                    turns: frequencies[tone] * tones.stepLength * Double(length))
                turns[row] = SIMD2(Float(cosine), Float(sine))
            }
        }
    }

    /// Forgets the sound of the last stretch: the next one is another.
    mutating func forgetSound() { tones.forgetSound() }

    mutating func wipe() {
        tones.wipe()
        for row in rows.indices { rows[row].wipeCapacity() }
    }

    /// The correlation of a bit with a tone.
    @inline(__always)
    func seen(_ tone: Int, from step: Int, length: Int) -> SIMD2<Float> { rows[Self.row(length, tone)][step] }

    /// The turn of a tone in a bit, as a complex number of magnitude 1.
    @inline(__always)
    func turn(_ tone: Int, length: Int) -> SIMD2<Float> { turns[Self.row(length, tone)] }

    @inline(__always)
    private static func row(_ length: Int, _ tone: Int) -> Int { 2 * (length - lengths.lowerBound) + tone }
}
