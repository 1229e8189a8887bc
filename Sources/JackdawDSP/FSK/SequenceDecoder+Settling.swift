extension SequenceDecoder {
    /// Clocks that are tried until one is known.
    private static let clocks = [1, 0.98, 1.02, 0.96, 1.04]
    /// What another clock and other tones explain counts for so much: bits that are smeared may seem to fit one by chance.
    private static let trustInOtherClock: Float = 0.93
    private static let trustInOtherTones: Float = 0.95
    /// Energy of a bit over the density of the noise from which on tones without phases are believed, and how much more of
    /// the power over the noise they have to explain.
    private static let leastWithoutPhases: Float = 10
    private static let leastGainWithoutPhases: Float = 2
    /// Power over the noise that needs no better explanation.
    private static let mostWithPhases: Float = 4
    /// Share of white noise that tones without phases explain, times the samples of half a bit: of each bit the louder tone,
    /// whatever its phase.
    private static let noiseExplained: Float = 1.1
    private static let mostNoiseExplained: Float = 0.9
    /// Samples of half a bit in which they can be told from noise.
    private static let leastHalfBit: Float = 8
    /// Tones are no nearer to each other than this, as a share of how far they should be apart.
    private static let leastShift = 0.7
    /// Tones may be off by this share of them. An estimate finds them within so many turns a bit; where that is less, others
    /// begin so many turns beside the nominal tones.
    private static let toneRange = 0.05
    private static let estimateReach = 0.8
    private static let estimateDistance = 0.6

    /// A sender that was tried.
    private struct Trial {
        /// What it explains of the stretch over what it does not, as a ratio.
        var score: Float
        var sender: FSKSender
        /// The carrier at the beginning.
        var carrier: Carrier
    }

    /// Tries other tones and other clocks.
    mutating func settle(_ samples: Span<Float>, from offset: Double) {
        let first = Trial(score: score, sender: sender, carrier: carrier)
        var unknown = carrier
        unknown.phase = .zero
        var best = first
        let nominal = FSKSender(shift)
        let tuned = tuned(unknown, samples, from: offset)
        let isTuned = tuned.frequencies != nominal.frequencies
        // The next burst may come from the same sender.
        if !last.isNominal(shift) { tryOut(last, unknown, samples, from: offset, &best) }
        tryClocks(of: nominal, first.carrier, but: first.sender, samples, from: offset, &best)
        if isTuned { tryClocks(of: tuned, unknown, but: first.sender, samples, from: offset, &best) }
        refineClock(samples, from: offset, &best)
        guard best.carrier.isCoherent, best.score < Self.mostWithPhases else { return }
        let coherent = best.score
        tryWithoutPhases(nominal, above: coherent, samples, from: offset, &best)
        if isTuned { tryWithoutPhases(tuned, above: coherent, samples, from: offset, &best) }
        if best.score > coherent {
            refineClock(samples, from: offset, &best)
        } else {
            search(samples, from: offset, best.sender, best.carrier)
        }
    }

    private mutating func tryOut(
        _ sender: FSKSender, _ carrier: Carrier, _ samples: Span<Float>, from offset: Double, _ best: inout Trial
    ) {
        search(samples, from: offset, sender, carrier)
        let score = score
        if score > best.score { best = Trial(score: score, sender: sender, carrier: carrier) }
    }

    /// Tries a sender's tones with other clocks; what was searched with before need not be tried again.
    private mutating func tryClocks(
        of sender: FSKSender, _ carrier: Carrier, but tried: FSKSender, _ samples: Span<Float>, from offset: Double,
        _ best: inout Trial
    ) {
        for clock in Self.clocks
        where clock != tried.clock || sender.frequencies != tried.frequencies || !tried.balance.isEven {
            let trial = FSKSender(clock: clock, frequencies: sender.frequencies)
            tryOut(trial, carrier, samples, from: offset, &best)
        }
    }

    /// Searches with the best sender, and with a clock that how far its characters are apart tells: better than those that
    /// were tried.
    private mutating func refineClock(
        _ samples: Span<Float>, from offset: Double, _ best: inout Trial
    ) {
        search(samples, from: offset, best.sender, best.carrier)
        var closer = best.sender
        var distances = CharacterDistances(expected: characterSearch.characterSteps)
        for index in characters.indices.dropFirst() {
            distances.add(Double(characters[index].start - characters[index - 1].start))
        }
        guard closer.followClock(distances, gain: 1) else { return }
        search(samples, from: offset, closer, best.carrier)
        if score > best.score {
            best = Trial(score: score, sender: closer, carrier: best.carrier)
        } else {
            search(samples, from: offset, best.sender, best.carrier)
        }
    }

    /// Tries a sender's tones without phases, where they explain far more than the best did with them.
    private mutating func tryWithoutPhases(
        _ sender: FSKSender, above coherent: Float, _ samples: Span<Float>, from offset: Double, _ best: inout Trial
    ) {
        // The bit has half as much energy as a carrier of its power over the noise of a sample.
        let halfBit = Float(sampleRate / shift.baud / 2)
        guard halfBit >= Self.leastHalfBit else { return }
        // Some of the noise is explained, too.
        let noiseExplained = min(Self.mostNoiseExplained, Self.noiseExplained / halfBit)
        func gain(_ score: Float) -> Float { score * (1 - noiseExplained) - noiseExplained }
        for clock in Self.clocks {
            var other = best
            let trial = FSKSender(clock: clock, frequencies: sender.frequencies)
            tryOut(trial, Carrier(isCoherent: false), samples, from: offset, &other)
            if gain(strength.overNoise(tones, isWhite: false)) * halfBit > Self.leastWithoutPhases,
                gain(score) > Self.leastGainWithoutPhases * coherent
            {
                best = other
            } else if clock == 1 {
                // What no clock explains is not worth the other ones.
                return
            }
        }
    }

    /// What the sender explains of the stretch over what it does not.
    private var score: Float {
        strength.overNoise(tones, isWhite: true) * (sender.clock == 1 ? 1 : Self.trustInOtherClock)
            * (sender.frequencies == FSKSender(shift).frequencies ? 1 : Self.trustInOtherTones)
    }

    /// A sender of tones that the phases of the stretch tell, without a decision on any bit; the nominal one if they tell none.
    private mutating func tuned(
        _ carrier: Carrier, _ samples: Span<Float>, from offset: Double
    ) -> FSKSender {
        guard mayHideTones else { return estimated }
        let nominal = FSKSender(shift)
        let most = max(shift.mark, shift.space) / shift.baud
        let steps = Int((Self.toneRange * most / Self.estimateDistance).rounded(.up))
        // The four that hold the most power are searched with: most of them would be for nothing.
        var loudest = InlineArray<4, (power: Float, sender: FSKSender)>(repeating: (0, nominal))
        for step in -steps...steps {
            let scale = 1 + Double(step) * Self.estimateDistance / most
            sender = FSKSender(clock: 1, frequencies: nominal.frequencies * scale)
            characterSearch.correlate(samples, from: offset, sender)
            let (trial, power) = (estimated, tones.louderPower)
            var place = loudest.count
            guard trial.frequencies != nominal.frequencies, power > loudest[place - 1].power else { continue }
            while place > 1, power > loudest[place - 2].power {
                loudest[place - 1] = loudest[place - 2]
                place -= 1
            }
            loudest[place - 1] = (power, trial)
        }
        var best = (score: -Float.infinity, sender: nominal)
        for index in loudest.indices where loudest[index].power > 0 {
            search(samples, from: offset, loudest[index].sender, carrier)
            if score > best.score { best = (score, sender) }
        }
        return best.sender
    }

    /// Whether tones may be off by so many turns a bit that nothing is seen of them where they should be.
    var mayHideTones: Bool { Self.toneRange * max(shift.mark, shift.space) / shift.baud > Self.estimateReach }

    /// The sender whose tones the phases in the correlations tell; the nominal one if they tell none.
    private var estimated: FSKSender {
        let nominal = FSKSender(shift)
        let offsets = ToneEstimate(tones, turnsPerBit: characterSearch.turnsPerBit).offsets
        let tuned = FSKSender.bounded(sender.frequencies + offsets * shift.baud, shift)
        let isOff = (0..<2).contains { abs(tuned[$0] - nominal.frequencies[$0]) > Self.leastOffset * shift.baud }
        // A steady tone between the two would bring them together.
        let isApart = abs(tuned.x - tuned.y) > Self.leastShift * abs(shift.space - shift.mark)
        return isOff && isApart ? FSKSender(clock: 1, frequencies: tuned) : nominal
    }
}

extension ToneCorrelations {
    /// Power of the louder tone, all along.
    fileprivate var louderPower: Float {
        var sum: Float = 0
        for index in 0..<count {
            let (space, mark) = (bits.space[index], bits.mark[index])
            sum += max(space.x * space.x + space.y * space.y, mark.x * mark.x + mark.y * mark.y)
        }
        return sum
    }
}
