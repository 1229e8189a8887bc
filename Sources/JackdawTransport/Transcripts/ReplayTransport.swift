/// A transcript that stands in for a device: what was received comes again, once what was sent before has been sent again,
/// and at its time. What is sent must be what was sent then, in whatever pieces; another byte fails both directions with
/// `badAnswer`, which says where. Masked bytes that were sent are any, and those that were received come as asterisks.
///
/// It ends as the transcript does: in order, or with the same error. A transcript that only stops ends in order.
public final class ReplayTransport: Transport {
    /// The name of the link.
    public let link: LinkName
    private let state: ReplayState

    /// A link at the beginning of a transcript.
    /// - Parameters:
    ///   - transcript: what is played back.
    ///   - link: the name of the link.
    ///   - clock: measures the times of the transcript, from now on; nil gives everything at once.
    public init(_ transcript: Transcript, link: LinkName, clock: (any Clock<Duration>)? = ContinuousClock()) {
        self.link = link
        state = ReplayState(transcript, link.description, clock.map { ElapsedClock($0) })
    }

    /// Waits for what the transcript has next and hands it over.
    public func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        var bytes = try await state.receive()
        defer { overwrite(&bytes) }
        if !bytes.isEmpty { take(bytes.span) }
        return !bytes.isEmpty
    }

    /// Compares bytes with those of the transcript; never waits.
    public func send(_ bytes: [UInt8]) async throws(LinkError) { try await state.send(bytes) }

    /// Does nothing: it is not compared.
    public func endSending() async throws(LinkError) {}

    /// Closes the link.
    public func close() async { await state.close() }
}

