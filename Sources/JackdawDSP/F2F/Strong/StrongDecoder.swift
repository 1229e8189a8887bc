/// The strong tier: a search over timing and bits together, an equaliser taught by its result, and the most likely whole
/// message of the code, accepted only where no other message comes near.
struct StrongDecoder: Sendable {
    private var ladder = RateLadder()
    private let search = TimingSearch()
    /// Segments in a row that looked like a swipe and were not read.
    private(set) var fruitlessSearches = 0

    /// Widths of a head pulse, as shares of the bit cell: the usual one tells a swipe from noise whatever the true width.
    private static let usualPulseShare = 0.5
    private static let otherPulseShares = [0.3, 0.12]
    /// What is tried for a hand that moves evenly, whose cells keep their length.
    private static let evenPulseShares = [0.5, 0.3]
    /// Cost of a change of cell length in a search, as `TimingSearch.Tuning` has it: for such a hand, and for any other.
    private static let evenRateCost = 400.0
    private static let usualRateCost = 20.0
    /// Music and speech go on for hours and look like swipes. After so many segments in a row without a message only one in
    /// so many is searched thoroughly, and the others at the likeliest rates alone, until a swipe is read.
    private static let patience = 8
    private static let likeliestSteps = 2
    /// Longer sound than any pass of a card, in seconds, gets the usual filters only.
    private static let longestPass = 2.5
    /// A rate at which so much less is explained than at another is not searched further.
    private static let clearness: Float = 0.1
    /// What an equaliser explains of a swipe whose speed is beyond question, at least.
    private static let speedIsPlain: Float = 0.9
    /// Clearest looks that are looked at again for a hand that changes its speed fast.
    private static let hastyLooks = 2
    /// Work after which a thorough search gives up, in samples searched: it bounds the time that a segment takes.
    private static let mostWork = 500_000
    /// What a closer look at a cell and a search for messages in it come to each.
    private static let workOnCell = 20
    /// Looks that are tried for the most that can be told.
    private static let mostDiagnoses = 8
    /// Reach of the smoothing behind a diagnosis, in cells.
    private static let smoothing = 3
    /// A segment with this share of its samples at full scale is told to be clipped.
    private static let clippedShare = 0.1
    private static let rail: Float = 0.999
    /// Order of the linear prediction that undoes a low-pass.
    private static let whiteningOrder = 4

    /// Reads the most likely message of a segment.
    mutating func decode(_ samples: [Float], sampleRate: Double) -> Result<SegmentReading, SegmentFailure> {
        var cleaned = samples
        var lost = HumCanceller.removeHum(from: &cleaned, sampleRate: sampleRate)
        defer {
            ladder.wipe()
            cleaned.wipe()
            lost.wipe()
        }
        ladder.load(cleaned, lost: lost)
        var findings = Findings()
        let steps = RateLadder.plausibleSteps(for: samples, sampleRate: sampleRate)
        let isPatient = fruitlessSearches < Self.patience || fruitlessSearches.isMultiple(of: Self.patience)
        explore(
            steps: isPatient ? steps[...] : steps.prefix(Self.likeliestSteps), pulseShares: [Self.usualPulseShare],
            &findings)
        for look in findings.looks.prefix(Self.hastyLooks) where look.isSwipe && !findings.isBeyondDoubt {
            Self.look(at: look.sound, clock: look.found, pace: .hasty, &findings)
        }
        let usualLooks = findings.looks
        if isPatient, !findings.isBeyondDoubt, Double(samples.count) <= Self.longestPass * sampleRate {
            searchThoroughly(cleaned, lost: lost, &findings)
        }
        if let best = findings.best, best.isCertain {
            fruitlessSearches = 0
            return .success(best.reading)
        }
        if !usualLooks.isEmpty { fruitlessSearches += 1 }
        return .failure(failure(samples, looks: usualLooks))
    }

    /// Forgets how many segments were searched in vain.
    mutating func reset() {
        fruitlessSearches = 0
    }

