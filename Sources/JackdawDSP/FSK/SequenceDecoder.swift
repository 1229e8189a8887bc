import JackdawBytes

/// The strong tier of frequency shift keying: the most likely characters of one stretch after another, with the clock
/// and tones learnt from the burst so far.
struct SequenceDecoder: Sendable, Wipeable {
    /// A character with its evidence.
    struct Reading {
        var bits: UInt16
        /// Start and end as times in samples of the stretch.
        var start: Double
        var end: Double
        /// Log-likelihood ratio (nats) of each bit from start to stop.
        var likelihoods: SIMD16<Float>
        var evidence: CarrierStrength.Evidence
        /// Energy of its own bits over the density of the noise, as a ratio.
        var ownEvidence: Float

        /// Whether it needs no support by the characters around it.
        var isStrong: Bool { min(ownEvidence, evidence.bitEnergyToNoise) >= SequenceDecoder.leastEvidence }
    }

    let shift: FrequencyShift
    let sampleRate: Double
    /// Whether characters that may be noise are marked as such.
    private let isSquelched: Bool
    /// The search for the characters of a stretch.
    var characterSearch: CharacterSearch
    /// The carrier at the start of the next stretch.
    var carrier = Carrier()
    /// The current sender, as learnt from the burst so far.
    var sender: FSKSender
    /// The sender of the previous burst: the next one may come from it, too.
    private(set) var last: FSKSender
    /// Amplitude of the burst's last character.
    private var heard: Float = 0
    /// Whether the sender is known from a burst.
    private(set) var isLocked = false
    /// Whether the sender was known in the last stretch, and all characters were far above the noise.
    private(set) var isCertain = false
    /// End of the last character that was strong by itself, in samples of the stretch.
    private var lastStrong = -Double.infinity
    /// The strongest tones of the burst so far, and the number of stretches in a row that have far weaker ones.
    private var strongest = SignalLevels.Tones(strength: 0, level: 0)
    private var weakStretches = 0
    /// The searches for another sender that found no signal.
    private var failures = Failures()

    /// Gain with which the clock is followed, from stretch to stretch.
    private static let clockGain = 0.5
    /// Strong characters in a stretch after which the sender counts as known.
    private static let settling = 4
    /// A burst is over if in so many stretches the tones have less than these shares of its strength and level. Noise
    /// that fills only a part of the band, and opens the squelch, has 0.2 to 0.45 of both after a burst at 6 dB or more.
    private static let maxWeakStretches = 2
    private static let leastShareOfStrength: Float = 0.45
    private static let leastShareOfLevel: Float = 0.5
    /// Least offset that is corrected, in turns per bit.
    static let leastOffset = 0.015
    /// The least energy of a bit over the density of the noise, as a ratio, measured over forty bits.
    static let leastEvidence: Float = 2.4
    /// The same over a character that stands alone, and the samples per bit for which it suffices.
    private static let leastEvidenceAlone: Float = 6
    private static let samplesAlone: Float = 5
    /// The least energy of a lone character's bit over the noise, at this sample rate.
    private let leastEvidenceToStandAlone: Float
    /// The same limit shortly after another character.
    static let leastEvidenceWithin: Float = 1.3
    /// The same limit for a character's own bits, if there is more energy around it.
    private static let leastEvidenceOfOwn: Float = 1
    /// The same limit as a share of the energy around it.
    private static let leastShareOfEvidence: Float = 0.3
    /// The energy of a bit over the density of the noise, as a ratio, from which on less sound after a stretch suffices:
    /// 9 dB.
    private static let certainEvidence: Float = 8
    /// A weak character counts only if within this many bits before it and after it a character is strong by itself.
    private static let supportBits = 300.0
    /// The largest steadiness of the tones in a character and those around it. At 6 dB a sender reaches up to 0.37; two
    /// steady tones 10 dB over the noise have at least 0.64.
    private static let maxSteadiness: Float = 0.6
    /// The least amplitude of a character, as a share of the amplitude around it.
    private static let leastShareOwn: Float = 0.2
    /// Gain with which the tones are followed, from stretch to stretch.
    private static let tuningGain = 0.15
    /// Parts of a character that are measured separately, and the least amplitude of each, as a share of the
    /// character's.
    private static let parts = 3
    private static let leastShare: Float = 0.12
    /// A start bit is rejected if its amplitude is below a share of the usual one, and by so many standard deviations,
    /// and if the same is true for the two bits before it: the carrier begins there.
    private static let maxShareBefore: Float = 0.35
    private static let maxDeviationsBefore: Float = 2
    private static let maxShareOfStart: Float = 0.5
    private static let maxDeviationsOfStart: Float = 1.5
    /// Log-likelihood ratio (nats) of a start or stop bit against its opposite, below which it counts as the opposite.
    private static let leastLikelihood: Float = -7
    /// One step of 16-bit sound: a weaker signal is no carrier.
    private static let leastAmplitude: Float = 1 / 32_768
    private static let evidenceSteps = CarrierStrength.evidenceSteps

