import Glibc
import JackdawDSP
import JackdawSpectrum

/// Finds the mode out: reads the sound in all of them at once, and of bursts in the same place gives the one that explains
/// the most of it: the longest, by the confidence of its characters, by its share of the power, by how near the tones are to
/// the mode's, and by whether the sound looks like that mode. Length and not characters, because a mode of twice the baud
/// sees twice as many.
///
/// A burst is given when all decoders are through with its place, or it has been looked at and is what it looks like; of
/// one that goes on for longer the leader of the race is taken for the winner, and gives its characters as they come from
/// then on.
///
/// The bit cells of a card sound somewhat like keyed tones. Where the sound does not look like the mode of a burst, and the
/// decoder of swipes reads a track there, it is a swipe and no burst.
struct ModeRace: ModemReceiver {
    /// Seconds of a burst that goes on after which a race is decided, and of one that is what it looks like.
    private static let longestWait = 5.0
    private static let confirmedWait = 2.0
    /// Seconds behind a burst in which another one may begin, and after which all of it has been looked at.
    private static let slack = 1.0
    /// Bits by which a decoder of two tones may be late.
    private static let latestBits = 240.0
    /// What looks like its mode counts for so much more.
    private static let weightOfLooks = 4.0
    /// Seconds by which the place of what was looked at is known.
    private static let placeError = 0.1
    /// Mean confidence of the characters of a mode that it does not look like: noise that is not white has 0.5 to 0.75, what
    /// is read with one byte in four wrong 0.85.
    private static let leastConfidence = 0.85
    /// Of fewer characters each must be certain, and half of the power theirs.
    private static let many = 8
    private static let certain = 0.99
    private static let leastShare = 0.5
    /// Characters of a mode that it does not look like that are believed beside others.
    private static let leastDoubtful = 16
    /// Seconds behind a burst in which another mode has to be better to be believed.
    private static let afterglow = 0.02
    /// Samples after which the race is looked at: the same whatever the blocks are, so that the result is, too.
    private static let step = 1_024

    private struct Runner {
        let mode: LineMode
        var decoder: any LineDecoder
        /// What was read since the last race was decided.
        var events: [LineEvent] = []
        /// Whether the last of the events is a character, whose burst goes on.
        var isInBurst = false
        /// Whether the burst that goes on has lost already.
        var hasLost = false

        /// Lets the decoder read on.
        mutating func run(_ read: (inout any LineDecoder, inout [LineEvent]) -> Void) { read(&decoder, &events) }
    }

    private let sampleRate: Double
    /// Samples behind a burst after which all decoders are through with it.
    private let patience: Double
    private let watch: LineWatch
    /// Looks for swipes in what was not given.
    private var swipeWatch: SwipeWatch
    /// Samples behind the last one after which a burst would have been given.
    private let swipeDelay: Int
    private var runners: [Runner] = []
    /// The runner that has won and whose burst goes on.
    private var winner: Int?
    /// Runners whose bursts were sure.
    private var known: Set<Int> = []
    private var position = 0
    /// End of what was given last.
    private var givenEnd = -Double.infinity

    /// A race of those modes that a sample rate holds.
    /// - Throws: `LineCodeError` where it holds none of them, `SpectrumError` without memory to look at the sound.
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

    /// A race of decoders.
    /// - Throws: `SpectrumError` without memory to look at the sound.
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

