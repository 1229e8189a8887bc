/// Decides what becomes of a link that should stay open: when it is tried, what is told, when it is given up. It does
/// nothing itself: whoever owns it feeds it what happened and does what comes out.
///
/// One number names an attempt and the session that it opens. There is never more than one of either, and what is said of
/// an old one changes nothing.
struct LinkKeeper: Sendable {
    /// What happened.
    enum Input: Sendable {
        /// The link is wanted from now on.
        case wanted
        /// The link is wanted no longer, for good.
        case unwanted
        /// The attempt has opened a session.
        case opened(Int, any Transport)
        /// The attempt has failed, and nothing of it is open.
        case failed(Int, LinkError)
        /// The session is over, and nothing of it is open.
        case lost(Int, LinkError)
        /// Time has passed.
        case time
        /// The reader was seen: it need not be waited for.
        case seen
        /// The system was asleep for so long.
        case slept(Duration)
        /// What the reader says about its battery.
        case battery(BatteryReport)
    }

    /// What is to be done, in this order.
    enum Output: Sendable {
        /// Try to open the link.
        case connect(Int)
        /// Say when it is so late.
        case wait(until: Duration)
        /// End the attempt or the wait.
        case cancel
        /// End the session.
        case hangUp
        /// Tell it.
        case report(KeptLink.Event)
    }

    /// Where the link is. Times are durations since the clock's beginning.
    enum State: Sendable, Hashable {
        case idle
        case trying
        case connected(since: Duration)
        case waiting(until: Duration)
        /// Not wanted any more; the session, where one is open, or else the attempt is not over yet.
        case closing(isOpen: Bool)
        case ended
    }

    private(set) var state = State.idle
    private let backOff: BackOff
    private let persistence: KeptLink.Persistence
    /// Whether the link has been open.
    private var wasOpen = false
    private var random: any RandomNumberGenerator & Sendable
    /// The attempt that was made last; all states but ``State/idle`` are about it.
    private var number = 0
    /// The wait before it was shortened; nil where nothing has failed since the link was steady.
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

    /// Whether an attempt is the one that is waited for.
    func isTrying(_ number: Int) -> Bool { state == .trying && self.number == number }

    /// Takes what happened.
    /// - Parameters:
    ///   - input: what happened.
    ///   - now: when, since the clock's beginning.
    /// - Returns: what is to be done.
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

    /// A link that was open is tried again whatever ended it: if it cannot be, the attempt will say so. A transcript that is
    /// full is the exception: opening the link again would begin the file again.
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

    /// What failed before the system slept says nothing about now.
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

/// How long to wait before a link is tried again: longer each time, up to a limit, and a little random so that readers of
/// one shop that were lost together do not come back together.
public struct BackOff: Sendable, Hashable {
    /// The wait after the first failure; more than nothing.
    public let first: Duration
    /// How many times longer the next wait is; 1 or more.
    public let factor: Double
    /// The longest wait; no less than ``first``.
    public let greatest: Duration
    /// The part of a wait by which it may be shortened at random; from 0 up to 1, without 1.
    public let jitter: Double
    /// A link that held for so long begins again with the first wait when it is lost.
    public let steadyAfter: Duration

    /// A back-off.
    /// - Parameters:
    ///   - first: the wait after the first failure; more than nothing.
    ///   - factor: how many times longer the next one is; 1 or more.
    ///   - greatest: the longest wait; no less than the first.
    ///   - jitter: the part by which a wait may be shortened at random; from 0 up to 1, without 1.
    ///   - steadyAfter: how long a link holds before its loss counts as the first failure.
    public init(
        first: Duration = .seconds(1), factor: Double = 2, greatest: Duration = .seconds(30), jitter: Double = 0.25,
        steadyAfter: Duration = .seconds(60)
    ) {
        precondition(
            first > .zero && greatest >= first, "waits are longer than nothing, and the greatest is the longest")
        precondition(factor >= 1 && factor.isFinite, "waits do not grow shorter")
        precondition(jitter >= 0 && jitter < 1, "some of a wait remains")
        self.first = first
        self.factor = factor
        self.greatest = greatest
        self.jitter = jitter
        self.steadyAfter = steadyAfter
    }

    /// The wait after another one.
    /// - Parameter wait: the one before; nil where there was none.
    /// - Returns: the wait before it is shortened at random.
    public func wait(after wait: Duration?) -> Duration {
        guard let wait else { return first }
        // The greatest is compared first: a wait that was multiplied for a day would be too long to count.
        return wait >= greatest / factor ? greatest : wait * factor
    }

    /// Shortens a wait at random.
    /// - Parameters:
    ///   - wait: the wait.
    ///   - random: where chance comes from.
    /// - Returns: at least `1 - jitter` of the wait, and at most all of it.
    public func shortened(_ wait: Duration, using random: inout some RandomNumberGenerator) -> Duration {
        jitter > 0 ? wait * (1 - Double.random(in: 0...jitter, using: &random)) : wait
    }
}

/// Tells a battery that is low from one that wavers about the limit.
struct BatteryWatch: Sendable {
    /// From here down it is low.
    static let low = 15
    /// From here up it no longer is.
    static let recovered = 20

    private(set) var last: BatteryReport?
    private var isLow = false

    /// Takes the next report.
    /// - Returns: whether it says something new, and whether the battery is low since just now.
    mutating func receive(_ report: BatteryReport) -> (isNew: Bool, becameLow: Bool) {
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

/// A clock that counts from its beginning, whatever the instants of the clock below are.
package struct ElapsedClock: Sendable {
    /// How long ago the beginning is.
    package let now: @Sendable () -> Duration
    /// Sleeps until so long after the beginning.
    package let sleep: @Sendable (_ deadline: Duration) async throws -> Void

    /// A clock whose beginning is now.
    package init(_ clock: some Clock<Duration>) {
        let beginning = clock.now
        now = { beginning.duration(to: clock.now) }
        sleep = { deadline in try await clock.sleep(until: beginning.advanced(by: deadline), tolerance: nil) }
    }
}

/// Finds out that the system was asleep: a clock that goes on meanwhile runs ahead of one that stands still.
struct SleepWatch: Sendable {
    /// The clocks are read one after the other, with a pause in between where the machine is busy: less is no sleep.
    static let least = Duration.seconds(1)

    private var known = Duration.zero

    /// Compares the clocks.
    /// - Parameters:
    ///   - awake: time on the clock that stands still while the system sleeps.
    ///   - elapsed: time on the one that goes on, since the same moment.
    /// - Returns: how long the system slept since the last call; nil where it did not.
    mutating func slept(awake: Duration, elapsed: Duration) -> Duration? {
        let asleep = elapsed - awake - known
        guard asleep >= Self.least || asleep <= .zero - Self.least else { return nil }
        known += asleep
        // Less than before: the last time was such a pause.
        return asleep > .zero ? asleep : nil
    }
}
