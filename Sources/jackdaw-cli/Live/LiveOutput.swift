import JackdawTransport

/// Writes the events of a link, each as a line or as an object. It counts an event that repeats instead of writing it
/// again, and slows down a device that sends without pause, so that a log cannot fill a disk.
struct LiveOutput: Sendable {
    private struct State {
        var repeats = RepeatCounter()
        var pace = LinePace()
        /// The delay before the next line.
        var wait = Duration.zero
        /// Writes the count of repeats when no more of them arrive.
        var watch: Task<Void, Never>?
    }

    let link: LinkName
    let isJSON: Bool
    let conversation: Conversation
    let wallClock: WallClock
    private let clock: any Clock<Duration>
    private let elapsed: ElapsedClock
    private let state = Lock(State())

    /// - Parameters:
    ///   - link: the source of the events.
    ///   - isJSON: whether to write objects instead of lines.
    ///   - conversation: writes the text.
    ///   - clock: measures waits.
    ///   - wallClock: provides the time of day.
    init(
        _ link: LinkName, isJSON: Bool, _ conversation: Conversation, clock: any Clock<Duration>, wallClock: WallClock
    ) {
        self.link = link
        self.isJSON = isJSON
        self.conversation = conversation
        self.clock = clock
        self.wallClock = wallClock
        elapsed = ElapsedClock(clock)
    }

    /// Writes an event to standard output.
    /// - Parameters:
    ///   - object: the event for a program; the time is added to it.
    ///   - lines: the event for a person.
    ///   - isData: whether to write each event even if it equals the last one: a swipe, a loss.
    ///   - time: the time of the event, since the beginning of 1970 (UTC); nil for the current time.
    func add(
        _ object: @autoclosure () -> JSONObject, _ lines: @autoclosure () -> [String], isData: Bool = false,
        time: Duration? = nil
    ) {
        let object = isJSON ? object() : JSONObject()
        let lines = isJSON ? [] : lines()
        let now = elapsed.now()
        let (earlier, isWritten) = state.withLock { state in
            let key = isData ? nil : isJSON ? object.text : lines.joined(separator: "\n")
            let (earlier, isWritten) = state.repeats.receive(key, at: now)
            if earlier > 0 || isWritten { state.wait = state.pace.wait(at: now) }
            if state.repeats.deadline != nil, state.watch == nil { state.watch = Task { await watchRepeats() } }
            return (earlier, isWritten)
        }
        if earlier > 0 { addRepeats(earlier) }
        guard isWritten else { return }
        if isJSON { addObject(object, time: time) } else { lines.forEach(conversation.result) }
    }

    /// Writes a line to standard error.
    func message(_ text: String) { conversation.message(text) }

    /// Waits until the queued lines have been written, and longer if events come faster than any reader sends them.
    func waitForRoom() async {
        await conversation.waitForRoom()
        let wait = state.withLock { state in
            defer { state.wait = .zero }
            return state.wait
        }
        if wait > .zero { try? await clock.sleep(for: wait) }
    }

    /// Writes the report of a failed attempt to open the link.
    func add(_ report: WaitingReport) {
        if isJSON { add(report.json, [], isData: true) }
        message(report.message)
    }

    /// Writes the count of repeats that has not been written yet.
    func finish() {
        let (count, watch) = state.withLock { state in
            defer { state.watch = nil }
            return (state.repeats.finish(), state.watch)
        }
        watch?.cancel()
        if count > 0 { addRepeats(count) }
    }

    /// Writes the count of repeats when no equal event has arrived for ``RepeatCounter/gap``.
    private func watchRepeats() async {
        while !Task.isCancelled {
            let now = elapsed.now()
            let (count, deadline) = state.withLock { state in
                let count = state.repeats.flush(at: now)
                if state.repeats.deadline == nil, !Task.isCancelled { state.watch = nil }
                return (count, state.repeats.deadline)
            }
            if count > 0 { addRepeats(count) }
            guard let deadline, (try? await clock.sleep(for: deadline - now)) != nil else { return }
        }
    }

    private func addObject(_ object: JSONObject, time: Duration? = nil) {
        var object = object
        object.add(time: time ?? wallClock.now())
        conversation.result(object)
    }

    private func addRepeats(_ count: Int) {
        guard isJSON else { return conversation.result("\(link.shown): the same, \(counted(count, "time")) more") }
        var object = JSONObject()
        object.add("link", link.description)
        object.add("event", "repeated")
        object.add("count", count)
        addObject(object)
    }
}

/// Counts consecutive events that are equal.
struct RepeatCounter {
    /// The time after which a count is reported.
    static let pause = Duration.seconds(10)
    /// An equal event that follows the previous one after more than this time is reported itself.
    static let gap = Duration.seconds(1)

    private var last: String?
    private var count = 0
    /// The time of the last event.
    private var lastTime = Duration.zero
    /// The time of the last report of an event or of a count.
    private var reported = Duration.zero

    /// The time at which the count must be reported if no more events arrive; nil without a count.
    var deadline: Duration? { count > 0 ? lastTime + Self.gap : nil }

    /// Counts the next event.
    /// - Parameters:
    ///   - key: equal for events that count as equal; nil for an event that never repeats.
    ///   - now: the time of the event.
    /// - Returns: how many repeats of the last event to report, and whether to report this event itself.
    mutating func receive(_ key: String?, at now: Duration) -> (earlier: Int, isReported: Bool) {
        defer { lastTime = now }
        guard let key, key == last, now - lastTime < Self.gap else {
            let earlier = finish()
            last = key
            reported = now
            return (earlier, true)
        }
        count += 1
        guard now - reported >= Self.pause else { return (0, false) }
        reported = now
        let earlier = count
        count = 0
        return (earlier, false)
    }

    /// Ends the count if its deadline has passed.
    /// - Returns: the number of repeats to report; 0 before the deadline.
    mutating func flush(at now: Duration) -> Int { deadline.map { $0 <= now } ?? false ? finish() : 0 }

    /// Ends the count.
    /// - Returns: the number of repeats that have not been reported.
    mutating func finish() -> Int {
        defer {
            count = 0
            last = nil
        }
        return count
    }
}

/// Lets a burst of lines pass at once, and limits the rate of the lines after it.
struct LinePace {
    /// The size of a burst in lines.
    static let burst = 1_000
    /// The time for each line after a burst.
    static let interval = Duration.milliseconds(10)

    /// The time at which the next line is due at the limited rate.
    private var next: Duration?

    /// Counts a line.
    /// - Parameter now: the time of the line.
    /// - Returns: the delay before the next line.
    mutating func wait(at now: Duration) -> Duration {
        let earliest = now - Self.interval * Self.burst
        let time = max(next ?? earliest, earliest) + Self.interval
        next = time
        return max(.zero, time - now)
    }
}
