import JackdawBytes

/// The most likely characters of a stretch of phase-continuous FSK: one search over the characters' starts, their bits
/// and the phase of the carrier.
///
/// A Viterbi search on a time grid of eight steps per bit. Its states are the idle line and, for each bit of a
/// character, the last two bits. Every survivor has its own carrier phase and frequency, so that the memory in the
/// phase counts, which gains 4 to 6 dB over detectors that examine one bit at a time.
struct CharacterTrellis: Sendable, Wipeable {
    /// A character on the best path.
    struct Found {
        /// Data and parity bits in the order of the line, the first one in the least significant bit.
        var bits: UInt16
        /// Grid steps at which the start bit begins, and at which the stop bit ends at the earliest.
        var start: Int
        var end: Int
    }

    /// Bits between start and stop.
    let bitCount: Int
    /// Shortest stop bit in grid steps: a quarter of a bit less than nominal.
    let stopSteps: Int

    /// Grid steps from one character to the next if there is no pause between them.
    let characterSteps: Double

    private static let states = 4
    /// Lanes for the bits of a character, the first one for the start bit; vectors of eight are written beyond the last
    /// bit.
    private static let lanes = 24
    /// A row of lanes for each state, and space for the lanes written beyond the last one.
    private static let slotSize = states * lanes + 8
    /// Steps kept in memory: a power of two, above the steps of two stop bits.
    private static let slots = 32
    private static let unreachable: Float = -1e30
    private static let perBit = ToneCorrelations.stepsPerBit

    /// Survivors at the last steps: score, carrier phase as a complex number, frequency in radians per bit.
    private struct Survivors {
        var score = [Float](repeating: unreachable, count: slots * slotSize)
        var real = [Float](repeating: 0, count: slots * slotSize)
        var imaginary = [Float](repeating: 0, count: slots * slotSize)
        var frequency = [Float](repeating: 0, count: slots * slotSize)

        mutating func wipe() {
            score.zeroCapacity()
            real.zeroCapacity()
            imaginary.zeroCapacity()
            frequency.zeroCapacity()
        }
    }

    private var survivors = Survivors()
    private var idles = [Carrier](repeating: Carrier(), count: slots)
    private var isCoherent = true
    private var maxFrequency = Carrier.maxFrequency
    private var idleScores = [Float](repeating: unreachable, count: slots)
    /// The predecessor of a survivor, one of two states, for each step, state and lane.
    private var choices: [UInt8] = []
    /// The predecessor of the idle line: 0 for itself, `state + 1` for a stop bit.
    private var idleChoices: [UInt8] = []

    init(framing: CharacterFraming) {
        bitCount = framing.bitsBeforeStop - 1
        characterSteps = (Double(framing.bitsBeforeStop) + framing.stopBits.rawValue) * Double(Self.perBit)
        stopSteps = Int(framing.stopBits.rawValue * Double(Self.perBit)) - 2
    }

    /// Searches for the characters of a stretch that begins with the idle line and ends anywhere.
    /// - Parameters:
    ///   - tones: the correlations of the stretch.
    ///   - turns: the turns of the tones.
    ///   - costs: the costs of a bit of space and of mark, for tones that differ in strength.
    ///   - carrier: the carrier at the beginning, as far as it is known.
    ///   - found: the result: the characters that were found.
    /// - Returns: the score of the best path: the correlation of the sound with the characters found.
    mutating func search(
        _ tones: ToneCorrelations, turns: CarrierTurns, costs: SIMD2<Float>, carrier: Carrier, found: inout [Found]
    ) -> Float {
        found.removeAll(keepingCapacity: true)
        let count = tones.count
        guard count > Self.perBit * (bitCount + 2) else { return 0 }
        choices.resize((count + 1) * Self.states * Self.lanes + 8)
        idleChoices.removeAll(keepingCapacity: true)
        idleChoices.growWiping(toHold: count + 1)
        idleChoices.append(contentsOf: repeatElement(0, count: count + 1))
        forgetSurvivors()
        (isCoherent, maxFrequency) = (carrier.isCoherent, carrier.maxFrequency)
        idleScores[0] = 0
        idles[0] = carrier
        for step in 1...count {
            advanceIdle(to: step, tones, turns, cost: costs.y / Float(Self.perBit))
            if step >= Self.perBit { advanceBits(to: step, tones, turns, costs) }
        }
        return traceBack(from: count, &found)
    }

    private mutating func forgetSurvivors() {
        for index in survivors.score.indices { survivors.score[index] = Self.unreachable }
        for index in survivors.real.indices {
            survivors.real[index] = 0
            survivors.imaginary[index] = 0
            survivors.frequency[index] = 0
        }
        for index in 0..<Self.slots {
            idleScores[index] = Self.unreachable
            idles[index] = Carrier()
        }
    }

