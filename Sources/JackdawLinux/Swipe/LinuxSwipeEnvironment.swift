internal import JackdawALSA
public import JackdawReaders
internal import JackdawSystem
public import JackdawTransport
public import SwipeController

/// The environment of a `PGSwipeController`: the jack of a sound card of this computer, or a simulated one.
///
/// ```swift
/// let environment = try LinuxDevices().swipeEnvironment(LinkName(parsing: "alsa:hw:1,0"))
/// let controller = PGSwipeController(environment, delegate: self, audioReader: .autodetectOnConnect)
/// ```
public final class LinuxSwipeEnvironment: SwipeEnvironment {
    /// Work that ``close()`` cancels and waits for.
    private struct UnderWay {
        let cancel: @Sendable () -> Void
        let wait: @Sendable () async -> Void
    }

    private struct State {
        /// The last opened session, while its user keeps it.
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
    private let state = Lock(State())

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

    /// Reports whether something is in the jack, if the card does not detect that; see ``JackSensing``.
    /// - Parameter isAttached: whether something is in the jack.
    public func setAttached(_ isAttached: Bool) { attachment.set(isAttached) }

    /// A stream of whether something is in the audio jack.
    public func attachments() -> AsyncStream<Bool> { attachment.changes() }

    /// Opens a session with a reader on the audio jack. A UniMag counts as connected as soon as it reports power,
    /// because the driver sends it no requests.
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

    /// Searches for the reader on the audio jack, starting with the family that was found there last. Does not search
    /// if the card detects an empty microphone socket while a plug is in the headphone socket.
    public func search(
        for types: [AudioJackReaderType], mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport {
        try await perform { [self] () throws(LinkError) in try await look(for: types.compactMap(\.family), mayPlayTones)
        }
    }

    /// Sessions of iDynamo readers at the configured link; a lost reader is connected again.
    public func iDynamos() -> AsyncStream<ReaderSession> { makeIDynamos() }

    /// Whether all of the card's playback levels are at the maximum; true for a card without levels.
    public func isVolumeFull() async -> Bool { await volume.isFull() }

    /// Sets all of the card's playback levels to the maximum, and switches them on. ``restoreVolume()`` restores them,
    /// as do the end of the environment and, if this program is killed, the next one.
    public func raiseVolume() async -> Bool { await volume.raise() }

    /// Restores the playback levels from before ``raiseVolume()``.
    public func restoreVolume() async { await volume.restore() }

    /// Releases the sound card: closes the open session, cancels any opening or search, and restores the volume. No
    /// session can be opened afterwards. Call it before the program ends, after the controller's shutdown.
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

    /// Runs the body in a task of its own, which ``close()`` waits for, and waits for it.
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

    /// Begins a task that ``close()`` cancels and waits for.
    /// - Returns: the task; nil after ``close()``.
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
                    ReaderSearchReport.Attempt($0, .notTried("nothing is plugged into the microphone jack"))
                })
        }
        let order = names.filter { $0 == remembered } + names.filter { $0 != remembered }
        let report = try await jack.search(order.compactMap { ReaderFamily.named($0) }, mayPlayTones: mayPlayTones)
        if let memory, let found = report.found, found != remembered {
            // In the background, because another process may have locked the files, and the result must not wait.
            begin { () throws(LinkError) in await WorkerThread.finish(name: "jackdaw-swipe") { memory.remember(found) }
            }
        }
        return report
    }
}

extension LinuxDevices {
    /// Makes the environment of a `PGSwipeController`: the jack of a sound card, or a simulated one.
    /// - Parameters:
    ///   - link: `alsa:` and the card's name; or `sim:unimag`, `sim:ips` or `sim:ipsenterprise` for a simulated reader
    ///     that is always attached, with a deck of test cards, and `sim:none` for a device that never answers.
    ///   - attachment: the way to determine whether something is in the jack.
    ///   - iDynamo: the link of an iDynamo: `pty:/dev/ttyACM0`, `tcp:` or `sim:magtek`; nil without one.
    ///   - profiles: values that replace those of families, at most one profile for each. A family of which too little
    ///     is known is not searched for without one, and cannot be opened.
    ///   - ciphers: encrypt the swipes of simulated readers, by the names of their families (`magtek` for iDynamo);
    ///     readers without one send tracks in clear. `SwipeEncryptor.byFamily` makes the ciphers from a key that is
    ///     published for tests.
    ///   - memory: the place that stores which reader was found at the card. Simulated readers are not stored.
    ///   - clock: measures the readers' times.
    /// - Returns: the environment; nothing is open yet.
    /// - Throws: `LinkError` with code `unsupported` if the link does not lead to a jack.
    public func swipeEnvironment(
        _ link: LinkName, attachment: JackSensing = .automatic, iDynamo: LinkName? = nil,
        profiles: [ReaderProfile] = [], ciphers: [String: any SwipeCipher] = [:], memory: SwipeMemory = .standard,
        clock: any Clock<Duration> = SuspendingClock()
    ) throws(LinkError) -> LinuxSwipeEnvironment {
        let own = Dictionary(profiles.map { ($0.family, $0) }) { first, _ in first }
        let iDynamos: @Sendable () -> AsyncStream<ReaderSession> = { [self] in
            guard let iDynamo, let family = ReaderFamily.named("magtek") else { return AsyncStream { nil } }
            return KeptReaders.sessions(
                { () throws(ReaderError) in try family.makeDialect(own[family.name]) }, clock: clock
            ) { () async throws(LinkError) in
                try await iDynamo.scheme == .sim
                    ? SimulatedLinks.open(iDynamo, cipher: ciphers[iDynamo.address], clock: clock)
                    : connect(iDynamo)
            }
        }
        switch link.scheme {
        case .alsa:
            let sensed = JackAttachment(attachment) { [self] () throws(LinkError) in try jacks(link) }
            let volume = PlaybackVolume { [self] () throws(LinkError) in try mixer(link) }
            return LinuxSwipeEnvironment(
                link, SoundCardJack(link: link, profiles: own, clock: clock), sensed, volume,
                ReaderMemory(memory) { SoundCards.identity(of: link) }, iDynamos: iDynamos)
        case .sim:
            guard let name = Self.simulatedJacks[link.address] else { throw Self.noJack(link) }
            let attachment = JackAttachment(attachment == .automatic ? .always : attachment) { nil }
            let jack = SimulatedJack(
                link: link, name: name, profiles: own, cipher: name.flatMap { ciphers[$0] }, clock: clock)
            return LinuxSwipeEnvironment(link, jack, attachment, PlaybackVolume { nil }, nil, iDynamos: iDynamos)
        case .wav, .rfcomm, .ble, .tcp, .pty, .pcsc, .record, .replay: throw Self.noJack(link)
        }
    }

