nonisolated(unsafe) var strongTrace: ((String, [Float], [UInt8], Double) -> Void)? //DEBUG
/// The strong tier: a search over timing and bits together, an equaliser taught by its result, and the most likely whole
/// message of the code, accepted only where no other message comes near.
struct StrongDecoder {
    private var ladder = RateLadder()
    private let search = TimingSearch()

    /// A whole message with what speaks for and against it.
    struct Candidate {
        let reading: CodeTrellis.Reading
        let isReversed: Bool
        /// How much likelier than the message the bits would be that no code binds (nats), around the message.
        let codeGap: Float
        /// Times of the message's cell boundaries in samples of the segment.
        let boundaries: [Float]
        let coverage: Float
        /// The part of the gap that lies outside the message: ones where zeros belong.
        let strayGap: Float
        let hypothesis: String

        var isCertain: Bool {
            reading.margin >= 8 && codeGap <= 0.5 * reading.margin && coverage >= 0.2 && strayGap <= 4.5
        }
    }

    /// What an equaliser explains where noise is read as bits, at most.
    private static let noiseExplains: Float = 0.8
    /// Hypotheses kept for a closer look when none is certain at once.
    private static let secondLooks = 4

    mutating func decode(_ samples: [Float], sampleRate: Double) -> Candidate? {
        var cleaned = samples
        let lost = HumCanceller.removeHum(from: &cleaned, sampleRate: sampleRate)
        var best: Candidate?
        for isWhitened in [false, true] {
            if isWhitened { cleaned = Whitener.whiten(cleaned, order: 4) }
            if explore(cleaned, lost: lost, sampleRate: sampleRate, best: &best) { break }
        }
        return best
    }

    private mutating func explore(_ samples: [Float], lost: [Int8]?, sampleRate: Double, best: inout Candidate?) -> Bool {
        ladder.load(samples, lost: lost)
        var kept: [(clock: BitClock, explained: Float, step: Int)] = []
        for (step, tuning) in Self.hypotheses(sampleRate: sampleRate, samples) {
            let working = ladder.sound(at: step)
            guard let path = search.run(working, tuning: tuning), path.bits.count >= 40 else { continue }
            let first = BitClock(boundaries: path.boundaries, bits: path.bits, startSign: path.startSign)
            strongTrace?("first \(step) \(tuning.pulseShare) score \(path.score)", path.boundaries, path.bits, Double(sign: .plus, exponent: -step, significand: 1)) //DEBUG
            guard let (clock, _) = first.refined(on: working), clock.bits.count >= 40,
                let (again, explained) = clock.refined(on: working), again.bits.count >= 40
            else { continue }
            strongTrace?("  refined \(explained)", again.boundaries, again.bits, Double(sign: .plus, exponent: -step, significand: 1)) //DEBUG
            guard explained > Self.noiseExplains else {
                kept.append((again, explained, step))
                continue
            }
            consider(again, step: step, best: &best)
            if let best, best.isCertain, best.reading.margin > 12, best.codeGap < 0.25 * best.reading.margin {
                return true
            }
        }
        kept.sort { $0.explained > $1.explained }
        for (clock, _, step) in kept.prefix(Self.secondLooks) { consider(clock, step: step, best: &best) }
        return best?.isCertain ?? false
    }

