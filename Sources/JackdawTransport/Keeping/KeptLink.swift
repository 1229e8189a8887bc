/// A link that reconnects whenever it is lost, until the program closes it or a retry cannot succeed.
///
/// Each connection is a session: an event delivers a ``Transport`` of its own. Bytes for one session are never sent on
/// another, and no call waits for the next session: a session that is over fails. The link detects a loss only while a
/// task receives or sends, so one task should always receive.
///
/// ```swift
/// let link = KeptLink { () async throws(LinkError) in try await open(name) }
/// await link.open()
/// for await event in link.events {
///     if case .connected(let session) = event { serve(session) }
/// }
/// ```
public actor KeptLink {
    /// The events of the link, in this order.
    public enum Event: Sendable {
        /// The link is open, until ``lost(_:)``, which always follows. If the program closes the session, the link
        /// connects again.
        case connected(any Transport)
        /// The session is over and closed. The error has the reason, and the number of bytes that were being sent and
        /// were not.
        case lost(LinkError)
        /// The link was lost or could not be opened, and tries again after this time.
        case waiting(Duration, because: LinkError)
        /// The system slept for this time; reported with the next event after it.
        case slept(Duration)
        /// The reader sent a battery report that differs from the last one.
        case battery(BatteryReport)
        /// The battery has become low: 15 % or less, and not charging. Reported again only after it was at 20 % or
        /// charging.
        case batteryLow(BatteryReport)
        /// This number of events was not taken in time and is lost; they were older than the events that follow.
        case missed(Int)
        /// The link does not try again: the program closed it, or it failed for a reason that a person must correct.
        /// The last event.
        case ended(LinkError?)
    }

    /// The failures after which a link tries again if it could not be opened.
    package enum Persistence: Sendable, Hashable {
        /// Failures that may pass by themselves (``LinkError/Code/mayPass``).
        case whileItMayPass
        /// The same, but a missing device only after the link has been open once: a user who has mistyped its name
        /// needs the error.
        case onceFound
        /// All failures except an invalid name, a cancellation and a full transcript: a person can correct the cause
        /// while the link retries.
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
    /// Sent when there is an event.
    private let eventAdded = AsyncSignal()
    /// The attempt, the wait or the end of a session: at most one of them at a time.
    private var work: Task<Void, Never>?
    private var session: SessionState?

    /// Creates a link that is not open yet.
    /// - Parameters:
    ///   - backOff: the waits between attempts.
    ///   - capacity: the largest number of events that wait to be taken, 2 or more; above it, the oldest are discarded
    ///     and counted.
    ///   - clock: the clock of the waits; it stops while the system sleeps.
    ///   - wallClock: a clock that continues while the system sleeps.
    ///   - random: the source of the random part of the waits.
    ///   - connect: opens the link. It has a time limit of its own, and returns soon after its task is cancelled.
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

    /// The same, with a choice of the failures after which the link tries again.
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

    /// The events of the link; the stream ends after ``Event/ended(_:)``. Each event is delivered to one task only.
    public nonisolated var events: AsyncStream<Event> { AsyncStream { await self.nextEvent() } }

    /// Opens the link, and reconnects it until the program calls ``close()``, which it must; a second call has no
    /// effect.
    public func open() { take(.wanted) }

    /// Closes the link permanently and waits until its tasks have ended; a second call waits too.
    public func close() async {
        take(.unwanted)
        while let task = work {
            await task.value
            if work == task { work = nil }
        }
    }

    /// Ends the current wait and connects now, for example when the reader was seen, the radio was switched on, or the
    /// system woke up.
    public func tryNow() { take(.seen) }

    /// Reports the battery state that the reader sent in its own protocol. The reports of a ``BatteryReporting`` link
    /// do not need this call.
    /// - Parameter battery: the reader's report.
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
                eventAdded.send()
            }
        }
    }

    private func attempt(_ number: Int) async {
        do throws(LinkError) {
            let transport = try await connect()
            guard keeper.isTrying(number) else {
                await transport.close()
                throw LinkError(.cancelled, link: transport.link.description, "closed before it was opened")
            }
            session = SessionState(number: number, transport: transport, battery: watchBattery(of: transport))
            take(.opened(number, KeptSession(number: number, transport: transport, owner: self)))
        } catch {
            take(.failed(number, error))
        }
    }

    /// Reports the battery reports of a link, until the task is cancelled.
    private func watchBattery(of transport: any Transport) -> Task<Void, Never>? {
        guard let reporting = transport as? any BatteryReporting else { return nil }
        return Task { [weak self] in
            for await battery in await reporting.batteryReports() { await self?.report(battery) }
        }
    }

    private func wait(until deadline: Duration) async {
        // A clock may end a sleep too early.
        while clock.now() < deadline {
            // The caller that cancelled this wait has started the next step itself.
            guard (try? await clock.sleep(deadline)) != nil else { return }
        }
        take(.time)
    }

    private func nextEvent() async -> Event? {
        while true {
            if let event = queue.next() { return event }
            guard keeper.state != .ended, !Task.isCancelled else { return nil }
            await eventAdded.wait(after: eventAdded.count)
        }
    }
}

// MARK: - The session

extension KeptLink {
    /// The state of the open session.
    private struct SessionState {
        let number: Int
        let transport: any Transport
        /// The task that forwards the link's battery reports.
        let battery: Task<Void, Never>?
        /// Number of sends in progress.
        var sends = 0
        /// Number of bytes that they did not send.
        var undelivered = 0
        /// The reason for the session's end; nil while it is open.
        var failure: LinkError?
        /// Resumed when all sends have ended.
        var allSent: CheckedContinuation<Void, Never>?

        var link: String { transport.link.description }
    }

    /// Notes that a send begins.
    /// - Returns: whether the session is still open.
    func beginSending(in number: Int) -> Bool {
        guard let session, session.number == number, session.failure == nil else { return false }
        self.session?.sends += 1
        return true
    }

    /// Notes that a send has ended, with its error if it failed.
    func endSending(in number: Int, _ failure: LinkError?) {
        // A session ends only after its sends, so it is still there.
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

    /// Ends a session that has failed.
    func fail(_ number: Int, _ failure: LinkError) {
        guard session?.number == number else { return }
        endSession(because: failure)
    }

    /// Ends a session that the program closes, and waits until it is closed.
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

/// The transport of one session of a kept link; it reports the session's end to the link.
struct KeptSession: Transport {
    private let number: Int
    private let transport: any Transport
    /// Weak, because events that no task has taken retain sessions, and the link retains the events.
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
        await owner?.fail(number, LinkError(.disconnected, link: link.description, "the device closed the link"))
        return false
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) {
        guard await owner?.beginSending(in: number) == true else {
            throw LinkError(
                .disconnected, link: link.description, "the session has ended", undelivered: bytes.count)
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

/// A bounded queue of events that no task has taken yet. When it is full, it discards the oldest event other than the
/// open session, and counts the discarded events.
struct EventQueue: Sendable {
    private let capacity: Int
    private var events: [KeptLink.Event] = []
    private var missed = 0

    init(capacity: Int) {
        precondition(capacity >= 2, "the capacity must be 2 or more: the open session and an event")
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

    /// The index of the oldest event that is not the open session.
    private var oldest: Int {
        guard case .connected? = events.first else { return 0 }
        let isOver = events.contains {
            if case .lost = $0 { true } else { false }
        }
        return isOver ? 0 : 1
    }
}