    /// The families of the readers in simulated jacks, by the addresses of the jacks.
    private static let simulatedJacks: [String: String?] = {
        var jacks: [String: String?] = ["none": String?.none]
        for family in AudioJackReaderType.allCases.compactMap(\.family) { jacks[family] = .some(family) }
        return jacks
    }()

    private static func noJack(_ link: LinkName) -> LinkError {
        LinkError(
            .unsupported, link: link.description, "has no audio jack",
            remedy: "name a sound card, alsa:hw:1,0, or a simulated reader, "
                + simulatedJacks.keys.sorted().map { "sim:\($0)" }.joined(separator: ", "))
    }
}

extension SoundCards {
    /// The identity of the card that a link names, independent of its present number; the link's address if the card is
    /// not found.
    fileprivate static func identity(of link: LinkName) -> String {
        let name = StreamConfiguration(device: link.address).card
        let wanted = name.hasPrefix("hw:") ? String(name.dropFirst(3)) : name
        guard let cards = try? SoundCards(probing: false).cards,
            let card = cards.first(where: { $0.id == wanted || String($0.number) == wanted })
        else { return link.address }
        return "\(card.id) \(card.longName)"
    }
}

/// Reconnects readers with back-off.
enum KeptReaders {
    /// A session for each connection of a reader.
    /// - Parameters:
    ///   - dialect: makes the protocol of the reader's family.
    ///   - backOff: the waits after a reader was lost, or not found.
    ///   - clock: measures the waits and the reader's times.
    ///   - connect: opens the reader's link.
    /// - Returns: sessions that have not started. The stream ends if the link can never be opened.
    static func sessions(
        _ dialect: @escaping @Sendable () throws(ReaderError) -> any ReaderDialect, backOff: BackOff = BackOff(),
        clock: any Clock<Duration>, _ connect: @escaping @Sendable () async throws(LinkError) -> any Transport
    ) -> AsyncStream<ReaderSession> {
        let (stream, sessions) = AsyncStream<ReaderSession>.makeStream()
        let task = Task {
            let elapsed = ElapsedClock(clock)
            var random = SystemRandomNumberGenerator()
            var wait: Duration?
            while !Task.isCancelled, let dialect = try? dialect() {
                let began = elapsed.now()
                do throws(LinkError) {
                    let end = AsyncSignal()
                    let transport = EndingTransport(base: try await connect(), end: end)
                    guard case .enqueued = sessions.yield(ReaderSession(transport, dialect, clock: clock)) else {
                        await transport.close()
                        break
                    }
                    await end.wait(after: 0)
                    if elapsed.now() - began >= backOff.steadyAfter { wait = nil }
                } catch {
                    // The permissions of a new device are set a moment after it appears.
                    guard error.code.mayPass || error.code == .notPermitted else { break }
                }
                let next = backOff.wait(after: wait)
                wait = next
                let deadline = elapsed.now() + backOff.shortened(next, using: &random)
                guard (try? await elapsed.sleep(deadline)) != nil else { break }
            }
            sessions.finish()
        }
        sessions.onTermination = { _ in task.cancel() }
        return stream
    }
}

/// A link that signals its end.
private struct EndingTransport: Transport {
    let base: any Transport
    let end: AsyncSignal

    var link: LinkName { base.link }
    var executor: (any TaskExecutor)? { base.executor }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        do throws(LinkError) {
            guard try await base.receive(take) else {
                end.send()
                return false
            }
            return true
        } catch {
            if error.code != .cancelled { end.send() }
            throw error
        }
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }
    func endSending() async throws(LinkError) { try await base.endSending() }

    func close() async {
        await base.close()
        end.send()
    }
}
