/// The strong tier of frequency shift keying: the most likely characters of one stretch after the other, with what a burst
/// has told of its clock and its tones.
struct SequenceDecoder: Sendable, Wipeable {
    /// A character and what is known of it.
    struct Reading {
        var bits: UInt16
        /// Time in samples of the stretch.
        var start: Double
        var end: Double
        /// Log-likelihood ratio (nats) of each bit from start to stop.
        var likelihoods: SIMD16<Float>
        var evidence: CarrierStrength.Evidence
        /// Energy of its own bits over the density of the noise, as a ratio.
        var ownEvidence: Float
    }

    private let shift: FrequencyShift
    private let sampleRate: Double
    private let bitCount: Int
    /// Whether the phase can be carried on: where tones lie far apart for their baud, it turns too far in a step of the grid.
    private let isPhaseKept: Bool
    private var trellis: CharacterTrellis
    private var tones = ToneCorrelations()
    private var path = CharacterPath()
    private var found: [CharacterTrellis.Found] = []
    /// The carrier where the next stretch begins.
    private var carrier = Carrier()
    /// Bits a second over the nominal ones, and tones of space and mark in Hz, as far as a burst has told.
    private(set) var clock = 1.0
    private(set) var frequencies: SIMD2<Double>
    /// How the line passes the tones.
    private var balance = ToneBalance()
    /// Amplitude of the burst's last character.
    private var heard: Float = 0
    /// Whether a burst has told.
    private(set) var isLocked = false
    /// Clock, tones and line of the burst before: the next one may come from the same sender.
    private var last: (clock: Double, frequencies: SIMD2<Double>, balance: ToneBalance)
    /// Where the last character ended that was strong by itself, in samples of the stretch.
    private var lastStrong = -Double.infinity

    /// Clocks that are tried until one is known.
    private static let clocks = [1, 0.98, 1.02, 0.96, 1.04]
    /// What another clock explains counts for so much: bits that are smeared may seem to fit one by chance.
    private static let trustInOtherClock: Float = 0.93
    /// Energy of a bit over the density of the noise from which on tones without phases are believed, and how much more of
    /// the power over the noise they have to explain.
    private static let leastWithoutPhases: Float = 10
    private static let leastGainWithoutPhases: Float = 2
    /// Share of white noise that they explain, times the samples of half a bit: of each bit the louder tone, whatever its
    /// phase.
    private static let noiseExplained: Float = 1.1
    private static let mostNoiseExplained: Float = 0.9
    /// Turns a bit by which the tones may differ for the phase to be carried on.
    private static let mostTurnsOfPhase = 2.5
    /// Samples of half a bit in which they can be told from noise.
    private static let leastHalfBit: Float = 8
    /// Clocks that are followed.
    private static let clockRange = 0.94...1.06
    /// Distances of characters that tell the clock, at least, and grid steps that they may be off.
    private static let leastDistances = 8
    private static let mostSlip = 4.0
    /// An error of the clock that is believed, at least.
    private static let leastClockError = 0.004
    /// How fast the clock is followed, from stretch to stretch.
    private static let clockGain = 0.5
    private static let trustInOtherTones: Float = 0.95
    /// Characters that settle the clock.
    private static let settling = 4
    /// Offsets in turns a bit that are believed, at least.
    private static let leastOffset = 0.015
    /// Tones are no nearer to each other than this, as a share of how far they should be apart.
    private static let leastShift = 0.7
    /// Energy of a bit over the density of the noise, as a ratio: over forty bits, and over a character that stands alone.
    static let leastEvidence: Float = 2.4
    static let leastEvidenceAlone: Float = 6
    /// The same that a character has to have itself, where there is more around it.
    private static let leastEvidenceOfOwn: Float = 1
    /// The same as a share of what there is around it.
    private static let leastShareOfEvidence: Float = 0.3
    /// Bits in which there has to be a character that is strong by itself, before and behind a weak one.
    private static let supportBits = 300.0
    /// A tone between the two is about as loud in both.
    private static let mostRivalry: Float = 0.95
    /// Share of the amplitude around it that a character has to have.
    private static let leastShareOwn: Float = 0.15
    /// The same right behind another character.
    static let leastEvidenceWithin: Float = 1.3
    /// How fast the tones are followed, from stretch to stretch.
    private static let tuningGain = 0.15
    /// Parts of a character that are listened to for themselves, and what each has of the amplitude around it, at least.
    private static let parts = 3
    private static let leastShare: Float = 0.12
    /// A start bit is none where it has less than a share of that, and less by so many standard deviations, and the two bits
    /// before it as well: there the carrier begins.
    private static let mostShareBefore: Float = 0.35
    private static let mostDeviationsBefore: Float = 2
    private static let mostShareOfStart: Float = 0.5
    private static let mostDeviationsOfStart: Float = 1.5
    /// Log-likelihood ratio (nats) of a start or stop bit against its opposite below which it is the opposite.
    private static let leastLikelihood: Float = -7
    /// Full-scale step of 16-bit sound: a carrier below it is none.
    private static let leastAmplitude: Float = 1 / 32_768
    private static let evidenceSteps = CarrierStrength.evidenceSteps

