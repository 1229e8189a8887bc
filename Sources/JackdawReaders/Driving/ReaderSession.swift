import JackdawBytes
public import JackdawTransport

/// A conversation with one reader over a link: runs a ``ReaderDriver`` with a transport and a clock.
public actor ReaderSession {
    /// The session stops receiving at this number of waiting events.
    private static let maxEvents = 256
    /// The session stops receiving at this number of unsent messages, so that a reader that sends requests and does not
    /// read the replies cannot fill memory.
    private static let maxUnsent = 64

    private enum Unsent {
        case bytes([UInt8])
        case power(ReaderPower)
    }

    private let transport: any Transport
    /// The transport, if it supplies power.
    private let supply: (any PoweredTransport)?
    private let now: @Sendable () -> Duration
    private var driver: ReaderDriver
    /// Bytes per call of the driver; at least one packet or burst.
    private static let maxBytes = PacketFormat.greatestBurst

    private var waiting = WaitingEvents()
    private var isOver: Bool { closing != nil }
    /// Closes the link. All callers of ``close()`` wait for it.
    private var closing: Task<Void, Never>?
    private var unsent: [Unsent] = []
    private var isSending = false
    private var timer: DeadlineTimer
    private var receiving: Task<Void, Never>?
    /// Sent when there is an event.
    private let eventAdded = AsyncSignal()
    /// Sent when the receiving task, which waits if too many events wait, may go on.
    private let hasRoom = AsyncSignal()

    /// Creates a conversation that has not begun: ``perform(_:)`` with `connect` begins it.
    /// - Parameters:
    ///   - transport: the open link; the session closes it.
    ///   - dialect: the protocol of the reader's family.
    ///   - clock: the clock of the reader's timeouts.
    public init(
        _ transport: any Transport, _ dialect: any ReaderDialect, clock: any Clock<Duration> = SuspendingClock()
    ) {
        self.transport = transport
        supply = transport as? any PoweredTransport
        driver = ReaderDriver(dialect)
        let elapsed = ElapsedClock(clock)
        now = elapsed.now
        timer = DeadlineTimer(elapsed)
    }

    /// The events, in order. Each event is delivered to one task only. Ends after `lost`.
    public nonisolated var events: AsyncStream<ReaderEvent> { AsyncStream { await self.nextEvent() } }

    /// The state of the conversation, as the driver sees it.
    public var state: ReaderState { driver.state }

    /// The number of events that no task has taken yet.
    package var waitingCount: Int { waiting.count }

    /// Executes a command. An event reports the result. Does nothing after the link is lost.
    /// - Parameter command: the command.
    public func perform(_ command: ReaderCommand) {
        guard !isOver else { return }
        startReceiving()
        handle(driver.perform(command, at: now()))
    }

    /// Ends the conversation and closes the link. The caller must call this: a conversation that has begun goes on
    /// until then, or until the link is lost. Unsent messages are discarded: perform ``ReaderCommand/powerDown`` and
    /// await its event first. Waiting events can still be taken; the last one is `lost`.
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
                    let end = min(start + Self.maxBytes, bytes.count)
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
            // A link that carries only bytes supplies no power.
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
        timer.arm(for: isOver ? nil : driver.nextDeadline) { [weak self] in await self?.meet($0) }
    }

    private func meet(_ deadline: Duration) {
        guard timer.reach(deadline) else { return }
        handle(driver.advance(to: max(deadline, now())))
    }

    private func end() async {
        if let closing { return await closing.value }
        let closing = Task { [transport] in await transport.close() }
        self.closing = closing
        setTimer()
        receiving?.cancel()
        makeRoom()
        eventAdded.send()
        await closing.value
    }

    private func add(_ event: ReaderEvent) {
        waiting.append(event)
        eventAdded.send()
    }

    private func nextEvent() async -> ReaderEvent? {
        while !Task.isCancelled {
            if let event = waiting.next() {
                makeRoom()
                return event
            }
            if isOver { return nil }
            await eventAdded.wait(after: eventAdded.count)
        }
        return nil
    }

    private func waitForRoom() async {
        guard waiting.count >= Self.maxEvents || unsent.count >= Self.maxUnsent, !isOver else { return }
        await hasRoom.wait(after: hasRoom.count)
    }

    private func makeRoom() {
        guard isOver || (waiting.count < Self.maxEvents / 2 && unsent.count < Self.maxUnsent / 2) else { return }
        hasRoom.send()
    }
}

/// Events that no task has taken yet, in order. Keeps nothing of events that were taken, as they may contain card data.
struct WaitingEvents {
    /// The waiting events, after the emptied places of events that were taken.
    private var places: [ReaderEvent?] = []
    private var takenCount = 0

    var count: Int { places.count - takenCount }

    /// The number of places in use, taken events included.
    var placeCount: Int { places.count }

    mutating func append(_ event: ReaderEvent) { places.append(event) }

    /// Removes the oldest event and returns it; nil if there is none.
    mutating func next() -> ReaderEvent? {
        guard takenCount < places.count else { return nil }
        let event = places[takenCount].take()
        takenCount += 1
        // Each event is moved at most once, even if the consumer is slow.
        if 2 * takenCount > places.count {
            places.removeFirst(takenCount)
            takenCount = 0
        }
        return event
    }
}