    init(_ shift: FrequencyShift, framing: CharacterFraming, sampleRate: Double, isSquelched: Bool = true) {
        self.isSquelched = isSquelched
        self.shift = shift
        self.sampleRate = sampleRate
        // With fewer samples per bit, a path through noise explains more of ten bits by chance.
        let samples = Float(sampleRate / shift.baud)
        leastEvidenceToStandAlone = Self.leastEvidenceAlone * max(1, Self.samplesAlone / samples)
        characterSearch = CharacterSearch(shift, framing: framing, sampleRate: sampleRate)
        sender = FSKSender(shift)
        last = sender
        carrier.isCoherent = characterSearch.isPhaseKept
    }

    /// Ends the burst: the next one may come from another sender, or over another line.
    mutating func unlock() {
        if isLocked { last = sender }
        isLocked = false
        isCertain = false
        heard = 0
        sender = FSKSender(shift)
        strongest = .init(strength: 0, level: 0)
        weakStretches = 0
        failures = Failures()
    }

    /// Continues after a stretch that the fast tier decoded.
    /// - Parameters:
    ///   - clock: bit rate relative to the nominal one.
    ///   - frequencies: tones of space and mark in Hz.
    ///   - amplitude: amplitude of the last character.
    mutating func follow(clock: Double, frequencies: SIMD2<Double>, amplitude: Float) {
        sender.clock = clock
        for tone in 0..<2 where abs(frequencies[tone] - sender.frequencies[tone]) > Self.leastOffset * shift.baud {
            sender.frequencies[tone] = frequencies[tone]
        }
        heard = amplitude
        isLocked = true
        lastStrong = 0
        weakStretches = 0
    }

    /// Discards the carrier's phase: the carrier is another one, or the gap is too long to extrapolate the phase.
    mutating func forgetCarrier() {
        isCertain = false
        carrier = Carrier(isCoherent: carrier.isCoherent, maxFrequency: carrier.maxFrequency)
    }

    mutating func wipe() { characterSearch.wipe() }

    /// Starts a new recording; the caller must also wipe the data of the last one.
    mutating func reset() {
        unlock()
        lastStrong = -.infinity
        last = FSKSender(shift)
        carrier = Carrier(isCoherent: characterSearch.isPhaseKept)
    }

    /// Decodes the characters that begin before a time.
    /// - Parameters:
    ///   - samples: the stretch, and the sound after it.
    ///   - offset: time at which it begins, 0 to 1 sample.
    ///   - limit: time in samples.
    ///   - readings: the result: the characters that were decoded.
    /// - Returns: the time up to which everything is decoded.
    mutating func read(
        _ samples: Span<Float>, from offset: Double, before limit: Double, readings: inout [Reading]
    ) -> Double {
        readings.removeAll(keepingCapacity: true)
        carrier.maxFrequency = isLocked ? Carrier.maxFrequency : Carrier.maxFrequencyInNoise
        if !isLocked {
            carrier.frequency = 0
            carrier.isCoherent = characterSearch.isPhaseKept
        }
        characterSearch.load(samples)
        var sound = Failures.Sound(strength: .infinity, power: 0)
        var choice = Failures.Choice.settle
        if isSquelched, !isLocked {
            sound = characterSearch.strength(samples, from: offset, FSKSender(shift), range: Self.toneRange)
            guard sound.strength >= 1 else {
                failures.noteNoise()
                return pass(before: limit)
            }
            choice = failures.choose(sound)
            if choice == .pass { return pass(before: limit) }
        }
        search(samples, from: offset, sender, carrier)
        if isSquelched, isLocked, isOver() {
            forgetCarrier()
            lastStrong -= limit.rounded(.down)
            return limit
        }
        if !isLocked, choice == .settle, strength.holdsSignal(tones) || mayHideTones && isAudible {
            settle(samples, from: offset)
            failures.note(sound, isSignal: strength.isClear(tones))
        }
        let firstAfter = characters.firstIndex { characterSearch.time($0.start) >= limit } ?? characters.count
        readings.growWiping(toHold: characters.count)
        for index in 0..<firstAfter {
            let reading = reading(index)
            if reading.evidence.bitEnergyToNoise >= Self.leastEvidence { heard = reading.evidence.amplitude }
            readings.append(reading)
        }
        if isSquelched {
            // Characters after the limit support a weak one that is the last before it.
            if let last = readings.last, !last.isStrong {
                for index in firstAfter..<characters.count { readings.append(reading(index)) }
            }
            dropUnsupported(&readings, upTo: firstAfter)
            readings.removeLast(readings.count - firstAfter)
        }
        isCertain =
            isLocked && !readings.isEmpty
            && readings.allSatisfy { $0.evidence.bitEnergyToNoise >= Self.certainEvidence }
        let strong = readings.count { $0.evidence.bitEnergyToNoise >= Self.leastEvidence }
        if !isLocked, strong >= Self.settling {
            isLocked = true
            strongest = characterSearch.levels.tones
        }
        // The next stretch begins after the last character, or at the limit on the idle line.
        let last = firstAfter > 0 ? characters[firstAfter - 1].end : 0
        let nextStart = firstAfter < characters.count ? characters[firstAfter].start : tones.count
        let step = min(max(last, min(nextStart, characterSearch.step(at: limit))), tones.count)
        carrier = characterSearch.keep(firstAfter, until: step)
        let end = characterSearch.time(step)
        lastStrong -= end.rounded(.down)
        if isLocked, strong >= Self.settling { followSender(readings) }
        return end
    }

