import JackdawBytes

/// The messages that were found in several versions of a sound and on several clocks, each judged alone.
///
/// Errors on different clocks differ. So a message counts if it is certain in one look and also the most likely one in
/// a look of another kind, or in two looks on evened sound, or if it is certain and so clear that it may stand alone. A
/// message that a look contradicts does not count. If no look is certain, a nearly certain message counts if looks of
/// two kinds find it and it has no rival.
struct Agreement {
    /// What distinguishes two looks. On the same kind of clock, a slip of the clock is the same.
    struct Kind: Equatable {
        /// The origin of the clock.
        enum Clock { case usual, stiff, level }

        var version = RepairedSound.Version.plain
        var clock = Clock.usual
    }

    /// The messages of all looks so far.
    private var candidates: [(message: MessageCandidate, kind: Kind)] = []
    /// The work spent on all searches of the segment, in samples searched.
    var work: Int
    /// The clearest of the certain messages.
    private var best: MessageCandidate?
    /// Whether a message of the second search is so clear that it needs no other look.
    private var isClear = false
    /// Whether the looks found different messages, each of them certain.
    private(set) var isContradicted = false
    /// Whether looks within the extent of the swipe were added; a disputed message then never counts if a look is
    /// certain of it.
    var isExtended = false
    /// Whether the message of the usual search must be confirmed.
    let isConfirmation: Bool

    /// Work after which a search that found no certain message ends: limits the time per segment.
    static let mostWork = 1_300_000

    /// - Parameters:
    ///   - found: the message of the usual search, if it found one.
    ///   - work: the work spent on that search, in samples searched; default: none.
    init(_ found: MessageCandidate?, work: Int = 0) {
        self.work = work
        isConfirmation = found?.isCertain ?? false
        if let found { add(found, Kind()) }
    }

    /// Adds the message of a look.
    /// - Parameters:
    ///   - candidate: the message.
    ///   - kind: the kind of the look. On a clock from the level, a drop-out looks like a hand that slows down, so a
    ///     message on such a clock always needs another look.
    mutating func add(_ candidate: MessageCandidate, _ kind: Kind) {
        candidates.append((candidate, kind))
        guard candidate.isCertain else { return }
        isClear = isClear || kind.clock != .level && candidate.standsAlone
        isContradicted = isContradicted || best.map { !candidate.isSameMessage(as: $0) } ?? false
        if best.map({ candidate.isBetter(than: $0) }) ?? true { best = candidate }
    }

    /// Whether looks of two kinds agree on the clearest message, or two that are both certain, on evened sound.
    private var isAgreed: Bool {
        guard let best else { return false }
        return hasTwoKinds(of: best)
            || looks(of: best).count { $0.message.isCertain && $0.kind.clock != .usual } > 1
    }

    /// The looks that found a message.
    private func looks(of message: MessageCandidate) -> [(message: MessageCandidate, kind: Kind)] {
        candidates.filter { $0.message.isPromising && $0.message.isSameMessage(as: message) }
    }

    /// Whether looks of two kinds found a message.
    private func hasTwoKinds(of message: MessageCandidate) -> Bool {
        let looks = looks(of: message)
        return looks.contains { $0.kind != looks[0].kind }
    }

    /// Whether a look found another message that may be the true one instead.
    private func hasRival(_ message: MessageCandidate) -> Bool {
        candidates.contains { !$0.message.isSameMessage(as: message) && $0.message.isRival }
    }

    /// Whether the clearest message has a rival, or a look found it so unclear that it could be another.
    private var isDisputed: Bool {
        guard let best else { return false }
        return hasRival(best) || candidates.contains { $0.message.isSameMessage(as: best) && !$0.message.isPromising }
    }

    /// The nearly certain message that looks of two kinds found, without a rival; nil if there is none.
    private var likeliest: MessageCandidate? {
        let likely = candidates.map { $0.message }.filter { $0.isNearlyCertain }
        guard let message = likely.min(by: { $0.isBetter(than: $1) }), hasTwoKinds(of: message), !hasRival(message)
        else { return nil }
        return message
    }

    /// Whether more looks would not change the result, or are not worth their work.
    var isSettled: Bool { isContradicted || isAgreed || isExhausted }

    private var isExhausted: Bool { best == nil && work >= Self.mostWork }

    /// Whether there is no message to report, and more looks could change that.
    func isUndecided(in samples: [Float]) -> Bool {
        !isContradicted && !isDisputed && !isExhausted && result(in: samples) == nil
    }

    /// The message on which the looks agree, or which may stand alone; if no look is certain, the nearly certain one.
    /// Nil if there is none.
    func result(in samples: [Float]) -> MessageCandidate? {
        guard !isContradicted else { return nil }
        guard let best else { return likeliest }
        if isAgreed, !isExtended || !isDisputed { return best }
        let standsAlone = isConfirmation ? best.standsUncontradicted(in: samples) : isClear
        return standsAlone && !isDisputed ? best : nil
    }
}

