import JackdawBytes

/// Replays a transcript instead of a device. The received bytes come again at their times, after the bytes that
/// preceded them have been sent again. The sent bytes must be equal to those of the transcript, in pieces of any size;
/// a different byte fails both directions with `badAnswer`, whose message has the entry and the offset of the byte. A
/// masked byte matches any sent byte; a masked received byte is delivered as an asterisk.
///
/// The link ends as the transcript does: in good order, or with the same error. A transcript that was cut off ends in
/// good order.
public final class ReplayTransport: Transport {
    /// The name of the replayed link.
    public let link: LinkName
    fileprivate let recordedLink: String
    private let state: ReplayState

    /// Creates a link at the beginning of a transcript.
    /// - Parameters:
    ///   - transcript: the transcript to replay.
    ///   - link: the name of the link.
    ///   - clock: measures the times of the transcript, from now on; nil replays without delays.
    public init(_ transcript: Transcript, link: LinkName, clock: (any Clock<Duration>)? = ContinuousClock()) {
        self.link = link
        recordedLink = transcript.header.link
        state = ReplayState(transcript, link.description, clock.map { ElapsedClock($0) })
    }

    /// Waits for the transcript's next received bytes and passes them to `take`.
    public func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        var bytes = try await state.receive()
        defer { bytes.wipe() }
        if !bytes.isEmpty { take(bytes.span) }
        return !bytes.isEmpty
    }

    /// Compares bytes with the transcript's sent bytes; never waits.
    public func send(_ bytes: [UInt8]) async throws(LinkError) { try await state.send(bytes) }

    /// Has no effect: the replay does not compare this event.
    public func endSending() async throws(LinkError) {}

    /// Closes the link, and fails pending calls with `disconnected`.
    public func close() async { await state.close() }
}

extension Transport {
    /// The name of the link to the device: that of the link itself, or that of a replay's transcript.
    package var deviceName: String { (self as? ReplayTransport)?.recordedLink ?? link.description }
}

/// The position of a replay in its transcript.
actor ReplayState {
    /// Bytes sent within this time of the transcript's end may be a farewell, for example after Ctrl-C, which a program
    /// does not send again.
    private static let farewell = Duration.seconds(2)
    /// How long after the transcript's end the replay waits for the program to send, if a received entry follows.
    private static let patience = Duration.seconds(10)
    /// The same time if only a farewell is missing.
    private static let farewellPatience = Duration.seconds(3)

    private let entries: [TranscriptEntry]
    private let link: String
    private let clock: ElapsedClock?
    /// How much later than in the transcript the last entry happened.
    private var delay = Duration.zero
    /// The next entry to be sent, or an earlier one, and the number of its bytes that were sent.
    private var nextSent = 0
    private var sentOffset = 0
    /// Index at or before the next entry to be received: ``receive(_:)`` skips the others.
    private var nextReceived = 0
    /// The error that ended the replay: the link was lost or closed, or the program sent different bytes.
    private var failure: LinkError?
    /// Sent when the replay has advanced or failed.
    private let change = AsyncSignal()

    init(_ transcript: Transcript, _ link: String, _ clock: ElapsedClock?) {
        entries = transcript.entries.map { entry in
            TranscriptEntry(time: min(entry.time, TranscriptReader.latestTime), event: entry.event)
        }
        self.link = link
        self.clock = clock
    }

    /// Number of tasks that wait for a change.
    var waitingCount: Int { change.waitingCount }

    /// The next received bytes; an empty array at the end.
    func receive() async throws(LinkError) -> [UInt8] {
        while true {
            guard !Task.isCancelled else { throw LinkError(.cancelled, link: link, "cancelled") }
            if let failure { throw failure }
            skipSent()
            while nextReceived < entries.count, !entries[nextReceived].event.isReceived { nextReceived += 1 }
            // The entry answers bytes that the program has not sent yet.
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
                throw LinkError(.cancelled, link: link, "cancelled", undelivered: left)
            }
            skipSent()
            guard nextSent < entries.count, case .sent(let expected) = entries[nextSent].event else {
                throw mismatch(0, left, "more bytes were sent than in the transcript")
            }
            for (byte, other) in zip(bytes[sent...], expected[sentOffset...]) {
                if let other, byte != other {
                    throw mismatch(sentOffset, bytes.count - sent, "other bytes were sent than in the transcript")
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
        change.send()
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

    private var end: Duration { entries.last?.time ?? .zero }

    /// Whether the next sent entry may be a farewell. A program sends no farewell to a device that ended the link.
    private var isFarewell: Bool {
        guard entries[nextSent].time >= end - Self.farewell else { return false }
        switch lastReceived {
        case .end, .lost: return false
        default: return true
        }
    }

    /// The last event that the device caused.
    private var lastReceived: TranscriptEntry.Event? { entries.last(where: \.event.isReceived)?.event }

    /// The time until which the replay waits for the program to send; nil without a clock.
    private var endOfWait: Duration? {
        guard clock != nil else { return nil }
        guard nextReceived < entries.count else { return end + delay }
        return end + delay + (isFarewell ? Self.farewellPatience : Self.patience)
    }

    /// Ends the wait for the program to send. The replay ends as the transcript does if only a farewell and its answer
    /// are left.
    /// - Returns: an empty array, which is the end of the link.
    private func endUnsent() throws(LinkError) -> [UInt8] {
        let hasMore = entries[nextReceived...].contains { if case .received = $0.event { true } else { false } }
        guard !hasMore || isFarewell else {
            throw mismatch(sentOffset, 0, "bytes of the transcript were not sent")
        }
        guard case .lost(let code)? = lastReceived else { return [] }
        throw loss(code)
    }

    private func loss(_ code: LinkError.Code) -> LinkError {
        let error = LinkError(code, link: link, "the link was lost, as in the transcript")
        fail(error)
        return error
    }

    /// Advances to the next entry that the program must send.
    private func skipSent() {
        while nextSent < entries.count, !entries[nextSent].event.isSent { nextSent += 1 }
    }

    private func mismatch(_ offset: Int, _ undelivered: Int, _ message: String) -> LinkError {
        let error = LinkError(
            .badAnswer, link: link, "\(message): entry \(min(nextSent, entries.count) + 1), byte \(offset)",
            remedy: "replay a transcript of the same commands")
        fail(error)
        return error.leaving(undelivered: undelivered)
    }

    private func fail(_ error: LinkError) {
        if failure == nil { failure = error }
        change.send()
    }

    /// Waits for a change, a time or the cancellation of the task. May return early.
    private func wait(until time: Duration?) async {
        guard let clock else { return await change.wait(after: change.count) }
        await change.wait(after: change.count, until: time, on: clock)
    }
}

extension TranscriptEntry.Event {
    /// Whether the event is in the direction to the device, and the replay compares it.
    fileprivate var isSent: Bool {
        switch self {
        case .sent, .unsent: true
        default: false
        }
    }

    /// Whether the event is in the direction from the device.
    fileprivate var isReceived: Bool {
        switch self {
        case .received, .end, .lost: true
        default: false
        }
    }
}