    /// Compares the tones of a stretch with those of the burst.
    /// - Returns: whether they have been far weaker for some stretches, so that the burst is over.
    private mutating func isOver() -> Bool {
        let tones = characterSearch.levels.tones
        strongest.strength = max(strongest.strength, tones.strength)
        strongest.level = max(strongest.level, tones.level)
        let isWeak =
            tones.strength < Self.leastShareOfStrength * strongest.strength
            && tones.level < Self.leastShareOfLevel * strongest.level
        weakStretches = isWeak ? weakStretches + 1 : 0
        return weakStretches >= Self.maxWeakStretches
    }

    /// Passes over a stretch of noise.
    private mutating func pass(before limit: Double) -> Double {
        sender = FSKSender(shift)
        forgetCarrier()
        lastStrong -= limit.rounded(.down)
        return limit
    }

    /// Whether the stretch is loud enough to contain a character.
    private var isAudible: Bool {
        let length = characterSearch.characterSteps * tones.stepLength
        return tones.noise(in: 0..<tones.count, beside: 0, isWhite: true)
            > Self.leastAmplitude * Self.leastAmplitude / 2 * Float(length)
    }

    /// Searches with a given sender and carrier.
    mutating func search(_ samples: Span<Float>, from offset: Double, _ sender: FSKSender, _ carrier: Carrier) {
        (self.sender, self.carrier) = (sender, carrier)
        characterSearch.search(samples, from: offset, sender, carrier)
    }

    /// The correlations of the last search, and its results.
    var tones: ToneCorrelations { _read { yield characterSearch.tones } }
    var characters: [CharacterPath.Character] { _read { yield characterSearch.path.characters } }
    var strength: CarrierStrength { _read { yield characterSearch.path.strength } }

    /// Updates clock, tones and line from the decoded characters.
    private mutating func followSender(_ readings: [Reading]) {
        var distances = CharacterDistances(expected: characterSearch.characterSteps)
        for (first, second) in zip(readings, readings.dropFirst())
        where min(first.evidence.bitEnergyToNoise, second.evidence.bitEnergyToNoise) >= Self.leastEvidence {
            distances.add((second.start - first.start) / tones.stepLength)
        }
        sender.followClock(distances, gain: Self.clockGain)
        if carrier.isCoherent { sender.balance.follow(characterSearch.path.tonesSeen) }
        // A line that smears one tone into the other also rotates its phase.
        guard sender.balance.isEven else { return }
        let estimate = ToneEstimate(
            tones, turnsPerBit: characterSearch.turnsPerBit, characters: characters, bitCount: characterSearch.bitCount
        ).offsets
        for tone in 0..<2 where abs(estimate[tone]) > Self.leastOffset {
            sender.frequencies[tone] += Self.tuningGain * shift.baud * estimate[tone]
        }
        // A louder sender next to this one would pull them away.
        sender.frequencies = FSKSender.bounded(sender.frequencies, shift)
    }

