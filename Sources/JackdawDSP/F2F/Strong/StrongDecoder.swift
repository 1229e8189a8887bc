/// The strong tier: a search over timing and bits together, an equaliser taught by its result, and the most likely whole
/// message of the code, accepted only where no other message comes near.
struct StrongDecoder: Sendable {
    private var ladder = RateLadder()
    private let search = TimingSearch()

    /// What an equaliser explains where noise is read as bits, at most, under the first filters.
    private static let noiseExplainsAtMost: Float = 0.77
    /// What it explains of a swipe that is not buried in noise, at least.
    private static let swipeExplains: Float = 0.8
    /// Hypotheses kept for a closer look when none is certain at once.
    private static let secondLooks = 4
    /// Bit cells of the shortest pass of a card.
    private static let leastCells = 40
    /// Looks that are tried for the most that can be told.
    private static let mostDiagnoses = 8
    /// Reach of the smoothing behind a diagnosis, in cells.
    private static let smoothing = 3
    /// A segment with this share of its samples at full scale is told to be clipped.
    private static let clippedShare = 0.1
    private static let rail: Float = 0.999
    /// Order of the linear prediction that undoes a low-pass.
    private static let whiteningOrder = 4

    /// Where the cells seem to lie, at the sample rate of a step of the ladder.
    private struct Look {
        let clock: BitClock
        /// Share of the wanted levels that the equaliser explains.
        let explained: Float
        let sound: WorkingSound

        /// Whether it is more than noise read as bits.
        var isPromising: Bool { explained > StrongDecoder.noiseExplainsAtMost }
    }

    /// Reads the most likely message of a segment.
    mutating func decode(_ samples: [Float], sampleRate: Double) -> Result<SegmentReading, SegmentFailure> {
        var cleaned = samples
        let lost = HumCanceller.removeHum(from: &cleaned, sampleRate: sampleRate)
        var best: MessageCandidate?
        var looks: [Look] = []
        for isWhitened in [false, true] {
            if isWhitened { cleaned = Whitener.whiten(cleaned, order: Self.whiteningOrder) }
            ladder.load(cleaned, lost: lost)
            let found = explore(sampleRate: sampleRate, samples: cleaned, best: &best)
            if let best, best.isCertain { return .success(best.reading) }
            if !isWhitened { looks = found }
            guard found.contains(where: { $0.explained > Self.swipeExplains }) else { break }
        }
        return .failure(failure(samples, looks: looks))
    }

    /// Overwrites what is left of the last segment.
    mutating func wipe() {
        ladder.wipe()
    }

    private mutating func explore(sampleRate: Double, samples: [Float], best: inout MessageCandidate?) -> [Look] {
        var looks: [Look] = []
        var unlikely: [Look] = []
        var share = 0.0
        for (step, tuning) in Self.hypotheses(sampleRate: sampleRate, samples) {
            // Whatever the pulses' width, the first filters tell a swipe from noise.
            if tuning.pulseShare != share, share > 0, !(looks + unlikely).contains(where: \.isPromising) { break }
            share = tuning.pulseShare
            for sound in ladder.sound(at: step).windows {
                guard let path = search.run(sound, tuning: tuning), path.bits.count >= Self.leastCells else { continue }
                let clock = BitClock(boundaries: path.boundaries, bits: path.bits, startSign: path.startSign)
                for pace in BitClock.Pace.allCases {
                    guard let look = look(at: sound, clock: clock, pace: pace) else { continue }
                    guard look.explained > Self.swipeExplains else {
                        unlikely.append(look)
                        break
                    }
                    looks.append(look)
                    consider(look, best: &best)
                    if let best, best.isBeyondDoubt { return looks }
                }
            }
        }
        unlikely.sort { $0.explained > $1.explained }
        for look in unlikely.filter(\.isPromising).prefix(Self.secondLooks) { consider(look, best: &best) }
        return looks + unlikely
    }

    private func look(at sound: WorkingSound, clock: BitClock, pace: BitClock.Pace) -> Look? {
        guard let (second, _) = clock.refined(on: sound, pace: pace), second.bits.count >= Self.leastCells,
            let (third, explained) = second.refined(on: sound, pace: pace), third.bits.count >= Self.leastCells
        else { return nil }
        return Look(clock: third, explained: explained, sound: sound)
    }

    private mutating func consider(_ look: Look, best: inout MessageCandidate?) {
        for candidate in MessageCandidate.candidates(in: look.sound, clock: look.clock) {
            if best.map({ candidate.isBetter(than: $0) }) ?? true { best = candidate }
        }
    }

    private func failure(_ samples: [Float], looks: [Look]) -> SegmentFailure {
        let promising = looks.filter(\.isPromising).sorted { $0.explained > $1.explained }
        guard let first = promising.first else { return SegmentFailure(reason: .noBitCells, range: samples.indices) }
        let diagnoses = promising.prefix(Self.mostDiagnoses).map { look in
            let boundaries = look.clock.smoothedBoundaries(reach: Self.smoothing)
            let evidence = MessageCandidate.evidence(in: look.sound, clock: look.clock, boundaries: boundaries)
            return FailureDiagnosis.diagnose(evidence, boundaries: boundaries.map(look.sound.segmentTime))
        }
        guard var failure = diagnoses.max(by: { $0.certainCharacters < $1.certainCharacters }) else {
            return SegmentFailure(reason: .noBitCells, range: samples.indices)
        }
        failure.range = failure.range.clamped(to: samples.indices)
        if failure.reason != .lrc, failure.reason != .parity {
            let clipped = samples.count { abs($0) > Self.rail }
            if Double(clipped) > Self.clippedShare * Double(samples.count) { failure.reason = .clipped }
            if first.explained < Self.swipeExplains { failure.reason = .tooWeak }
        }
        return failure
    }

    private static func hypotheses(sampleRate: Double, _ samples: [Float]) -> [(Int, TimingSearch.Tuning)] {
        var steps: [Int] = []
        for step in RateLadder.steps {
            let rate = sampleRate * Double(sign: .plus, exponent: step, significand: 1)
            if rate >= 10_000, rate <= 200_000 { steps.append(step) }
        }
        let coarse = coarseCell(samples) * 1.2
        func distance(_ step: Int) -> Double {
            abs(Numerics.logarithm(coarse * Double(sign: .plus, exponent: step, significand: 1) / 40))
        }
        steps.sort { distance($0) < distance($1) }
        var list: [(Int, TimingSearch.Tuning)] = []
        for share in [0.5, 0.3, 0.12] {
            for step in steps.prefix(5) {
                list.append((step, .init(pulseShare: share, jitterReach: 0.1, jitterCost: 4, rateCost: 20)))
            }
        }
        return list
    }

    /// Rough cell length in samples: intervals between alternating excursions past half of the level.
    private static func coarseCell(_ samples: [Float]) -> Double {
        let sorted = stride(from: 0, to: samples.count, by: max(1, samples.count / 4_096)).map { abs(samples[$0]) }
            .sorted()
        let threshold = sorted[sorted.count * 98 / 100] / 2
        var intervals: [Int] = []
        var last = 0
        var sign: Float = 0
        for index in samples.indices where abs(samples[index]) > threshold {
            let here: Float = samples[index] > 0 ? 1 : -1
            if here != sign {
                intervals.append(index - last)
                last = index
                sign = here
            }
        }
        guard intervals.count > 20 else { return 20 }
        intervals.sort()
        return Double(intervals[intervals.count * 2 / 5])
    }

}