    init(_ shift: FrequencyShift, framing: CharacterFraming, sampleRate: Double) {
        self.shift = shift
        self.sampleRate = sampleRate
        trellis = CharacterTrellis(framing: framing)
        bitCount = trellis.bitCount
        frequencies = SIMD2(shift.space, shift.mark)
        last = (1, frequencies, balance)
        isPhaseKept = abs(shift.mark - shift.space) <= Self.mostTurnsOfPhase * shift.baud
        carrier.isCoherent = isPhaseKept
    }

    /// The burst is over: the next one may have another clock or other tones, or come over another line.
    mutating func unlock() {
        if isLocked { last = (clock, frequencies, balance) }
        isLocked = false
        heard = 0
        (clock, frequencies, balance) = (1, SIMD2(shift.space, shift.mark), ToneBalance())
    }

    /// Goes on behind a stretch that was clear.
    /// - Parameters:
    ///   - clock: bits a second over the nominal ones.
    ///   - frequencies: tones of space and mark in Hz.
    ///   - amplitude: that of the last character.
    mutating func follow(clock: Double, frequencies: SIMD2<Double>, amplitude: Float) {
        self.clock = clock
        for tone in 0..<2 where abs(frequencies[tone] - self.frequencies[tone]) > Self.leastOffset * shift.baud {
            self.frequencies[tone] = frequencies[tone]
        }
        heard = amplitude
        isLocked = true
        lastStrong = 0
    }

    /// The carrier is another one, or so much later that nothing is known of its phase.
    mutating func forgetCarrier() {
        carrier = Carrier(isCoherent: carrier.isCoherent, mostFrequency: carrier.mostFrequency)
    }

    mutating func wipe() {
        found.wipeCapacity()
        path.wipe()
        tones.wipe()
        trellis.wipe()
    }

    /// Starts a new recording; what it holds of the last one is to be overwritten beside.
    mutating func reset() {
        unlock()
        lastStrong = -.infinity
        last = (1, SIMD2(shift.space, shift.mark), ToneBalance())
        carrier = Carrier(isCoherent: isPhaseKept)
    }

    /// Reads the characters that begin before a time.
    /// - Parameters:
    ///   - samples: the stretch, and what follows it.
    ///   - offset: time at which it begins, 0 to 1 sample.
    ///   - limit: time in samples.
    ///   - readings: what is read is put here.
    /// - Returns: the time up to which all is read.
    mutating func read(
        _ samples: Span<Float>, from offset: Double, before limit: Double, readings: inout [Reading]
    ) -> Double {
        readings.removeAll(keepingCapacity: true)
        carrier.mostFrequency = isLocked ? Carrier.mostFrequency : Carrier.mostFrequencyInNoise
        if !isLocked {
            carrier.frequency = 0
            carrier.isCoherent = isPhaseKept
        }
        search(samples, from: offset)
        if !isLocked, path.strength.holdsSignal(tones) { settle(samples, from: offset) }
        let firstAfter = path.characters.firstIndex { time($0.start, offset) >= limit } ?? path.characters.count
        readings.growWiping(toHold: path.characters.count)
        for character in path.characters {
            let reading = reading(character, offset)
            let isNext = readings.count < firstAfter
            if isNext, reading.evidence.bitEnergyToNoise >= Self.leastEvidence { heard = reading.evidence.amplitude }
            readings.append(reading)
        }
        dropUnsupported(&readings, upTo: firstAfter)
        readings.removeSubrange(firstAfter...)
        let strong = readings.count { $0.evidence.bitEnergyToNoise >= Self.leastEvidence }
        if !isLocked, strong >= Self.settling { isLocked = true }
        // The next stretch begins behind the last character, or at the limit on the idle line.
        let last = firstAfter > 0 ? path.characters[firstAfter - 1].end : 0
        let nextStart = firstAfter < path.characters.count ? path.characters[firstAfter].start : tones.count
        let step = max(last, min(nextStart, Int((limit - offset) / tones.stepLength)))
        follow(found[..<firstAfter])
        carrier = path.idle(until: min(step, tones.count), tones, turns)
        let end = time(min(step, tones.count), offset)
        lastStrong -= end.rounded(.down)
        if isLocked, strong >= Self.settling {
            followClock(readings)
            if carrier.isCoherent { balance.follow(path.tonesSeen) }
            // What smears one tone into the other turns its phase, too.
            if balance.isEven { tune() }
        }
        return end
    }