    /// An even hand and other filters at the rate where most was seen, the same filters with the sound's roll-off undone,
    /// and other filters at the rate next to it.
    private mutating func searchThoroughly(_ cleaned: [Float], lost: [Int8], _ findings: inout Findings) {
        let steps = findings.promisingSteps
        guard !steps.isEmpty else { return }
        let (clearest, next) = (steps.prefix(1), steps.dropFirst().prefix(1))
        explore(steps: clearest, pulseShares: Self.evenPulseShares, pace: .even, limit: Self.mostWork, &findings)
        explore(steps: clearest, pulseShares: Self.otherPulseShares, limit: Self.mostWork, &findings)
        guard !findings.isCertain, findings.sawSwipe else { return }
        ladder.load(Whitener.whiten(cleaned, order: Self.whiteningOrder), lost: lost)
        explore(
            steps: clearest, pulseShares: [Self.usualPulseShare] + Self.otherPulseShares, limit: Self.mostWork,
            &findings)
        guard !findings.isCertain else { return }
        ladder.load(cleaned, lost: lost)
        explore(steps: next, pulseShares: Self.otherPulseShares, limit: Self.mostWork, &findings)
    }

    /// What was seen in a segment so far.
    private struct Findings {
        var best: MessageCandidate?
        /// The clearest looks, the clearest first; no more than are told of, since each holds its sound.
        private(set) var looks: [Look] = []
        /// What was done for them, in samples searched.
        var work = 0
        private(set) var sawSwipe = false
        /// How clear the clearest look of each step was.
        private var clearness: [Int: Float] = [:]

        var isCertain: Bool { best?.isCertain ?? false }
        var isBeyondDoubt: Bool { best?.isBeyondDoubt ?? false }

        /// Steps of the ladder at which more than noise was seen, and about as clearly as anywhere; the clearest first.
        var promisingSteps: [Int] {
            let most = clearness.values.max() ?? 0
            return clearness.filter { $0.value > most - StrongDecoder.clearness }
                .sorted { ($0.value, $0.key) > ($1.value, $1.key) }.map(\.key)
        }

        /// Whether most cells of a swipe that was plainly seen would be too short or too long for a search at a step.
        func rulesOut(_ step: Int) -> Bool {
            guard let look = looks.first, look.explained > StrongDecoder.speedIsPlain else { return false }
            let scale = Float(sign: .plus, exponent: step - look.sound.step, significand: 1)
            let (short, long) = look.lengthQuartiles
            let searched = TimingSearch.cellLengths
            return long * scale < Float(searched[0]) || short * scale > Float(searched[searched.count - 1])
        }

        mutating func note(_ look: Look) {
            let step = look.sound.step
            clearness[step] = max(clearness[step] ?? look.explained, look.explained)
            sawSwipe = sawSwipe || look.isSwipe
            let place = looks.firstIndex { $0.explained < look.explained } ?? looks.count
            looks.insert(look, at: place)
            if looks.count > StrongDecoder.mostDiagnoses { looks.removeLast() }
        }

        mutating func consider(_ look: Look) {
            for candidate in MessageCandidate.candidates(in: look.sound, clock: look.clock) {
                if best.map({ candidate.isBetter(than: $0) }) ?? true { best = candidate }
                if isBeyondDoubt { return }
            }
        }
    }

    /// Looks at every rate through every filter until a message is beyond doubt.
    private mutating func explore(
        steps: ArraySlice<Int>, pulseShares: [Double], pace: BitClock.Pace = .steady, limit: Int = .max,
        _ findings: inout Findings
    ) {
        for share in pulseShares {
            for step in steps where !findings.rulesOut(step) && findings.work < limit {
                for sound in ladder.sound(at: step).windows {
                    guard !findings.isBeyondDoubt else { return }
                    explore(sound, pulseShare: share, pace: pace, &findings)
                }
            }
        }
    }

    private func explore(_ sound: WorkingSound, pulseShare: Double, pace: BitClock.Pace, _ findings: inout Findings) {
        let tuning = TimingSearch.Tuning(
            pulseShare: pulseShare, jitterReach: 0.1, jitterCost: 4,
            rateCost: pace == .even ? Self.evenRateCost : Self.usualRateCost)
        findings.work += sound.samples.count
        guard let path = search.run(sound, tuning: tuning) else { return }
        let clock = BitClock(boundaries: path.boundaries, bits: path.bits, startSign: path.startSign)
        Self.look(at: sound, clock: clock, pace: pace, &findings)
    }

