/// The state machine of a link that should stay open: it decides when to connect, which events to report, and when to
/// stop trying. It performs nothing itself: its owner passes events in and performs the outputs.
///
/// One number identifies an attempt and the session that it opens. At most one attempt or session exists at a time, and
/// an input with an old number has no effect.
struct LinkKeeper: Sendable {
    /// An input to the state machine.
    enum Input: Sendable {
        /// The program wants the link from now on.
        case wanted
        /// The program permanently no longer wants the link.
        case unwanted
        /// The attempt has opened a session.
        case opened(Int, any Transport)
        /// The attempt has failed, and all its resources are closed.
        case failed(Int, LinkError)
        /// The session is over, and all its resources are closed.
        case lost(Int, LinkError)
        /// The clock may have reached the deadline.
        case time
        /// The reader was seen, so the wait can end.
        case seen
        /// The system slept for this time.
        case slept(Duration)
        /// The reader sent a battery report.
        case battery(BatteryReport)
    }

    /// An action for the owner to perform, in this order.
    enum Output: Sendable {
        /// Try to open the link.
        case connect(Int)
        /// Send `.time` at this deadline.
        case wait(until: Duration)
        /// Cancel the attempt or the wait.
        case cancel
        /// End the session.
        case hangUp
        /// Deliver this event to the program.
        case report(KeptLink.Event)
    }

    /// The state of the link. Times are durations since the clock's beginning.
    enum State: Sendable, Hashable {
        case idle
        case trying
        case connected(since: Duration)
        case waiting(until: Duration)
        /// The program no longer wants the link, but the session (`isOpen`) or the attempt is not over yet.
        case closing(isOpen: Bool)
        case ended
    }

    private(set) var state = State.idle
    private let backOff: BackOff
    private let persistence: KeptLink.Persistence
    /// Whether the link has been open.
    private var wasOpen = false
    private var random: any RandomNumberGenerator & Sendable
    /// The number of the last attempt; all states except ``State/idle`` refer to it.
    private var number = 0
    /// The last wait before its random reduction; nil if nothing has failed since the link was steady.
    private var wait: Duration?
    private var battery = BatteryWatch()

    init(
        backOff: BackOff, persistence: KeptLink.Persistence = .whileItMayPass,
        random: any RandomNumberGenerator & Sendable
    ) {
        self.backOff = backOff
        self.persistence = persistence
        self.random = random
    }

    /// Whether this is the attempt in progress.
    func isTrying(_ number: Int) -> Bool { state == .trying && self.number == number }

    /// Processes an input.
    /// - Parameters:
    ///   - input: the event that happened.
    ///   - now: the time since the clock's beginning.
    /// - Returns: the actions for the owner to perform.
    mutating func receive(_ input: Input, at now: Duration) -> [Output] {
        switch (input, state) {
        case (_, .ended): []
        case (.wanted, .idle): [connect()]
        case (.unwanted, _): giveUp()
        case (.opened(self.number, let transport), .trying): opened(transport, at: now)
        case (.failed(self.number, let error), .trying):
            persistence.tries(again: error.code, wasOpen: wasOpen) ? again(after: error, at: now) : end(because: error)
        case (.lost(self.number, let error), .connected(let since)): lost(error, held: now - since, at: now)
        case (.failed(self.number, _), .closing(isOpen: false)): end(because: nil)
        case (.lost(self.number, let error), .closing(isOpen: true)):
            [.report(.lost(error))] + end(because: nil)
        case (.time, .waiting(let deadline)): now >= deadline ? [connect()] : []
        case (.seen, .waiting): [.cancel, connect()]
        case (.slept(let duration), _): slept(duration)
        case (.battery(let report), _): reported(report)
        default: []
        }
    }

    private mutating func connect() -> Output {
        number += 1
        state = .trying
        return .connect(number)
    }

    private mutating func opened(_ transport: any Transport, at now: Duration) -> [Output] {
        state = .connected(since: now)
        wasOpen = true
        return [.report(.connected(transport))]
    }

    /// A link that was open is tried again after any error: if it cannot be opened, the attempt reports the error. A
    /// full transcript is the exception: opening the link again would overwrite the file.
    private mutating func lost(_ error: LinkError, held: Duration, at now: Duration) -> [Output] {
        guard error.code != .full else { return [.report(.lost(error))] + end(because: error) }
        if held >= backOff.steadyAfter { wait = nil }
        return [.report(.lost(error))] + again(after: error, at: now)
    }

    private mutating func again(after error: LinkError, at now: Duration) -> [Output] {
        let full = backOff.wait(after: wait)
        wait = full
        let shortened = backOff.shortened(full, using: &random)
        let deadline = now + shortened
        state = .waiting(until: deadline)
        return [.report(.waiting(shortened, because: error)), .wait(until: deadline)]
    }

    private mutating func giveUp() -> [Output] {
        switch state {
        case .trying:
            state = .closing(isOpen: false)
            return [.cancel]
        case .connected:
            state = .closing(isOpen: true)
            return [.hangUp]
        case .waiting: return [.cancel] + end(because: nil)
        case .idle: return end(because: nil)
        case .closing, .ended: return []
        }
    }

    private mutating func end(because error: LinkError?) -> [Output] {
        state = .ended
        return [.report(.ended(error))]
    }

    /// Failures before the system slept have no bearing on the time after it.
    private mutating func slept(_ duration: Duration) -> [Output] {
        let report = Output.report(.slept(duration))
        guard case .waiting = state else { return state == .idle ? [] : [report] }
        wait = nil
        return [report, .cancel, connect()]
    }

    private mutating func reported(_ report: BatteryReport) -> [Output] {
        let (isNew, becameLow) = battery.receive(report)
        return (isNew ? [.report(.battery(report))] : []) + (becameLow ? [.report(.batteryLow(report))] : [])
    }
}

/// Detects a low battery, with hysteresis for a level that varies around the limit.
package struct BatteryWatch: Sendable {
    /// The battery is low at this percentage or less.
    static let low = 15
    /// The battery is no longer low at this percentage or more.
    static let recovered = 20

    private(set) var last: BatteryReport?
    private var isLow = false

    /// A battery of which nothing is known.
    package init() {}

    /// Compares the next report with the last one.
    /// - Returns: whether the report differs from the last one, and whether the battery has just become low.
    package mutating func receive(_ report: BatteryReport) -> (isNew: Bool, becameLow: Bool) {
        let isNew = report != last
        last = report
        let wasLow = isLow
        if report.isCharging == true {
            isLow = false
        } else if let percent = report.percent {
            isLow = percent <= (wasLow ? Self.recovered - 1 : Self.low)
        }
        return (isNew, isLow && !wasLow)
    }
}

/// Detects that the system slept: a clock that continues during sleep gets ahead of one that stops.
struct SleepWatch: Sendable {
    /// A busy machine may pause the thread between the readings of the two clocks, so a shorter difference is not a
    /// sleep.
    static let least = Duration.seconds(1)

    private var known = Duration.zero

    /// Compares the two clocks.
    /// - Parameters:
    ///   - awake: time on the clock that stops while the system sleeps.
    ///   - elapsed: time on the clock that continues, since the same moment.
    /// - Returns: how long the system slept since the last call; nil if it did not sleep.
    mutating func slept(awake: Duration, elapsed: Duration) -> Duration? {
        let asleep = elapsed - awake - known
        guard asleep >= Self.least || asleep <= .zero - Self.least else { return nil }
        known += asleep
        // A negative difference shows that the last one was such a pause, not a sleep.
        return asleep > .zero ? asleep : nil
    }
}
