import JackdawBytes

/// Writes the lines of a transcript while the events of the link happen.
actor TranscriptRecorder {
    /// The largest number of bytes in one line.
    static let lineBytes = 4_096
    /// The largest number of events that wait for the mask, for example after a message that never becomes complete.
    static let maxWaiting = 1_024

    private let link: String
    private let clock: ElapsedClock
    private var room: TranscriptRoom
    /// Set when the transcript has no space for more bytes.
    private var isFull = false
    /// Released when the link is closed: the program may open it again and record into the same file.
    private var sink: (@Sendable (String) throws(LinkError) -> Void)?
    private var mask: (any TranscriptMask)?
    private var hasEnded = false
    /// Events in order, from the first one whose bytes the mask still holds back.
    private var waiting: [Waiting] = []
    /// Bytes of each direction that the mask has returned and that are not written yet.
    private var kept: [Bool: [UInt8?]] = [:]

    /// An event that is not written yet.
    private enum Waiting {
        case bytes(time: Duration, isSent: Bool, count: Int)
        case event(TranscriptEntry)
    }

    init(
        _ secrecy: TranscriptSecrecy, link: String, _ clock: ElapsedClock, room: TranscriptRoom,
        _ sink: @escaping @Sendable (String) throws(LinkError) -> Void
    ) {
        self.link = link
        self.clock = clock
        self.room = room
        self.sink = sink
        if case .masked(let mask) = secrecy { self.mask = mask }
    }

    /// Records sent or received bytes.
    func bytes(_ bytes: [UInt8], isSent: Bool) throws(LinkError) {
        guard !bytes.isEmpty, sink != nil else { return }
        guard !isFull else { throw full }
        waiting.append(.bytes(time: try now(isEnd: false), isSent: isSent, count: bytes.count))
        let masked = mask?.maskMessages(bytes, isSent: isSent) ?? bytes
        kept[isSent, default: []] += masked
        if waiting.count > Self.maxWaiting { finish([false, true]) }
        try write()
    }

    /// Records another event. Of the events that end the link only the first is recorded, and no event after the link
    /// is closed.
    func event(_ event: TranscriptEntry.Event) throws(LinkError) {
        guard sink != nil else { return }
        switch event {
        case .closed: finish([false, true])
        case .end, .lost:
            guard !hasEnded else { return }
            hasEnded = true
            finish([false])
        default: break
        }
        defer { if case .closed = event { sink = nil } }
        waiting.append(.event(TranscriptEntry(time: try now(isEnd: event.isEnd), event: event)))
        try write()
    }

    /// Marks that the program closes the link: the end of the link that follows is not an event.
    func beginClosing() { hasEnded = true }

    /// The time of the next entry. The end of the link, if it comes too late for a transcript, gets the latest possible
    /// time.
    /// - Throws: `LinkError` with code `full` if the time is later than a transcript allows.
    private func now(isEnd: Bool) throws(LinkError) -> Duration {
        let now = max(.zero, clock.now())
        guard now > TranscriptReader.latestTime else { return now }
        guard isEnd else {
            isFull = true
            throw full
        }
        return TranscriptReader.latestTime
    }

    /// Takes the bytes that the mask has held back; bytes that it does not return are masked.
    private func finish(_ directions: [Bool]) {
        for isSent in directions {
            var rest = kept[isSent, default: []] + (mask?.finish(isSent: isSent) ?? [])
            let count = waiting.reduce(0) { count, next in
                if case .bytes(_, isSent, let bytes) = next { count + bytes } else { count }
            }
            rest += Array(repeating: nil, count: max(0, count - rest.count))
            kept[isSent] = rest
        }
    }

    /// Writes the waiting events, up to the first one whose bytes the mask holds back.
    private func write() throws(LinkError) {
        while let next = waiting.first {
            switch next {
            case .event(let entry): try write(entry)
            case .bytes(let time, let isSent, let count):
                guard let bytes = kept[isSent], bytes.count >= count else { return }
                for start in stride(from: 0, to: count, by: Self.lineBytes) {
                    let part = Array(bytes[start..<min(start + Self.lineBytes, count)])
                    let event: TranscriptEntry.Event = isSent ? .sent(part) : .received(part)
                    try write(TranscriptEntry(time: time, event: event))
                }
                kept[isSent]?.removeFirst(count)
            }
            waiting.removeFirst()
        }
    }

    /// Writes an entry if the transcript can still be parsed with it; otherwise only the entries that end the
    /// transcript follow.
    private func write(_ entry: TranscriptEntry) throws(LinkError) {
        let line = entry.line + "\n"
        guard room.take(line, isEnd: entry.event.isEnd) else {
            isFull = true
            waiting.removeAll { next in
                if case .event(let entry) = next { !entry.event.isEnd } else { true }
            }
            kept = [:]
            throw full
        }
        try sink?(line)
    }

    private var full: LinkError {
        LinkError(
            .full, link: link,
            "the transcript is full: no more than \(TranscriptReader.maxBytes >> 20) MiB, "
                + "\(TranscriptReader.maxEntries) entries and a week can be played back",
            remedy: "record to another file")
    }
}

/// The space that is left in a transcript, so that ``TranscriptReader`` can parse all of it.
struct TranscriptRoom: Sendable {
    /// Reserved for the lines that end a transcript: the end of the link, and its closing by the program.
    private static let endBytes = 256
    private static let endEntries = 2

    private var bytes: Int
    private var entries: Int

