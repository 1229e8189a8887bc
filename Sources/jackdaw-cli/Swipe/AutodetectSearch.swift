import JackdawLinux
import JackdawReaders
import JackdawTransport
import SwipeController

/// Detects the reader on a jack with a swipe controller.
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

    /// Runs the search to its end, and then frees the jack and restores the volume.
    /// - Parameter clock: measures times.
    /// - Returns: the report and whether the reader could be powered up; nil if nothing is plugged in.
    /// - Throws: `CommandError` if the jack cannot be used.
    func run(clock: any Clock<Duration>) async throws(CommandError) -> (ReaderSearchReport, isActivated: Bool)? {
        // Takes effect only on a card without jack detection.
        environment.setAttached(true)
        for await isAttached in environment.attachments() {
            guard !isAttached else { break }
            return nil
        }
        let telling = TellingEnvironment(base: environment)
        let listener = AutodetectListener(telling, conversation, link)
        let controller = PGSwipeController(
            telling, delegate: listener, audioReader: .autodetectOnConnect, interaction: interaction,
            executor: .immediate, clock: clock)
        let outcome = await listener.outcomes.first { _ in true }
        let report = controller.autodetectReport
        controller.shutdown()
        await environment.close()
        if let failure = outcome?.failure { throw CommandError(failure) }
        return (report ?? ReaderSearchReport(), isActivated: outcome?.result != .fail)
    }
}

/// Waits for the result of autodetection, and reports the controller's warnings.
private final class AutodetectListener: PGSwipeDelegate {
    struct Outcome {
        let result: CardReaderAutodetectResult
        /// The reason why the sound card or the reader's link could not be opened, if that has ended the search.
        let failure: LinkError?
    }

    let outcomes: AsyncStream<Outcome>
    private let outcome: AsyncStream<Outcome>.Continuation
    private let environment: TellingEnvironment
    private let conversation: Conversation
    private let link: LinkName
    private let failure = Lock<LinkError?>(nil)

    init(_ environment: TellingEnvironment, _ conversation: Conversation, _ link: LinkName) {
        self.environment = environment
        self.conversation = conversation
        self.link = link
        (outcomes, outcome) = AsyncStream.makeStream()
    }

    func deviceAutodetectComplete(_ result: CardReaderAutodetectResult) {
        outcome.yield(Outcome(result: result, failure: failure.withLock { $0 }))
    }

    func swipeControllerWarning(_ warning: PGSwipeWarning) {
        guard warning.code == .linkFailed else { return conversation.message("\(link): \(warning)") }
        // Stored at once: later errors, such as an opening that the end of the search cancels, did not end the search.
        let failure = environment.failure
        self.failure.withLock { $0 = failure }
    }
}

/// Keeps the typed errors that a controller reports only as text.
private struct TellingEnvironment: SwipeEnvironment {
    let base: LinuxSwipeEnvironment
    private let held = Lock<LinkError?>(nil)

    init(base: LinuxSwipeEnvironment) { self.base = base }

    /// The last error; nil if there is none.
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
            // A cancellation means that the reader was unplugged.
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

/// The report of autodetection, for programs.
struct AutodetectReport {
    let link: LinkName
    let report: ReaderSearchReport
    /// Whether the reader was powered up.
    let isActivated: Bool
    /// The end of the search, since the beginning of 1970.
    let time: Duration

    var object: JSONObject {
        var object = JSONObject()
        object.add("link", link.description)
        object.add("found", report.found)
        object.add("activated", isActivated)
        object.add("seconds", report.duration / .seconds(1), decimals: 2)
        object.add("quiet_level", report.quietLevel, decimals: 1)
        object.add("attempts", report.attempts.map(Self.object))
        object.add(time: time)
        return object
    }

    private static func object(_ attempt: ReaderSearchReport.Attempt) -> JSONObject {
        var object = JSONObject()
        object.add("family", attempt.family)
        var (bytes, after, reason): (Int?, Duration?, String?)
        let outcome: String
        switch attempt.outcome {
        case .notTried(let text): (outcome, reason) = ("not_tried", text)
        case .notReached: outcome = "not_reached"
        case .silent: outcome = "silent"
        case .unknown(let count): (outcome, bytes) = ("unknown", count)
        case .answeredOnce(let time): (outcome, after) = ("answered_once", time)
        case .answered(let time): (outcome, after) = ("answered", time)
        case .heard: outcome = "heard"
        }
        object.add("outcome", outcome)
        object.add("tests", attempt.testCount)
        object.add("after", after.map { $0 / .seconds(1) }, decimals: 3)
        object.add("bytes", bytes)
        object.add("level", attempt.level, decimals: 1)
        object.add("reason", reason)
        return object
    }
}
