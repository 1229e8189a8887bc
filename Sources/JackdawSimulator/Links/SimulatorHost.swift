import JackdawReaders
public import JackdawTransport

/// Runs a simulated reader over a link, on a clock.
public actor SimulatorHost {
    /// The link; nil before the first one of a reader that outlives its links.
    private var transport: (any Transport)?
    private let clock: ElapsedClock
    private var reader: SimulatedReader
    private var isOver = false
    /// The number of the last link of a reader that outlives its links.
    private var lastLink = 0
    private var isServing = false
    /// Sent when a link of such a reader has ended.
    private let linkEnded = AsyncSignal()
    /// Sent when the reader may have output.
    private let change = AsyncSignal()
    /// Sent after answers, for the receiving task, which waits if too many are unsent.
    private let answersSent = AsyncSignal()

    /// Number of unsent answers at which the host stops receiving commands.
    private static let maxUnsent = 64

    /// Connects a reader to a link.
    /// - Parameters:
    ///   - transport: the open link; the host closes it.
    ///   - clock: measures the reader's times.
    ///   - makeReader: makes the reader; its times begin at zero.
    public init(
        _ transport: any Transport, clock: any Clock<Duration> = SuspendingClock(),
        _ makeReader: () -> SimulatedReader
    ) {
        self.transport = transport
        self.clock = ElapsedClock(clock)
        reader = makeReader()
        // A byte link carries no power, so the program finds the reader awake.
        reader.setPower(true, at: .zero)
    }

    /// Creates a reader that outlives its links (``serve(_:)``), as a device does.
    /// - Parameters:
    ///   - clock: measures the reader's times.
    ///   - makeReader: makes the reader; its times begin at zero.
    package init(clock: any Clock<Duration>, _ makeReader: () -> SimulatedReader) {
        transport = nil
        self.clock = ElapsedClock(clock)
        reader = makeReader()
        reader.setPower(true, at: .zero)
    }

    /// Connects the reader to a link, and closes the one before. What the reader sent without a link is lost.
    /// - Parameter link: the open link; the host closes it.
    package func serve(_ link: any Transport) async {
        lastLink += 1
        let number = lastLink
        await transport?.close()
        while isServing, !Task.isCancelled { await linkEnded.wait(after: linkEnded.count) }
        guard number == lastLink, !Task.isCancelled else { return await link.close() }
        (transport, isServing, isOver) = (link, true, false)
        _ = reader.advance(to: clock.now())
        reader.reconnect()
        await run()
        isServing = false
        linkEnded.send()
    }

    /// Switches the power of a reader that draws it from the jack.
    func setPower(_ power: ReaderPower) {
        reader.setPower(power != .off, at: clock.now())
        change.send()
    }

    /// Runs until the program closes the link, the reader breaks it or the task is cancelled, and closes it.
    ///
    /// Call it only once.
    public func run() async {
        guard let transport else { return }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await self.receive(from: transport) }
            tasks.addTask { await self.act(on: transport) }
            await tasks.next()
            tasks.cancelAll()
        }
        await transport.close()
    }

    /// Presents a card immediately.
    /// - Parameter presentation: the card, and how it is presented; its delay is ignored. Does nothing if the reader
    ///   does not wait for a card.
    public func present(_ presentation: Presentation) {
        reader.present(presentation, at: clock.now())
        change.send()
    }

    private func receive(from transport: any Transport) async {
        do throws(LinkError) {
            while !isOver {
                var bytes: [UInt8] = []
                let isOpen = try await transport.receive { span in
                    for index in span.indices { bytes.append(span[index]) }
                }
                guard isOpen else { return }
                reader.receive(bytes.span, at: clock.now())
                change.send()
                await waitForRoom()
            }
        } catch {
            // The program has closed the link, so the error has no receiver.
        }
    }

    /// Sends the reader's messages when they are due.
    private func act(on transport: any Transport) async {
        while !Task.isCancelled {
            let outputs = reader.advance(to: clock.now())
            answersSent.send()
            for output in outputs {
                guard case .send(let bytes) = output else {
                    isOver = true
                    return
                }
                do throws(LinkError) {
                    try await transport.send(bytes)
                } catch {
                    return
                }
            }
            await waitForDeadline()
        }
    }

    /// Waits until the reader's next deadline, or an event.
    private func waitForDeadline() async {
        let deadline = reader.nextDeadline
        guard deadline.map({ $0 > clock.now() }) ?? true else { return }
        await change.wait(after: change.count, until: deadline, on: clock)
    }

    /// Stops receiving from a program that sends commands and does not read the answers.
    private func waitForRoom() async {
        while reader.unsentCount >= Self.maxUnsent, !isOver, !Task.isCancelled {
            await answersSent.wait(after: answersSent.count)
        }
    }
}

extension SimulatorHost {
    /// Connects a reader in this process, which runs until the link to it is closed.
    /// - Parameters:
    ///   - link: the name of the link.
    ///   - keepsPackets: whether the bytes of one call to `send` are received at once, as over Bluetooth Low Energy.
    ///   - clock: measures the reader's times.
    ///   - makeReader: makes the reader; its times begin at zero.
    /// - Returns: the program's end of the link.
    public static func open(
        _ link: LinkName, keepsPackets: Bool = false, clock: any Clock<Duration> = SuspendingClock(),
        _ makeReader: @Sendable () -> SimulatedReader
    ) -> any Transport {
        let (program, reader) = MemoryLink.pair(link: link, keepsPackets: keepsPackets)
        let host = SimulatorHost(reader, clock: clock, makeReader)
        Task { await host.run() }
        return PoweredMemoryLink(base: program, host: host)
    }
}

/// A link in memory that carries power to the reader at its other end.
private struct PoweredMemoryLink: PoweredTransport {
    let base: MemoryLink
    let host: SimulatorHost

    var link: LinkName { base.link }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { try await base.receive(take) }
    func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }
    func setPower(_ power: ReaderPower) async throws(LinkError) { await host.setPower(power) }
    func endSending() async throws(LinkError) { try await base.endSending() }
    func close() async { await base.close() }
}
