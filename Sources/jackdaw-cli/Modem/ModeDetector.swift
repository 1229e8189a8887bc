import Glibc
import JackdawBytes
import JackdawDSP
import JackdawSpectrum

/// Detects the mode of modem sound: decodes the sound in all modes in parallel and, of bursts in the same place, emits
/// the one that explains most of the sound. The score is a product: the burst's length, the confidence of its
/// characters, its share of the power, how close its tones are to the mode's, and a factor if the sound looks like that
/// mode. The length counts and not the number of characters, because a mode of twice the baud sees twice as many.
///
/// A burst is emitted once all decoders have finished with its place, or earlier if the survey has covered and
/// confirmed it. If a burst continues for longer, the leading decoder wins, and its characters are emitted from then on
/// as soon as they are decoded.
///
/// The bit cells of a card resemble keyed tones. If the sound does not look like the mode of a burst, and the swipe
/// decoder reads a track there, the sound is a swipe and not a burst.
struct ModeDetector: ModemReceiver {
    /// Seconds of an open burst after which a race is decided, and the same for a burst whose mode the survey confirms.
    private static let longestWait = 5.0
    private static let confirmedWait = 2.0
    /// Seconds after a burst in which another one may begin, and after which the survey has covered all of it.
    private static let slack = 1.0
    /// Bits by which a two-tone decoder may lag.
    private static let latestBits = 240.0
    /// Factor on the score of a burst whose mode the survey confirms.
    private static let weightOfLooks = 4.0
    /// Uncertainty of the survey's places in seconds.
    private static let placeError = 0.1
    /// Mean confidence that the characters need if the sound does not look like the mode: noise that is not white has
    /// 0.5 to 0.75, characters with one wrong byte in four have 0.85.
    private static let leastConfidence = 0.85
    /// Below this number of characters, each must have the confidence `certain`, and the burst at least half of the
    /// power.
    private static let many = 8
    private static let certain = 0.99
    private static let leastShare = 0.5
    /// Characters that a burst needs beside confirmed ones if the sound does not look like its mode.
    private static let leastDoubtful = 16
    /// Seconds after a burst in which a burst of another mode must score higher to replace it.
    private static let afterglow = 0.02
    /// Samples between two decisions, counted from the start and not in blocks, so that the result does not depend on
    /// the size of the blocks.
    private static let step = 1_024

    private struct Runner {
        let mode: LineMode
        var decoder: any LineDecoder
        /// The events since the last race was decided.
        var events: [LineEvent] = []
        /// Whether the last event is a character, so that a burst is open.
        var isInBurst = false
        /// Whether the open burst has already lost a race.
        var hasLost = false

        /// Runs the decoder on the next samples.
        mutating func run(_ read: (inout any LineDecoder, inout [LineEvent]) -> Void) { read(&decoder, &events) }
    }

    private let sampleRate: Double
    /// Samples after a burst until all decoders have finished with it.
    private let patience: Double
    private let watch: LineWatch
    /// Looks for swipes in the sound of which no burst was emitted.
    private var swipeWatch: SwipeWatch
    /// The number of samples after which a burst would have been emitted.
    private let swipeDelay: Int
    private var runners: [Runner] = []
    /// The runner that has won and whose burst is open.
    private var winner: Int?
    /// Runners that have emitted a burst that was not doubtful.
    private var known: Set<Int> = []
    private var position = 0
    /// End of the last emitted burst or swipe, in samples.
    private var givenEnd = -Double.infinity

    /// Creates a race of the modes that a sample rate supports.
    /// - Throws: `LineCodeError` if the sample rate supports no mode, `SpectrumError` if memory for the survey runs
    ///   out.
    init(_ modes: [LineMode], sampleRate: Double) throws {
        var decoders: [(LineMode, any LineDecoder)] = []
        var failure: LineCodeError?
        for mode in modes where !decoders.contains(where: { $0.0.code == mode.code }) {
            do throws(LineCodeError) {
                decoders.append((mode, try mode.decoder(sampleRate: sampleRate)))
            } catch {
                failure = error
            }
        }
        if decoders.isEmpty, let failure { throw failure }
        try self.init(decoders, sampleRate: sampleRate)
    }

