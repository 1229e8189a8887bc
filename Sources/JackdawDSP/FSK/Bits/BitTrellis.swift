/// The most likely bits of a stretch of phase-continuous FSK: one search over where they lie, what they are, and the phase
/// of the carrier.
///
/// A Viterbi search on a time grid of eight steps a bit, whose states are the last two bits. Every survivor carries its own
/// carrier. A bit may be a step shorter or longer than eight at a cost: so the search finds where the bits are, and follows a
/// clock that is a little off, while a run of one tone keeps its length.
struct BitTrellis: Sendable, Wipeable {
    /// A bit that was found.
    struct Found {
        let bit: Int
        /// Grid step at which it opens, and its length.
        let start: Int
        let length: Int
    }

    private struct Survivor {
        var score = unreachable
        var carrier = Carrier()
    }

    private static let states = 4
    private static let perBit = ToneCorrelations.stepsPerBit
    /// Steps that are remembered: a power of two above the longest bit.
    private static let slots = 16
    private static let unreachable: Float = -1e30
    /// What a bit that is shorter or longer costs, as a share of what it has of the carrier, or should have: where the
    /// carrier fades it is dear all the same.
    private static let slipCost: Float = 0.3

    private var survivors = [Survivor](repeating: Survivor(), count: slots * states)
    /// For each step and state: the older one of the two bits before, and above it the length of the last one over the
    /// shortest.
    private var choices: [UInt8] = []

    /// Finds the bits of a stretch.
    /// - Parameters:
    ///   - windows: the stretch.
    ///   - carrier: what is known of the carrier at the beginning.
    ///   - level: what a bit has of it, at least; 0 where that is not known.
    ///   - startsAnywhere: whether the first bit may open at any step; else it does at the first one.
    ///   - found: what is found is put here.
    /// - Returns: the score of the best path: the correlation of the sound with what was found, less what slips cost.
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

    /// Follows the best path back.
    private func traceBack(from last: Int, _ found: inout [Found]) -> Float {
        var best = (score: Self.unreachable, step: last, state: 0)
        // Paths that end within the last bit compete: each is taken to go on as it went.
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

/// What a path of bits through a stretch sees on its way.
struct BitPath: Sendable, Wipeable {
    /// A bit on the path.
    struct Bit: Sendable {
        let value: Int
        /// Grid steps of its beginning and its end.
        let start: Int
        let end: Int
        /// What it has of the carrier as the bits before it tell the phase.
        let gain: Float
        /// How much more of the carrier it has than its opposite would have.
        let lead: Float
        /// What it has of its own tone and of the other one, whatever the phase.
        let own: Float
        let other: Float
        /// What it has of the carrier as the bits behind it tell the phase: where a carrier begins, nothing before it does.
        var gainFromBehind: Float = 0
    }

    private(set) var bits: [Bit] = []
    /// How much of the sound the path accounts for.
    private(set) var strength = CarrierStrength()
    /// The carrier at the beginning of each bit, and behind the last one.
    private(set) var carriers: [Carrier] = []

    /// Follows what a search found.
    /// - Parameters:
    ///   - found: the bits.
    ///   - windows: the stretch.
    ///   - carrier: what is known of the carrier at the beginning.
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
            // Back to where the bit before opens, the carrier turns the other way.
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

    /// The carrier and the noise in some bits.
    func evidence(in range: Range<Int>, _ tones: ToneCorrelations) -> CarrierStrength.Evidence {
        let range = range.clamped(to: bits.indices)
        guard let last = range.last else { return .none }
        return strength.evidence(in: bits[range.lowerBound].start..<bits[last].end, tones)
    }
}

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