    /// Drops what is weak and has nothing strong before or behind it: in a fade there is, where a carrier begins or ends
    /// there is not.
    private mutating func dropUnsupported(_ readings: inout [Reading], upTo count: Int) {
        let reach = Self.supportBits * sampleRate / shift.baud
        func isStrong(_ reading: Reading) -> Bool {
            min(reading.ownEvidence, reading.evidence.bitEnergyToNoise) >= Self.leastEvidence
        }
        for index in 0..<count {
            if isStrong(readings[index]) {
                lastStrong = readings[index].end
            } else {
                let next = readings[index...].first(where: isStrong)?.start ?? .infinity
                if readings[index].start - lastStrong > reach || next - readings[index].end > reach {
                    readings[index].evidence = .none
                }
            }
        }
    }

    /// Follows the clock by how far apart the characters are that stand close together.
    private mutating func followClock(_ readings: [Reading]) {
        let pace = trellis.characterSteps
        var (sum, count) = (0.0, 0)
        for (first, second) in zip(readings, readings.dropFirst())
        where min(first.evidence.bitEnergyToNoise, second.evidence.bitEnergyToNoise) >= Self.leastEvidence {
            let distance = (second.start - first.start) / tones.stepLength
            guard abs(distance - pace) <= Self.mostSlip else { continue }
            sum += distance
            count += 1
        }
        guard count >= Self.leastDistances else { return }
        let error = pace * Double(count) / sum - 1
        guard abs(error) > Self.leastClockError else { return }
        clock = min(max(clock * (1 + Self.clockGain * error), Self.clockRange.lowerBound), Self.clockRange.upperBound)
    }

    /// Follows the tones by how their phase turns within the bits that were read.
    private mutating func tune() {
        let estimate = ToneEstimate(
            tones, turnsPerBit: turnsPerBit, characters: path.characters, bitCount: bitCount
        ).offsets
        for tone in 0..<2 where abs(estimate[tone]) > Self.leastOffset {
            frequencies[tone] += Self.tuningGain * shift.baud * estimate[tone]
        }
    }

    private func time(_ step: Int, _ offset: Double) -> Double { offset + Double(step) * tones.stepLength }

    private var turnsPerBit: SIMD2<Double> {
        frequencies / sampleRate * (sampleRate / (shift.baud * clock))
    }

    private var turns: CarrierTurns { CarrierTurns(turnsPerBit: turnsPerBit, stopSteps: trellis.stopSteps) }

    /// Searches with the clock and the tones as they are.
    @discardableResult
    private mutating func search(_ samples: Span<Float>, from offset: Double) -> Float {
        let samplesPerBit = sampleRate / (shift.baud * clock)
        tones.load(
            samples, from: offset, turns: frequencies / sampleRate,
            samplesPerBit: samplesPerBit, stopSteps: trellis.stopSteps)
        balance.apply(to: &tones)
        let score = trellis.search(tones, turns: turns, costs: balance.costs, carrier: carrier, found: &found)
        follow(found[...])
        // The idle line behind the last character counts too.
        _ = path.idle(until: tones.count, tones, turns)
        return score
    }

    private mutating func follow(_ found: ArraySlice<CharacterTrellis.Found>) {
        path.follow(
            found, tones, turns, powers: balance.powers, from: carrier, stopSteps: trellis.stopSteps, bitCount: bitCount
        )
    }

    /// Tries other tones and other clocks.
    private mutating func settle(_ samples: Span<Float>, from offset: Double) {
        var before = carrier
        // The bit has half as much energy as a carrier of its power over the noise of a sample.
        let halfBit = Float(sampleRate / shift.baud / 2)
        let noiseExplained = min(Self.mostNoiseExplained, Self.noiseExplained / halfBit)
        func score() -> Float {
            path.strength.overNoise(tones) * (clock == 1 ? 1 : Self.trustInOtherClock)
                * (frequencies == SIMD2(shift.space, shift.mark) ? 1 : Self.trustInOtherTones)
        }
        // What was searched with before need not be tried again.
        let first = (score: score(), clock: clock, frequencies: frequencies, balance: balance)
        var best = first
        let estimate = ToneEstimate(tones, turnsPerBit: turnsPerBit).offsets
        // A steady tone between the two would bring them together.
        let nominal = SIMD2(shift.space, shift.mark)
        let tuned = nominal + estimate * shift.baud
        let isApart = abs(tuned.x - tuned.y) > Self.leastShift * abs(shift.space - shift.mark)
        let isOff = isApart && max(abs(estimate.x), abs(estimate.y)) > Self.leastOffset
        let candidates = 0..<(isOff ? 2 : 1)
        if last.clock != 1 || last.frequencies != nominal || !last.balance.isEven {
            (clock, frequencies, balance) = last
            carrier = before
            carrier.phase = .zero
            search(samples, from: offset)
            if score() > best.score { best = (score(), clock, frequencies, balance) }
        }
        for index in candidates {
            let candidate = index == 0 ? nominal : tuned
            for other in Self.clocks
            where other != first.clock || candidate != first.frequencies || !first.balance.isEven {
                (clock, frequencies, balance) = (other, candidate, ToneBalance())
                carrier = before
                if candidate == tuned { carrier.phase = .zero }
                search(samples, from: offset)
                if score() > best.score { best = (score(), clock, frequencies, balance) }
            }
        }
        // Its twin without phases, where that explains far more.
        let coherent = best.score
        for index in before.isCoherent && halfBit >= Self.leastHalfBit ? candidates : 0..<0 {
            let candidate = index == 0 ? nominal : tuned
            for other in Self.clocks {
                (clock, frequencies, balance) = (other, candidate, ToneBalance())
                carrier = Carrier(isCoherent: false)
                search(samples, from: offset)
                // Without phases some of the noise is explained, too.
                let gained = score() * (1 - noiseExplained) - noiseExplained
                guard gained * halfBit > Self.leastWithoutPhases, gained > Self.leastGainWithoutPhases * coherent else {
                    // What no clock explains is not worth the other ones.
                    guard other == 1 else { continue }
                    break
                }
                if score() > best.score {
                    best = (score(), clock, frequencies, balance)
                    before.isCoherent = false
                }
            }
        }
        (clock, frequencies, balance) = (best.clock, best.frequencies, best.balance)
        carrier = before
        search(samples, from: offset)
    }