    /// Drops weak characters that do not have a strong one both before and after them: in a fade they do, at the start
    /// or end of a carrier they do not.
    private mutating func dropUnsupported(_ readings: inout [Reading], upTo count: Int) {
        let reach = Self.supportBits * sampleRate / shift.baud
        for index in 0..<count {
            if readings[index].isStrong {
                lastStrong = readings[index].end
            } else {
                let next = readings[index...].first { $0.isStrong }?.start ?? .infinity
                if readings[index].start - lastStrong > reach || next - readings[index].end > reach {
                    readings[index].evidence = .none
                }
            }
        }
    }

    /// Whether the carrier is present from a character's start to its end, which is not so if the carrier starts or
    /// stops within it.
    /// - Parameters:
    ///   - steps: grid steps of the character.
    ///   - own: amplitude of its carrier.
    ///   - usual: amplitude of the carrier around it.
    ///   - noise: variance of the noise per sample.
    /// - Returns: true if the carrier is present in all of it.
    private func isHeardThroughout(_ steps: Range<Int>, own: Float, usual: Float, noise: Float) -> Bool {
        func amplitude(in steps: Range<Int>) -> Float { strength.evidence(in: steps, tones).amplitude }
        guard usual > Self.leastAmplitude else { return false }
        // If a carrier starts here, the silence before it can look like a start bit.
        let (start, bit) = (steps.lowerBound, ToneCorrelations.stepsPerBit)
        if start >= 2 * bit {
            let (before, first) = (amplitude(in: start - 2 * bit..<start), amplitude(in: start..<start + bit))
            // In a fade the rest of the character is just as weak.
            let usual = amplitude(in: (start + steps.upperBound) / 2..<steps.upperBound)
            let deviation = (2 * noise / Float(Double(bit) * tones.stepLength)).squareRoot()
            let isBeforeCarrier =
                before < min(Self.maxShareBefore * usual, usual - Self.maxDeviationsBefore * deviation)
            if isBeforeCarrier,
                first < min(Self.maxShareOfStart * usual, usual - Self.maxDeviationsOfStart * deviation)
            {
                return false
            }
        }
        let part = steps.count / Self.parts
        return (0..<Self.parts).allSatisfy { index in
            amplitude(in: start + index * part..<start + (index + 1) * part) > Self.leastShare * own
        }
    }

    /// Whether the tones are keyed in a character and in those around it.
    private func isKeyed(_ index: Int) -> Bool {
        var keying = characters[index].keying
        let reach = Self.evidenceSteps / 2
        for other in characters[..<index].reversed() {
            guard other.end > characters[index].start - reach else { break }
            keying += other.keying
        }
        for other in characters[(index + 1)...] {
            guard other.start < characters[index].end + reach else { break }
            keying += other.keying
        }
        return keying.steadiness < Self.maxSteadiness
    }

    private func reading(_ index: Int) -> Reading {
        let character = characters[index]
        let (start, end) = (character.start, character.end)
        let middle = (start + end) / 2
        let alone = strength.evidence(in: start..<end, tones)
        let length = Self.evidenceSteps
        // Evidence that the start of a stretch cuts off counts for less, unless a burst continues from the previous
        // stretch.
        let full = isLocked ? 0 : length
        var evidence = strength.evidence(in: middle - length / 2..<middle + length / 2, outOf: full, tones)
        for window in [start..<start + length, end - length..<end] {
            let other = strength.evidence(in: window, outOf: full, tones)
            if other.bitEnergyToNoise > evidence.bitEnergyToNoise { evidence = other }
        }
        if alone.bitEnergyToNoise >= leastEvidenceToStandAlone { evidence = alone }
        let leastOfOwn = min(Self.leastEvidenceOfOwn, Self.leastShareOfEvidence * evidence.bitEnergyToNoise)
        if isSquelched,
            alone.bitEnergyToNoise < leastOfOwn
                || alone.amplitude < Self.leastShareOwn * max(evidence.amplitude, heard)
                || !isKeyed(index)
        {
            evidence = .none
        }
        let likelihoods = character.leads * (evidence.amplitude / evidence.noise)
        let isFramed =
            min(likelihoods[0], likelihoods[characterSearch.bitCount + 1]) > Self.leastLikelihood
        if isSquelched,
            !isFramed
                || !isHeardThroughout(
                    start..<end, own: alone.amplitude, usual: evidence.amplitude, noise: evidence.noise)
        {
            evidence = .none
        }
        return Reading(
            bits: character.bits, start: characterSearch.time(start), end: characterSearch.time(end),
            likelihoods: likelihoods, evidence: evidence, ownEvidence: alone.bitEnergyToNoise)
    }
}
