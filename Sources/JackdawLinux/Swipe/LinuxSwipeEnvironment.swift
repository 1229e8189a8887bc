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
    /// Work that is waited for at the end.
    private struct UnderWay {
        let cancel: @Sendable () -> Void
        let wait: @Sendable () async -> Void
    }

    private struct State {
        /// The conversation that was opened last, while somebody has it.
        weak var session: ReaderSession?
        var underWay: [Int: UnderWay] = [:]
        var workCount = 0
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
        return try await perform { [self] () throws(LinkError) in
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
    }

    /// Finds out which reader is on the audio jack, the one first that was found there before. Where the card senses that nothing
    /// is in its microphone's socket while headphones are in theirs, nothing is looked for.
    public func search(
        for types: [AudioJackReaderType], mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport {
        try await perform { [self] () throws(LinkError) in try await look(for: types.compactMap(\.family), mayPlayTones)
        }
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

    /// Lets go of the sound card: what is open or is being opened is closed, a search is given up, and the volume is put back.
    /// Nothing can be opened any more. To be called before a program ends whose controller was shut down.
    public func close() async {
        let (session, underWay) = state.withLock { state in
            state.isClosed = true
            return (state.session, Array(state.underWay.values))
        }
        for work in underWay { work.cancel() }
        for work in underWay { await work.wait() }
        await session?.close()
        await volume.close()
    }

    /// Works in a task of its own, which the end waits for, and waits for it.
    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(LinkError) -> Value
    ) async throws(LinkError) -> Value {
        guard let work = begin(body) else { throw LinkError.closed(link.description) }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        return try result.get()
    }

    /// Begins such a task.
    /// - Returns: the task; nil behind the end.
    @discardableResult
    private func begin<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(LinkError) -> Value
    ) -> Task<Result<Value, LinkError>, Never>? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.workCount += 1
            let number = state.workCount
            let task = Task { [self] in
                let result: Result<Value, LinkError>
                do throws(LinkError) {
                    result = .success(try await body())
                } catch {
                    result = .failure(error)
                }
                self.state.withLock { _ = $0.underWay.removeValue(forKey: number) }
                return result
            }
            state.underWay[number] = UnderWay(cancel: { task.cancel() }, wait: { _ = await task.value })
            return task
        }
    }

    private func look(
        for names: [String], _ mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport {
        let (isDeaf, remembered) = try await WorkerThread.run(name: "jackdaw-swipe", for: link) {
            [attachment, memory] in
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
        if let memory, let found = report.found, found != remembered {
            // Another process may be at the files: what was found is told meanwhile.
            begin { () throws(LinkError) in await WorkerThread.finish(name: "jackdaw-swipe") { memory.remember(found) }
            }
        }
        return report
    }
}
