import JackdawDecryption
import JackdawReaders
import JackdawSystem
import JackdawTransport

/// Has a reader wait for cards, again and again, and reports its events.
struct CardListener: Sendable {
    /// The results so far, of all the times that the reader was connected.
    private struct Tally {
        var swipes = 0
        /// Whether a reader of the family has told who it is.
        var hasAnswered = false
        /// Why the conversation ended last.
        var failure: CommandError?
        /// Whether a swipe was decrypted.
        var hasDecrypted = false
        /// Why a swipe was not.
        var decryptionFailure: DecryptionError?
        /// Whether it ended because no more of it can be kept.
        var isTranscriptFull = false
    }

    let link: LinkName
    /// How the reader's family speaks.
    let dialect: any ReaderDialect
    let output: LiveOutput
    let isRevealed: Bool
    /// After how many swipes it is enough; nil for no end.
    let most: Int?
    let clock: any Clock<Duration>
    /// Decrypts swipes; nil without a key.
    let decryption: LiveDecryption?
    private let tally = SystemLock(Tally())

    /// - Throws: ``CommandError`` if a part of the family's protocol is missing.
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
        self.isRevealed = isRevealed
        self.most = most
        self.clock = clock
        self.decryption = decryption
    }

    /// Whether a swipe was read, and decrypted if there is a key.
    var hasRead: Bool { tally.withLock { decryption == nil ? $0.swipes > 0 : $0.hasDecrypted } }

    /// Whether a swipe was read, decrypted or not.
    var hasSwipe: Bool { tally.withLock { $0.swipes > 0 } }

    /// How long a reader is to wait for a card each time, where its family allows that.
    private static let wait = Duration.seconds(20)
    /// How long it is left alone after something has failed, so that one that refuses is not asked without end.
    private static let pause = Duration.seconds(1)

    /// Listens over a link that does not come back.
    /// - Parameter connect: opens it.
    /// - Returns: how it ended.
    /// - Throws: why it could not be opened, or ended with nothing read.
    func run(_ connect: () async throws(LinkError) -> any Transport) async throws(CommandError) -> ExitStatus {
        let transport: any Transport
        do throws(LinkError) {
            transport = try await connect()
        } catch {
            throw CommandError(error)
        }
        _ = await converse(over: transport) { tell($0) }
        await transport.close()
        return try outcome()
    }

    /// Listens over a link that is opened again whenever it is lost.
    /// - Parameters:
    ///   - listener: keeps it.
    ///   - system: opens it.
    /// - Returns: how it ended.
    /// - Throws: why there is no use in trying.
    func run(_ listener: ReaderListener, _ system: BluetoothSystem) async throws(CommandError) -> ExitStatus {
        try await listener.run(system) { session in
            await converse(over: session) { event in
                // The listener reports losses, and the next try.
                if case .lost = event { return }
                tell(event)
            }
        }
        return try outcome()
    }

    /// Listens until the link ends or it has been enough.
    /// - Returns: whether the reader is to be connected again; where it is not, the link is the caller's to close.
    private func converse(over transport: any Transport, _ tell: (ReaderEvent) -> Void) async -> Bool {
        let wait = min(max(Self.wait, dialect.times.swipe.lowerBound), dialect.times.swipe.upperBound)
        let session = ReaderSession(transport, dialect, clock: clock)
        await session.perform(.connect)
        var hasFailed = false
        var isEnough = false
        var isLost = false
        events: for await event in session.events {
            // The end of a transcript is no loss.
            if link.isTranscript, case .lost(nil) = event { break events }
            tell(event)
            await output.waitForRoom()
            switch event {
            case .connected: tally.withLock { $0.hasAnswered = true }
            case .ready:
                if hasFailed { try? await clock.sleep(for: Self.pause) }
                hasFailed = false
                await session.perform(.requestSwipe(within: wait))
            case .swipe:
                isEnough = tally.withLock { tally in
                    tally.swipes += 1
                    return tally.swipes == most
                }
                if isEnough { break events }
            case .failed(let error):
                hasFailed = true
                // Switched off, it will not be ready again; and swipes that it does not hand out do not come.
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
        // One that was lost may be there the next time, also before it has said anything.
        guard !isEnough, isLost || tally.withLock({ $0.hasAnswered }) else { return false }
        await session.close()
        return true
    }

    /// Tells a reader that waits for a card to wait no more; one that does not answer is not waited for long.
    private func disarm(_ session: ReaderSession) async {
        guard [.arming, .armed].contains(await session.state) else { return }
        // In a task of its own, because the one that listens may be cancelled.
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
        let report = ReaderEventReport(link: link, event: event, isRevealed: isRevealed)
        output.add(report.json, report.lines, isData: report.isData)
        if case .swipe(let swipe) = event, let decryption { tell(swipe, by: decryption) }
    }

    /// Reports a swipe in clear, or why it was not decrypted.
    private func tell(_ swipe: ReaderSwipe, by decryption: LiveDecryption) {
        do throws(DecryptionError) {
            let report = try decryption.report(on: swipe)
            tally.withLock { $0.hasDecrypted = true }
            output.add(report.event(link), report.lines(link), isData: true)
        } catch {
            tally.withLock { $0.decryptionFailure = error }
            output.add(error.event(link), ["\(link.shown): not decrypted: \(error)"], isData: true)
        }
    }
}

extension LinkName {
    /// Whether the link can be opened again after a loss or a failure: a simulated reader in this process, a transcript and a
    /// sound file cannot.
    var canComeBack: Bool {
        switch scheme {
        case .sim, .replay, .wav: false
        case .record: recording?.link.canComeBack ?? false
        case .alsa, .rfcomm, .ble, .tcp, .pty: true
        }
    }

    /// Whether it is a transcript that is played back.
    var isTranscript: Bool { scheme == .replay || recording?.link.scheme == .replay }

    /// The family of the reader that is simulated at the link; nil where it leads to no such reader.
    var simulatedFamily: ReaderFamily? {
        scheme == .sim ? ReaderFamily.named(address) : recording?.link.simulatedFamily
    }
}
