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