    /// Creates a race of decoders.
    /// - Throws: `SpectrumError` if memory for the survey runs out.
    init(_ decoders: [(LineMode, any LineDecoder)], sampleRate: Double) throws(SpectrumError) {
        self.sampleRate = sampleRate
        let slowest = decoders.compactMap(\.0.keying.shift?.baud).min() ?? .infinity
        patience = max(Self.slack, Self.latestBits / slowest) * sampleRate
        watch = try LineWatch(sampleRate: sampleRate)
        swipeDelay = Int(patience + Self.longestWait * sampleRate)
        swipeWatch = SwipeWatch(sampleRate: sampleRate, seconds: Double(swipeDelay) / sampleRate + Self.slack)
        runners = decoders.map { Runner(mode: $0, decoder: $1) }
    }

    mutating func receive(_ samples: Span<Int16>, _ sink: Sink) {
        let (watch, history) = (watch, swipeWatch.history)
        advance(by: samples.count, sink) {
            watch.receive(samples.extracting($0))
            history.append(samples.extracting($0))
        } feed: {
            $0.receive(samples.extracting($1), into: &$2)
        }
    }

    mutating func receive(_ samples: Span<Float>, _ sink: Sink) {
        let (watch, history) = (watch, swipeWatch.history)
        advance(by: samples.count, sink) {
            watch.receive(samples.extracting($0))
            history.append(samples.extracting($0))
        } feed: {
            $0.receive(samples.extracting($1), into: &$2)
        }
    }

    mutating func finish(_ sink: Sink) {
        run(sink) { $0.finish(into: &$1) }
        watch.finish()
        decide(sink, isEnd: true)
        swipeWatch.finish()
    }

    mutating func takeSwipes() -> [SwipeSpan] { swipeWatch.takeSwipes() }

    /// Decodes samples step by step.
    private mutating func advance(
        by count: Int, _ sink: Sink, look: (Range<Int>) -> Void,
        feed: (inout any LineDecoder, Range<Int>, inout [LineEvent]) -> Void
    ) {
        var start = 0
        while start < count {
            let end = min(count, start + Self.step - position % Self.step)
            look(start..<end)
            run(sink) { feed(&$0, start..<end, &$1) }
            position += end - start
            start = end
            guard position % Self.step == 0 else { continue }
            decide(sink, isEnd: false)
            if winner == nil { swipeWatch.look(until: position - swipeDelay) }
        }
    }

    /// Runs all decoders on the next samples.
    private mutating func run(_ sink: Sink, _ read: (inout any LineDecoder, inout [LineEvent]) -> Void) {
        for index in runners.indices {
            let before = runners[index].events.count
            runners[index].run(read)
            sort(index, from: before, sink)
        }
    }

    /// Emits the winner's new events, and drops the events of bursts that can no longer win.
    private mutating func sort(_ index: Int, from first: Int, _ sink: Sink) {
        var kept = first
        for place in first..<runners[index].events.count {
            let event = runners[index].events[place]
            if case .burst = event { runners[index].isInBurst = false } else { runners[index].isInBurst = true }
            if winner == index {
                sink(event, runners[index].mode)
                guard case .burst(let burst) = event else { continue }
                winner = nil
                givenEnd = Double(burst.span.endSample)
                swipeWatch.skip(burstTo: burst.span.endSample)
            } else if winner != nil || runners[index].hasLost {
                runners[index].hasLost = runners[index].isInBurst
            } else {
                runners[index].events[kept] = event
                kept += 1
            }
        }
        runners[index].events.wipe(from: kept)
    }

