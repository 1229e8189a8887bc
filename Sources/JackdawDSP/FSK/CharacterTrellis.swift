import JackdawBytes

/// The most likely characters of a stretch of phase-continuous FSK: one search over the characters' starts, their bits
/// and the phase of the carrier.
///
/// A Viterbi search on a time grid of eight steps per bit. Its states are the idle line and, for each bit of a
/// character, the last two bits. Every survivor has its own carrier phase and frequency, so that the memory in the
/// phase counts, which gains 4 to 6 dB over detectors that examine one bit at a time. Survivors that are too far below
/// the best one to catch up are dropped, and only those that remain learn the phase.
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

    /// States of a bit: the last two bits.
    private static let states = 4
    /// Survivors at one step: the states of ten bits and of the start bit, as many as a mask has bits.
    private static let places = 64
    /// Steps kept in memory: a power of two, above the steps of two stop bits.
    private static let slots = 16
    private static let unreachable: Float = -1e30
    private static let perBit = ToneCorrelations.stepsPerBit

    /// The cost of a start bit, as a share of a bit's correlation: a long mark in noise holds no characters.
    private static let costOfStart: Float = 0.15
    /// The share of a bit's correlation by which the best path grows in a bit, at least, to compare paths that end at
    /// different steps.
    private static let pace: Float = 0.9
    /// The largest log-likelihood ratio (nats) by which the right path may be below the best one, and its limits in
    /// correlations of a bit.
    private static let margin: Float = 28
    private static let margins: ClosedRange<Float> = 1...4
    /// The lower limit for a sender whose clock and tones are not known, and the least power of a tone over that of the
    /// other one for which the limits are not the largest.
    private static let marginOfUnknown: Float = 2.2
    private static let leastEvenness: Float = 0.5
    /// The share of the largest correlation in a block that counts as that of a bit.
    private static let shareOfPeak: Float = 0.8
    /// The weakest mean over the strongest level of the blocks beside it, of a steady signal, and the largest factor of
    /// the limit in a fade.
    private static let steadiness: Float = 0.9
    private static let maxSpread: Float = 16

    /// A path that ends within a character.
    private struct Survivor: BitwiseCopyable {
        var score: Float = unreachable
        /// The carrier: its phase with the magnitude of a bit's correlation, the inverse of that magnitude, and its
        /// frequency in radians per bit.
        var phase = SIMD2<Float>.zero
        var inverseSize: Float = 0
        var frequency: Float = 0
        /// The last complete character, -1 if there is none, and the step at which this one began.
        var last: Int32 = -1
        var start: Int32 = 0
        /// The bits of this character, the last one in the least significant bit.
        var bits: UInt32 = 0
    }

    /// A complete character and the one before it on its path.
    private struct Link: BitwiseCopyable {
        var previous: Int32
        var start: Int32
        var end: Int32
        var bits: UInt32
    }

    /// The limits of the search in a block of steps.
    private struct Limit: BitwiseCopyable {
        /// The least growth of the best path in a step, the cost of a start, and the score below the best one at which
        /// a survivor is dropped.
        var pace: Float = 0
        var costOfStart: Float = 0
        var depth: Float = 0
    }

    private var survivors = [Survivor](repeating: Survivor(), count: slots * places)
    /// The survivors at each step: a bit for each place.
    private var masks = [UInt64](repeating: 0, count: slots)
    /// The idle line at each step; its score is unreachable if it was dropped.
    private var idles = [Survivor](repeating: Survivor(), count: slots)
    /// The best score at each step.
    private var bests = [Float](repeating: 0, count: slots)
    /// The scores of the candidates at a step, and the places from which they come.
    private var scores = [Float](repeating: 0, count: places)
    private var sources = [UInt8](repeating: 0, count: places)
    private var links: [Link] = []
    /// The last character of the idle line.
    private var lastLink: Int32 = -1
    private var limits: [Limit] = []

    init(framing: CharacterFraming) {
        bitCount = framing.bitsBeforeStop - 1
        characterSteps = (Double(framing.bitsBeforeStop) + framing.stopBits.rawValue) * Double(Self.perBit)
        stopSteps = Int(framing.stopBits.rawValue * Double(Self.perBit)) - 2
    }

    mutating func wipe() {
        survivors.zeroCapacity()
        masks.zeroCapacity()
        idles.zeroCapacity()
        bests.zeroCapacity()
        scores.zeroCapacity()
        sources.zeroCapacity()
        links.wipeCapacity()
        limits.wipeCapacity()
    }

    /// Searches for the characters of a stretch that begins with the idle line and ends anywhere.
    /// - Parameters:
    ///   - tones: the correlations of the stretch.
    ///   - levels: the levels of the tones and of the noise in it.
    ///   - turns: the turns of the tones.
    ///   - costs: the costs of a bit of space and of mark, for tones that differ in strength.
    ///   - carrier: the carrier at the beginning, as far as it is known.
    ///   - found: the result: the characters that were found.
    /// - Returns: the score of the best path: the correlation of the sound with the characters found.
    mutating func search(
        _ tones: ToneCorrelations, _ levels: SignalLevels, turns: CarrierTurns, costs: SIMD2<Float>, carrier: Carrier,
        found: inout [Found]
    ) -> Float {
        found.removeAll(keepingCapacity: true)
        let count = tones.count
        guard count > Self.perBit * (bitCount + 2) else { return 0 }
        setLimits(
            levels, samplesPerBit: Float(tones.stepLength) * Float(Self.perBit), costs,
            isKnown: carrier.maxFrequency == Carrier.maxFrequency)
        links.removeAll(keepingCapacity: true)
        links.growWiping(toHold: count)
        for slot in 0..<Self.slots {
            masks[slot] = 0
            idles[slot].score = Self.unreachable
            bests[slot] = Self.unreachable
        }
        idles[0] = Self.survivor(carrier)
        bests[0] = 0
        if carrier.isCoherent {
            advance(
                tones, turns, costs, blockSteps: levels.blockSteps, CoherentGain(maxFrequency: carrier.maxFrequency))
        } else {
            advance(tones, turns, costs, blockSteps: levels.blockSteps, PowerGain())
        }
        return traceBack(from: count, &found)
    }

    private static func survivor(_ carrier: Carrier) -> Survivor {
        let size = Carrier.size(of: carrier.phase)
        return Survivor(
            score: 0, phase: carrier.phase, inverseSize: size > 0 ? 1 / size : 0, frequency: carrier.frequency)
    }

    /// Sets the limits of each block by its levels and those of the blocks beside it.
    private mutating func setLimits(
        _ levels: SignalLevels, samplesPerBit: Float, _ costs: SIMD2<Float>, isKnown: Bool
    ) {
        limits.removeAll(keepingCapacity: true)
        let blocks = levels.blocks
        limits.growWiping(toHold: max(1, blocks.count))
        // A line that weakens one tone also smears the bits.
        let isUneven = costs.min() < Self.leastEvenness * costs.max()
        let least = isUneven ? Self.margins.upperBound : isKnown ? Self.margins.lowerBound : Self.marginOfUnknown
        for index in blocks.indices {
            var (strongest, weakest, noise) = (Float(0), blocks[index].mean, Float(0))
            for other in max(0, index - 1)...min(index + 1, blocks.count - 1) {
                let block = blocks[other]
                strongest = max(strongest, block.mean, Self.shareOfPeak * block.peak)
                weakest = min(weakest, block.mean)
                noise = max(noise, block.noise)
            }
            // A score is a log-likelihood ratio if it is multiplied by the amplitude of the sound over the noise.
            let atWeakest = Self.margin * noise * samplesPerBit / (2 * max(weakest, .leastNormalMagnitude))
            // In a fade, parts of a block are weaker still.
            let spread = max(1, Self.steadiness * strongest / max(weakest, .leastNormalMagnitude))
            let nats = atWeakest * min(spread * spread, Self.maxSpread)
            let depth = min(max(nats, least * strongest), Self.margins.upperBound * strongest)
            // Costs take up to half of what a bit gains.
            let growth = Self.pace * (costs == .zero ? 1 : 0.5) * blocks[index].mean / Float(Self.perBit)
            limits.append(
                Limit(pace: growth, costOfStart: Self.costOfStart * blocks[index].mean, depth: depth))
        }
        if limits.isEmpty { limits.append(Limit(depth: .infinity)) }
    }

    /// Advances all paths from step to step.
    private mutating func advance<Gain: SearchGain>(
        _ tones: ToneCorrelations, _ turns: CarrierTurns, _ costs: SIMD2<Float>, blockSteps: Int, _ gain: Gain
    ) {
        let perBit = Self.perBit
        let (count, stopSteps, stopPlaces) = (tones.count, stopSteps, UInt64(bitCount * Self.states))
        let (space, mark) = (tones.bits.space.span, tones.bits.mark.span)
        let (idleSteps, stops) = (tones.step.span, tones.stop.span)
        let stopBits = Float(stopSteps) / Float(perBit)
        let idleCost = costs.y / Float(perBit)
        let places = UInt64(1) << stopPlaces - 1
        var (survivorTable, maskTable, idleTable) = (move(&self.survivors), move(&self.masks), move(&self.idles))
        var (bestTable, scoreTable, sourceTable) = (move(&self.bests), move(&self.scores), move(&self.sources))
        var links = move(&self.links)
        var survivors = survivorTable.mutableSpan
        var masks = maskTable.mutableSpan
        var idles = idleTable.mutableSpan
        var bests = bestTable.mutableSpan
        var scores = scoreTable.mutableSpan
        var sources = sourceTable.mutableSpan
        let limitTable = limits
        let limits = limitTable.span
        var (reference, age) = (Float(0), 0)
        lastLink = -1
        var limit = limits[0]
        var nextBlock = blockSteps
        var block = 0
        for step in 1...count {
            if step >= nextBlock, block + 1 < limits.count {
                block += 1
                nextBlock += blockSteps
                limit = limits[block]
            }
            let (here, before) = (step & (Self.slots - 1), (step - 1) & (Self.slots - 1))
            // The idle line continues, or a stop bit ends.
            var idleScore = Self.unreachable
            let idleSeen =
                Gain.isCoherent ? idleSteps[step - 1] : mark[max(0, step - 1 - perBit / 2)] / Float(perBit)
            if unsafe idles[unchecked: before].score > Self.unreachable {
                idleScore =
                    unsafe idles[unchecked: before].score
                    + gain.gain(
                        idleSeen, unsafe idles[unchecked: before].phase, unsafe idles[unchecked: before].inverseSize)
                    - idleCost
            }
            var stopped = -1
            let stopSlot = (step - stopSteps) & (Self.slots - 1)
            if step >= stopSteps {
                var live = unsafe masks[unchecked: stopSlot] >> stopPlaces
                if live != 0 {
                    let seen = stops[step - stopSteps]
                    while live != 0 {
                        let place = stopSlot * Self.places + Int(stopPlaces) + live.trailingZeroBitCount
                        live &= live - 1
                        let score =
                            unsafe survivors[unchecked: place].score - idleCost * Float(stopSteps)
                            + gain.gain(
                                seen, unsafe survivors[unchecked: place].phase,
                                unsafe survivors[unchecked: place].inverseSize)
                        if score > idleScore { (idleScore, stopped) = (score, place) }
                    }
                }
            }
            // The best score at this step if the best path of the last bit goes on.
            age += 1
            if age <= perBit {
                reference += limit.pace
            } else {
                reference = Self.unreachable
                for past in 1...perBit {
                    let score = unsafe bests[unchecked: (step - past) & (Self.slots - 1)] + limit.pace * Float(past)
                    if score > reference { (reference, age) = (score, past) }
                }
            }
            var best = idleScore
            var live: UInt64 = 0
            if step >= perBit {
                let from = step - perBit
                let source = from & (Self.slots - 1)
                let idle = unsafe idles[unchecked: source]
                var open = unsafe masks[unchecked: source] & places
                if open != 0 || idle.score > Self.unreachable {
                    let (zero, one) = (space[from], mark[from])
                    var candidates: UInt64 = 0
                    if idle.score > Self.unreachable {
                        // A start bit follows ones.
                        let score =
                            idle.score + gain.gain(zero, idle.phase, idle.inverseSize) - costs.x
                            - limit.costOfStart
                        unsafe scores[unchecked: 2] = score
                        candidates = 4
                        best = max(best, score)
                    }
                    while open != 0 {
                        let place = open.trailingZeroBitCount
                        open &= open - 1
                        let survivor = source * Self.places + place
                        let (phase, inverse) = (
                            unsafe survivors[unchecked: survivor].phase,
                            unsafe survivors[unchecked: survivor].inverseSize
                        )
                        let score = unsafe survivors[unchecked: survivor].score
                        let ofZero = score + gain.gain(zero, phase, inverse) - costs.x
                        let ofOne = score + gain.gain(one, phase, inverse) - costs.y
                        let target = (place >> 2 + 1) << 2 | (place & 1) << 1
                        if candidates >> UInt64(target) & 1 == 0 {
                            candidates |= 3 << UInt64(target)
                            unsafe scores[unchecked: target] = ofZero
                            unsafe scores[unchecked: target + 1] = ofOne
                            unsafe sources[unchecked: target] = UInt8(place)
                            unsafe sources[unchecked: target + 1] = UInt8(place)
                        } else {
                            if unsafe scores[unchecked: target] < ofZero {
                                unsafe scores[unchecked: target] = ofZero
                                unsafe sources[unchecked: target] = UInt8(place)
                            }
                            if unsafe scores[unchecked: target + 1] < ofOne {
                                unsafe scores[unchecked: target + 1] = ofOne
                                unsafe sources[unchecked: target + 1] = UInt8(place)
                            }
                        }
                        best = max(best, max(ofZero, ofOne))
                    }
                    let least = max(best, reference) - limit.depth
                    let (inverseOfZero, inverseOfOne) = (gain.inverse(of: zero), gain.inverse(of: one))
                    while candidates != 0 {
                        let place = candidates.trailingZeroBitCount
                        candidates &= candidates - 1
                        guard unsafe scores[unchecked: place] >= least else { continue }
                        live |= 1 << UInt64(place)
                        var survivor: Survivor
                        if place < Self.states {
                            survivor = idle
                            survivor.start = Int32(truncatingIfNeeded: from)
                            survivor.bits = 0
                        } else {
                            survivor = unsafe survivors[
                                unchecked: source * Self.places + Int(unsafe sources[unchecked: place])]
                            survivor.bits = survivor.bits << 1 | UInt32(place & 1)
                        }
                        survivor.score = unsafe scores[unchecked: place]
                        if place & 1 == 0 {
                            gain.follow(
                                zero, inverseOfZero, bits: 1, turns.bits.space, &survivor.phase, &survivor.inverseSize,
                                &survivor.frequency)
                        } else {
                            gain.follow(
                                one, inverseOfOne, bits: 1, turns.bits.mark, &survivor.phase, &survivor.inverseSize,
                                &survivor.frequency)
                        }
                        unsafe survivors[unchecked: here * Self.places + place] = survivor
                    }
                }
            }
            unsafe masks[unchecked: here] = live
            if best > reference { (reference, age) = (best, 0) }
            unsafe bests[unchecked: here] = best
            if idleScore > Self.unreachable, idleScore >= reference - limit.depth {
                var idle: Survivor
                if stopped >= 0 {
                    idle = unsafe survivors[unchecked: stopped]
                    let seen = stops[step - stopSteps]
                    gain.follow(
                        seen, gain.inverse(of: seen), bits: stopBits, turns.stop, &idle.phase, &idle.inverseSize,
                        &idle.frequency)
                    links.append(
                        Link(
                            previous: idle.last, start: idle.start, end: Int32(truncatingIfNeeded: step),
                            bits: idle.bits))
                    idle.last = Int32(truncatingIfNeeded: links.count - 1)
                } else {
                    idle = unsafe idles[unchecked: before]
                    gain.follow(
                        idleSeen, gain.inverse(of: idleSeen), bits: 1 / Float(perBit), turns.step, &idle.phase,
                        &idle.inverseSize, &idle.frequency)
                }
                idle.score = idleScore
                unsafe idles[unchecked: here] = idle
                lastLink = idle.last
            } else {
                unsafe idles[unchecked: here].score = Self.unreachable
                if best == Self.unreachable, age >= perBit, reference == Self.unreachable {
                    // All paths were dropped: the line rests, at any phase.
                    var score = Self.unreachable
                    for past in 1..<Self.slots {
                        score = max(score, unsafe bests[unchecked: (step - past) & (Self.slots - 1)])
                    }
                    unsafe idles[unchecked: here] = Survivor(score: max(score, 0), last: lastLink)
                    unsafe bests[unchecked: here] = unsafe idles[unchecked: here].score
                    (reference, age) = (unsafe idles[unchecked: here].score, 0)
                }
            }
        }
        (self.survivors, self.masks, self.idles) = (survivorTable, maskTable, idleTable)
        (self.bests, self.scores, self.sources) = (bestTable, scoreTable, sourceTable)
        self.links = links
    }

    /// Traces the best path back.
    private func traceBack(from last: Int, _ found: inout [Found]) -> Float {
        // A stretch may end within a character; the idle line and every bit that ends within the last bit compete. A
        // character that the stretch cuts off is left out.
        let idle = idles[last & (Self.slots - 1)]
        var best = (score: idle.score, link: idle.score > Self.unreachable ? idle.last : lastLink)
        let pace = max(best.score / Float(last), 0)
        for step in max(0, last - Self.perBit + 1)...last {
            let slot = step & (Self.slots - 1)
            var live = masks[slot]
            while live != 0 {
                let survivor = survivors[slot * Self.places + live.trailingZeroBitCount]
                live &= live - 1
                let score = survivor.score + Float(last - step) * pace
                if score > best.score { best = (score, survivor.last) }
            }
        }
        var next = Int(best.link)
        while next >= 0 {
            let link = links[next]
            var bits: UInt16 = 0
            for place in 0..<bitCount { bits |= UInt16(link.bits >> UInt32(place) & 1) << UInt16(bitCount - 1 - place) }
            found.growWiping(toHold: found.count + 1)
            found.append(Found(bits: bits, start: Int(link.start), end: Int(link.end)))
            next = Int(link.previous)
        }
        found.reverse()
        return best.score
    }
}

