internal import JackdawDSP
internal import JackdawReaders
internal import JackdawSystem
internal import JackdawTransport
internal import Synchronization

/// A search for the reader at a port, on threads of its own: what is captured goes in, what is to be played comes out.
final class SearchRun<Port: AudioPort & PlaybackPort>: Sendable where Port.Source == PoweredLine {
    private enum Outcome {
        case needsTones
        case finished(ReaderSearchReport)
    }

    /// What tasks tell the thread.
    private struct Orders {
        var mayPlayTones: Bool?
        var isStopped = false
    }

    private struct State: ~Copyable {
        var search: ReaderSearch
        var isWaiting = false
        /// How long it has taken, but for what waited for permission.
        var duration = Duration.zero
    }

    private let link: LinkName
    private let port: Port
    private let limit: Duration
    private let now: @Sendable () -> Duration
    private let state: Mutex<State>
    private let orders = SystemLock(Orders())

    /// How long a search takes at most, beside the time in which a person thinks. One whose card delivers sound ends before.
    static var usualLimit: Duration { .seconds(20) }

    /// - Parameters:
    ///   - link: the name of the port.
    ///   - port: where readers are heard, on the first channel, and played to.
    ///   - candidates: which are looked for, in this order.
    ///   - limit: how long it takes at most.
    ///   - clock: what that is measured with.
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

    /// Searches.
    /// - Parameters:
    ///   - isLive: whether sound goes on while permission is awaited.
    ///   - mayPlayTones: whether tones may be played; asked once at most.
    /// - Returns: what was found.
    /// - Throws: `LinkError`: the port has gone or delivers nothing; `cancelled` where the task was.
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

    /// Runs until tones are wanted, or to the end.
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
            // What was asked for needs no answer where the same sound has brought the end.
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
                    .timedOut, link: link.description, "the sound card does not go on",
                    remedy: "unplug it, plug it in again, and try again")
            }
        }
    }

    /// Takes what is captured next, if anything is soon.
    private func hear(_ search: inout ReaderSearch) throws(LinkError) -> [ReaderSearch.Output] {
        var outputs: [ReaderSearch.Output] = []
        var isGone = false
        _ = try port.receive(within: .milliseconds(50)) { event, samples in
            switch event {
            case .sound(let block):
                if block.lostBefore > 0 { search.reset() }
                // A card may be swiped meanwhile.
                var mono = stride(from: 0, to: samples.count, by: port.channelCount).map { samples[$0] }
                outputs += search.hear(mono.span)
                mono.wipe()
            case .reconnected: search.reset()
            case .disconnected, .ended: isGone = true
            }
        }
        guard !isGone else {
            throw LinkError(
                .disconnected, link: link.description, "the sound card has gone", remedy: "plug it in again")
        }
        return outputs
    }
}

/// Where it is remembered which reader was found at a sound card, so that it is looked for first.
public enum SwipeMemory: Sendable, Hashable {
    /// Among the state of this user's programs: in `STATE_DIRECTORY`, which systemd sets, `XDG_STATE_HOME/jackdaw`,
    /// `/var/lib/jackdaw` for root, or `~/.local/state/jackdaw`.
    case standard
    /// In a directory, by its absolute path; it is made when it is needed.
    case directory(String)
    /// Nowhere.
    case none
}

/// Remembers the family of the reader that was found at a sound card, in a small file for each card. All of it waits for files.
struct ReaderMemory: Sendable {
    private let directory: StateDirectory
    private let card: @Sendable () -> String

    /// Bytes of a card's name that count at most.
    private static let greatestName = 512

    /// - Parameters:
    ///   - place: where it is kept.
    ///   - card: tells who the card is, whatever its number.
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

    /// The family that was found last; nil where nothing of use is remembered.
    func family() -> String? {
        let card = card()
        // It is put in place as a whole: who reads needs no lock, and makes no directory.
        guard let bytes = try? directory.load(Self.name(card)) else { return nil }
        // A file is either the very one that was written for this card, or none.
        return ReaderFamily.all.first { Self.record($0.name, card) == bytes }?.name
    }

    /// Remembers a family. Where that fails, the next search takes longer.
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
