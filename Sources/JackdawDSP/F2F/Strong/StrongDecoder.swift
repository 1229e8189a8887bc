import JackdawBytes

/// The strong tier: a joint search over timing and bits, an equaliser trained on its result, and the most likely whole
/// message of the code, accepted only if no other message comes close.
struct StrongDecoder: Sendable {
    var ladder = RateLadder()
    let search = TimingSearch()
    var patience = SearchPatience()

    /// Widths of a head pulse, as shares of the bit cell. The usual one distinguishes a swipe from noise at any true
    /// width.
    static let usualPulseShare = 0.5
    private static let otherPulseShares = [0.3, 0.12]
    /// Pulse widths that are tried for a card at even speed, whose cells keep their length.
    private static let evenPulseShares = [0.5, 0.3]
    /// Cost of a change of cell length in a search, for `TimingSearch.Tuning`: for even speed, and for any other.
    static let evenRateCost = 400.0
    static let usualRateCost = 20.0
    /// Rates that are searched at a pause, or if the patience is over.
    private static let likeliestSteps = 2
    /// A sound longer than any pass of a card, in seconds, gets the usual filters only.
    private static let longestPass = 2.5
    /// A rate at which this much less is explained than at the best one is not searched further.
    private static let clearness: Float = 0.1
    /// The least share that an equaliser explains of a swipe whose speed is certain.
    private static let speedIsPlain: Float = 0.9
    /// The clearest looks that are refined again for a fast change of speed.
    private static let hastyLooks = 2
    /// Work after which a thorough search stops, in samples searched: limits the time per segment.
    private static let maxWork = 500_000
    /// Work per cell of refining a look, and of searching it for messages.
    private static let workOnCell = 20
    /// Looks that are diagnosed to find the most informative failure.
    private static let maxDiagnoses = 8
    /// Reach of the smoothing before a diagnosis, in cells.
    private static let smoothing = 3
    /// A segment with this share of its samples at full scale is reported as clipped.
    private static let clippedShare = 0.1
    private static let rail: Float = 0.999
    /// Order of the linear prediction that compensates a low-pass.
    private static let whiteningOrder = 4

    /// The searches that a segment without a message is worth.
    enum Effort {
        /// All searches: the segment is complete.
        case full
        /// All but the second search, which takes the most time: the sound is beside a message.
        case besideMessage
        /// The usual search at the likeliest rates: it continues when the segment is complete.
        case atPause
    }

    /// The search of one sound, as far as it has come.
    struct Progress {
        fileprivate var findings = Findings()
        /// The rates that the usual search has searched.
        fileprivate var steps = 0
        /// The looks of the usual search.
        fileprivate var usualLooks: [Look] = []
        /// The messages of the second search; nil before it.
        fileprivate var agreement: Agreement?
        /// The work spent on other searches of the segment, in samples searched.
        fileprivate var workBefore = 0

        fileprivate var work: Int { agreement?.work ?? workBefore + findings.work }
    }

    /// Decodes the most likely message of a segment by all searches.
    /// - Parameters:
    ///   - samples: the segment.
    ///   - sampleRate: samples per second (Hz).
    /// - Returns: the message, or why there is none.
    mutating func decode(_ samples: [Float], sampleRate: Double) -> Result<SegmentReading, SegmentFailure> {
        var progress = Progress()
        return decode(samples, sampleRate: sampleRate, effort: .full, &progress)
    }

    /// Decodes the most likely message of a segment.
    /// - Parameters:
    ///   - samples: the segment.
    ///   - silence: the sound after it, in which there is no swipe.
    ///   - sampleRate: samples per second (Hz).
    ///   - effort: the searches that are made if there is no message.
    ///   - progress: the search of the same samples with less effort, which is continued, or a new one.
    /// - Returns: the message, or why there is none.
    mutating func decode(
        _ samples: [Float], before silence: [Float] = [], sampleRate: Double, effort: Effort,
        _ progress: inout Progress
    ) -> Result<SegmentReading, SegmentFailure> {
        defer { ladder.wipe() }
        let isContinued = progress.steps > 0
        var reading = search(samples, before: silence, sampleRate: sampleRate, effort: effort, &progress)
        if reading == nil, isContinued, effort == .full, patience.isPatient, !progress.usualLooks.isEmpty,
            progress.work < Agreement.mostWork
        {
            // With the silence after it, the ends, the hum and the level of the sound differ a little.
            var (whole, other) = (samples + silence, Progress(workBefore: progress.work))
            defer { whole.wipe() }
            reading = search(whole, sampleRate: sampleRate, effort: effort, &other)
        }
        if let reading {
            patience.note(.message)
            return .success(reading)
        }
        patience.note(progress.usualLooks.isEmpty ? .noise : .nothing)
        var rejected = failure(samples, looks: progress.usualLooks)
        if progress.agreement?.isContradicted ?? false { rejected.reason = .ambiguous }
        return .failure(rejected)
    }