    private mutating func decide(_ sink: Sink, isEnd: Bool) {
        guard winner == nil else { return }
        let guesses = watch.guesses
        let entries = runners.indices.flatMap { self.entries(of: $0, guesses) }
        let credible = entries.filter { $0.standing != .doubtful || $0.isPlain }
        guard let first = entries.map(\.start).min(), let last = entries.map(\.end).max() else { return forget() }
        let leaders = believable(credible.best(gap: Self.afterglow * sampleRate))
        let isConfirmed = !leaders.isEmpty && leaders.allSatisfy { $0.standing == .confirmed }
        let now = Double(position)
        let isOver = now > last + (isConfirmed ? Self.slack * sampleRate : patience)
        let wait = isConfirmed ? Self.confirmedWait : Self.longestWait
        guard isEnd || isOver || now > first + wait * sampleRate else { return }
        for entry in leaders {
            if entry.standing != .confirmed, let swipe = swipeWatch.swipe(from: entry.start, to: entry.end) {
                givenEnd = max(givenEnd, Double(swipe.endSample))
                continue
            }
            give(entry, sink)
            swipeWatch.look(untilBurstAt: entry.start)
            if entry.end < .infinity { swipeWatch.skip(burstTo: Int(entry.end)) }
            if entry.standing != .doubtful { known.insert(entry.runner) }
            if entry.end < .infinity { givenEnd = entry.end } else if !isEnd { winner = entry.runner }
        }
        forget()
        watch.dropGuesses(before: position - Int(2 * patience))
    }

    /// Begins the next race. An open burst that was not emitted has lost.
    private mutating func forget() {
        for index in runners.indices {
            runners[index].events.wipe()
            runners[index].hasLost = runners[index].isInBurst && winner != index
        }
    }

    private mutating func give(_ entry: ModeCandidate, _ sink: Sink) {
        let runner = runners[entry.runner]
        for event in runner.events[entry.events] { sink(event, runner.mode) }
    }

    /// The bursts of a runner, complete or open, except those that start before the end of the last emitted burst.
    private func entries(of runner: Int, _ guesses: [LineGuess]) -> [ModeCandidate] {
        let events = runners[runner].events
        var entries: [ModeCandidate] = []
        var first = 0
        var start: Double?
        var end = 0.0
        var last = 0.0
        var score = 0.0
        var confidences: [Double] = []
        var share = 0.0
        for (index, event) in events.enumerated() {
            var isLast = index == events.count - 1
            switch event {
            case .character(let character):
                start = start ?? character.startSample
                end = .infinity
                last = character.startSample
                confidences.append(Double(character.confidence))
                score += character.isFramed ? Double(character.confidence * character.confidence) : -1
            case .burst(let burst):
                end = Double(burst.span.endSample)
                last = end
                share = self.share(of: burst)
                score *= likeness(of: burst, to: runners[runner].mode) * share
                isLast = true
            }
            guard isLast else { continue }
            let begin = start ?? end
            let standing = standing(of: runner, from: begin, to: last, guesses)
            // The mean over the burst's events, times the burst's length.
            score *= (last - begin) / Double(index + 1 - first)
            if standing == .confirmed { score *= Self.weightOfLooks }
            if begin >= givenEnd {
                // A burst with nothing but framing errors still competes, so the score stays over 0.
                entries.append(
                    ModeCandidate(
                        runner: runner, events: first..<index + 1, start: begin, end: end,
                        score: max(score, .leastNormalMagnitude), isPlain: isPlain(confidences, share: share),
                        standing: standing))
            }
            first = index + 1
            start = nil
            score = 0
            share = 0
            confidences.removeAll(keepingCapacity: true)
        }
        return entries
    }

    /// Whether the characters are unlikely to come from noise.
    private func isPlain(_ confidences: [Double], share: Double) -> Bool {
        guard confidences.count >= Self.many else {
            return share >= Self.leastShare && confidences.allSatisfy { $0 >= Self.certain }
        }
        return confidences.reduce(0, +) >= Self.leastConfidence * Double(confidences.count)
    }

    /// The burst's share of the power: a wrong mode leaves most of the sound unexplained.
    private func share(of burst: LineBurst) -> Double {
        let ratio = pow(10, burst.signalToNoise / 10)
        return ratio.isFinite ? ratio / (1 + ratio) : 1
    }

