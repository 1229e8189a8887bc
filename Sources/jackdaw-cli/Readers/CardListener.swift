import JackdawCryptography
import JackdawReaders
import JackdawSimulator
import JackdawTransport

/// Requests swipes from a reader one after the other, and reports its events.
struct CardListener: Sendable {
    /// The results so far, over all connections to the reader.
    private struct Tally {
        var swipes = 0
        /// Whether a reader of the family has identified itself.
        var hasAnswered = false
        /// The error that ended the last conversation.
        var failure: CommandError?
        /// Whether at least one swipe was decrypted.
        var hasDecrypted = false
        /// The last error of a decryption.
        var decryptionFailure: CryptographyError?
        /// Whether the last conversation ended because the transcript is full.
        var isTranscriptFull = false
    }

    let link: LinkName
    /// The protocol of the reader's family.
    let dialect: any ReaderDialect
    let output: LiveOutput
    let isRevealed: Bool
    /// The number of swipes after which to end; nil for no limit.
    let most: Int?
    let clock: any Clock<Duration>
    /// Decrypts swipes; nil without a key.
    let decryption: LiveDecryption?
    private let tally = Lock(Tally())
    private let lowBattery: LowBattery

    /// - Throws: `CommandError` that names the value that the family's protocol lacks.
    init(
        link: LinkName, family: ReaderFamily, profile: ReaderProfile, output: LiveOutput, isRevealed: Bool, most: Int?,
        clock: any Clock<Duration>, decryption: LiveDecryption? = nil
    ) throws(CommandError) {
        self.link = link
        do throws(ReaderError) {
            dialect = try family.makeDialect(profile)
        } catch {
            throw CommandError(.unavailable, "\(link): \(error)")
        }
        self.output = output
        lowBattery = LowBattery(link: link, output: output)
        self.isRevealed = isRevealed
        self.most = most
        self.clock = clock
        self.decryption = decryption
    }

    /// Whether a swipe was read, and decrypted if there is a key.
    var hasRead: Bool { tally.withLock { decryption == nil ? $0.swipes > 0 : $0.hasDecrypted } }

    /// Whether a swipe was read, decrypted or not.
    var hasSwipe: Bool { tally.withLock { $0.swipes > 0 } }

    /// The time that a reader waits for a card per request, if its family allows that.
    private static let wait = Duration.seconds(20)
    /// The pause after a failure, so that a reader that refuses is not asked without end.
    private static let pause = Duration.seconds(1)

    /// Listens over a link that is opened only once.
    /// - Parameter connect: opens the link.
    /// - Returns: the exit status.
    /// - Throws: `CommandError` if the link could not be opened, or ended without a swipe.
    func run(_ connect: () async throws(LinkError) -> any Transport) async throws(CommandError) -> ExitStatus {
        let transport: any Transport
        do throws(LinkError) {
            transport = try await connect()
        } catch {
            throw CommandError(opening: error)
        }
        _ = await converse(over: transport) { tell($0) }
        await transport.close()
        return try outcome()
    }

    /// Listens over a link that is opened again whenever it is lost.
    /// - Parameters:
    ///   - listener: keeps the link open.
    ///   - environment: opens the link.
    /// - Returns: the exit status.
    /// - Throws: `CommandError` if further attempts are useless.
    func run(_ listener: ReaderConnection, _ environment: CommandEnvironment) async throws(CommandError) -> ExitStatus {
        try await listener.run(environment, lowBattery: lowBattery) { session in
            await converse(over: session) { event in
                // The listener itself reports losses and the attempts after them.
                if case .lost = event { return }
                tell(event)
            }
        }
        return try outcome()
    }

