internal import JackdawALSA
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

extension LinuxDevices {
    /// What a `PGSwipeController` is made with: the jack of a sound card, or a simulated one.
    /// - Parameters:
    ///   - link: `alsa:` and the card's name; or `sim:unimag`, `sim:ips` or `sim:ipsenterprise` for a reader that is simulated
    ///     and always attached, with a deck of test cards, and `sim:none` for something that never answers.
    ///   - attachment: how it is known whether something is in the jack.
    ///   - iDynamo: where an iDynamo is: `pty:/dev/ttyACM0`, `tcp:` or `sim:magtek`; nil for none.
    ///   - profiles: values in the place of those of families, one for each at most. A family of which too little is known is not
    ///     looked for without one, and cannot be opened.
    ///   - ciphers: what simulated readers encrypt swipes with, by the names of their families (`magtek` for iDynamo); those
    ///     without one send tracks in clear. `SwipeEncryptor.byFamily` makes them of a key that is published for tests.
    ///   - memory: where it is remembered which reader was found at the card. Nothing is remembered of simulated ones.
    ///   - clock: what readers' times are measured with.
    /// - Returns: the environment; nothing is open yet.
    /// - Throws: `LinkError` with code `unsupported` where the link leads to no jack.
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
        case .wav, .rfcomm, .ble, .tcp, .pty, .record, .replay: throw Self.noJack(link)
        }
    }

    /// The families of the readers in simulated jacks, by the addresses of these.
    private static let simulatedJacks: [String: String?] = [
        "unimag": "unimag", "ips": "ips", "ipsenterprise": "ipsenterprise", "none": String?.none,
    ]

    private static func noJack(_ link: LinkName) -> LinkError {
        LinkError(
            .unsupported, link: link.description, "leads to no audio jack",
            remedy: "name a sound card, alsa:hw:1,0, or a simulated reader, "
                + simulatedJacks.keys.sorted().map { "sim:\($0)" }.joined(separator: ", "))
    }
}

extension SoundCards {
    /// Who the card is that a link leads to, whatever number it has at the moment; the link's address where that is not known.
    fileprivate static func identity(of link: LinkName) -> String {
        let name = StreamConfiguration(device: link.address).card
        let wanted = name.hasPrefix("hw:") ? String(name.dropFirst(3)) : name
        guard let cards = try? SoundCards(probing: false).cards,
            let card = cards.first(where: { $0.id == wanted || String($0.number) == wanted })
        else { return link.address }
        return "\(card.id) \(card.longName)"
    }
}

/// Connects readers again and again, as they come and go.
enum KeptReaders {
    /// A conversation for each time that a reader is there.
    /// - Parameters:
    ///   - dialect: makes how it speaks.
    ///   - backOff: how long to wait after a reader was lost, or not found.
    ///   - clock: what that and the reader's times are measured with.
    ///   - connect: opens its link.
    /// - Returns: conversations that are not begun. Ends where the link can never be opened.
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
                    let (end, bell) = AsyncStream<Never>.makeStream()
                    let transport = EndingTransport(base: try await connect(), bell: bell)
                    guard case .enqueued = sessions.yield(ReaderSession(transport, dialect, clock: clock)) else {
                        await transport.close()
                        break
                    }
                    for await _ in end {}
                    if elapsed.now() - began >= backOff.steadyAfter { wait = nil }
                } catch {
                    // A device that has just come gets its rights a moment later.
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

/// A link that tells when it is over.
private struct EndingTransport: Transport {
    let base: any Transport
    let bell: AsyncStream<Never>.Continuation

    var link: LinkName { base.link }
    var executor: (any TaskExecutor)? { base.executor }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        do throws(LinkError) {
            guard try await base.receive(take) else {
                bell.finish()
                return false
            }
            return true
        } catch {
            if error.code != .cancelled { bell.finish() }
            throw error
        }
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }
    func endSending() async throws(LinkError) { try await base.endSending() }

    func close() async {
        await base.close()
        bell.finish()
    }
}
