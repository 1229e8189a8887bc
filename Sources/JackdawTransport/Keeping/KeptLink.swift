/// A link that is opened again whenever it is lost, until it is closed or there is no use in trying.
///
/// Each time it is open, an event hands over a session: a ``Transport`` of its own. Nothing that was meant for one session
/// goes out on another, and nothing waits for the next one: a session that is over fails. Nobody hears of a loss but who
/// receives or sends, so one task should always receive.
///
/// ```swift
/// let link = KeptLink { () async throws(LinkError) in try await open(name) }
/// await link.open()
/// for await event in link.events {
///     if case .connected(let session) = event { serve(session) }
/// }
/// ```
public actor KeptLink {
    /// An event of the link, in this order.
    public enum Event: Sendable {
        /// The link is open. It stays so until ``lost(_:)``, which always follows; closing the session lets another follow.
        case connected(any Transport)
        /// The session is over and closed, for this reason; it counts the bytes that were being sent and were not.
        case lost(LinkError)
        /// The link will be tried again after this time, because it was lost or could not be opened.
        case waiting(Duration, because: LinkError)
        /// The system was asleep for so long; it is told when anything happens after it.
        case slept(Duration)
        /// The reader says something new about its battery.
        case battery(BatteryReport)
        /// The battery has become low: 15 % or less, and not charging. Told again only after it was at 20 % or charging.
        case batteryLow(BatteryReport)
        /// So many events were not taken in time and are lost; they were older than those that follow.
        case missed(Int)
        /// The link will not be tried again: it was closed, or failed for a reason that somebody has to change. The last event.
        case ended(LinkError?)
    }

    /// After which failures a link is tried again that could not be opened.
    package enum Persistence: Sendable, Hashable {
        /// Those that may pass by themselves (``LinkError/Code/mayPass``).
        case whileItMayPass
        /// The same, but a missing device or service counts only after the link has been open: a person who has mistyped its
        /// name wants to know.
        case onceFound
        /// All but a name that is none, and a transcript that takes no more: the rest is put right from outside.
        case always

        package func tries(again code: LinkError.Code, wasOpen: Bool) -> Bool {
            switch self {
            case .whileItMayPass: code.mayPass
            case .onceFound: code.mayPass && (wasOpen || code != .notFound && code != .serviceMissing)
            case .always: ![.badName, .cancelled, .full].contains(code)
            }
        }
    }

    private let connect: @Sendable () async throws(LinkError) -> any Transport
    private let clock: ElapsedClock
    private let wallClock: ElapsedClock
    private var sleepWatch = SleepWatch()
    private var keeper: LinkKeeper
    private var queue: EventQueue
    /// Whoever waits for an event; ended when there is one.
    private var bells: [AsyncStream<Never>.Continuation] = []
    /// The attempt, the wait or the end of a session: never more than one of them.
    private var work: Task<Void, Never>?
    private var session: SessionState?

    /// A link that is not open yet.
    /// - Parameters:
    ///   - backOff: how long to wait between attempts.
    ///   - capacity: how many events wait to be taken, 2 or more; beyond it the oldest are lost and counted.
    ///   - clock: the clock of the waits; it stands still while the system sleeps.
    ///   - wallClock: a clock that goes on meanwhile.
    ///   - random: where the chance of the waits comes from.
    ///   - connect: opens the link. It has a deadline of its own, and gives up soon when its task is cancelled.
    public init(
        backOff: BackOff = BackOff(), capacity: Int = 256, clock: any Clock<Duration> = SuspendingClock(),
        wallClock: any Clock<Duration> = ContinuousClock(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        connect: @escaping @Sendable () async throws(LinkError) -> any Transport
    ) {
        self.init(
            .whileItMayPass, backOff: backOff, capacity: capacity, clock: clock, wallClock: wallClock, random: random,
            connect: connect)
    }

    /// The same, with other failures after which the link is tried again.
    package init(
        _ persistence: Persistence, backOff: BackOff = BackOff(), capacity: Int = 256,
        clock: any Clock<Duration> = SuspendingClock(), wallClock: any Clock<Duration> = ContinuousClock(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        connect: @escaping @Sendable () async throws(LinkError) -> any Transport
    ) {
        self.connect = connect
        self.clock = ElapsedClock(clock)
        self.wallClock = ElapsedClock(wallClock)
        keeper = LinkKeeper(backOff: backOff, persistence: persistence, random: random)
        queue = EventQueue(capacity: capacity)
    }

    deinit { session?.battery?.cancel() }

    /// The events of the link; ends after ``Event/ended(_:)``. Each event is given to one task only.
    public nonisolated var events: AsyncStream<Event> { AsyncStream { await self.nextEvent() } }

    /// Opens the link, and keeps it open until ``close()``, which has to come; a second call does nothing.
    public func open() { take(.wanted) }

    /// Closes the link for good and waits until nothing of it is left; a second call waits too.
    public func close() async {
        take(.unwanted)
        while let task = work {
            await task.value
            if work == task { work = nil }
        }
    }

    /// Ends a wait: the reader was seen, the radio was switched on, the system woke up.
    public func tryNow() { take(.seen) }

    /// Passes on a report of the reader's battery in its own protocol. Reports of a ``BatteryReporting`` link are
    /// passed on without this.
    /// - Parameter battery: the report.
    public func report(_ battery: BatteryReport) { take(.battery(battery)) }

    private func take(_ input: LinkKeeper.Input) {
        let now = clock.now()
        if let duration = sleepWatch.slept(awake: now, elapsed: wallClock.now()) {
            perform(keeper.receive(.slept(duration), at: now))
        }
        perform(keeper.receive(input, at: now))
    }

    private func perform(_ outputs: [LinkKeeper.Output]) {
        for output in outputs {
            switch output {
            case .connect(let number): work = Task { await self.attempt(number) }
            case .wait(let deadline): work = Task { await self.wait(until: deadline) }
            case .cancel: work?.cancel()
            case .hangUp: endSession(because: nil)
            case .report(let event):
                queue.append(event)
                for bell in bells { bell.finish() }
                bells = []
            }
        }
    }

    private func attempt(_ number: Int) async {
        do throws(LinkError) {
            let transport = try await connect()
            guard keeper.isTrying(number) else {
                await transport.close()
                throw LinkError(.cancelled, link: transport.link.description, "closed before it was open")
            }
            session = SessionState(number: number, transport: transport, battery: watchBattery(of: transport))
            take(.opened(number, KeptSession(number: number, transport: transport, owner: self)))
        } catch {
            take(.failed(number, error))
        }
    }

    /// Passes on a link's reports of its battery, until that is cancelled.
    private func watchBattery(of transport: any Transport) -> Task<Void, Never>? {
        guard let reporting = transport as? any BatteryReporting else { return nil }
        return Task { [weak self] in
            for await battery in await reporting.batteryReports() { await self?.report(battery) }
        }
    }

    private func wait(until deadline: Duration) async {
        // A clock may wake who sleeps too early.
        while clock.now() < deadline {
            // Cancelled, it was ended by whoever did so, and there is something else to do.
            guard (try? await clock.sleep(deadline)) != nil else { return }
        }
        take(.time)
    }

    private func nextEvent() async -> Event? {
        while true {
            if let event = queue.next() { return event }
            guard keeper.state != .ended, !Task.isCancelled else { return nil }
            let (silence, bell) = AsyncStream.makeStream(of: Never.self)
            bells.append(bell)
            for await _ in silence {}
        }
    }
}

// MARK: - The session

extension KeptLink {
    /// The session that is open.
    private struct SessionState {
        let number: Int
        let transport: any Transport
        /// Passes on the link's reports of its battery.
        let battery: Task<Void, Never>?
        /// Sends that are under way.
        var sends = 0
        /// Bytes that they did not send.
        var undelivered = 0
        /// Why it ended; nil while it has not.
        var failure: LinkError?
        /// Waits for the sends to end.
        var allSent: CheckedContinuation<Void, Never>?

        var link: String { transport.link.description }
    }

    /// Notes that something is sent.
    /// - Returns: whether the session is not over.
    func beginSending(in number: Int) -> Bool {
        guard let session, session.number == number, session.failure == nil else { return false }
        self.session?.sends += 1
        return true
    }

    /// Notes that it was sent, or why not.
    func endSending(in number: Int, _ failure: LinkError?) {
        // The session waits for its sends, so it is still there.
        guard session?.number == number else { return }
        session?.sends -= 1
        if let failure, failure.code != .cancelled {
            session?.undelivered += failure.undelivered
            endSession(because: failure)
        }
        guard session?.sends == 0 else { return }
        session?.allSent?.resume()
        session?.allSent = nil
    }

    /// Ends a session that failed.
    func fail(_ number: Int, _ failure: LinkError) {
        guard session?.number == number else { return }
        endSession(because: failure)
    }

    /// Ends a session that the program has closed, and waits until it is closed.
    func hangUp(_ number: Int) async {
        guard session?.number == number else { return }
        endSession(because: nil)
        await work?.value
    }

    private func endSession(because failure: LinkError?) {
        guard let session, session.failure == nil else { return }
        let reason = failure ?? LinkError(.disconnected, link: session.link, "closed by this program")
        self.session?.failure = reason
        work = Task { await self.wind(up: session.number, session.transport, because: reason) }
    }

    private func wind(up number: Int, _ transport: any Transport, because failure: LinkError) async {
        session?.battery?.cancel()
        await transport.close()
        await session?.battery?.value
        if let session, session.sends > 0 {
            await withCheckedContinuation { continuation in self.session?.allSent = continuation }
        }
        let undelivered = session?.undelivered ?? 0
        session = nil
        take(.lost(number, failure.leaving(undelivered: undelivered)))
    }
}

/// The transport of one session of a kept link, which hears of its end.
struct KeptSession: Transport {
    private let number: Int
    private let transport: any Transport
    /// Weak, because events that nobody has taken hold sessions, and the link holds the events.
    private weak var owner: KeptLink?

    init(number: Int, transport: any Transport, owner: KeptLink) {
        self.number = number
        self.transport = transport
        self.owner = owner
    }

    var link: LinkName { transport.link }

    var executor: (any TaskExecutor)? { transport.executor }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        do throws(LinkError) {
            if try await transport.receive(take) { return true }
        } catch {
            if error.code != .cancelled { await owner?.fail(number, error) }
            throw error
        }
        await owner?.fail(number, LinkError(.disconnected, link: link.description, "the device has ended the link"))
        return false
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) {
        guard await owner?.beginSending(in: number) == true else {
            throw LinkError(
                .disconnected, link: link.description, "the session is over", undelivered: bytes.count)
        }
        do throws(LinkError) {
            try await transport.send(bytes)
        } catch {
            await owner?.endSending(in: number, error)
            throw error
        }
        await owner?.endSending(in: number, nil)
    }

    func endSending() async throws(LinkError) {
        do throws(LinkError) {
            try await transport.endSending()
        } catch {
            if error.code != .cancelled { await owner?.fail(number, error) }
            throw error
        }
    }

    func close() async { await owner?.hangUp(number) }
}

/// Events that nobody has taken yet, up to a number. Beyond it the oldest go, but for the session that is open, and they
/// are counted.
struct EventQueue: Sendable {
    private let capacity: Int
    private var events: [KeptLink.Event] = []
    private var missed = 0

    init(capacity: Int) {
        precondition(capacity >= 2, "an event has room beside the session that is open")
        self.capacity = capacity
    }

    mutating func append(_ event: KeptLink.Event) {
        if events.count == capacity {
            events.remove(at: oldest)
            missed += 1
        }
        events.append(event)
    }

    mutating func next() -> KeptLink.Event? {
        if missed > 0 {
            defer { missed = 0 }
            return .missed(missed)
        }
        return events.isEmpty ? nil : events.removeFirst()
    }

    /// The oldest event that is not the session that is open.
    private var oldest: Int {
        guard case .connected? = events.first else { return 0 }
        let isOver = events.contains {
            if case .lost = $0 { true } else { false }
        }
        return isOver ? 0 : 1
    }
}