    /// Makes the searches that an effort allows.
    /// - Returns: the message; nil if there is none.
    private mutating func search(
        _ samples: [Float], before silence: [Float] = [], sampleRate: Double, effort: Effort,
        _ progress: inout Progress
    ) -> SegmentReading? {
        let isPatient = patience.isPatient
        let isLong = Double(samples.count) > Self.longestPass * sampleRate
        searchFirst(samples, sampleRate: sampleRate, effort: effort, isLong: isLong, &progress)
        let findings = progress.findings
        let found = findings.best.flatMap { $0.isCertain ? $0 : nil }
        var agreement = progress.agreement ?? Agreement(findings.best, work: progress.work)
        if !isLong, found?.needsConfirmation(in: samples) ?? (isPatient && effort == .full) {
            var versions = RepairedSound.Versions(of: samples, before: silence, sampleRate: sampleRate)
            let clearest = findings.looks.first
            if progress.agreement == nil { searchAgain(&versions, clearest: clearest, &agreement) }
            if effort == .full, agreement.isUndecided(in: samples), let clearest,
                let extent = SwipeExtent.find(in: clearest.sound)
            {
                agreement.isExtended = true
                searchAgain(&versions, clearest: clearest, within: extent, &agreement)
            }
            progress.agreement = agreement
        } else if let found {
            return found.reading
        }
        return agreement.result(in: samples)?.reading
    }

    /// The usual search, and a thorough one if it proves no message, of the sound without hum.
    private mutating func searchFirst(
        _ samples: [Float], sampleRate: Double, effort: Effort, isLong: Bool, _ progress: inout Progress
    ) {
        var cleaned = samples
        var lost = HumCanceller.removeHum(from: &cleaned, sampleRate: sampleRate)
        defer {
            cleaned.wipe()
            lost.wipe()
        }
        ladder.load(cleaned, lost: lost)
        let steps = RateLadder.plausibleSteps(for: samples, sampleRate: sampleRate)
        let searched = patience.isPatient && effort != .atPause ? steps.count : min(Self.likeliestSteps, steps.count)
        if progress.steps < searched {
            let steps = steps[progress.steps..<searched]
            explore(steps: steps, pulseShares: [Self.usualPulseShare], &progress.findings)
            let looks = progress.findings.looks.prefix(Self.hastyLooks).filter { steps.contains($0.sound.step) }
            for look in looks where look.isSwipe && !progress.findings.isBeyondDoubt {
                Self.look(at: look.sound, clock: look.found, pace: .hasty, &progress.findings)
            }
            progress.steps = searched
            progress.usualLooks = progress.findings.looks
        }
        guard patience.isPatient, !isLong, effort != .atPause, !progress.findings.isBeyondDoubt else { return }
        searchThoroughly(cleaned, lost: lost, &progress.findings)
        progress.agreement = nil
    }

    /// Forgets the searches of earlier segments.
    mutating func reset() {
        patience = SearchPatience()
    }

    /// Tries an even speed and other filters at the clearest rate, the same filters after compensating the sound's
    /// roll-off, and other filters at the next rate.
    private mutating func searchThoroughly(_ cleaned: [Float], lost: [Int8], _ findings: inout Findings) {
        let steps = findings.promisingSteps
        guard !steps.isEmpty else { return }
        let (clearest, next) = (steps.prefix(1), steps.dropFirst().prefix(1))
        explore(steps: clearest, pulseShares: Self.evenPulseShares, pace: .even, limit: Self.maxWork, &findings)
        explore(steps: clearest, pulseShares: Self.otherPulseShares, limit: Self.maxWork, &findings)
        guard !findings.isCertain, findings.sawSwipe else { return }
        ladder.load(Whitener.whiten(cleaned, order: Self.whiteningOrder), lost: lost)
        explore(
            steps: clearest, pulseShares: [Self.usualPulseShare] + Self.otherPulseShares, limit: Self.maxWork,
            &findings)
        guard !findings.isCertain else { return }
        ladder.load(cleaned, lost: lost)
        explore(steps: next, pulseShares: Self.otherPulseShares, limit: Self.maxWork, &findings)
    }

    /// The results of searching a segment so far.
    struct Findings {
        var best: MessageCandidate?
        /// The clearest looks, the clearest first; no more than are diagnosed, because each holds its sound.
        private(set) var looks: [Look] = []
        /// The work spent on them, in samples searched.
        var work = 0
        private(set) var sawSwipe = false
        /// The clearness of the clearest look of each step.
        private var clearness: [Int: Float] = [:]