    mutating func wipe() {
        choices.wipeCapacity()
        idleChoices.wipeCapacity()
        survivors.wipe()
        idles.zeroCapacity()
        idleScores.zeroCapacity()
    }

    private mutating func advanceIdle(
        to step: Int, _ tones: ToneCorrelations, _ turns: CarrierTurns, cost: Float
    ) {
        let last = (step - 1) % Self.slots
        let here = step % Self.slots
        var score = Self.unreachable
        var carrier = Carrier()
        if idleScores[last] > Self.unreachable / 2 {
            carrier = idles[last]
            score =
                idleScores[last] - cost
                + carrier.follow(
                    tones.idle(at: step - 1, isCoherent: carrier.isCoherent), bits: 1 / Float(Self.perBit), turns.step)
        }
        if step >= stopSteps {
            let from = step - stopSteps
            let stop = tones.stop[from]
            var best = (score: score, state: -1)
            for state in 0..<Self.states {
                let place = from % Self.slots * Self.slotSize + state * Self.lanes + bitCount
                guard survivors.score[place] > Self.unreachable / 2 else { continue }
                let stopped =
                    survivors.score[place] + self.carrier(at: place).gain(stop) - cost * Float(stopSteps)
                if stopped > best.score { best = (stopped, state) }
            }
            if best.state >= 0 {
                carrier = self.carrier(at: from % Self.slots * Self.slotSize + best.state * Self.lanes + bitCount)
                _ = carrier.follow(stop, bits: Float(stopSteps) / Float(Self.perBit), turns.stop)
                score = best.score
                idleChoices[step] = UInt8(best.state + 1)
            }
        }
        idleScores[here] = score
        idles[here] = carrier
    }

    private func carrier(at place: Int) -> Carrier {
        Carrier(
            phase: SIMD2(survivors.real[place], survivors.imaginary[place]), frequency: survivors.frequency[place],
            isCoherent: isCoherent, maxFrequency: maxFrequency)
    }

    private mutating func advanceBits(
        to step: Int, _ tones: ToneCorrelations, _ turns: CarrierTurns, _ costs: SIMD2<Float>
    ) {
        let from = step - Self.perBit
        let old = from % Self.slots * Self.slotSize
        let new = step % Self.slots * Self.slotSize
        // From the idle line to the start bit.
        var carrier = idles[from % Self.slots]
        var score = idleScores[from % Self.slots]
        if score > Self.unreachable / 2 {
            score += carrier.follow(tones.bits[0][from], bits: 1, turns.bits[0]) - costs.x
        }
        for state in 0..<Self.states {
            let place = new + state * Self.lanes
            // A start bit follows ones.
            survivors.score[place] = state == Self.states - 2 ? score : Self.unreachable
            survivors.real[place] = carrier.phase.x
            survivors.imaginary[place] = carrier.phase.y
            survivors.frequency[place] = carrier.frequency
        }
        let (zero, one) = (tones.bits[0][from], tones.bits[1][from])
        for first in stride(from: 0, to: bitCount, by: 8) {
            Self.advance(
                &survivors, from: old + first, to: new + first + 1, bit: 0, zero, turns.bits[0], costs.x, isCoherent,
                maxFrequency, &choices,
                step * Self.states * Self.lanes + first + 1)
            Self.advance(
                &survivors, from: old + first, to: new + first + 1, bit: 1, one, turns.bits[1], costs.y, isCoherent,
                maxFrequency, &choices,
                step * Self.states * Self.lanes + first + 1)
        }
    }

    /// Advances eight bits of a character by one, for all states that end in a given bit.
    @inline(__always)
    private static func advance(
        _ survivors: inout Survivors, from old: Int, to new: Int, bit: Int, _ seen: SIMD2<Float>, _ turn: SIMD2<Float>,
        _ cost: Float, _ isCoherent: Bool, _ maxFrequency: Float,
        _ choices: inout [UInt8], _ place: Int
    ) {
        let size = Carrier.size(of: seen)
        let inverse = 1 / (size + 1e-20)
        // If phases do not count, all survivors gain the same.
        let (here, cost) = isCoherent ? (seen, cost) : (.zero, cost - size)
        for pair in 0..<2 {
            // The two predecessors differ in the bit that leaves the state.
            let a = Lanes(survivors, old + pair * lanes)
            let b = Lanes(survivors, old + (pair + 2) * lanes)
            let (scoreA, scoreB) = (a.score + a.gain(here), b.score + b.gain(here))
            let isB = scoreB .> scoreA
            let q = a.replacing(with: b, where: isB)
            let error = (seen.y * q.real - seen.x * q.imaginary) * (q.inverseSize * inverse)
            let frequency = (q.frequency + Carrier.frequencyGain * error)
                .clamped(
                    lowerBound: .init(repeating: -maxFrequency),
                    upperBound: .init(repeating: maxFrequency))
            let real = (1 - Carrier.phaseGain) * q.real + Carrier.phaseGain * seen.x
            let imaginary = (1 - Carrier.phaseGain) * q.imaginary + Carrier.phaseGain * seen.y
            let turnedReal = real * turn.x - imaginary * turn.y
            let turnedImaginary = imaginary * turn.x + real * turn.y
            let cosine = 1 - frequency * frequency * 0.5
            let row = new + (pair << 1 | bit) * lanes
            store(scoreA.replacing(with: scoreB, where: isB) - cost, &survivors.score, row)
            store(turnedReal * cosine - turnedImaginary * frequency, &survivors.real, row)
            store(turnedImaginary * cosine + turnedReal * frequency, &survivors.imaginary, row)
            store(frequency, &survivors.frequency, row)
            let chosen = SIMD8<UInt8>(truncatingIfNeeded: SIMD8<UInt32>.zero.replacing(with: 1, where: isB))
            precondition(place + (pair << 1 | bit) * lanes + 8 <= choices.count)
            unsafe choices.withUnsafeMutableBytes {
                unsafe $0.storeBytes(
                    of: chosen, toByteOffset: place + (pair << 1 | bit) * lanes, as: SIMD8<UInt8>.self)
            }
        }
    }