    /// How close the tones of a burst are to those of a mode, 1 if they are equal: neighbours such as Bell 202 and V.23
    /// decode each other's sound without an error.
    private func likeness(of burst: LineBurst, to mode: LineMode) -> Double {
        guard let tones = burst.tones, let shift = mode.keying.shift else { return 1 }
        let distance = abs(tones.mark - shift.mark) + abs(tones.space - shift.space)
        return 1 / (1 + distance / shift.baud)
    }

    /// Whether the sound between two samples looks like a runner's mode. The survey cannot judge modes without tones.
    private func standing(
        of runner: Int, from start: Double, to end: Double, _ guesses: [LineGuess]
    ) -> ModeCandidate.Standing {
        let mode = runners[runner].mode
        let margin = Self.placeError * sampleRate
        let isSeen = guesses.contains { guess in
            guess.modeName == mode.name && start < Double(guess.samples.upperBound) + margin
                && end > Double(guess.samples.lowerBound) - margin
        }
        return isSeen ? .confirmed : mode.keying.shift == nil ? .unknown : .doubtful
    }

    /// Removes unlikely bursts: a few characters in a mode that the sound does not look like, beside or after bursts
    /// that are confirmed. With seventeen decoders in parallel some false bursts are certain.
    private func believable(_ entries: [ModeCandidate]) -> [ModeCandidate] {
        let isSure = !known.isEmpty || entries.contains { $0.standing != .doubtful }
        guard isSure else { return entries }
        return entries.filter { entry in
            entry.standing != .doubtful || known.contains(entry.runner) || entry.events.count > Self.leastDoubtful
        }
    }
}

/// A burst as one of several decoders reads it, for the choice between them.
struct ModeCandidate {
    /// Index of the decoder; of equal scores the lower one is preferred.
    let runner: Int
    /// Indices of the burst's events among those of the runner.
    let events: Range<Int>
    /// In samples; the end is infinite while the burst is open.
    let start: Double
    let end: Double
    /// The score: how much of the sound the burst explains, over 0.
    let score: Double
    /// Whether the characters are unlikely to come from noise.
    let isPlain: Bool
    /// Whether the sound looks like the runner's mode.
    let standing: Standing

    enum Standing {
        /// The sound looks like the mode.
        case confirmed
        /// The survey cannot recognise the mode.
        case unknown
        /// The sound does not look like the mode, as far as the survey can judge.
        case doubtful
    }
}

extension [ModeCandidate] {
    /// Of all sets of bursts that do not overlap, the one with the highest sum of scores, in the order of time: of
    /// several decodings of a place, it has the best one, or two that lie side by side.
    /// - Parameter gap: the least number of samples between the bursts of two runners. A burst right after one of
    ///   another mode counts as the same place: the carrier may go on there without data, and may look like data of
    ///   other tones.
    /// - Returns: the bursts.
    func best(gap: Double) -> [ModeCandidate] {
        let entries = sorted { ($0.end, $0.runner, $0.start) < ($1.end, $1.runner, $1.start) }
        /// For each entry, the highest sum of a set that ends with it, and the index of the entry before it in that
        /// set.
        var sums: [(sum: Double, before: Int?)] = []
        for entry in entries {
            var best = (sum: entry.score, before: Int?.none)
            for (index, other) in entries[..<sums.count].enumerated() {
                let isApart = entry.start >= other.end + (entry.runner == other.runner ? 0 : gap)
                if isApart, sums[index].sum + entry.score > best.sum {
                    best = (sums[index].sum + entry.score, index)
                }
            }
            sums.append(best)
        }
        // Of equal sums, the first.
        var next = sums.indices.max { sums[$0].sum < sums[$1].sum || (sums[$0].sum == sums[$1].sum && $0 > $1) }
        var chosen: [ModeCandidate] = []
        while let index = next {
            chosen.append(entries[index])
            next = sums[index].before
        }
        return chosen.reversed()
    }
}
