/// Makes the lines of a transcript as things happen.
actor TranscriptRecorder {
    /// Bytes of one line at most.
    static let lineBytes = 4_096
    /// Things that wait for the mask at most, as behind a message that is never whole.
    static let mostWaiting = 1_024

    private let link: String
    private let clock: ElapsedClock
    private var room: TranscriptRoom
    /// Set when the transcript has no room for more bytes.
    private var isFull = false
    /// Let go of once the link is closed: it may be opened again, into the same file.
    private var sink: (@Sendable (String) throws(LinkError) -> Void)?
    private var mask: (any TranscriptMask)?
    private var hasEnded = false
    /// What happened, in its order, from what waits for the mask on.
    private var waiting: [Waiting] = []
    /// What the mask lets through of each direction and is not written yet.
    private var kept: [Bool: [UInt8?]] = [:]

    /// Something that is to be written.
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

    /// Keeps bytes.
    func bytes(_ bytes: [UInt8], isSent: Bool) throws(LinkError) {
        guard !bytes.isEmpty, sink != nil else { return }
        guard !isFull else { throw full }
        waiting.append(.bytes(time: try now(isEnd: false), isSent: isSent, count: bytes.count))
        let masked = mask?.maskMessages(bytes, isSent: isSent) ?? bytes
        kept[isSent, default: []] += masked
        if waiting.count > Self.mostWaiting { finish([false, true]) }
        try write()
    }

    /// Keeps something else that happened; of ends only the first, and nothing once the link is closed.
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

    /// Takes that the program closes the link: that it ends then is nothing that happened.
    func beginClosing() { hasEnded = true }

    /// The time of the next entry. An end that comes later than any entry may is written with the latest time.
    /// - Throws: `LinkError` with code `full` if no transcript has one so late.
    private func now(isEnd: Bool) throws(LinkError) -> Duration {
        let now = max(.zero, clock.now())
        guard now > TranscriptReader.latestTime else { return now }
        guard isEnd else {
            isFull = true
            throw full
        }
        return TranscriptReader.latestTime
    }

    /// Takes what the mask has held back; what it owes is not kept.
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

    /// Writes what waits, up to where the mask holds something back.
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

    /// Writes an entry if the transcript can still be read afterwards; otherwise nothing but its end follows.
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
            "the transcript is full: no more than \(TranscriptReader.mostBytes >> 20) MiB, "
                + "\(TranscriptReader.mostEntries) entries and a week can be played back",
            remedy: "keep another one, in another file")
    }
}

/// The room that a transcript still has, so that ``TranscriptReader`` reads all of it.
struct TranscriptRoom: Sendable {
    /// Kept for the lines that end a transcript: how the link ended, and that it was closed.
    private static let endBytes = 256
    private static let endEntries = 2

    private var bytes: Int
    private var entries: Int

    /// Room for so much.
    init(bytes: Int = TranscriptReader.mostBytes, entries: Int = TranscriptReader.mostEntries) {
        self.bytes = bytes
        self.entries = entries
    }

    mutating func take(header: String) { bytes -= header.utf8.count }

    /// Takes the room of an entry.
    /// - Parameters:
    ///   - line: the entry, with the end of its line.
    ///   - isEnd: whether it ends the transcript.
    /// - Returns: false if there is not enough.
    mutating func take(_ line: String, isEnd: Bool) -> Bool {
        let (keptBytes, keptEntries) = isEnd ? (0, 0) : (Self.endBytes, Self.endEntries)
        guard bytes - line.utf8.count >= keptBytes, entries - 1 >= keptEntries else { return false }
        bytes -= line.utf8.count
        entries -= 1
        return true
    }
}

extension TranscriptEntry.Event {
    /// Whether it is how a link ends: each comes once at most.
    fileprivate var isEnd: Bool {
        switch self {
        case .end, .lost, .closed: true
        case .sent, .unsent, .endedSending, .received: false
        }
    }
}

/// A link of which a transcript is kept: of what is sent and received, not of power.
public final class RecordingTransport: PoweredTransport, BatteryReporting {
    private let transport: any Transport
    private let recorder: TranscriptRecorder

    /// Begins a transcript.
    /// - Parameters:
    ///   - transport: the link.
    ///   - secrecy: what is kept of the bytes.
    ///   - clock: tells when things happen.
    ///   - sink: gets the transcript's lines one after the other, each with its end, and says where one cannot be kept; that
    ///     fails what was to be kept. So does a transcript that is full: no longer than ``TranscriptReader`` reads.
    /// - Throws: what the sink throws.
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
        let header = TranscriptHeader(link: transport.link.description, isMasked: isMasked).line + "\n"
        try sink(header)
        var room = room
        room.take(header: header)
        recorder = TranscriptRecorder(
            secrecy, link: transport.link.description, ElapsedClock(clock), room: room, sink)
    }

    /// The name of the link that it is kept of.
    public var link: LinkName { transport.link }

    /// The link's.
    public var executor: (any TaskExecutor)? { transport.executor }

    /// Receives, and keeps what came before it is handed over: the answer comes behind it.
    public func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        var bytes: [UInt8] = []
        defer { overwrite(&bytes) }
        let isMore: Bool
        do throws(LinkError) {
            isMore = try await transport.receive { span in
                bytes = span.indices.map { span[$0] }
            }
        } catch {
            // Where it cannot be kept, the link's own error still says more.
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

    /// Keeps what is sent, before it is: the answer comes behind it.
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

    /// Gives power where the link carries it.
    public func setPower(_ power: ReaderPower) async throws(LinkError) {
        try await (transport as? any PoweredTransport)?.setPower(power)
    }

    /// Ends this direction.
    public func endSending() async throws(LinkError) {
        try await transport.endSending()
        try await recorder.event(.endedSending)
    }

    /// Closes the link.
    public func close() async {
        await recorder.beginClosing()
        await transport.close()
        // Where it cannot be kept, nobody is left to be told.
        try? await recorder.event(.closed)
    }

    /// What the link tells of its battery, which is not kept.
    public func batteryReports() async -> AsyncStream<BatteryReport> {
        if let reporting = transport as? any BatteryReporting { return await reporting.batteryReports() }
        return AsyncStream { $0.finish() }
    }
}

/// Overwrites bytes that may be card data. Called as a whole, so that it is not left out as being of no use.
@inline(never) func overwrite(_ bytes: inout [UInt8]) {
    for index in bytes.indices { bytes[index] = 0 }
}