    /// Listens until the link ends or the wanted number of swipes has come.
    /// - Returns: true if the reader must be connected again; if false, the caller closes the link.
    private func converse(over transport: any Transport, _ tell: (ReaderEvent) -> Void) async -> Bool {
        let wait = min(max(Self.wait, dialect.times.swipe.lowerBound), dialect.times.swipe.upperBound)
        let session = ReaderSession(transport, dialect, clock: clock)
        await session.perform(.connect)
        var hasFailed = false
        var isEnough = false
        var isLost = false
        events: for await event in session.events {
            // The end of a transcript is not a loss.
            if link.isTranscript, case .lost(nil) = event { break events }
            if case .swipe = event {
                // Counted first: a swipe that was printed is never reported as missing if the time passes now.
                isEnough = tally.withLock { tally in
                    tally.swipes += 1
                    return tally.swipes == most
                }
            }
            tell(event)
            await output.waitForRoom()
            switch event {
            case .connected: tally.withLock { $0.hasAnswered = true }
            case .ready:
                if hasFailed { try? await clock.sleep(for: Self.pause) }
                hasFailed = false
                await session.perform(.requestSwipe(within: wait))
            case .swipe: if isEnough { break events }
            case .failed(let error):
                hasFailed = true
                // A reader that is off does not become ready again, and without support for swipe requests the wanted
                // number of swipes cannot come.
                let isInVain = most != nil && error.code == .unsupported
                guard await session.state == .off || isInVain else { continue }
                isEnough = isInVain
                tally.withLock { $0.failure = CommandError(.unavailable, "\(link): \(error)") }
                break events
            case .poweredDown: break events
            case .lost(let error):
                let failure =
                    error ?? LinkError(.disconnected, link: link.description, "the reader has ended the link")
                tally.withLock { tally in
                    tally.failure = CommandError(failure)
                    tally.isTranscriptFull = failure.code == .full
                }
                isLost = true
            default: break
            }
        }
        await disarm(session)
        // A lost reader may be back at the next attempt, even if it was lost before it sent anything.
        guard !isEnough, isLost || tally.withLock({ $0.hasAnswered }) else { return false }
        await session.close()
        return true
    }

    /// Cancels the swipe request of an armed reader, and waits a short time for the answer.
    private func disarm(_ session: ReaderSession) async {
        guard [.arming, .armed].contains(await session.state) else { return }
        // A task of its own, because the listening task may be cancelled.
        await Task { [clock] in
            await session.perform(.cancel)
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try? await clock.sleep(for: Self.pause) }
                tasks.addTask {
                    for await event in session.events {
                        switch event {
                        case .ready, .failed, .poweredDown, .lost: return
                        default: break
                        }
                    }
                }
                await tasks.next()
                tasks.cancelAll()
            }
        }.value
    }

    private func outcome() throws(CommandError) -> ExitStatus {
        let tally = tally.withLock { $0 }
        if let failure = tally.decryptionFailure, !tally.hasDecrypted { throw CommandError(failure) }
        if let failure = tally.failure, tally.swipes == 0 || tally.isTranscriptFull { throw failure }
        guard tally.swipes == 0 else { return .done }
        if !Task.isCancelled { output.message("\(link): nothing was read") }
        return .nothingFound
    }

    private func tell(_ event: ReaderEvent) {
        let time = output.wallClock.now()
        let report = ReaderEventReport(link: link, event: event, time: time, isRevealed: isRevealed)
        output.add(report.json, report.lines, isData: report.isData, time: time)
        lowBattery.receive(event)
        if case .swipe(let swipe) = event, let decryption { tell(swipe, at: time, by: decryption) }
    }

    /// Reports a swipe in clear, or why it could not be decrypted; both have the time of the swipe.
    private func tell(_ swipe: ReaderSwipe, at time: Duration, by decryption: LiveDecryption) {
        do throws(CryptographyError) {
            let report = try decryption.report(on: swipe, at: time)
            tally.withLock { $0.hasDecrypted = true }
            output.add(report.event(link), report.lines(link), isData: true, time: time)
        } catch {
            tally.withLock { $0.decryptionFailure = error }
            output.add(
                error.event(link), ["\(link.shown): not decrypted: \(error)"], isData: true, time: time)
        }
    }
}

extension LinkName {
    /// Whether the link can be opened again after a loss or a failure; a simulated reader in this process, a transcript
    /// and a sound file cannot.
    var canComeBack: Bool {
        switch scheme {
        case .sim, .replay, .wav: false
        case .record: recording?.link.canComeBack ?? false
        case .alsa, .rfcomm, .ble, .tcp, .pty, .pcsc: true
        }
    }

    /// The link itself, without a transcript around it.
    var carrier: LinkName { recording?.link ?? self }

    /// Whether it is a transcript that is played back.
    var isTranscript: Bool { scheme == .replay || recording?.link.scheme == .replay }

    /// The family of the reader that is simulated at the link; nil if the link leads to no simulated reader.
    var simulatedFamily: ReaderFamily? {
        guard scheme == .sim else { return recording?.link.simulatedFamily }
        return SimulatedFamily.named(address).flatMap { ReaderFamily.named($0.name) }
    }
}