    /// Takes samples step by step.
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
            if winner != nil {
                swipeWatch.skip(to: position - Int(patience))
            } else {
                swipeWatch.look(until: position - swipeDelay)
            }
        }
    }

    /// Lets all decoders read on.
    private mutating func run(_ sink: Sink, _ read: (inout any LineDecoder, inout [LineEvent]) -> Void) {
        for index in runners.indices {
            let before = runners[index].events.count
            runners[index].run(read)
            sort(index, from: before, sink)
        }
    }

    /// Gives the winner's new events away, and forgets those that came too late to win.
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
                swipeWatch.skip(to: burst.span.endSample)
            } else if winner != nil || runners[index].hasLost {
                runners[index].hasLost = runners[index].isInBurst
            } else {
                runners[index].events[kept] = event
                kept += 1
            }
        }
        runners[index].events.removeWiping(from: kept)
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
            swipeWatch.look(until: Int(entry.start))
            if entry.end < .infinity { swipeWatch.skip(to: Int(entry.end)) }
            if entry.standing != .doubtful { known.insert(entry.runner) }
            if entry.end < .infinity { givenEnd = entry.end } else if !isEnd { winner = entry.runner }
        }
        forget()
        watch.dropGuesses(before: position - Int(2 * patience))
    }

    /// Begins the next race; whose burst goes on without being given has lost it.
    private mutating func forget() {
        for index in runners.indices {
            runners[index].events.removeWiping()
            runners[index].hasLost = runners[index].isInBurst && winner != index
        }
    }

    private mutating func give(_ entry: RaceEntry, _ sink: Sink) {
        let runner = runners[entry.runner]
        for event in runner.events[entry.events] { sink(event, runner.mode) }
    }

    /// The bursts of a runner, complete or not, but for those that lie where something was given already.
    private func entries(of runner: Int, _ guesses: [LineGuess]) -> [RaceEntry] {
        let events = runners[runner].events
        var entries: [RaceEntry] = []
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
            // The mean over the burst's events, times its length.
            score *= (last - begin) / Double(index + 1 - first)
            if standing == .confirmed { score *= Self.weightOfLooks }
            if begin >= givenEnd {
                // What has nothing but errors is a burst, too.
                entries.append(
                    RaceEntry(
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

    /// Whether noise is unlikely to have been taken for characters.
    private func isPlain(_ confidences: [Double], share: Double) -> Bool {
        guard confidences.count >= Self.many else {
            return share >= Self.leastShare && confidences.allSatisfy { $0 >= Self.certain }
        }
        return confidences.reduce(0, +) >= Self.leastConfidence * Double(confidences.count)
    }

    /// Share of the power that is the burst's: what another mode makes of a sound leaves most of it unexplained.
    private func share(of burst: LineBurst) -> Double {
        let ratio = pow(10, burst.signalToNoise / 10)
        return ratio.isFinite ? ratio / (1 + ratio) : 1
    }

    /// How near the tones of a burst are to those of a mode, 1 where they are the same: neighbours such as Bell 202 and V.23
    /// read each other's sound without an error.
    private func likeness(of burst: LineBurst, to mode: LineMode) -> Double {
        guard let tones = burst.tones, let shift = mode.keying.shift else { return 1 }
        let distance = abs(tones.mark - shift.mark) + abs(tones.space - shift.space)
        return 1 / (1 + distance / shift.baud)
    }

    /// Whether the sound between two samples looks like a runner's mode. Modes without tones are told by what they read.
    private func standing(
        of runner: Int, from start: Double, to end: Double, _ guesses: [LineGuess]
    ) -> RaceEntry.Standing {
        let mode = runners[runner].mode
        let margin = Self.placeError * sampleRate
        let isSeen = guesses.contains { guess in
            guess.modeName == mode.name && start < Double(guess.samples.upperBound) + margin
                && end > Double(guess.samples.lowerBound) - margin
        }
        return isSeen ? .confirmed : mode.keying.shift == nil ? .unknown : .doubtful
    }

    /// Without those that nobody would believe: some characters in a mode that the sound does not look like, in the company of
    /// bursts that are sure, or after such. Seventeen decoders see faces in every cloud.
    private func believable(_ entries: [RaceEntry]) -> [RaceEntry] {
        let isSure = !known.isEmpty || entries.contains { $0.standing != .doubtful }
        guard isSure else { return entries }
        return entries.filter { entry in
            entry.standing != .doubtful || known.contains(entry.runner) || entry.events.count > Self.leastDoubtful
        }
    }
}

/// A burst that one of several decoders reads, for the choice between them.
struct RaceEntry {
    /// The decoder, in the order in which equals are preferred.
    let runner: Int
    /// Its events among those of the runner.
    let events: Range<Int>
    /// In samples; the end is infinite where the burst goes on.
    let start: Double
    let end: Double
    /// How much of the sound it explains, over 0.
    let score: Double
    /// Whether the characters are as sure as those of noise seldom are.
    let isPlain: Bool
    /// Whether the sound looks like the runner's mode, or the mode could not be told by its looks.
    let standing: Standing

    enum Standing {
        /// The sound looks like it.
        case confirmed
        /// What the mode sounds like cannot be told from other sound.
        case unknown
        /// The sound does not look like it, as far as can be told.
        case doubtful
    }
}

extension [RaceEntry] {
    /// Of the sets of bursts that do not overlap each other the one with the highest sum of scores, in the order of time: of
    /// several readings of a place the best one, or two that lie side by side.
    /// - Parameter gap: so many samples lie between the bursts of two runners, at least. A burst right behind one of another
    ///   mode is in the same place: there the carrier goes on without data, and may look like data of other tones.
    /// - Returns: the bursts.
    func best(gap: Double) -> [RaceEntry] {
        let entries = sorted { ($0.end, $0.runner, $0.start) < ($1.end, $1.runner, $1.start) }
        /// For each entry the best sum of a set that ends with it, and the entry before it in that set.
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
        // Of equals the first.
        var next = sums.indices.max { sums[$0].sum < sums[$1].sum || (sums[$0].sum == sums[$1].sum && $0 > $1) }
        var chosen: [RaceEntry] = []
        while let index = next {
            chosen.append(entries[index])
            next = sums[index].before
        }
        return chosen.reversed()
    }
}
