public import JackdawTransport

/// The readers for chip cards of this computer, through pcscd (PC/SC).
///
/// Each call connects to pcscd and blocks no thread of Swift's pool. Errors are `LinkError`; the code of libpcsclite is
/// in `underlying`. `serviceMissing` means that pcscd is not installed or does not run.
public struct CardService: Sendable {
    private let calls: any PCSCCalls
    private let threads: CallThreads
    private let limits: CallLimits
    private let clock: any Clock<Duration>

    /// Creates a service; pcscd is asked with each call.
    public init() { self.init(calls: LibraryCalls()) }

    init(
        calls: any PCSCCalls, threads: CallThreads = .system, limits: CallLimits = CallLimits(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.calls = calls
        self.threads = threads
        self.limits = limits
        self.clock = clock
    }

    /// The readers, in the order of their numbers.
    /// - Throws: `LinkError` if pcscd does not run, or refuses this user, or if the task was cancelled.
    public func readers() async throws(LinkError) -> [CardReader] {
        guard let states = try await ReaderWait(calls, threads, limits).states(after: nil) else {
            throw LinkError(.cancelled, link: "pcsc", "cancelled")
        }
        return states.enumerated().map { CardReader(number: $0, $1) }
    }

    /// The readers, now and after each change: a card was inserted, removed, or is used by another program, or a
    /// reader was plugged in or out.
    ///
    /// The stream waits only while a task asks it for the next list, and reports a change between two lists at once: a
    /// card that was replaced by another one too.
    /// - Returns: lists, until the task is cancelled; throws `LinkError` if pcscd does not run or ends.
    public func readerChanges() -> AsyncThrowingStream<[CardReader], any Error> {
        let known = Lock<[ReaderStatus]?>(nil)
        return AsyncThrowingStream { [calls, threads, limits] in
            let states = try await ReaderWait(calls, threads, limits).states(after: known.withLock { $0 })
            known.withLock { $0 = states }
            return states?.enumerated().map { CardReader(number: $0, $1) }
        }
    }

    /// Opens a link to the card in a reader. The card is powered if it was not. Other programs that have connected to
    /// the card wait until the link is closed: the link has a transaction.
    /// - Parameter link: `pcsc:` and the name of a reader, a part of it that no other reader has, or its number in
    ///   ``readers()``; case is ignored.
    /// - Returns: the link.
    /// - Throws: `LinkError` with the cause and a remedy: `notFound` if there is no such reader, or no card in it;
    ///   `busy` if another program uses the card alone, or has a transaction for more than 10 s; `cancelled`
    ///   if the task was cancelled.
    public func connect(to link: LinkName) async throws(LinkError) -> CardLink {
        guard link.scheme == .pcsc else {
            throw LinkError(
                .badName, link: link.description, "not the name of a card reader", remedy: "name one: pcsc:0")
        }
        let session = try CardSession(link, calls, threads, limits, clock)
        return CardLink(link, reader: try await session.opened(), session)
    }
}