/// Where a transcript is that is played back.
actor ReplayState {
    /// Bytes sent within this time of the transcript's end may be a farewell, such as after Ctrl-C, which no program sends
    /// again.
    private static let farewell = Duration.seconds(2)
    /// How long after the transcript's end the replay waits for the program to send, if an answer follows.
    private static let patience = Duration.seconds(10)
    /// The same for a farewell.
    private static let farewellPatience = Duration.seconds(3)

    private let entries: [TranscriptEntry]
    private let link: String
    private let clock: ElapsedClock?
    /// How much later than in the transcript the last entry happened.
    private var delay = Duration.zero
    /// The entry that is to be sent next, or one before it, and the bytes of it that were.
    private var nextSent = 0
    private var sentOffset = 0
    /// The entry that is received next, or one before it.
    private var nextReceived = 0
    /// How it ended for good: the link was lost, closed, or something else was sent.
    private var failure: LinkError?
    /// Whoever waits for a change, by number; ended when there is one.
    private var bells: [Int: AsyncStream<Never>.Continuation] = [:]
    private var nextBell = 0

    init(_ transcript: Transcript, _ link: String, _ clock: ElapsedClock?) {
        entries = transcript.entries.map { entry in
            TranscriptEntry(time: min(entry.time, TranscriptReader.latestTime), event: entry.event)
        }
        self.link = link
        self.clock = clock
    }

    /// How many wait for a change.
    var waitingCount: Int { bells.count }

    /// What comes next; nothing at the end.
    func receive() async throws(LinkError) -> [UInt8] {
        while true {
            guard !Task.isCancelled else { throw LinkError(.cancelled, link: link, "given up") }
            if let failure { throw failure }
            skipSent()
            while nextReceived < entries.count, !entries[nextReceived].event.isReceived { nextReceived += 1 }
            // It was the answer to what was sent before.
            guard nextSent >= nextReceived else {
                if let end = endOfWait, let clock, clock.now() >= end { return try endUnsent() }
                await wait(until: endOfWait)
                continue
            }
            guard nextReceived < entries.count else { return [] }
            let entry = entries[nextReceived]
            if let clock, clock.now() < entry.time {
                await wait(until: entry.time)
                continue
            }
            switch entry.event {
            case .received(let bytes):
                nextReceived += 1
                noteDelay(entry)
                return bytes.map { $0 ?? UInt8(ascii: "*") }
            case .lost(let code): throw loss(code)
            default: return []
            }
        }
    }

    func send(_ bytes: [UInt8]) throws(LinkError) {
        var sent = 0
        while sent < bytes.count {
            let left = bytes.count - sent
            if let failure { throw failure.leaving(undelivered: left) }
            guard !Task.isCancelled else {
                throw LinkError(.cancelled, link: link, "given up", undelivered: left)
            }
            skipSent()
            guard nextSent < entries.count, case .sent(let expected) = entries[nextSent].event else {
                throw mismatch(0, left, "more was sent than in the transcript")
            }
            for (byte, other) in zip(bytes[sent...], expected[sentOffset...]) {
                if let other, byte != other {
                    throw mismatch(sentOffset, bytes.count - sent, "something else was sent than in the transcript")
                }
                sent += 1
                sentOffset += 1
            }
            if sentOffset == expected.count {
                noteDelay(entries[nextSent])
                nextSent += 1
                sentOffset = 0
            }
        }
        skipSent()
        ring()
        if nextSent < entries.count, case .unsent(let count, let code) = entries[nextSent].event {
            nextSent += 1
            throw LinkError(
                code, link: link, "the bytes could not be sent, as in the transcript",
                undelivered: min(count, bytes.count))
        }
    }

    func close() { fail(LinkError(.disconnected, link: link, "closed")) }

    private func noteDelay(_ entry: TranscriptEntry) {
        if let clock { delay = max(.zero, clock.now() - entry.time) }
    }

    /// The time of the last entry.
    private var end: Duration { entries.last?.time ?? .zero }

    /// Whether the entry that the program sends next may be a farewell. There is none to a device that ended the link.
    private var isFarewell: Bool {
        guard entries[nextSent].time >= end - Self.farewell else { return false }
        switch lastReceived {
        case .end, .lost: return false
        default: return true
        }
    }

    /// The last thing that came from the device.
    private var lastReceived: TranscriptEntry.Event? { entries.last(where: \.event.isReceived)?.event }

    /// Until when the replay waits for the program to send; nil without a clock.
    private var endOfWait: Duration? {
        guard clock != nil else { return nil }
        guard nextReceived < entries.count else { return end + delay }
        return end + delay + (isFarewell ? Self.farewellPatience : Self.patience)
    }

    /// Ends the wait for the program to send: as the transcript ends, if no more than a farewell and its answer is left.
    /// - Returns: no bytes, which is the end.
    private func endUnsent() throws(LinkError) -> [UInt8] {
        let hasMore = entries[nextReceived...].contains { if case .received = $0.event { true } else { false } }
        guard !hasMore || isFarewell else {
            throw mismatch(sentOffset, 0, "something was not sent that was sent in the transcript")
        }
        guard case .lost(let code)? = lastReceived else { return [] }
        throw loss(code)
    }

    private func loss(_ code: LinkError.Code) -> LinkError {
        let error = LinkError(code, link: link, "the link was lost, as in the transcript")
        fail(error)
        return error
    }

    /// Goes on to what is to be sent next.
    private func skipSent() {
        while nextSent < entries.count, !entries[nextSent].event.isSent { nextSent += 1 }
    }

    private func mismatch(_ offset: Int, _ undelivered: Int, _ message: String) -> LinkError {
        let error = LinkError(
            .badAnswer, link: link, "\(message): entry \(min(nextSent, entries.count) + 1), byte \(offset)",
            remedy: "play back a transcript of the same commands")
        fail(error)
        return error.leaving(undelivered: undelivered)
    }

    private func fail(_ error: LinkError) {
        if failure == nil { failure = error }
        ring()
    }

    private func ring() {
        for bell in bells.values { bell.finish() }
        bells = [:]
    }

    /// Waits for a change, a time or the end of the task. May return for nothing.
    private func wait(until time: Duration?) async {
        let (silence, bell) = AsyncStream.makeStream(of: Never.self)
        let number = nextBell
        nextBell += 1
        bells[number] = bell
        let sleeper = clock.flatMap { clock in
            time.map { time in
                Task {
                    try? await clock.sleep(time)
                    bell.finish()
                }
            }
        }
        for await _ in silence {}
        sleeper?.cancel()
        bells[number] = nil
    }
}

extension TranscriptEntry.Event {
    /// Whether it is of the direction to the device, as far as that is compared.
    fileprivate var isSent: Bool {
        switch self {
        case .sent, .unsent: true
        default: false
        }
    }

    /// Whether it is of the direction from the device.
    fileprivate var isReceived: Bool {
        switch self {
        case .received, .end, .lost: true
        default: false
        }
    }
}