    /// Creates space for this number of bytes and entries.
    init(bytes: Int = TranscriptReader.maxBytes, entries: Int = TranscriptReader.maxEntries) {
        self.bytes = bytes
        self.entries = entries
    }

    mutating func take(header: String) { bytes -= header.utf8.count }

    /// Reserves the space of an entry.
    /// - Parameters:
    ///   - line: the entry, with its line end.
    ///   - isEnd: whether the entry ends the transcript.
    /// - Returns: false if there is not enough space.
    mutating func take(_ line: String, isEnd: Bool) -> Bool {
        let (keptBytes, keptEntries) = isEnd ? (0, 0) : (Self.endBytes, Self.endEntries)
        guard bytes - line.utf8.count >= keptBytes, entries - 1 >= keptEntries else { return false }
        bytes -= line.utf8.count
        entries -= 1
        return true
    }
}

extension TranscriptEntry.Event {
    /// Whether the event ends a link: each of these happens at most once.
    fileprivate var isEnd: Bool {
        switch self {
        case .end, .lost, .closed: true
        case .sent, .unsent, .endedSending, .received: false
        }
    }
}

/// A link whose transcript is recorded: the sent and received bytes, not the power.
public final class RecordingTransport: PoweredTransport, BatteryReporting, CardResetting {
    private let transport: any Transport
    private let recorder: TranscriptRecorder

    /// Begins a transcript.
    /// - Parameters:
    ///   - transport: the link to record.
    ///   - secrecy: how the transcript protects the bytes.
    ///   - clock: measures the times of the events.
    ///   - sink: receives the transcript's lines in order, each with its line end, and throws if it cannot store one,
    ///     which fails the operation that was to be recorded. An operation also fails when the transcript has reached
    ///     the largest size that ``TranscriptReader`` parses.
    /// - Throws: the error of the sink.
    public convenience init(
        _ transport: any Transport, secrecy: TranscriptSecrecy = .usual, clock: any Clock<Duration> = ContinuousClock(),
        sink: @escaping @Sendable (String) throws(LinkError) -> Void
    ) throws(LinkError) {
        try self.init(transport, secrecy: secrecy, clock: clock, room: TranscriptRoom(), sink: sink)
    }

    init(
        _ transport: any Transport, secrecy: TranscriptSecrecy, clock: any Clock<Duration>, room: TranscriptRoom,
        sink: @escaping @Sendable (String) throws(LinkError) -> Void
    ) throws(LinkError) {
        self.transport = transport
        let isMasked = if case .masked = secrecy { true } else { false }
        let header = TranscriptHeader(link: transport.deviceName, isMasked: isMasked).line + "\n"
        try sink(header)
        var room = room
        room.take(header: header)
        recorder = TranscriptRecorder(
            secrecy, link: transport.link.description, ElapsedClock(clock), room: room, sink)
    }

    /// The name of the link that is recorded.
    public var link: LinkName { transport.link }

    /// The executor of the recorded link.
    public var executor: (any TaskExecutor)? { transport.executor }

    /// Receives bytes, and records them before it passes them on, so that the answer is recorded after them.
    public func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        var bytes: [UInt8] = []
        defer { bytes.wipe() }
        let isMore: Bool
        do throws(LinkError) {
            isMore = try await transport.receive { span in
                bytes = span.indices.map { span[$0] }
            }
        } catch {
            // If the event cannot be recorded, the link's own error is still the more useful one.
            if error.code != .cancelled { try? await recorder.event(.lost(error.code)) }
            throw error
        }
        if isMore {
            try await recorder.bytes(bytes, isSent: false)
            take(bytes.span)
        } else {
            try await recorder.event(.end)
        }
        return isMore
    }

    /// Records the bytes before it sends them, so that the answer is recorded after them.
    public func send(_ bytes: [UInt8]) async throws(LinkError) {
        do throws(LinkError) {
            try await recorder.bytes(bytes, isSent: true)
        } catch {
            throw error.leaving(undelivered: bytes.count)
        }
        do throws(LinkError) {
            try await transport.send(bytes)
        } catch {
            try? await recorder.event(.unsent(error.undelivered, error.code))
            throw error
        }
    }

    /// Switches the power if the link carries power.
    public func setPower(_ power: ReaderPower) async throws(LinkError) {
        try await (transport as? any PoweredTransport)?.setPower(power)
    }

    /// Ends the sending direction, then records it.
    public func endSending() async throws(LinkError) {
        try await transport.endSending()
        try await recorder.event(.endedSending)
    }

    /// Closes the link, then records it.
    public func close() async {
        await recorder.beginClosing()
        await transport.close()
        // No caller is left that could receive a recording error.
        try? await recorder.event(.closed)
    }

    /// The battery reports of the link, which are not recorded.
    public func batteryReports() async -> AsyncStream<BatteryReport> {
        if let reporting = transport as? any BatteryReporting { return await reporting.batteryReports() }
        return AsyncStream { $0.finish() }
    }

    /// The answer to reset of the link's card, which is not recorded.
    public func answerToReset() async -> [UInt8] { await (transport as? any CardResetting)?.answerToReset() ?? [] }

    /// Resets the link's card, which is not recorded.
    public func resetCard() async throws(LinkError) -> [UInt8] {
        guard let resetting = transport as? any CardResetting else {
            throw LinkError(.unsupported, link: link.description, "the link has no card to reset")
        }
        return try await resetting.resetCard()
    }
}