    /// Takes a closer look at a clock, and where a swipe is seen at its messages.
    private static func look(at sound: WorkingSound, clock: BitClock, pace: BitClock.Pace, _ findings: inout Findings) {
        guard let look = Look(at: sound, clock: clock, pace: pace) else { return }
        findings.work += look.clock.bits.count * workOnCell
        guard look.isPromising else { return }
        findings.work += look.clock.bits.count * workOnCell
        findings.note(look)
        findings.consider(look)
    }

    private func failure(_ samples: [Float], looks: [Look]) -> SegmentFailure {
        let diagnoses = looks.map { look in
            let boundaries = look.clock.smoothedBoundaries(reach: Self.smoothing)
            let signal = CellPhaseSignal(look.sound, boundaries: boundaries)
            let evidence = MessageSearch.evidence(in: signal, clock: look.clock)
            return FailureDiagnosis.diagnose(evidence, boundaries: boundaries.map(look.sound.segmentTime))
        }
        guard var failure = diagnoses.max(by: { $0.certainCharacters < $1.certainCharacters }) else {
            return SegmentFailure(reason: .noBitCells, range: samples.indices)
        }
        failure.range = failure.range.clamped(to: samples.indices)
        if failure.reason != .lrc, failure.reason != .parity {
            if !looks.contains(where: \.isClear) { failure.reason = .tooWeak }
            let clipped = samples.count { abs($0) > Self.rail }
            if Double(clipped) > Self.clippedShare * Double(samples.count) { failure.reason = .clipped }
        }
        return failure
    }
}

/// Where the cells of a swipe seem to lie, at the sample rate of a step of the ladder.
struct Look {
    let clock: BitClock
    /// The clock as the timing search found it.
    let found: BitClock
    /// Share of the wanted levels that an equaliser explains, taught by the clock's own bits.
    let explained: Float
    /// A quarter of the cells are no longer than the first length, and a quarter no shorter than the second, in samples of
    /// the sound.
    let lengthQuartiles: (short: Float, long: Float)
    let sound: WorkingSound

    /// What an equaliser explains where noise is read as bits, at most, under the first filters.
    private static let noiseExplainsAtMost: Float = 0.77
    /// What it explains of a swipe that is not buried in noise, at least.
    private static let swipeExplains: Float = 0.8
    /// What it explains of a swipe that is hardly above the noise, at most, not counting what its many taps make of few cells.
    private static let weakExplains: Float = 0.85
    /// Bit cells of the shortest pass of a card, and of two passes at 210 bits an inch with the turn between them: the
    /// memory that a refinement takes goes by them. A search in noise settles for short cells, and so for more of them.
    private static let cells = 40..<1_800

    /// Whether it is more than noise read as bits.
    var isPromising: Bool { explained > Self.noiseExplainsAtMost }
    var isSwipe: Bool { explained > Self.swipeExplains }

    /// Whether it stands clear of the noise. Over `n` levels, `p` taps leave (n - p) / n of what they cannot explain.
    var isClear: Bool {
        let levels = Float(2 * clock.bits.count + 1)
        let missed = (1 - explained) * levels / max(levels - Float(CellEqualiser.taps), 1)
        return 1 - missed > Self.weakExplains
    }

    /// Cells of fewer samples than this, at the segment's own rate, leave transitions little room.
    private static let roomyCell: Float = 3

    /// Refines a clock twice; nil where no pass of a card is left.
    init?(at sound: WorkingSound, clock: BitClock, pace: BitClock.Pace) {
        let ends = (clock.boundaries.first ?? 0, clock.boundaries.last ?? 0)
        let cell = (sound.segmentTime(ends.1) - sound.segmentTime(ends.0)) / Float(max(clock.bits.count, 1))
        let isTight = pace == .even && cell < Self.roomyCell
        guard Self.cells.contains(clock.bits.count),
            let (second, _) = clock.refined(on: sound, pace: pace, scope: isTight ? .tight : .wide),
            Self.cells.contains(second.bits.count),
            let (third, explained) = second.refined(on: sound, pace: pace, scope: isTight ? .tight : .close),
            Self.cells.contains(third.bits.count)
        else { return nil }
        self.clock = third
        let lengths = third.cellLengths.sorted()
        lengthQuartiles = (lengths[lengths.count / 4], lengths[lengths.count * 3 / 4])
        found = clock
        self.explained = explained
        self.sound = sound
    }
}
