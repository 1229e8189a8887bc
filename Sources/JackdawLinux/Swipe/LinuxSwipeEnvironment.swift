public import JackdawReaders
internal import JackdawSystem
public import JackdawTransport
public import SwipeController

/// The jack of a sound card of this computer, or a simulated one, as a `PGSwipeController` is given it.
///
/// ```swift
/// let environment = try LinuxDevices().swipeEnvironment(LinkName(parsing: "alsa:hw:1,0"))
/// let controller = PGSwipeController(environment, delegate: self, audioReader: .autodetectOnConnect)
/// ```
public final class LinuxSwipeEnvironment: SwipeEnvironment {
    private struct State {
        /// The conversation that was opened last.
        var session: ReaderSession?
        var searches: [Int: Task<Result<ReaderSearchReport, LinkError>, Never>] = [:]
        var searchCount = 0
        var isClosed = false
    }

    private let link: LinkName
    private let jack: any ReaderJack
    private let attachment: JackAttachment
    private let volume: PlaybackVolume
    private let memory: ReaderMemory?
    private let makeIDynamos: @Sendable () -> AsyncStream<ReaderSession>
    private let state = SystemLock(State())

    init(
        _ link: LinkName, _ jack: any ReaderJack, _ attachment: JackAttachment, _ volume: PlaybackVolume,
        _ memory: ReaderMemory?,
        iDynamos: @escaping @Sendable () -> AsyncStream<ReaderSession> = { AsyncStream { nil } }
    ) {
        self.link = link
        self.jack = jack
        self.attachment = attachment
        self.volume = volume
        self.memory = memory
        makeIDynamos = iDynamos
    }

    /// Says whether something is in the jack, where that is not sensed; see ``JackSensing``.
    /// - Parameter isAttached: whether something is.
    public func setAttached(_ isAttached: Bool) { attachment.set(isAttached) }

    /// Whether something is in the audio jack.
    public func attachments() -> AsyncStream<Bool> { attachment.changes() }

    /// Opens the link to a reader on the audio jack. A UniMag counts as connected as soon as it tells that it has power: nothing
    /// is asked of it.
    public func open(_ type: AudioJackReaderType) async throws(LinkError) -> ReaderSession {
        guard let name = type.family, let family = ReaderFamily.named(name) else {
            throw LinkError(.unsupported, link: link.description, "there is no driver for \(type) readers")
        }
        guard !isClosed else { throw LinkError.closed(link.description) }
        let session = try await jack.open(family)
        let isKept = state.withLock { state in
            if !state.isClosed { state.session = session }
            return !state.isClosed
        }
        guard isKept else {
            await session.close()
            throw LinkError.closed(link.description)
        }
        return session
    }

    /// Finds out which reader is on the audio jack, the one first that was found there before. Where the card senses that nothing
    /// is in its microphone's socket while headphones are in theirs, nothing is looked for.
    public func search(
        for types: [AudioJackReaderType], mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport {
        let task: (number: Int, value: Task<Result<ReaderSearchReport, LinkError>, Never>)? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.searchCount += 1
            let task = Task { [self] in
                do throws(LinkError) {
                    return Result<ReaderSearchReport, LinkError>.success(
                        try await look(for: types.compactMap(\.family), mayPlayTones))
                } catch {
                    return .failure(error)
                }
            }
            state.searches[state.searchCount] = task
            return (state.searchCount, task)
        }
        guard let task else { throw LinkError.closed(link.description) }
        let result = await withTaskCancellationHandler {
            await task.value.value
        } onCancel: {
            task.value.cancel()
        }
        state.withLock { _ = $0.searches.removeValue(forKey: task.number) }
        return try result.get()
    }

    /// iDynamo readers at the link that was named for them; one that is lost is connected again.
    public func iDynamos() -> AsyncStream<ReaderSession> { makeIDynamos() }

    /// Whether everything that the card plays with is at its most. A card without levels is.
    public func isVolumeFull() async -> Bool { await volume.isFull() }

    /// Turns everything that the card plays with to its most, and on. What it was is put back by ``restoreVolume()``, at the end of
    /// the environment, and by the next program where this one is killed.
    public func raiseVolume() async -> Bool { await volume.raise() }

    /// Puts the levels back to what they were.
    public func restoreVolume() async { await volume.restore() }

    /// Lets go of the sound card: what is open is closed, a search is given up, and the volume is put back. Nothing can be opened
    /// any more. To be called before a program ends whose controller was shut down.
    public func close() async {
        let (session, searches) = state.withLock { state in
            state.isClosed = true
            defer { state.session = nil }
            return (state.session, Array(state.searches.values))
        }
        for search in searches { search.cancel() }
        for search in searches { _ = await search.value }
        await session?.close()
        await volume.close()
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func look(
        for names: [String], _ mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport {
        let (isDeaf, remembered) = try await onThread { [attachment, memory] in
            (attachment.isDeaf(), memory?.family())
        }
        guard !isDeaf else {
            return ReaderSearchReport(
                attempts: names.map {
                    ReaderSearchReport.Attempt($0, .notTried("nothing is in the microphone's socket"))
                })
        }
        let order = names.filter { $0 == remembered } + names.filter { $0 != remembered }
        let report = try await jack.search(order.compactMap { ReaderFamily.named($0) }, mayPlayTones: mayPlayTones)
        if let found = report.found, found != remembered {
            // Where that fails the next search takes longer.
            try? await onThread { [memory] in memory?.remember(found) }
        }
        return report
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws(LinkError) -> Value {
        do throws(SystemFailure) {
            return try await WorkerThread.run(name: "jackdaw-swipe", body)
        } catch {
            throw LinkError.system(error, link: link.description, "no thread to spare")
        }
    }
}