/// How the correlation of a window counts for a path, and how the path learns from it.
private protocol SearchGain {
    static var isCoherent: Bool { get }
    func gain(_ seen: SIMD2<Float>, _ phase: SIMD2<Float>, _ inverseSize: Float) -> Float
    /// The inverse of a correlation's magnitude.
    func inverse(of seen: SIMD2<Float>) -> Float
    func follow(
        _ seen: SIMD2<Float>, _ inverse: Float, bits: Float, _ turn: SIMD2<Float>, _ phase: inout SIMD2<Float>,
        _ inverseSize: inout Float, _ frequency: inout Float)
}

/// The phase of the carrier counts; the same as in ``Carrier``, with inverse magnitudes that are computed once.
private struct CoherentGain: SearchGain {
    static let isCoherent = true
    let maxFrequency: Float

    @inline(__always)
    func gain(_ seen: SIMD2<Float>, _ phase: SIMD2<Float>, _ inverseSize: Float) -> Float {
        guard inverseSize > 0 else { return Carrier.size(of: seen) / 2 }
        return (seen.x * phase.x + seen.y * phase.y) * inverseSize
    }

    @inline(__always)
    func inverse(of seen: SIMD2<Float>) -> Float { 1 / (seen.x * seen.x + seen.y * seen.y + 1e-30).squareRoot() }

