import JackdawSystem
import JackdawTransport

/// Reports bytes that come over a link: how many, and with --reveal which.
///
/// The end of a swipe is unknown in it: what comes without a pause counts as one.
struct ByteTeller: Sendable {
    private struct Tally {
        var bytes = 0
        var bursts = 0
        var lastTime: Duration?
        var isEnough = false
        /// Why the link ended.
        var failure: LinkError?
        /// Waits for the end of the last burst.
        var silence: Task<Void, Never>?
    }

    /// A longer pause ends what counts as a swipe.
    static let pause = Duration.milliseconds(500)

    let output: LiveOutput
    let isRevealed: Bool
    /// After how many bursts it is enough; nil for no end.
    let most: Int?
    let clock: any Clock<Duration>
    private let elapsed: ElapsedClock
    private let tally = SystemLock(Tally())

    init(_ output: LiveOutput, isRevealed: Bool, most: Int?, clock: any Clock<Duration>) {
        self.output = output
        self.isRevealed = isRevealed
        self.most = most
        self.clock = clock
        elapsed = ElapsedClock(clock)
    }

    /// Whether anything has come.
    var hasReceived: Bool { tally.withLock { $0.bytes > 0 } }

    /// Receives over a link that does not come back.
    /// - Parameter connect: opens it.
    /// - Throws: why it could not be opened, or broke.
    func run(_ connect: () async throws(LinkError) -> any Transport) async throws(CommandError) {
        do throws(LinkError) {
            let session = try await connect()
            _ = await receive(session)
            await session.close()
        } catch {
            throw CommandError(error)
        }
        if let failure = tally.withLock({ $0.isEnough ? nil : $0.failure }) { throw CommandError(failure) }
    }

    /// Receives until the link ends or it has been enough.
    /// - Returns: whether more is wanted; the link is closed then.
    func receive(_ session: any Transport) async -> Bool {
        let (silence, bell) = AsyncStream.makeStream(of: Never.self)
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await take(session, bell) }
            tasks.addTask { for await _ in silence {} }
            await tasks.next()
            tasks.cancelAll()
        }
        let (waiting, isEnough) = tally.withLock { tally in
            if let most, tally.bursts >= most { tally.isEnough = true }
            defer { tally.silence = nil }
            return (tally.silence, tally.isEnough)
        }
        waiting?.cancel()
        if !isEnough { await session.close() }
        return !isEnough
    }

    /// Receives until the link ends.
    private func take(_ session: any Transport, _ bell: AsyncStream<Never>.Continuation) async {
        do throws(LinkError) {
            while true {
                var count = 0
                guard
                    try await session.receive({ bytes in
                        count = bytes.count
                        tell(bytes)
                    })
                else { break }
                note(count, bell)
                await output.waitForRoom()
            }
        } catch {
            // Why a link that is kept ended is an event of the link.
            if error.code != .cancelled { tally.withLock { $0.failure = error } }
        }
    }

    /// Counts what has come, and waits for the pause after the last of it.
    private func note(_ count: Int, _ bell: AsyncStream<Never>.Continuation) {
        let now = elapsed.now()
        let (isFirst, before, isLast, isOver) = tally.withLock { tally in
            let isFirst = tally.bytes == 0
            tally.bytes += count
            if tally.lastTime.map({ now - $0 >= Self.pause }) ?? true { tally.bursts += 1 }
            tally.lastTime = now
            defer { tally.silence = nil }
            // One that begins after the last one that is wanted is that one's end.
            let isOver = tally.bursts > most ?? .max
            if isOver { tally.isEnough = true }
            return (isFirst, tally.silence, tally.bursts >= most ?? .max, isOver)
        }
        before?.cancel()
        if isOver { bell.finish() }
        if isFirst, !isRevealed {
            output.message(
                "\(output.link): without --reader the bytes are only counted; name the reader's family to read cards "
                    + "(jackdaw devices lists them), or show the bytes with --reveal")
        }
        guard isLast, !isOver else { return }
        let silence = Task { [clock, tally] in
            guard (try? await clock.sleep(for: Self.pause)) != nil else { return }
            tally.withLock { $0.isEnough = true }
            bell.finish()
        }
        tally.withLock { $0.silence = silence }
    }

    private func tell(_ bytes: Span<UInt8>) {
        let digits = isRevealed ? bytes.indices.map { bytes[$0].hexadecimal }.joined() : nil
        var object = JSONObject()
        object.add("link", output.link.description)
        object.add("event", "received")
        object.add("count", bytes.count)
        object.add("bytes", digits)
        output.add(object, [digits ?? "received \(counted(bytes.count, "byte"))"], isData: isRevealed)
    }
}
