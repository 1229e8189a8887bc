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
