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

    let shift: FrequencyShift
    let sampleRate: Double
    /// Whether what may be noise is told to be.
    private let isSquelched: Bool
    /// Finds the characters of a stretch.
    var characterSearch: CharacterSearch
    /// The carrier where the next stretch begins.
    var carrier = Carrier()
    /// The one that is heard, as far as a burst has told.
    var sender: FSKSender
    /// That of the burst before: the next one may come from it, too.
    private(set) var last: FSKSender
    /// Amplitude of the burst's last character.
    private var heard: Float = 0
    /// Whether a burst has told.
    private(set) var isLocked = false
    /// Where the last character ended that was strong by itself, in samples of the stretch.
    private var lastStrong = -Double.infinity

    /// How fast the clock is followed, from stretch to stretch.
    private static let clockGain = 0.5
    /// Characters that settle the clock.
    private static let settling = 4
    /// Offsets in turns a bit that are believed, at least.
    static let leastOffset = 0.015
    /// Least energy of a bit over the density of the noise, a ratio, of forty bits.
    static let leastEvidence: Float = 2.4
    /// The same of a character that stands alone, and the samples a bit from which on it is enough.
    private static let leastEvidenceAlone: Float = 6
    private static let samplesAlone: Float = 5
    /// The same at the sample rate of this decoder.
    private let leastEvidenceToStandAlone: Float
    /// The same right behind another character.
    static let leastEvidenceWithin: Float = 1.3
    /// The same that a character has to have itself, where there is more around it.
    private static let leastEvidenceOfOwn: Float = 1
    /// The same as a share of what there is around it.
    private static let leastShareOfEvidence: Float = 0.3
    /// Bits in which there has to be a character that is strong by itself, before and behind a weak one.
    private static let supportBits = 300.0
    /// Greatest steadiness of the tones in a character and those around it. A sender at 6 dB reaches 0.37; two steady tones
    /// 10 dB over the noise have 0.64 at least.
    private static let mostSteadiness: Float = 0.6
    /// Share of the amplitude around it that a character has to have.
    private static let leastShareOwn: Float = 0.2
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

    init(_ shift: FrequencyShift, framing: CharacterFraming, sampleRate: Double, isSquelched: Bool = true) {
        self.isSquelched = isSquelched
        self.shift = shift
        self.sampleRate = sampleRate
        // With fewer samples a bit, a path through noise explains more of ten bits by chance.
        let samples = Float(sampleRate / shift.baud)
        leastEvidenceToStandAlone = Self.leastEvidenceAlone * max(1, Self.samplesAlone / samples)
        characterSearch = CharacterSearch(shift, framing: framing, sampleRate: sampleRate)
        sender = FSKSender(shift)
        last = sender
        carrier.isCoherent = characterSearch.isPhaseKept
    }

    /// The burst is over: the next one may come from another sender, or over another line.
    mutating func unlock() {
        if isLocked { last = sender }
        isLocked = false
        heard = 0
        sender = FSKSender(shift)
    }

    /// Goes on behind a stretch that was clear.
    /// - Parameters:
    ///   - clock: bits a second over the nominal ones.
    ///   - frequencies: tones of space and mark in Hz.
    ///   - amplitude: that of the last character.
    mutating func follow(clock: Double, frequencies: SIMD2<Double>, amplitude: Float) {
        sender.clock = clock
        for tone in 0..<2 where abs(frequencies[tone] - sender.frequencies[tone]) > Self.leastOffset * shift.baud {
            sender.frequencies[tone] = frequencies[tone]
        }
        heard = amplitude
        isLocked = true
        lastStrong = 0
    }

    /// The carrier is another one, or so much later that nothing is known of its phase.
    mutating func forgetCarrier() {
        carrier = Carrier(isCoherent: carrier.isCoherent, mostFrequency: carrier.mostFrequency)
    }

    mutating func wipe() { characterSearch.wipe() }

    /// Starts a new recording; what it holds of the last one is to be overwritten beside.
    mutating func reset() {
        unlock()
        lastStrong = -.infinity
        last = FSKSender(shift)
        carrier = Carrier(isCoherent: characterSearch.isPhaseKept)
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
            carrier.isCoherent = characterSearch.isPhaseKept
        }
        characterSearch.load(samples)
        search(samples, from: offset, sender, carrier)
        if !isLocked, strength.holdsSignal(tones) || mayHideTones && isAudible { settle(samples, from: offset) }
        let firstAfter = characters.firstIndex { characterSearch.time($0.start) >= limit } ?? characters.count
        readings.growWiping(toHold: characters.count)
        for index in characters.indices {
            let reading = reading(index)
            let isNext = readings.count < firstAfter
            if isNext, reading.evidence.bitEnergyToNoise >= Self.leastEvidence { heard = reading.evidence.amplitude }
            readings.append(reading)
        }
        if isSquelched { dropUnsupported(&readings, upTo: firstAfter) }
        readings.removeSubrange(firstAfter...)
        let strong = readings.count { $0.evidence.bitEnergyToNoise >= Self.leastEvidence }
        if !isLocked, strong >= Self.settling { isLocked = true }
        // The next stretch begins behind the last character, or at the limit on the idle line.
        let last = firstAfter > 0 ? characters[firstAfter - 1].end : 0
        let nextStart = firstAfter < characters.count ? characters[firstAfter].start : tones.count
        let step = min(max(last, min(nextStart, characterSearch.step(at: limit))), tones.count)
        carrier = characterSearch.keep(firstAfter, until: step)
        let end = characterSearch.time(step)
        lastStrong -= end.rounded(.down)
        if isLocked, strong >= Self.settling { followSender(readings) }
        return end
    }

    /// Whether the stretch is loud enough to hold a character.
    private var isAudible: Bool {
        let length = characterSearch.characterSteps * tones.stepLength
        return tones.noise(in: 0..<tones.count, beside: 0, isWhite: true)
            > Self.leastAmplitude * Self.leastAmplitude / 2 * Float(length)
    }

    /// Searches with what is known of a sender and its carrier.
    mutating func search(_ samples: Span<Float>, from offset: Double, _ sender: FSKSender, _ carrier: Carrier) {
        (self.sender, self.carrier) = (sender, carrier)
        characterSearch.search(samples, from: offset, sender, carrier)
    }

    /// What the last search saw of the tones, and what it found.
    var tones: ToneCorrelations { _read { yield characterSearch.tones } }
    var characters: [CharacterPath.Character] { _read { yield characterSearch.path.characters } }
    var strength: CarrierStrength { _read { yield characterSearch.path.strength } }

    /// Follows clock, tones and line by what was read.
    private mutating func followSender(_ readings: [Reading]) {
        var distances = CharacterDistances(expected: characterSearch.characterSteps)
        for (first, second) in zip(readings, readings.dropFirst())
        where min(first.evidence.bitEnergyToNoise, second.evidence.bitEnergyToNoise) >= Self.leastEvidence {
            distances.add((second.start - first.start) / tones.stepLength)
        }
        sender.followClock(distances, gain: Self.clockGain)
        if carrier.isCoherent { sender.balance.follow(characterSearch.path.tonesSeen) }
        // What smears one tone into the other turns its phase, too.
        guard sender.balance.isEven else { return }
        let estimate = ToneEstimate(
            tones, turnsPerBit: characterSearch.turnsPerBit, characters: characters, bitCount: characterSearch.bitCount
        ).offsets
        for tone in 0..<2 where abs(estimate[tone]) > Self.leastOffset {
            sender.frequencies[tone] += Self.tuningGain * shift.baud * estimate[tone]
        }
        // A louder sender beside this one would draw them away.
        sender.frequencies = FSKSender.bounded(sender.frequencies, shift)
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

    /// Whether the carrier is there from a character's beginning to its end: it is not where it starts or stops.
    /// - Parameters:
    ///   - steps: the character.
    ///   - own: amplitude of its carrier.
    ///   - usual: amplitude of the carrier around it.
    ///   - noise: variance of the noise, a sample.
    /// - Returns: true where all of it is heard.
    private func isHeardThroughout(_ steps: Range<Int>, own: Float, usual: Float, noise: Float) -> Bool {
        func amplitude(in steps: Range<Int>) -> Float { strength.evidence(in: steps, tones).amplitude }
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
        return keying.steadiness < Self.mostSteadiness
    }

    private func reading(_ index: Int) -> Reading {
        let character = characters[index]
        let (start, end) = (character.start, character.end)
        let middle = (start + end) / 2
        let alone = strength.evidence(in: start..<end, tones)
        let length = Self.evidenceSteps
        // Evidence that the start of a stretch cuts off counts for less, unless a burst goes on from the last one.
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