    /// A vector of eight survivors.
    private struct Lanes {
        var score: SIMD8<Float>
        var real: SIMD8<Float>
        var imaginary: SIMD8<Float>
        var frequency: SIMD8<Float>
        var inverseSize: SIMD8<Float>

        @inline(__always)
        init(_ survivors: borrowing Survivors, _ row: Int) {
            score = load(survivors.score, row)
            real = load(survivors.real, row)
            imaginary = load(survivors.imaginary, row)
            frequency = load(survivors.frequency, row)
            inverseSize = 1 / (real * real + imaginary * imaginary + 1e-30).squareRoot()
        }

        @inline(__always)
        func gain(_ seen: SIMD2<Float>) -> SIMD8<Float> { (real * seen.x + imaginary * seen.y) * inverseSize }

        @inline(__always)
        func replacing(with other: Lanes, where mask: SIMDMask<SIMD8<Int32>>) -> Lanes {
            var result = self
            result.real.replace(with: other.real, where: mask)
            result.imaginary.replace(with: other.imaginary, where: mask)
            result.frequency.replace(with: other.frequency, where: mask)
            result.inverseSize.replace(with: other.inverseSize, where: mask)
            return result
        }
    }

    @inline(__always)
    private static func load(_ values: [Float], _ place: Int) -> SIMD8<Float> {
        precondition(place >= 0 && place + 8 <= values.count)
        return unsafe values.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: 4 * place, as: SIMD8<Float>.self)
        }
    }

    @inline(__always)
    private static func store(_ vector: SIMD8<Float>, _ values: inout [Float], _ place: Int) {
        precondition(place >= 0 && place + 8 <= values.count)
        unsafe values.withUnsafeMutableBytes {
            unsafe $0.storeBytes(of: vector, toByteOffset: 4 * place, as: SIMD8<Float>.self)
        }
    }

    /// Traces the best path back.
    private func traceBack(from last: Int, _ found: inout [Found]) -> Float {
        // A stretch may end within a character; the idle line and every bit that ends within the last bit compete.
        var best = (score: idleScores[last % Self.slots], step: last, lane: -1, state: 0)
        let pace = max(best.score / Float(last), 0)
        for step in max(0, last - Self.perBit + 1)...last {
            for lane in 0...bitCount {
                for state in 0..<Self.states {
                    let place = step % Self.slots * Self.slotSize + state * Self.lanes + lane
                    let score = survivors.score[place] + Float(last - step) * pace
                    if score > best.score { best = (score, step, lane, state) }
                }
            }
        }
        var (step, lane, state) = (best.step, best.lane, best.state)
        // A character that the stretch cuts off is left out.
        var character = Found(bits: 0, start: 0, end: 0)
        var isWhole = false
        while step > 0 {
            if lane < 0 {
                let choice = idleChoices[step]
                guard choice > 0 else {
                    step -= 1
                    continue
                }
                character = Found(bits: 0, start: 0, end: step)
                isWhole = true
                step -= stopSteps
                (lane, state) = (bitCount, Int(choice) - 1)
            } else if lane == 0 {
                step -= Self.perBit
                character.start = step
                if isWhole {
                    found.growWiping(toHold: found.count + 1)
                    found.append(character)
                }
                lane = -1
            } else {
                character.bits = character.bits << 1 | UInt16(state & 1)
                let choice = choices[step * Self.states * Self.lanes + state * Self.lanes + lane]
                step -= Self.perBit
                state = state >> 1 | Int(choice) << 1
                lane -= 1
            }
        }
        found.reverse()
        return best.score
    }
}
