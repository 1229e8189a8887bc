import JackdawTransport

#if Command
import JackdawDSP
import JackdawTransport

/// Prints swipes as they are read, and on a terminal how loud it is.
struct LivePrinter {
    /// Decibels from the weakest level that the bar shows to full scale, and its length.
    private static let barRange = 60.0
    private static let barLength = 20

    private let options: Listen
    private let console: Console
    private let sampleRate: Double
    private var progress: Progress
    /// One channel's patience: all of a head's channels are answered for as soon as the card is through.
    private var cards: CardPrinter
    /// Tracks that were read.
    private(set) var trackCount = 0
    private var failureCount = 0
    private var swipes = SwipeCounter()
    /// Swipes of other tracks than `--track` names.
    private var others = OtherTracks()
    private let wallClock: WallClock

    init(_ options: Listen, _ console: Console, sampleRate: Double, wallClock: WallClock) {
        self.options = options
        self.wallClock = wallClock
        self.console = console
        self.sampleRate = sampleRate
        progress = Progress(console, after: .zero)
        cards = CardPrinter(channels: 1, showsFailures: options.failures, console)
    }

    /// Takes what the decoder found.
    /// - Returns: the object of `--json`; nil for a track that is not reported: another one than `--track` names, or one
    ///   after the last swipe that is wanted.
    mutating func receive(_ event: SwipeEvent, channel: Int) -> JSONObject? {
        let link = options.link.description
        switch event {
        case .track(let track):
            guard options.track.tracks.contains(track.track) else {
                others.add(track.track)
                return nil
            }
            guard swipes.add(track.span, most: options.most) else { return nil }
            trackCount += 1
            let report = TrackReport(track, file: link, channel: channel + 1, isRevealed: options.reveal)
            let object = timed(report.json)
            if options.json { console.result(object) } else { cards.add(report) }
            return object
        case .failure(let failure):
            failureCount += 1
            let report = FailureReport(file: link, channel: channel + 1, failure: failure, showsBits: false)
            let object = timed(report.json)
            if options.failures && options.json { console.result(object) } else { cards.add(report) }
            return object
        }
    }

    /// Whether all swipes that were wanted have been read.
    /// - Parameters:
    ///   - frame: how far the sound has been heard.
    ///   - channels: how many are decoded: where it is one, a swipe has no other track to wait for.
    /// - Returns: false without a limit, too.
    func isEnough(at frame: Int, channels: Int) -> Bool {
        guard let most = options.most else { return false }
        return swipes.areComplete(most, at: channels > 1 ? Double(frame) / sampleRate : nil)
    }

    private func timed(_ object: JSONObject) -> JSONObject {
        var object = object
        object.add(time: wallClock.now())
        return object
    }

    /// Prints what is complete.
    /// - Parameters:
    ///   - frame: how far the sound has been heard.
    ///   - channels: how many are decoded: where it is one, a card has no other track to wait for.
    ///   - level: how loud it is, in dBFS; nil where that is not known yet.
    mutating func advance(to frame: Int, channels: Int, level: Double?) {
        cards.print(at: channels > 1 ? Double(frame) / sampleRate : nil)
        console.flush()
        if let level { progress.update(status(level), fraction: nil) }
    }

    /// Prints what is left.
    mutating func finish() {
        cards.print(at: nil)
        console.flush()
        console.clearStatus()
    }

    /// Reports how many swipes of other tracks were left out.
    func reportOthers() { if let message = others.message { console.message(message) } }

    private func status(_ level: Double) -> String {
        // Sound may be beyond any scale where a device's samples are not integers.
        let share = level.isNaN ? 0 : min(max(1 + level / Self.barRange, 0), 1)
        let bar = String(repeating: "#", count: Int((share * Double(Self.barLength)).rounded()))
        let line = bar.padded(to: Self.barLength, alignedRight: false)
        return "[\(line)] \(fixed(level, 0)) dBFS, \(counted(trackCount, "track")) read, \(failureCount) not"
    }
}

/// Counts passes of cards by the tracks that were read in them.
struct SwipeCounter {
    private(set) var count = 0
    /// Where the last one ends (s).
    private var end = -Double.infinity
    /// Whether a track has come that is of one too many.
    private var hasMore = false

    /// Adds a track.
    /// - Parameters:
    ///   - span: where it was read.
    ///   - most: how many swipes are wanted; nil for all.
    /// - Returns: false if it is of one too many.
    mutating func add(_ span: SwipeSpan, most: Int?) -> Bool {
        let isNext = span.start > end + CardAssembler.gap
        guard !isNext || most.map({ count < $0 }) ?? true else {
            hasMore = true
            return false
        }
        if isNext { count += 1 }
        end = max(end, span.end)
        return true
    }

    /// Whether so many swipes were read, and no track of the last one can follow.
    /// - Parameters:
    ///   - wanted: how many.
    ///   - time: how far the sound has been heard (s); nil where nothing more is waited for.
    /// - Returns: whether no more is wanted.
    func areComplete(_ wanted: Int, at time: Double?) -> Bool {
        guard count >= wanted else { return false }
        return hasMore || time.map { $0 > end + CardAssembler.gap } ?? true
    }
}
#endif

/// Tells how much sound was lost: at once, and then no more often than every few seconds, in which losses are added up.
struct LossReport {
    /// Time from one line to the next; not that of the sound, which may come faster.
    private static let pause = Duration.seconds(5)

    private let link: LinkName
    private let sampleRate: Double
    private let now: () -> ContinuousClock.Instant
    private var lost = 0
    /// When the last line was written.
    private var told: ContinuousClock.Instant?

    init(link: LinkName, sampleRate: Double, now: @escaping () -> ContinuousClock.Instant) {
        self.link = link
        self.sampleRate = sampleRate
        self.now = now
    }

    /// Takes frames that were lost.
    mutating func add(_ frames: Int) { lost += frames }

    /// Says what was lost if it is time to.
    mutating func advance(_ console: Console) {
        guard lost > 0 else { return }
        let now = now()
        if let told, now - told < Self.pause { return }
        told = now
        finish(console)
    }

    /// Says what has not been said yet.
    mutating func finish(_ console: Console) {
        guard lost > 0 else { return }
        console.message("\(link): \(fixed(1_000 * Double(lost) / sampleRate, 0)) ms of sound were lost")
        lost = 0
    }
}
