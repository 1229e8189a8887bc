import JackdawDSP

/// Finds the mode out: reads the sound in all of them at once, and of bursts in the same place gives the one that explains
/// the most of it: the longest, by the confidence of its characters and by how near the tones are to the mode's. Length
/// and not characters, because a mode of twice the baud sees twice as many.
///
/// A burst is given when all decoders are through with its place; of one that goes on for longer than
/// ``longestWait`` the leader of the race is taken for the winner, and gives its characters as they come from then on.
struct ModeRace: ModemReceiver {
    /// Seconds of sound after which a race is decided, burst or not.
    private static let longestWait = 5.0
    /// Seconds by which a decoder may be later than another with what lies in the same place.
    private static let slack = 0.5
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

    private struct Entry {
        let runner: Int
        let events: Range<Int>
        let start: Double
        /// Infinity for a burst that goes on.
        let end: Double
        let score: Double
    }

    private let sampleRate: Double
    private var runners: [Runner] = []
    /// The runner that has won and whose burst goes on.
    private var winner: Int?
    private var position = 0

    /// A race of those modes that a sample rate holds.
    /// - Throws: `LineCodeError` where it holds none of them.
    init(_ modes: [LineMode], sampleRate: Double) throws(LineCodeError) {
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
        self.init(decoders, sampleRate: sampleRate)
    }

    /// A race of decoders.
    init(_ decoders: [(LineMode, any LineDecoder)], sampleRate: Double) {
        self.sampleRate = sampleRate
        runners = decoders.map { Runner(mode: $0, decoder: $1) }
    }

    mutating func receive(_ samples: Span<Int16>, _ sink: Sink) {
        advance(by: samples.count, sink) { $0.receive(samples.extracting($1), into: &$2) }
    }

    mutating func receive(_ samples: Span<Float>, _ sink: Sink) {
        advance(by: samples.count, sink) { $0.receive(samples.extracting($1), into: &$2) }
    }

    mutating func finish(_ sink: Sink) {
        run(sink) { $0.finish(into: &$1) }
        decide(sink, isEnd: true)
    }

    /// Takes samples step by step.
    private mutating func advance(
        by count: Int, _ sink: Sink, _ feed: (inout any LineDecoder, Range<Int>, inout [LineEvent]) -> Void
    ) {
        var start = 0
        while start < count {
            let end = min(count, start + Self.step - position % Self.step)
            run(sink) { feed(&$0, start..<end, &$1) }
            position += end - start
            start = end
            if position % Self.step == 0 { decide(sink, isEnd: false) }
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
                if !runners[index].isInBurst { winner = nil }
            } else if winner != nil || runners[index].hasLost {
                runners[index].hasLost = runners[index].isInBurst
            } else {
                runners[index].events[kept] = event
                kept += 1
            }
        }
        runners[index].events.removeSubrange(kept...)
    }

    private mutating func decide(_ sink: Sink, isEnd: Bool) {
        guard winner == nil else { return }
        let entries = runners.indices.flatMap(entries)
        guard let first = entries.map(\.start).min(), let last = entries.map(\.end).max() else { return }
        let now = Double(position)
        if isEnd || now > last + Self.slack * sampleRate {
            for entry in winners(entries) { give(entry, sink) }
        } else if now > first + Self.longestWait * sampleRate {
            for entry in winners(entries) {
                give(entry, sink)
                if entry.end == .infinity { winner = entry.runner }
            }
        } else {
            return
        }
        for index in runners.indices {
            runners[index].events.removeAll(keepingCapacity: true)
            runners[index].hasLost = runners[index].isInBurst && winner != index
        }
    }

    private func give(_ entry: Entry, _ sink: Sink) {
        let runner = runners[entry.runner]
        for event in runner.events[entry.events] { sink(event, runner.mode) }
    }

    /// The bursts of a runner, complete or not.
    private func entries(of runner: Int) -> [Entry] {
        let events = runners[runner].events
        var entries: [Entry] = []
        var first = 0
        var start: Double?
        var end = 0.0
        var last = 0.0
        var score = 0.0
        for (index, event) in events.enumerated() {
            var isLast = index == events.count - 1
            switch event {
            case .character(let character):
                start = start ?? character.startSample
                end = .infinity
                last = character.startSample
                score += character.isFramed ? Double(character.confidence * character.confidence) : -1
            case .burst(let burst):
                end = Double(burst.span.endSample)
                last = end
                score *= likeness(of: burst, to: runners[runner].mode)
                isLast = true
            }
            guard isLast else { continue }
            // The mean over the burst's events, times its length.
            score *= (last - (start ?? last)) / Double(index + 1 - first)
            entries.append(
                Entry(runner: runner, events: first..<index + 1, start: start ?? end, end: end, score: score))
            first = index + 1
            start = nil
            score = 0
        }
        return entries
    }

    /// How near the tones of a burst are to those of a mode, 1 where they are the same: neighbours such as Bell 202 and V.23
    /// read each other's sound without an error.
    private func likeness(of burst: LineBurst, to mode: LineMode) -> Double {
        guard let tones = burst.tones, let shift = mode.keying.shift else { return 1 }
        let distance = abs(tones.mark - shift.mark) + abs(tones.space - shift.space)
        return 1 / (1 + distance / shift.baud)
    }

    /// Of bursts that overlap each other the one with the highest score, in the order of time. A burst right behind one of
    /// another mode is in the same place: there the carrier goes on without data, and may look like data of other tones.
    private func winners(_ entries: [Entry]) -> [Entry] {
        var winners: [Entry] = []
        var end = -Double.infinity
        for entry in entries.sorted(by: { ($0.start, $0.runner) < ($1.start, $1.runner) }) {
            let isOther = winners.last.map { $0.runner != entry.runner } ?? false
            if entry.start >= end + (isOther ? Self.afterglow * sampleRate : 0) {
                winners.append(entry)
            } else if let best = winners.last, entry.score > best.score {
                winners[winners.count - 1] = entry
            }
            end = max(end, entry.end)
        }
        return winners
    }
}
