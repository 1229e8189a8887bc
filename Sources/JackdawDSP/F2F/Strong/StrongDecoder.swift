/// The strong tier: a search over timing and bits together, an equaliser taught by its result, and the most likely whole
/// message of the code, accepted only where no other message comes near.
struct StrongDecoder: Sendable {
    private var ladder = RateLadder()
    private let search = TimingSearch()

    /// What an equaliser explains where noise is read as bits, at most.
    private static let noiseExplains: Float = 0.8
    /// Hypotheses kept for a closer look when none is certain at once.
    private static let secondLooks = 4
    /// Bit cells of the shortest pass of a card.
    private static let leastCells = 40
    /// Order of the linear prediction that undoes a low-pass.
    private static let whiteningOrder = 4

    /// Where the cells seem to lie, at the sample rate of a step of the ladder.
    private struct Look {
        let clock: BitClock
        /// Share of the wanted levels that the equaliser explains.
        let explained: Float
        let step: Int
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
            guard found.contains(where: { $0.explained > Self.noiseExplains }) else { break }
        }
        ladder.load(cleaned, lost: lost)
        return .failure(failure(samples, best: best, looks: looks))
    }

    /// Overwrites what is left of the last segment.
    mutating func wipe() {
        ladder.wipe()
    }

    private mutating func explore(sampleRate: Double, samples: [Float], best: inout MessageCandidate?) -> [Look] {
        var looks: [Look] = []
        var unlikely: [Look] = []
        for (step, tuning) in Self.hypotheses(sampleRate: sampleRate, samples) {
            let sound = ladder.sound(at: step)
            guard let look = look(at: sound, tuning: tuning) else { continue }
            guard look.explained > Self.noiseExplains else {
                unlikely.append(look)
                continue
            }
            looks.append(look)
            consider(look, best: &best)
            if let best, best.isBeyondDoubt { return looks }
        }
        unlikely.sort { $0.explained > $1.explained }
        for look in unlikely.prefix(Self.secondLooks) { consider(look, best: &best) }
        return looks + unlikely
    }

    private func look(at sound: WorkingSound, tuning: TimingSearch.Tuning) -> Look? {
        guard let path = search.run(sound, tuning: tuning), path.bits.count >= Self.leastCells else { return nil }
        let first = BitClock(boundaries: path.boundaries, bits: path.bits, startSign: path.startSign)
        guard let (second, _) = first.refined(on: sound), second.bits.count >= Self.leastCells,
            let (third, explained) = second.refined(on: sound), third.bits.count >= Self.leastCells
        else { return nil }
        return Look(clock: third, explained: explained, step: sound.step)
    }

    private mutating func consider(_ look: Look, best: inout MessageCandidate?) {
        let sound = ladder.sound(at: look.step)
        for candidate in MessageCandidate.candidates(in: sound, clock: look.clock) {
            if best.map({ candidate.isBetter(than: $0) }) ?? true { best = candidate }
        }
    }

    private func failure(_ samples: [Float], best: MessageCandidate?, looks: [Look]) -> SegmentFailure {
        let range = samples.indices
        guard let look = looks.max(by: { $0.explained < $1.explained }), look.explained > Self.noiseExplains else {
            return SegmentFailure(reason: .noBitCells, range: range)
        }
        return SegmentFailure(reason: .lrc, range: range)
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
        let sorted = samples.map { abs($0) }.sorted()
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