        var isCertain: Bool { best?.isCertain ?? false }
        var isBeyondDoubt: Bool { best?.isBeyondDoubt ?? false }

        /// Steps of the ladder at which more than noise was found, about as clearly as at the best one; the clearest
        /// first.
        var promisingSteps: [Int] {
            let most = clearness.values.max() ?? 0
            return clearness.filter { $0.value > most - StrongDecoder.clearness }
                .sorted { ($0.value, $0.key) > ($1.value, $1.key) }.map { $0.key }
        }

        /// Whether most cells of a clearly detected swipe would be too short or too long for a search at a step.
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
            if looks.count > StrongDecoder.maxDiagnoses { looks.removeLast() }
        }

        mutating func consider(_ look: Look) {
            for candidate in MessageCandidate.candidates(in: look.sound, clock: look.clock) {
                if best.map({ candidate.isBetter(than: $0) }) ?? true { best = candidate }
                if isBeyondDoubt { return }
            }
        }
    }

    /// Searches every rate with every filter until a message is beyond doubt.
    mutating func explore(
        steps: ArraySlice<Int>, pulseShares: [Double], pace: BitClock.Pace = .steady, limit: Int = .max,
        within extent: ClosedRange<Float>? = nil, _ findings: inout Findings
    ) {
        for share in pulseShares {
            for step in steps where !findings.rulesOut(step) && findings.work < limit {
                for sound in ladder.sound(at: step).windows {
                    guard !findings.isBeyondDoubt else { return }
                    let rateCost = pace == .even ? Self.evenRateCost : Self.usualRateCost
                    let tuning = TimingSearch.Tuning(pulseShare: share, rateCost: rateCost)
                    explore(sound, tuning: tuning, pace: pace, within: extent, &findings)
                }
            }
        }
    }

    /// Searches a sound with a tuning, and looks at the clock that is found.
    func explore(
        _ sound: WorkingSound, tuning: TimingSearch.Tuning, pace: BitClock.Pace,
        within extent: ClosedRange<Float>? = nil, _ findings: inout Findings
    ) {
        findings.work += sound.places(in: extent).count
        guard let path = search.run(sound, tuning: tuning, within: extent) else { return }
        let clock = BitClock(boundaries: path.boundaries, bits: path.bits, startSign: path.startSign)
        Self.look(at: sound, clock: clock, pace: pace, &findings)
    }

    /// Refines a clock and, if it shows a swipe, searches for its messages.
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
            if !looks.contains(where: { $0.isClear }) { failure.reason = .tooWeak }
            let clipped = samples.count { abs($0) > Self.rail }
            if Double(clipped) > Self.clippedShare * Double(samples.count) { failure.reason = .clipped }
        }
        return failure
    }
}

/// A candidate bit clock, at one step of the sample-rate ladder.
struct Look {
    let clock: BitClock
    /// The clock from the timing search, before refinement.
    let found: BitClock
    /// Share of the target levels that an equaliser explains, trained on the clock's own bits.
    let explained: Float
    /// The quartiles of the cells' lengths, in samples of the sound: a quarter is no longer than the first, and a
    /// quarter no shorter than the second.
    let lengthQuartiles: (short: Float, long: Float)
    let sound: WorkingSound

    /// The largest share that an equaliser explains of noise decoded as bits, with the first filters.
    private static let noiseExplainsAtMost: Float = 0.77
    /// The least share that it explains of a swipe clearly above the noise.
    private static let swipeExplains: Float = 0.8
    /// The largest share that it explains of a swipe hardly above the noise, corrected for its many taps on few cells.
    private static let weakExplains: Float = 0.85
    /// Bit cells of the shortest pass of a card, and of two passes at 210 bits per inch with the turn between them: the
    /// memory for a refinement depends on them. A search in noise converges on short cells, and thus on more of them.
    private static let cells = 40..<1_800

    /// Whether it is more than noise decoded as bits.
    var isPromising: Bool { explained > Self.noiseExplainsAtMost }
    var isSwipe: Bool { explained > Self.swipeExplains }

    /// Whether it is clearly above the noise. Over `n` levels, `p` taps leave (n - p) / n of the error that they cannot
    /// explain.
    var isClear: Bool {
        let levels = Float(2 * clock.bits.count + 1)
        let missed = (1 - explained) * levels / max(levels - Float(CellEqualiser.taps), 1)
        return 1 - missed > Self.weakExplains
    }

    /// Cells of fewer samples than this, at the segment's own rate, leave transitions little room.
    private static let roomyCell: Float = 3

    /// Refines a clock twice; nil if no pass of a card remains.
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
