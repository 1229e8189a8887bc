import JackdawDSP
public import JackdawTransport

/// A conversation with one reader over a link, on a clock: the driver's state machine with what it needs around it.
///
/// ```swift
/// let session = ReaderSession(transport, MiuraDialect())
/// await session.perform(.connect)
/// for await event in session.events {
///     if case .ready = event { await session.perform(.requestSwipe(within: .seconds(20))) }
///     if case .swipe(let swipe) = event { print(swipe) }
/// }
/// ```
///
/// Events wait until they are taken; while many wait nothing is received, so that what a reader sends stays with the link.
public actor ReaderSession {
    /// Events that wait at most before no more is received.
    private static let mostEvents = 256
    /// Messages that wait to be sent at most before no more is received: a reader that asks and does not listen gets no further.
    private static let mostUnsent = 64

    private enum Unsent {
        case bytes([UInt8])
        case power(ReaderPower)
    }

    private let transport: any Transport
    /// The same, where it carries power.
    private let supply: (any PoweredTransport)?
    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private var driver: ReaderDriver
    /// Bytes that the driver gets at once: no less than a packet or a burst has.
    private static let mostBytes = PacketFormat.greatestBurst

    private var waiting = WaitingEvents()
    private var isOver: Bool { closing != nil }
    /// Closes the link, which everybody waits for who ends the conversation.
    private var closing: Task<Void, Never>?
    private var unsent: [Unsent] = []
    private var isSending = false
    private var timer: (deadline: Duration, task: Task<Void, Never>)?
    private var receiving: Task<Void, Never>?
    /// Whoever waits for an event; ended when there is one.
    private var bells: [AsyncStream<Never>.Continuation] = []
    /// The receiving task, while too many events wait; ended when there is room.
    private var room: AsyncStream<Never>.Continuation?

    /// A conversation that is not begun: ``perform(_:)`` with `connect` begins it.
    /// - Parameters:
    ///   - transport: the open link; the session closes it.
    ///   - dialect: how the reader's family speaks.
    ///   - clock: what the reader's times are measured with.
    public init(
        _ transport: any Transport, _ dialect: any ReaderDialect, clock: any Clock<Duration> = SuspendingClock()
    ) {
        self.transport = transport
        supply = transport as? any PoweredTransport
        driver = ReaderDriver(dialect)
        let elapsed = ElapsedClock(clock)
        now = elapsed.now
        sleep = elapsed.sleep
    }

    /// What happens, in that order; each event is given to one task only. Ends after `lost`.
    public nonisolated var events: AsyncStream<ReaderEvent> { AsyncStream { await self.nextEvent() } }

    /// Where the conversation stands.
    public var state: ReaderState { driver.state }

    /// Events that nobody has taken yet.
    package var waitingCount: Int { waiting.count }

    /// Does what is wanted; what becomes of it is an event. Does nothing once the link is lost.
    /// - Parameter command: what is wanted.
    public func perform(_ command: ReaderCommand) {
        guard !isOver else { return }
        startReceiving()
        handle(driver.perform(command, at: now()))
    }

    /// Ends the conversation and closes the link, which has to come: a conversation that has begun goes on until then, or until
    /// the link is lost. What was not sent yet is not sent: ``ReaderCommand/powerDown`` and its event come before. The events
    /// that are there can still be taken; the last is `lost`.
    public func close() async {
        handle(driver.lose(nil))
        await end()
    }

    private func startReceiving() {
        guard receiving == nil, !isOver else { return }
        receiving = Task { await self.receive() }
    }

    private func receive() async {
        do throws(LinkError) {
            while !isOver {
                var bytes: [UInt8] = []
                let isOpen = try await transport.receive { span in
                    bytes.reserveCapacity(span.count)
                    for index in span.indices { bytes.append(span[index]) }
                }
                defer { bytes.wipe() }
                guard isOpen else { break }
                var start = 0
                while start < bytes.count, !isOver {
                    let end = min(start + Self.mostBytes, bytes.count)
                    handle(driver.receive(bytes.span.extracting(start..<end), at: now()))
                    start = end
                    await waitForRoom()
                }
            }
            handle(driver.lose(nil))
        } catch {
            handle(driver.lose(error))
        }
        await end()
    }

    private func handle(_ outputs: [ReaderOutput]) {
        for output in outputs {
            switch output {
            case .send(let bytes): unsent.append(.bytes(bytes))
            case .event(let event): add(event)
            // A link of bytes carries no power.
            case .power(let power): if supply != nil { unsent.append(.power(power)) }
            }
        }
        if !unsent.isEmpty, !isSending {
            isSending = true
            Task { await self.send() }
        }
        setTimer()
    }

    private func send() async {
        do throws(LinkError) {
            while !unsent.isEmpty, !isOver {
                switch unsent.removeFirst() {
                case .bytes(let bytes): try await transport.send(bytes)
                case .power(let power): try await supply?.setPower(power)
                }
                makeRoom()
            }
        } catch {
            handle(driver.lose(error))
            await end()
        }
        isSending = false
    }

    private func setTimer() {
        guard let deadline = isOver ? nil : driver.nextDeadline else {
            timer?.task.cancel()
            timer = nil
            return
        }
        guard timer?.deadline != deadline else { return }
        timer?.task.cancel()
        let task = Task { [sleep, weak self] in
            guard (try? await sleep(deadline)) != nil else { return }
            await self?.meet(deadline)
        }
        timer = (deadline, task)
    }

    private func meet(_ deadline: Duration) {
        guard timer?.deadline == deadline else { return }
        timer = nil
        handle(driver.advance(to: max(deadline, now())))
    }

    private func end() async {
        if let closing { return await closing.value }
        let closing = Task { [transport] in await transport.close() }
        self.closing = closing
        setTimer()
        receiving?.cancel()
        makeRoom()
        ringBells()
        await closing.value
    }

    private func add(_ event: ReaderEvent) {
        waiting.append(event)
        ringBells()
    }

    private func ringBells() {
        for bell in bells { bell.finish() }
        bells = []
    }

    private func nextEvent() async -> ReaderEvent? {
        while !Task.isCancelled {
            if let event = waiting.next() {
                makeRoom()
                return event
            }
            if isOver { return nil }
            let (silence, bell) = AsyncStream<Never>.makeStream()
            bells.append(bell)
            for await _ in silence {}
        }
        return nil
    }

    private func waitForRoom() async {
        guard waiting.count >= Self.mostEvents || unsent.count >= Self.mostUnsent, !isOver else { return }
        let (silence, bell) = AsyncStream<Never>.makeStream()
        room = bell
        for await _ in silence {}
    }

    private func makeRoom() {
        guard isOver || (waiting.count < Self.mostEvents / 2 && unsent.count < Self.mostUnsent / 2) else { return }
        room?.finish()
        room = nil
    }
}

/// Events that nobody has taken yet, in their order. Of those that were taken nothing is kept: they may hold a card.
struct WaitingEvents {
    /// Behind places of those that were taken.
    private var places: [ReaderEvent?] = []
    private var takenCount = 0

    var count: Int { places.count - takenCount }

    /// Places that are held, taken or not.
    var placeCount: Int { places.count }

    mutating func append(_ event: ReaderEvent) { places.append(event) }

    /// Gives the oldest away; nil where there is none.
    mutating func next() -> ReaderEvent? {
        guard takenCount < places.count else { return nil }
        let event = places[takenCount].take()
        takenCount += 1
        // Each event is moved once at most, however far behind whoever takes them is.
        if 2 * takenCount > places.count {
            places.removeFirst(takenCount)
            takenCount = 0
        }
        return event
    }
}