    private mutating func consider(_ clock: BitClock, step: Int, best: inout Candidate?) {
        for candidate in read(
            ladder.sound(at: step), clock: clock, scale: Double(sign: .plus, exponent: -step, significand: 1))
        where best.map({ candidate.isBetter(than: $0) }) ?? true {
            best = candidate
        }
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

    private func read(_ sound: WorkingSound, clock: BitClock, scale: Double) -> [Candidate] {
        var found: [Candidate] = []
        for reach in [3, 8] {
            var boundaries = Self.smooth(clock.boundaries, reach: reach)
            let signal = CellPhaseSignal(sound, boundaries: boundaries)
            var bits = clock.bits
            var startSign = clock.startSign
            var evidence: CellEvidence?
            for _ in 0..<3 {
                let levels = CellEqualiser.levels(bits: bits, startSign: startSign)
                let first = signal.offset(ofBoundary: 0)
                let half = CellPhaseSignal.samplesPerCell / 2
                let lessons = levels.enumerated().map {
                    CellEqualiser.Lesson(offset: first + $0.offset * half, level: $0.element)
                }
                let equaliser = CellEqualiser(signal, lessons: lessons)
                let current = equaliser.evidence(for: signal, reach: 0, displacementCost: 0)
                let decided = current.bestBits(in: 0..<current.count)
                bits = decided.bits
                startSign = decided.startSign
                evidence = current
                strongTrace?("    equalised \(equaliser.explained)", boundaries, bits, scale) //DEBUG
            }
            guard let evidence else { continue }
            guard let (reading, isReversed) = bestReading(evidence) else { continue }
            let oriented = isReversed ? evidence.reversed() : evidence
            let cells = max(0, reading.startCell - 8)..<min(oriented.count, reading.endCell + 8)
            let free = oriented.bestBits(in: cells).score
            let bound = Self.score(of: reading, in: cells, evidence: oriented)
            if isReversed { boundaries.reverse() }
            found.append(
                Candidate(
                    reading: reading, isReversed: isReversed, codeGap: free - bound,
                    boundaries: boundaries[reading.startCell...reading.endCell].map { $0 * Float(scale) },
                    coverage: Float(reading.endCell - reading.startCell) / Float(evidence.count),
                    strayGap: free - bound - (oriented.bestBits(in: reading.startCell..<reading.endCell).score - Self.score(of: reading, in: reading.startCell..<reading.endCell, evidence: oriented)),
                    hypothesis: "smooth \(reach) sc \(scale) cells \(evidence.count)"))
        }
        return found
    }

    /// A lane whose bound lies this far (nats) under the best message needs no exact search.
    private static let hopeless: Float = 30

    /// The most likely message over both codes, both directions, all alignments and polarities.
    private func bestReading(_ evidence: CellEvidence) -> (reading: CodeTrellis.Reading, isReversed: Bool)? {
        var lanes: [(lane: CodeTrellis.Lane, trellis: CodeTrellis, isReversed: Bool)] = []
        for isReversed in [false, true] {
            let oriented = isReversed ? evidence.reversed() : evidence
            for code in CharacterCode.allCases {
                let trellis = CodeTrellis(evidence: oriented, code: code)
                lanes += trellis.lanes().map { ($0, trellis, isReversed) }
            }
        }
        lanes.sort { $0.lane.bound > $1.lane.bound }
        var best: (reading: CodeTrellis.Reading, isReversed: Bool)?
        var runnerUp: Float = -1e30
        for (lane, trellis, isReversed) in lanes {
            let leader = best?.reading.score ?? -1e30
            if lane.bound < leader - Self.hopeless {
                runnerUp = max(runnerUp, lane.bound)
                break
            }
            guard let reading = trellis.bestReading(in: lane) else { continue }
            if reading.score > leader {
                runnerUp = max(runnerUp, leader, reading.score - reading.margin)
                best = (reading, isReversed)
            } else {
                runnerUp = max(runnerUp, reading.score)
            }
        }
        guard var best else { return nil }
        best.reading.margin = best.reading.score - runnerUp
        return best
    }

    /// Score of a message and the best strays around it, within some cells.
    private static func score(of reading: CodeTrellis.Reading, in cells: Range<Int>, evidence: CellEvidence) -> Float {
        var sign = reading.sign
        var total: Float = 0
        for (offset, bit) in reading.bits.enumerated() {
            let cell = reading.startCell + offset
            total += bit == 1 ? evidence.one(cell, sign) : evidence.zero(cell, sign)
            if bit == 0 { sign = 1 - sign }
        }
        var before: (Float, Float) = reading.sign == 0 ? (0, -1e9) : (-1e9, 0)
        for cell in stride(from: reading.startCell - 1, through: cells.lowerBound, by: -1) {
            let opensPlus = max(before.1 + evidence.zero(cell, 0), before.0 + evidence.one(cell, 0) - 2)
            let opensMinus = max(before.0 + evidence.zero(cell, 1), before.1 + evidence.one(cell, 1) - 2)
            before = (opensPlus, opensMinus)
        }
        var after: (Float, Float) = sign == 0 ? (0, -1e9) : (-1e9, 0)
        for cell in reading.endCell..<max(cells.upperBound, reading.endCell) {
            let closesPlus = max(after.1 + evidence.zero(cell, 1), after.0 + evidence.one(cell, 0) - 2)
            let closesMinus = max(after.0 + evidence.zero(cell, 0), after.1 + evidence.one(cell, 1) - 2)
            after = (closesPlus, closesMinus)
        }
        return total + max(before.0, before.1) + max(after.0, after.1)
    }

    /// Local quadratic smoothing (Savitzky-Golay), with a shorter reach towards the ends.
    static func smooth(_ times: [Float], reach: Int) -> [Float] {
        var smoothed = times
        for index in times.indices {
            let m = min(reach, index, times.count - 1 - index)
            guard m > 1 else { continue }
            var sum: Float = 0
            let scale = 3 / Float((2 * m - 1) * (2 * m + 1) * (2 * m + 3))
            for offset in -m...m {
                sum += scale * Float(3 * m * m + 3 * m - 1 - 5 * offset * offset) * times[index + offset]
            }
            smoothed[index] = sum
        }
        for index in smoothed.indices.dropFirst() {
            smoothed[index] = max(smoothed[index], smoothed[index - 1] + 1e-3)
        }
        return smoothed
    }
}

extension StrongDecoder.Candidate {
    private var doubt: Float { codeGap / max(reading.margin, 0.5) }

    func isBetter(than other: Self) -> Bool {
        isCertain == other.isCertain ? doubt < other.doubt : isCertain
    }
}
