internal import JackdawBytes
internal import JackdawDSP
internal import JackdawReaders
internal import JackdawSystem
internal import JackdawTransport
internal import Synchronization

/// A search for the reader at a port, on threads of its own. It passes captured sound to the search, and plays the
/// search's signals.
final class SearchRun<Port: AudioPort & PlaybackPort>: Sendable where Port.Source == PoweredLine {
    private enum Outcome {
        case needsTones
        case finished(ReaderSearchReport)
    }

    /// Orders from tasks to the thread.
    private struct Orders {
        var mayPlayTones: Bool?
        var isStopped = false
    }

    private struct State: ~Copyable {
        var search: ReaderSearch
        var isWaiting = false
        /// The duration so far, without the wait for permission.
        var duration = Duration.zero
    }

    private let link: LinkName
    private let port: Port
    private let limit: Duration
    private let now: @Sendable () -> Duration
    private let state: Mutex<State>
    private let orders = Lock(Orders())

    /// Time limit of a search, without the time that the user takes to answer. A search whose card delivers sound ends
    /// earlier.
    static var usualLimit: Duration { .seconds(20) }

    /// - Parameters:
    ///   - link: the name of the port.
    ///   - port: captures the readers, on the first channel, and plays to them.
    ///   - candidates: the families to search for, in this order.
    ///   - limit: the time limit.
    ///   - clock: measures the time limit.
    init(
        _ link: LinkName, _ port: Port, _ candidates: [ReaderSearchCandidate], limit: Duration = usualLimit,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.link = link
        self.port = port
        self.limit = limit
        now = ElapsedClock(clock).now
        let rate = port.sampleRate
        state = Mutex(State(search: ReaderSearch(candidates, playbackRate: rate, captureRate: rate)))
    }

    /// Runs the search.
    /// - Parameters:
    ///   - isLive: whether sound goes on during the wait for permission.
    ///   - mayPlayTones: asks whether tones may be played; called at most once.
    /// - Returns: the report of the search.
    /// - Throws: `LinkError` if the port was disconnected or delivers no sound; `cancelled` if the task was cancelled.
    func report(
        isLive: Bool, mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport {
        let result: Result<ReaderSearchReport, LinkError> = await withTaskCancellationHandler {
            var permission: Task<Void, Never>?
            defer { permission?.cancel() }
            while true {
                do throws(LinkError) {
                    switch try await runOnThread() {
                    case .finished(let report): return .success(report)
                    case .needsTones where isLive:
                        permission = Task { [self] in allow(await mayPlayTones()) }
                    case .needsTones: allow(await mayPlayTones())
                    }
                } catch {
                    return .failure(error)
                }
            }
        } onCancel: {
            orders.withLock { $0.isStopped = true }
        }
        return try result.get()
    }

    private func allow(_ isAllowed: Bool) { orders.withLock { $0.mayPlayTones = isAllowed } }

    private func runOnThread() async throws(LinkError) -> Outcome {
        try await WorkerThread.run(name: "jackdaw-search", for: link) { [self] () throws(LinkError) in
            try state.withLock { state throws(LinkError) in try run(&state) }
        }
    }

    /// Runs until tones are needed, or to the end.
    private func run(_ state: inout State) throws(LinkError) -> Outcome {
        var before = now()
        while true {
            let orders = orders.withLock { orders in
                defer { orders.mayPlayTones = nil }
                return orders
            }
            guard !orders.isStopped else { throw LinkError.cancelled(link.description) }
            var outputs: [ReaderSearch.Output] = []
            if let isAllowed = orders.mayPlayTones {
                state.isWaiting = false
                outputs = state.search.allowTones(isAllowed)
            }
            if outputs.isEmpty { outputs = try hear(&state.search) }
            // The request for tones needs no answer if the same sound has ended the search.
            for output in outputs {
                switch output {
                case .play(let change): port.change { line in change.apply(to: &line) }
                case .needsTones: state.isWaiting = true
                case .finished(let report): return .finished(report)
                }
            }
            if outputs.contains(where: { if case .needsTones = $0 { true } else { false } }) { return .needsTones }
            let time = now()
            if !state.isWaiting { state.duration += time - before }
            before = time
            guard state.duration < limit else {
                throw LinkError(
                    .timedOut, link: link.description, "the sound card has stopped",
                    remedy: "unplug it, plug it in again, and try again")
            }
        }
    }

    /// Passes the next captured sound to the search, if any comes within 50 ms.
    private func hear(_ search: inout ReaderSearch) throws(LinkError) -> [ReaderSearch.Output] {
        var outputs: [ReaderSearch.Output] = []
        var isGone = false
        _ = try port.receive(within: .milliseconds(50)) { event, samples in
            switch event {
            case .sound(let block):
                if block.lostBefore > 0 { search.reset() }
                // The sound may contain a swipe, which is card data.
                var mono = stride(from: 0, to: samples.count, by: port.channelCount).map { samples[$0] }
                outputs += search.hear(mono.span)
                mono.wipe()
            case .reconnected: search.reset()
            case .disconnected, .ended: isGone = true
            }
        }
        guard !isGone else {
            throw LinkError(
                .disconnected, link: link.description, "the sound card was removed", remedy: "plug it in again")
        }
        return outputs
    }
}

/// The place that stores which reader was found at a sound card, so that the next search starts with that family.
public enum SwipeMemory: Sendable, Hashable {
    /// This user's state directory: `STATE_DIRECTORY`, which systemd sets, `XDG_STATE_HOME/jackdaw`, `/var/lib/jackdaw`
    /// for root, or `~/.local/state/jackdaw`.
    case standard
    /// A directory, given by its absolute path; it is created when it is needed.
    case directory(String)
    /// Nothing is stored.
    case none
}

/// Stores the family of the reader that was found at a sound card, in a small file for each card. All methods block on
/// files.
struct ReaderMemory: Sendable {
    private let directory: StateDirectory
    private let card: @Sendable () -> String

    /// Limit of the bytes of a card's name in the file.
    private static let greatestName = 512

    /// - Parameters:
    ///   - place: the place of the files.
    ///   - card: returns the card's identity, independent of its number.
    init?(_ place: SwipeMemory, card: @escaping @Sendable () -> String) {
        switch place {
        case .none: return nil
        case .directory(let path): directory = StateDirectory(path)
        case .standard:
            guard let path = StateDirectory.usualPath else { return nil }
            directory = StateDirectory(path)
        }
        self.card = card
    }

    /// The family that was found last; nil if no valid file is stored.
    func family() -> String? {
        let card = card()
        // Files are replaced atomically, so reading needs no lock and creates no directory.
        guard let bytes = try? directory.load(Self.name(card)) else { return nil }
        // Only a file with exactly the content that was written for this card is valid.
        return ReaderFamily.all.first { Self.record($0.name, card) == bytes }?.name
    }

    /// Stores a family. Errors are ignored, because they only slow down the next search.
    func remember(_ family: String) {
        let card = card()
        try? directory.locked { () throws(LinkError) in
            try directory.save(Self.record(family, card), as: Self.name(card))
        }
    }

    private static func name(_ card: String) -> String { "reader-\(StateDirectory.word(card))" }

    private static func record(_ family: String, _ card: String) -> [UInt8] {
        Array("jackdaw reader 1\n\(family)\n".utf8) + card.utf8.prefix(greatestName) + "\n".utf8
    }
}