    @inline(__always)
    func follow(
        _ seen: SIMD2<Float>, _ inverse: Float, bits: Float, _ turn: SIMD2<Float>, _ phase: inout SIMD2<Float>,
        _ inverseSize: inout Float, _ frequency: inout Float
    ) {
        let share = bits < 1 ? bits : 1
        let weight = Carrier.phaseGain * share
        var real = weight / bits * seen.x
        var imaginary = weight / bits * seen.y
        if inverseSize > 0 {
            let error = (seen.y * phase.x - seen.x * phase.y) * (inverseSize * inverse)
            frequency += Carrier.frequencyGain * share * share * error
            frequency = frequency < -maxFrequency ? -maxFrequency : frequency > maxFrequency ? maxFrequency : frequency
            real += (1 - weight) * phase.x
            imaginary += (1 - weight) * phase.y
        }
        let angle = frequency * bits
        let cosine = 1 - angle * angle * 0.5
        let turnedReal = real * turn.x - imaginary * turn.y
        let turnedImaginary = imaginary * turn.x + real * turn.y
        phase = SIMD2(turnedReal * cosine - turnedImaginary * angle, turnedImaginary * cosine + turnedReal * angle)
        inverseSize = self.inverse(of: phase)
    }
}

/// Only the power of the tones counts.
private struct PowerGain: SearchGain {
    static let isCoherent = false

    @inline(__always)
    func gain(_ seen: SIMD2<Float>, _ phase: SIMD2<Float>, _ inverseSize: Float) -> Float { Carrier.size(of: seen) }

    @inline(__always)
    func inverse(of seen: SIMD2<Float>) -> Float { 0 }

    @inline(__always)
    func follow(
        _ seen: SIMD2<Float>, _ inverse: Float, bits: Float, _ turn: SIMD2<Float>, _ phase: inout SIMD2<Float>,
        _ inverseSize: inout Float, _ frequency: inout Float
    ) {}
}