/// The search for what the usual one could not prove: in versions of the sound without hum and clipping, on clocks that
/// differ from the usual one.
extension StrongDecoder {
    /// Rates at which a version is searched on the usual clock.
    private static let repairedSteps = 3
    /// Work on the usual clock after which no other rate of a version is searched, in samples searched.
    private static let maxRepairedWork = 300_000
    /// The least envelope of a search on other clocks: a hand that slows down weakens the pulses.
    private static let leastEnvelope: Float = 0.1
    /// A stiff clock, on which a hand's speed is evened out.
    private static let stiffTuning = TimingSearch.Tuning(
        pulseShare: usualPulseShare, rateCost: 200, leastEnvelope: leastEnvelope)
    /// The searches of a sound that was evened out by its level, and by a stiff clock.
    private static let searchesByLevel: [(pulseShare: Double, rateCost: Double, pace: BitClock.Pace)] = [
        (0.5, 20, .steady), (0.3, 20, .steady), (0.5, 5, .hasty),
    ]
    private static let searchesByClock: [(pulseShare: Double, rateCost: Double, pace: BitClock.Pace)] = [
        (0.5, 400, .even), (0.5, 20, .steady),
    ]

    /// Looks at a sound on other clocks, and at versions of it, until the looks agree or contradict one another.
    /// - Parameters:
    ///   - sounds: the versions of the segment.
    ///   - clearest: the clearest look of the first search.
    ///   - extent: the times of the segment between which the swipe is; default: all.
    ///   - agreement: the messages found.
    mutating func searchAgain(
        _ sounds: inout RepairedSound.Versions, clearest: Look?, within extent: ClosedRange<Float>? = nil,
        _ agreement: inout Agreement
    ) {
        // If a message was found, its rate is known, and hum did not hinder the search.
        if agreement.isConfirmation, let clearest, sounds.all.first == .plain {
            var findings = Findings()
            explore(clearest.sound, tuning: Self.stiffTuning, pace: .steady, within: extent, &findings)
            take(findings, .init(clock: .stiff), &agreement)
            searchOnOtherClocks(clearest, .plain, within: extent, &agreement)
            return
        }
        // Within the extent of a swipe, only its own rate is searched.
        let rate = extent == nil ? nil : clearest?.sound.step
        for version in sounds.all where !agreement.isSettled {
            let sound = sounds[version]
            ladder.load(sound, lost: [])
            let likeliest = RateLadder.plausibleSteps(for: sound, sampleRate: sounds.sampleRate)
            let steps = rate.map { [$0][...] } ?? likeliest.prefix(Self.repairedSteps)
            var findings = Findings()
            explore(
                steps: steps, pulseShares: [Self.usualPulseShare], limit: Self.maxRepairedWork, within: extent,
                &findings)
            take(findings, .init(version: version), &agreement)
            guard let look = findings.looks.first else { continue }
            searchOnOtherClocks(look, version, within: extent, &agreement)
        }
    }

    private func searchOnOtherClocks(
        _ look: Look, _ version: RepairedSound.Version, within extent: ClosedRange<Float>?, _ agreement: inout Agreement
    ) {
        if version == .plain { searchByLevel(look, within: extent, &agreement) }
        searchByStiffClock(look.sound, version, within: extent, &agreement)
    }

    private func searchByLevel(_ look: Look, within extent: ClosedRange<Float>?, _ agreement: inout Agreement) {
        let lengths = look.clock.cellLengths.sorted()
        guard !agreement.isSettled, let clock = LevelClock(look.sound, cell: lengths[lengths.count / 2]),
            let evened = look.sound.evened(by: clock.boundaries)
        else { return }
        for (pulseShare, rateCost, pace) in Self.searchesByLevel where !agreement.isSettled {
            var findings = Findings()
            let tuning = TimingSearch.Tuning(
                pulseShare: pulseShare, rateCost: rateCost, leastEnvelope: Self.leastEnvelope)
            explore(evened, tuning: tuning, pace: pace, within: extent, &findings)
            take(findings, .init(clock: .level), &agreement)
        }
    }

    private func searchByStiffClock(
        _ sound: WorkingSound, _ version: RepairedSound.Version, within extent: ClosedRange<Float>?,
        _ agreement: inout Agreement
    ) {
        guard !agreement.isSettled else { return }
        agreement.work += sound.places(in: extent).count
        guard let path = search.run(sound, tuning: Self.stiffTuning, within: extent) else { return }
        let clock = BitClock(boundaries: path.boundaries, bits: path.bits, startSign: path.startSign)
        let grid = clock.speedGrid(limit: Float(sound.samples.count), pace: .steady, margin: .max)
        guard let evened = sound.evened(by: grid) else { return }
        for (pulseShare, rateCost, pace) in Self.searchesByClock where !agreement.isSettled {
            var findings = Findings()
            let tuning = TimingSearch.Tuning(pulseShare: pulseShare, rateCost: rateCost)
            explore(evened, tuning: tuning, pace: pace, within: extent, &findings)
            take(findings, .init(version: version, clock: .stiff), &agreement)
        }
    }

    /// Counts the message of a look, and its work.
    private func take(_ findings: Findings, _ kind: Agreement.Kind, _ agreement: inout Agreement) {
        agreement.work += findings.work
        if let best = findings.best { agreement.add(best, kind) }
    }
}