    /// Whether the carrier is there from a character's beginning to its end: it is not where it starts or stops.
    /// - Parameters:
    ///   - steps: the character.
    ///   - own: amplitude of its carrier.
    ///   - usual: amplitude of the carrier around it.
    ///   - noise: variance of the noise, a sample.
    /// - Returns: true where all of it is heard.
    private func isHeardThroughout(_ steps: Range<Int>, own: Float, usual: Float, noise: Float) -> Bool {
        func amplitude(in steps: Range<Int>) -> Float { path.strength.evidence(in: steps, tones).amplitude }
        guard usual > Self.leastAmplitude else { return false }
        // Where a carrier starts, what lies before it would do for a start bit.
        let (start, bit) = (steps.lowerBound, ToneCorrelations.stepsPerBit)
        if start >= 2 * bit {
            let (before, first) = (amplitude(in: start - 2 * bit..<start), amplitude(in: start..<start + bit))
            // In a fade the rest of the character is as weak.
            let usual = amplitude(in: (start + steps.upperBound) / 2..<steps.upperBound)
            let deviation = (2 * noise / Float(Double(bit) * tones.stepLength)).squareRoot()
            let isBeforeCarrier =
                before < min(Self.mostShareBefore * usual, usual - Self.mostDeviationsBefore * deviation)
            if isBeforeCarrier,
                first < min(Self.mostShareOfStart * usual, usual - Self.mostDeviationsOfStart * deviation)
            {
                return false
            }
        }
        let part = steps.count / Self.parts
        return (0..<Self.parts).allSatisfy { index in
            amplitude(in: start + index * part..<start + (index + 1) * part) > Self.leastShare * own
        }
    }

    private func reading(_ character: CharacterPath.Character, _ offset: Double) -> Reading {
        let (start, end) = (character.start, character.end)
        let middle = (start + end) / 2
        let alone = path.strength.evidence(in: start..<end, tones)
        var evidence = path.strength.evidence(
            in: middle - Self.evidenceSteps / 2..<middle + Self.evidenceSteps / 2, tones)
        for window in [start..<start + Self.evidenceSteps, end - Self.evidenceSteps..<end] {
            let other = path.strength.evidence(in: window, tones)
            if other.bitEnergyToNoise > evidence.bitEnergyToNoise { evidence = other }
        }
        if alone.bitEnergyToNoise >= Self.leastEvidenceAlone { evidence = alone }
        if alone.bitEnergyToNoise < min(Self.leastEvidenceOfOwn, Self.leastShareOfEvidence * evidence.bitEnergyToNoise)
            || alone.amplitude < Self.leastShareOwn * max(evidence.amplitude, heard)
            || character.rivalry > Self.mostRivalry
        {
            evidence = .none
        }
        let likelihoods = character.leads * (evidence.amplitude / evidence.noise)
        let isFramed =
            min(likelihoods[0], likelihoods[bitCount + 1]) > Self.leastLikelihood
        if !isFramed
            || !isHeardThroughout(start..<end, own: alone.amplitude, usual: evidence.amplitude, noise: evidence.noise)
        {
            evidence = .none
        }
        return Reading(
            bits: character.bits, start: time(start, offset), end: time(end, offset),
            likelihoods: likelihoods, evidence: evidence, ownEvidence: alone.bitEnergyToNoise)
    }
}
