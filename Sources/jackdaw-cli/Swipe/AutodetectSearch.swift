import JackdawLinux
import JackdawReaders
import JackdawSystem
import JackdawTransport
import SwipeController

/// Lets a controller find out which reader is on a jack.
struct AutodetectSearch: Sendable {
    private let environment: LinuxSwipeEnvironment
    private let interaction: TerminalInteraction
    private let conversation: Conversation
    private let link: LinkName

    init(
        _ environment: LinuxSwipeEnvironment, _ interaction: TerminalInteraction, _ conversation: Conversation,
        _ link: LinkName
    ) {
        self.environment = environment
        self.interaction = interaction
        self.conversation = conversation
        self.link = link
    }

    /// Runs it to its end; the jack is free again and the volume as it was.
    /// - Parameter clock: measures times.
    /// - Returns: what was found and whether it could be powered up; nil where nothing is plugged in.
    /// - Throws: ``CommandError`` where the jack cannot be used.
    func run(clock: any Clock<Duration>) async throws(CommandError) -> (ReaderSearchReport, isActivated: Bool)? {
        // Counts where the card senses nothing.
        environment.setAttached(true)
        for await isAttached in environment.attachments() {
            guard !isAttached else { break }
            return nil
        }
        let telling = TellingEnvironment(base: environment)
        let listener = AutodetectListener(conversation, link)
        let controller = PGSwipeController(
            telling, delegate: listener, audioReader: .autodetectOnConnect, interaction: interaction,
            executor: .immediate, clock: clock)
        let result = await listener.results.first { _ in true }
        let report = controller.autodetectReport
        controller.shutdown()
        await environment.close()
        if let failure = telling.failure { throw CommandError(failure) }
        return (report ?? ReaderSearchReport(), isActivated: result != .fail)
    }
}

/// Waits for what autodetection has found, and tells what is in its way.
private final class AutodetectListener: PGSwipeDelegate {
    let results: AsyncStream<CardReaderAutodetectResult>
    private let result: AsyncStream<CardReaderAutodetectResult>.Continuation
    private let conversation: Conversation
    private let link: LinkName

    init(_ conversation: Conversation, _ link: LinkName) {
        self.conversation = conversation
        self.link = link
        (results, result) = AsyncStream.makeStream()
    }

    func deviceAutodetectComplete(_ result: CardReaderAutodetectResult) { self.result.yield(result) }

    func swipeControllerWarning(_ warning: PGSwipeWarning) {
        // What has failed is told at the end.
        if warning.code != .linkFailed { conversation.message("\(link): \(warning)") }
    }
}

/// Keeps what a controller is only told in words.
private struct TellingEnvironment: SwipeEnvironment {
    let base: LinuxSwipeEnvironment
    private let held = SystemLock<LinkError?>(nil)

    init(base: LinuxSwipeEnvironment) { self.base = base }

    /// What was in the way; nil for nothing.
    var failure: LinkError? { held.withLock { $0 } }

    func open(_ type: AudioJackReaderType) async throws(LinkError) -> ReaderSession {
        do throws(LinkError) {
            return try await base.open(type)
        } catch {
            held.withLock { $0 = error }
            throw error
        }
    }

    func search(
        for types: [AudioJackReaderType], mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport {
        do throws(LinkError) {
            return try await base.search(for: types, mayPlayTones: mayPlayTones)
        } catch {
            // Given up: what was searched for was pulled out.
            if error.code != .cancelled { held.withLock { $0 = error } }
            throw error
        }
    }

    func attachments() -> AsyncStream<Bool> { base.attachments() }
    func iDynamos() -> AsyncStream<ReaderSession> { base.iDynamos() }
    func isVolumeFull() async -> Bool { await base.isVolumeFull() }
    func raiseVolume() async -> Bool { await base.raiseVolume() }
    func restoreVolume() async { await base.restoreVolume() }
}
