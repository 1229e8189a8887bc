import JackdawBytes

/// The messages that were found in several versions of a sound and on several clocks, each judged alone.
///
/// Errors on different clocks differ, so a message counts only if looks agree and none contradicts.
struct Agreement {
    /// The clearest of the messages.
    private var best: MessageCandidate?
    private var looks = 0
    /// Whether the looks found different messages.
    private(set) var isContradicted = false
    /// Whether the message was found by the usual search.
    private let isConfirmation: Bool

    /// Looks that must agree, and after how many no other is taken.
    private static let leastLooks = 2
    private static let enoughLooks = 3

    /// - Parameter found: the message of the usual search that must be confirmed, if it found one.
    init(_ found: MessageCandidate?) {
        isConfirmation = found != nil
        if let found { add(found) }
    }

    /// Adds the message of a look, if it is certain.
    mutating func add(_ candidate: MessageCandidate) {
        guard candidate.isCertain else { return }
        guard let best else {
            (self.best, looks) = (candidate, 1)
            return
        }
        looks += 1
        isContradicted = isContradicted || !candidate.isSameMessage(as: best)
        if candidate.isBetter(than: best) { self.best = candidate }
    }

    /// Whether more looks would not change the result.
    var isSettled: Bool { isContradicted || looks >= (isConfirmation ? Self.leastLooks : Self.enoughLooks) }

    /// The message on which the looks agree, or which may stand alone; nil if there is none.
    func result(in samples: [Float]) -> MessageCandidate? {
        guard let best, !isContradicted else { return nil }
        return looks >= Self.leastLooks || isConfirmation && best.standsUncontradicted(in: samples) ? best : nil
    }
}

/// The search for what the usual one could not prove: in versions of the sound without hum and clipping, on clocks that
/// differ from the usual one.
extension StrongDecoder {
    /// Rates at which a version is searched on the usual clock.
    private static let repairedSteps = 3
    /// Work on the usual clock after which no other rate of a version is searched, in samples searched.
    private static let maxRepairedWork = 300_000
    /// The cost of a change of cell length of a stiff clock, on which a hand's speed is evened out.
    private static let stiffRateCost = 200.0
    /// The least envelope of a search on other clocks: a hand that slows down weakens the pulses.
    private static let leastEnvelope: Float = 0.1
    /// The searches of a sound that was evened out by its level, and by a stiff clock.
    private static let searchesByLevel: [(pulseShare: Double, rateCost: Double, pace: BitClock.Pace)] = [
        (0.5, 20, .steady), (0.3, 20, .steady), (0.5, 5, .hasty),
    ]
    private static let searchesByClock: [(pulseShare: Double, rateCost: Double, pace: BitClock.Pace)] = [
        (0.5, 400, .even), (0.5, 20, .steady),
    ]

    /// Looks at versions of a sound until the looks agree or contradict one another.
    /// - Parameters:
    ///   - samples: the segment.
    ///   - sampleRate: samples per second (Hz).
    ///   - agreement: the messages found.
    mutating func searchRepaired(_ samples: [Float], sampleRate: Double, _ agreement: inout Agreement) {
        for version in RepairedSound.versions(of: samples) where !agreement.isSettled {
            var sound = RepairedSound.make(samples, version: version, sampleRate: sampleRate)
            defer { sound.wipe() }
            ladder.load(sound, lost: [])
            let steps = RateLadder.plausibleSteps(for: sound, sampleRate: sampleRate).prefix(Self.repairedSteps)
            var findings = Findings()
            explore(steps: steps, pulseShares: [Self.usualPulseShare], limit: Self.maxRepairedWork, &findings)
            take(findings, &agreement)
            guard let look = findings.looks.first else { continue }
            if version == .plain { searchByLevel(look, &agreement) }
            searchByStiffClock(look.sound, &agreement)
        }
    }

    private func searchByLevel(_ look: Look, _ agreement: inout Agreement) {
        let lengths = look.clock.cellLengths.sorted()
        guard !agreement.isSettled, let clock = LevelClock(look.sound, cell: lengths[lengths.count / 2]),
            let evened = look.sound.evened(by: clock.boundaries)
        else { return }
        for (pulseShare, rateCost, pace) in Self.searchesByLevel where !agreement.isSettled {
            var findings = Findings()
            let tuning = TimingSearch.Tuning(
                pulseShare: pulseShare, rateCost: rateCost, leastEnvelope: Self.leastEnvelope)
            explore(evened, tuning: tuning, pace: pace, &findings)
            take(findings, &agreement)
        }
    }

    private func searchByStiffClock(_ sound: WorkingSound, _ agreement: inout Agreement) {
        let tuning = TimingSearch.Tuning(
            pulseShare: Self.usualPulseShare, rateCost: Self.stiffRateCost, leastEnvelope: Self.leastEnvelope)
        guard !agreement.isSettled, let path = search.run(sound, tuning: tuning) else { return }
        let clock = BitClock(boundaries: path.boundaries, bits: path.bits, startSign: path.startSign)
        let grid = clock.speedGrid(limit: Float(sound.samples.count), pace: .steady, margin: .max)
        guard let evened = sound.evened(by: grid) else { return }
        for (pulseShare, rateCost, pace) in Self.searchesByClock where !agreement.isSettled {
            var findings = Findings()
            explore(evened, tuning: .init(pulseShare: pulseShare, rateCost: rateCost), pace: pace, &findings)
            take(findings, &agreement)
        }
    }

    /// Counts the message of a look.
    private func take(_ findings: Findings, _ agreement: inout Agreement) {
        if let best = findings.best { agreement.add(best) }
    }
}
