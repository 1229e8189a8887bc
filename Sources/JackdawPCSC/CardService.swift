internal import JackdawSystem
public import JackdawTransport

/// The readers for chip cards of this computer, through pcscd (PC/SC).
///
/// Each call connects to pcscd and blocks no thread of Swift's pool. Errors are `LinkError`; the code of libpcsclite is
/// in `underlying`. `serviceMissing` means that pcscd is not installed or does not run.
public struct CardService: Sendable {
    private let calls: any PCSCCalls

    /// Access to the readers of this computer.
    public init() { self.init(calls: LibraryCalls()) }

    init(calls: any PCSCCalls) { self.calls = calls }

    /// The readers, in the order of their numbers.
    /// - Throws: `LinkError` if pcscd does not run, or refuses this user.
    public func readers() async throws(LinkError) -> [CardReader] {
        try await run("pcsc") { calls throws(PCSCFailure) in
            let context = try calls.establish()
            defer { calls.release(context) }
            var states = try calls.readerNames(context).map { ReaderStatus(name: $0) }
            // A state that the caller does not know is returned at once.
            if !states.isEmpty { try calls.waitForChange(context, &states, milliseconds: 0) }
            return states.enumerated().map { CardReader(number: $0, $1) }
        }
    }

    /// The readers, now and after each change: a card was inserted, removed, or is used by another program, or a
    /// reader was plugged in or out.
    ///
    /// The stream waits only while a task asks it for the next list, and reports a change between two lists at once: a
    /// card that was replaced by another one too.
    /// - Returns: lists, until the task is cancelled; throws `LinkError` if pcscd does not run or ends.
    public func readerChanges() -> AsyncThrowingStream<[CardReader], any Error> {
        let known = Lock<[ReaderStatus]?>(nil)
        return AsyncThrowingStream { [calls] in
            let states = try await ReaderWait(calls).states(after: known.withLock { $0 })
            known.withLock { $0 = states }
            return states?.enumerated().map { CardReader(number: $0, $1) }
        }
    }

    /// Opens a link to the card in a reader. The card is shared with other programs, and is powered if it was not.
    /// - Parameter link: `pcsc:` and the name of a reader, a part of it that no other reader has, or its number in
    ///   ``readers()``; case is ignored.
    /// - Returns: the link.
    /// - Throws: `LinkError` with the cause and a remedy: `notFound` if there is no such reader, or no card in it.
    public func connect(to link: LinkName) async throws(LinkError) -> CardLink {
        guard link.scheme == .pcsc else {
            throw LinkError(
                .badName, link: link.description, "not the name of a card reader", remedy: "name one: pcsc:0")
        }
        let connection = try await WorkerThread.run(name: "jackdaw-card", for: link) {
            [calls] () throws(LinkError) in try CardConnection(link, calls)
        }
        return CardLink(link, connection)
    }

    /// Runs calls on a thread of their own.
    private func run<Value: Sendable>(
        _ link: String, _ body: @escaping @Sendable (any PCSCCalls) throws(PCSCFailure) -> Value
    ) async throws(LinkError) -> Value {
        let result: Result<Value, PCSCFailure>
        do throws(SystemFailure) {
            result = try await WorkerThread.run(name: "jackdaw-card") { [calls] in
                Result { () throws(PCSCFailure) in try body(calls) }
            }
        } catch {
            throw LinkError.system(error, link: link, "no thread can be created")
        }
        do throws(PCSCFailure) { return try result.get() } catch { throw LinkError(error, link: link) }
    }
}
