/// The search for the clock and the tones of a new sender, before a burst has shown them.
extension SequenceDecoder {
    /// Clocks that are tried until one is known.
    private static let clocks = [1, 0.98, 1.02, 0.96, 1.04]
    /// Weights of the score of another clock and other tones: smeared bits may fit one by chance.
    private static let trustInOtherClock: Float = 0.93
    private static let trustInOtherTones: Float = 0.95
    /// The least energy of a bit over the density of the noise for which tones without phases are accepted, and the
    /// least factor by which their power over the noise must exceed the coherent one.
    private static let leastWithoutPhases: Float = 10
    private static let leastGainWithoutPhases: Float = 2
    /// Power over the noise from which on no better explanation is searched.
    private static let maxWithPhases: Float = 4
    /// Share of white noise that tones without phases explain, times the samples of half a bit: in each bit the louder
    /// tone, at any phase.
    private static let noiseExplained: Float = 1.1
    private static let maxNoiseExplained: Float = 0.9
    /// Samples of half a bit from which on such tones can be distinguished from noise.
    private static let leastHalfBit: Float = 8
    /// Least distance of the tones, as a share of the nominal one.
    private static let leastShift = 0.7
    /// The largest relative error of the tones. An estimate finds tones within this many turns per bit; if the error
    /// can be larger, other estimates start at these distances from the nominal tones, in turns per bit.
    static let toneRange = 0.05
    private static let estimateReach = 0.8
    private static let estimateDistance = 0.6

    /// A sender that was tried, with its result.
    private struct Trial {
        /// Energy that it explains of the stretch over the energy that it does not, as a ratio.
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
        guard best.carrier.isCoherent, best.score < Self.maxWithPhases else { return }
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

    /// Tries a sender's tones with other clocks, except the combination that was already searched.
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

    /// Searches with the best sender, and with the clock that the distances of its characters give, which is more exact
    /// than those tried.
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

    /// Tries a sender's tones without phases, and accepts them if they explain far more than the best did with phases.
    private mutating func tryWithoutPhases(
        _ sender: FSKSender, above coherent: Float, _ samples: Span<Float>, from offset: Double, _ best: inout Trial
    ) {
        // The energy of a bit over the noise density is the carrier's power over the noise of a sample, times half of
        // the bit's samples.
        let halfBit = Float(sampleRate / shift.baud / 2)
        guard halfBit >= Self.leastHalfBit else { return }
        // The tones also explain some of the noise.
        let noiseExplained = min(Self.maxNoiseExplained, Self.noiseExplained / halfBit)
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
                // If the nominal clock explains too little, the other ones are not tried.
                return
            }
        }
    }

    /// Energy that the sender explains of the stretch over the energy that it does not.
    private var score: Float {
        strength.overNoise(tones, isWhite: true) * (sender.clock == 1 ? 1 : Self.trustInOtherClock)
            * (sender.frequencies == FSKSender(shift).frequencies ? 1 : Self.trustInOtherTones)
    }

    /// A sender with tones estimated from the phases of the stretch, without a decision on any bit; the nominal one if
    /// there is no estimate.
    private mutating func tuned(
        _ carrier: Carrier, _ samples: Span<Float>, from offset: Double
    ) -> FSKSender {
        guard mayHideTones else { return estimated }
        let nominal = FSKSender(shift)
        let most = max(shift.mark, shift.space) / shift.baud
        let steps = Int((Self.toneRange * most / Self.estimateDistance).rounded(.up))
        // Search only with the four of the highest power: most of the searches would be useless.
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

    /// Whether the tones may be off by so many turns per bit that they do not show in the nominal correlations.
    var mayHideTones: Bool { Self.toneRange * max(shift.mark, shift.space) / shift.baud > Self.estimateReach }

    /// The sender with tones estimated from the phases of the correlations; the nominal one if there is no estimate.
    private var estimated: FSKSender {
        let nominal = FSKSender(shift)
        let offsets = ToneEstimate(tones, turnsPerBit: characterSearch.turnsPerBit).offsets
        let tuned = FSKSender.bounded(sender.frequencies + offsets * shift.baud, shift)
        let isOff = (0..<2).contains { abs(tuned[$0] - nominal.frequencies[$0]) > Self.leastOffset * shift.baud }
        // A steady tone between the two would pull them together.
        let isApart = abs(tuned.x - tuned.y) > Self.leastShift * abs(shift.space - shift.mark)
        return isOff && isApart ? FSKSender(clock: 1, frequencies: tuned) : nominal
    }
}

extension ToneCorrelations {
    /// Power of the louder tone, summed over all steps.
    fileprivate var louderPower: Float {
        var sum: Float = 0
        for index in 0..<count {
            let (space, mark) = (bits.space[index], bits.mark[index])
            sum += max(space.x * space.x + space.y * space.y, mark.x * mark.x + mark.y * mark.y)
        }
        return sum
    }
}
