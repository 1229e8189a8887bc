import JackdawBytes
import JackdawTransport

/// Logs the bytes that a link receives: their number, and with `--reveal` the bytes.
///
/// The end of a swipe is not known: bytes without a pause count as one swipe.
struct ByteTeller: Sendable {
    private struct Tally {
        var bytes = 0
        var bursts = 0
        var lastTime: Duration?
        var isEnough = false
        /// The error that ended the link.
        var failure: LinkError?
        /// The timer that ends the last burst.
        var silence: Task<Void, Never>?
    }

    /// A pause of this length ends a burst.
    static let pause = Duration.milliseconds(500)

    let output: LiveOutput
    let isRevealed: Bool
    /// The number of bursts after which to end; nil for no limit.
    let most: Int?
    let clock: any Clock<Duration>
    private let elapsed: ElapsedClock
    private let tally = Lock(Tally())

    init(_ output: LiveOutput, isRevealed: Bool, most: Int?, clock: any Clock<Duration>) {
        self.output = output
        self.isRevealed = isRevealed
        self.most = most
        self.clock = clock
        elapsed = ElapsedClock(clock)
    }

    /// Whether any byte was received.
    var hasReceived: Bool { tally.withLock { $0.bytes > 0 } }

    /// Receives over a link that is opened only once.
    /// - Parameter connect: opens the link.
    /// - Throws: `CommandError` if the link could not be opened, or broke.
    func run(_ connect: () async throws(LinkError) -> any Transport) async throws(CommandError) {
        do throws(LinkError) {
            let session = try await connect()
            _ = await receive(session)
            await session.close()
        } catch {
            throw CommandError(opening: error)
        }
        if let failure = tally.withLock({ $0.isEnough ? nil : $0.failure }) { throw CommandError(failure) }
    }

    /// Receives until the link ends or the wanted number of bursts has come.
    /// - Returns: true if more is wanted; the link is closed in that case.
    func receive(_ session: any Transport) async -> Bool {
        let isDone = AsyncSignal()
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await take(session, isDone) }
            tasks.addTask { await isDone.wait(after: 0) }
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
    private func take(_ session: any Transport, _ isDone: AsyncSignal) async {
        do throws(LinkError) {
            while true {
                var count = 0
                guard
                    try await session.receive({ bytes in
                        count = bytes.count
                        tell(bytes)
                    })
                else { break }
                note(count, isDone)
                await output.waitForRoom()
            }
        } catch {
            // The error of a link that is kept open is also reported as an event of the link.
            if error.code != .cancelled { tally.withLock { $0.failure = error } }
        }
    }

    /// Counts received bytes; after the last wanted burst, starts the timer for the pause that ends it.
    private func note(_ count: Int, _ isDone: AsyncSignal) {
        let now = elapsed.now()
        let (isFirst, before, isLast, isOver) = tally.withLock { tally in
            let isFirst = tally.bytes == 0
            tally.bytes += count
            if tally.lastTime.map({ now - $0 >= Self.pause }) ?? true { tally.bursts += 1 }
            tally.lastTime = now
            defer { tally.silence = nil }
            // A burst that begins after the last wanted one shows that the last one has ended.
            let isOver = tally.bursts > most ?? .max
            if isOver { tally.isEnough = true }
            return (isFirst, tally.silence, tally.bursts >= most ?? .max, isOver)
        }
        before?.cancel()
        if isOver { isDone.send() }
        if isFirst, !isRevealed {
            output.message(
                "\(output.link): to read cards, give the reader's family with --reader (jackdaw devices lists "
                    + "them); to show the bytes, give --reveal; now they are only counted")
        }
        guard isLast, !isOver else { return }
        let silence = Task { [clock, tally] in
            guard (try? await clock.sleep(for: Self.pause)) != nil else { return }
            tally.withLock { $0.isEnough = true }
            isDone.send()
        }
        tally.withLock { $0.silence = silence }
    }

    private func tell(_ bytes: Span<UInt8>) {
        let digits = isRevealed ? bytes.indices.map { bytes[$0].lowercaseHexadecimal }.joined() : nil
        var object = JSONObject()
        object.add("link", output.link.description)
        object.add("event", "received")
        object.add("count", bytes.count)
        object.add("bytes", digits)
        output.add(object, [digits ?? "received \(counted(bytes.count, "byte"))"], isData: isRevealed)
    }
}
